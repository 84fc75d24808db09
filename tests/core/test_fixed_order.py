"""Answers have the same bits on every processor: sums of products are added one at a time.

Matrix products, `einsum` and `norm` add in an order, and with fused steps, that follow the
processor. They may compute bounds with slack, and volumes before any question is asked.
"""

import ast

import numpy as np
import pytest

from core.arrays import project
from tests.test_layers import CHECKOUT, files

ANSWER_PATH = ("arrays.py", "descend.py", "volumes/", "mailboxing.py", "touch/", "rays/",
               "nearby/", "scene/top_level.py", "scene/moment.py")  # fmt: skip
FREE = {"einsum", "matmul", "inner", "vdot", "tensordot", "norm", "linalg", "hypot", "sum", "mean"}
# File and function -> why the order does not matter there.
EXCEPTIONS = {
    ("descend.py", "classify"): "squared distances of cells, between bounds with slack",
    ("descend.py", "references"): "whole numbers",
    ("touch/rays.py", "of"): "counts of axes",
    ("nearby/walked.py", "improve"): "whole numbers",
    ("scene/moment.py", "item_count"): "whole numbers",
    ("scene/top_level.py", "_free_path"): "how far to look at first",
    ("scene/top_level.py", "_in_reach"): "bounds of placements, with slack",
    ("volumes/walked.py", "_with_whole"): "whole numbers",
    ("touch/separating_axis.py", "_along_axes"): "three rows at most, added in their order",
    ("touch/separating_axis.py", "overlap_along"): "the size of a slack",
}


def free_orders():
    for path in files("core"):
        name = path.relative_to("core").as_posix()
        if name.startswith(ANSWER_PATH):
            tree = ast.parse((CHECKOUT / path).read_text(encoding="utf-8"))
            yield from ((name, function) for function in functions_with(tree, "module"))


def functions_with(node, function):
    """Yield the names of the functions in which something is added in a free order."""
    if isinstance(node, ast.FunctionDef):
        function = node.name
    is_product = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult)
    if is_product or (isinstance(node, ast.Attribute) and node.attr in FREE):
        yield function
    for child in ast.iter_child_nodes(node):
        yield from functions_with(child, function)


def test_answers_add_in_a_fixed_order():
    assert {*free_orders()} == {*EXCEPTIONS}


@pytest.mark.parametrize("count", [1, 7, 5000])
@pytest.mark.parametrize("one_set", [False, True])
def test_projections_are_single_products_and_sums(count, one_set):
    random = np.random.default_rng(count)
    axes = random.normal(size=(6, 3, 1 if one_set else count))
    points = random.normal(size=(8, 3, count))
    x, y, z = points.swapaxes(0, 1)
    expected = [a * x + b * y + c * z for a, b, c in axes]
    np.testing.assert_array_equal(project(axes, points), np.stack(expected, axis=1))
    np.testing.assert_array_equal(project(axes, points[0]), np.stack(expected, axis=1)[0])
