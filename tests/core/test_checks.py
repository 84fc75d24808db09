"""Bad questions are errors that name the argument, what was wanted and what came."""

import core_scenes as scenes
import numpy as np
import pytest
from tuned import tuned

import core
from core import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    Octree,
    OrientedBoxes,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    build_steps,
    cell_segments,
    query,
    query_any,
    query_count,
    statistics,
)

ZEROS = np.zeros((2, 3))
NAN = np.array([[0, 0, 0], [0, np.nan, 0]])
TREE = build_octree(scenes.random(), capacity=16)
CELLS = len(TREE.node_depth)
POINTS = Spheres(ZEROS, [1, 1])
FLAT = np.zeros((1, 4, 4))
EYE = np.eye(3)
ENDLESS = Frusta(np.full((1, 8, 3), np.inf))


SHAPE_ERRORS = {
    "lower shape": (lambda: Boxes(np.zeros(2), ZEROS), "lower", r"\(n, 3\)", r"\(2,\)"),
    "upper shape": (lambda: Boxes(ZEROS, np.zeros((2, 4))), "upper", r"\(n, 3\)", r"\(2, 4\)"),
    "box lengths": (lambda: Boxes(ZEROS, ZEROS[:1]), "lower and upper", "length", r"\[2, 1\]"),
    "box order": (lambda: Boxes(ZEROS, ZEROS - [[0], [1]]), "lower", "upper", "row 1"),
    "centers shape": (lambda: Spheres(np.zeros((2, 2)), [1, 1]), "centers", "3", r"\(2, 2\)"),
    "radii shape": (lambda: Spheres(ZEROS, [[1, 1]]), "radii", r"\(n,?\)", r"\(1, 2\)"),
    "no batch": (lambda: Spheres([0, 0, 0], 1), "centers", r"\(n, 3\)", r"\(3,\)"),
    "sphere lengths": (lambda: Spheres(ZEROS, [1]), "centers and radii", "length", r"\[2, 1\]"),
    "negative radius": (lambda: Spheres(ZEROS, [1, -2]), "radii", "negative", "-2.0 in row 1"),
    "region lengths": (
        lambda: Regions(ZEROS, ZEROS, [1]), "lower, upper and radii", "length", r"\[2, 2, 1\]"
    ),
    "region order": (lambda: Regions(ZEROS, ZEROS - 1, [1, 1]), "lower", "upper", "row 0"),
    "half_sizes": (lambda: OrientedBoxes(ZEROS, [1, 1], [EYE]), "half_sizes", "3", r"\(2,\)"),
    "rotations": (lambda: OrientedBoxes(ZEROS, ZEROS, EYE[1:]), "rotations", "3, 3", r"\(2, 3\)"),
    "turned lengths": (
        lambda: OrientedBoxes(ZEROS, ZEROS, [EYE]), "centers, half_sizes and rotations", "length",
        r"\[2, 2, 1\]",
    ),
    "ends shape": (lambda: Capsules(ZEROS, np.zeros((2, 2)), [1, 1]), "ends", "3", r"\(2, 2\)"),
    "capsule lengths": (
        lambda: Capsules(ZEROS, ZEROS, [1]), "starts, ends and radii", "length", r"\[2, 2, 1\]"
    ),
    "half-spaces": (lambda: HalfSpaces(ZEROS), "planes", r"\(n, 4\)", r"\(2, 3\)"),
    "text": (lambda: Spheres([["a", "b", "c"]], [1]), "centers", "real numbers", "U1"),
    "none": (lambda: Boxes([[None] * 3], [[1, 1, 1]]), "lower", "real numbers", "object"),
    "complex": (lambda: Boxes(ZEROS * 1j, ZEROS), "lower", "real numbers", "complex128"),
    "ragged": (lambda: Boxes([[0, 0, 0], [0]], ZEROS), "lower", "numbers", "shape"),
    "faces shape": (lambda: Triangles(ZEROS, [[0, 1]]), "faces", r"\(n, 3\)", r"\(1, 2\)"),
    "faces float": (lambda: Triangles(ZEROS, [[0, 1.0, 0]]), "faces", "whole", "float64"),
    "faces high": (lambda: Triangles(ZEROS, [[0, 1, 2]]), "faces", r"0\.\.1", "row 0"),
    "faces low": (lambda: Triangles(ZEROS, [[0, 1, 1], [0, -1, 0]]), "faces", r"0\.\.1", "row 1"),
    "vertices": (lambda: Triangles(np.zeros((2, 2)), [[0, 1, 1]]), "vertices", "3", r"\(2, 2\)"),
    "corners": (lambda: Frusta(np.zeros((8, 3))), "corners", r"\(n, 8, 3\)", r"\(8, 3\)"),
    "planes": (lambda: Frusta.from_planes(np.zeros((1, 5, 4))), "planes", "6, 4", "5, 4"),
    "parallel": (lambda: Frusta.from_planes(np.ones((1, 6, 4))), "planes", "meet", "parallel"),
    "matrices": (lambda: Frusta.from_matrices(np.eye(4)), "view_projection", "4, 4", r"\(4, 4\)"),
    "singular": (lambda: Frusta.from_matrices(FLAT), "view_projection", "inverse", "singular"),
}  # fmt: skip
OPTION_ERRORS = {
    "capacity": [0, -1, 1.5, "8", None, True, np.nan],
    "max_depth": [-1, 2.0, "2", None],
    "min_size": [-1.0, np.nan, np.inf, "wide", None],
    "split": ["mean", "", None, 3],
    "straddlers": ["Copy", "drop", None, ["copy"]],
    "hybrid_limit": [0, 2.5, None],
    "loose_factor": [0.5, np.nan, np.inf, None],
    "bounds": [3, Boxes(ZEROS, ZEROS), Boxes([], []), Boxes(NAN[1:], NAN[1:]), POINTS[:1]],
}
QUESTION_ERRORS = {
    "tree": (lambda: query(None, POINTS), "tree", "Octree", "NoneType"),
    "swapped": (lambda: query(POINTS, TREE), "tree", "Octree", "Spheres"),
    "volumes": (lambda: query(TREE, TREE.items), "volumes", "Frusta", "Triangles"),
    "array": (lambda: query(TREE, ZEROS), "volumes", "Spheres", "ndarray"),
    "any of": (lambda: query_any(TREE, ZEROS), "volumes", "Spheres", "ndarray"),
    "count of": (lambda: query_count(TREE, ZEROS), "volumes", "Spheres", "ndarray"),
    "relation": (lambda: query(TREE, POINTS, relation="near"), "relation", "candidates", "near"),
    "cells of a scene": (
        lambda: query(SceneOctree(), POINTS, relation="candidates"), "relation",
        "objects_touching", "candidates",
    ),
    "nan sphere": (lambda: query(TREE, Spheres(NAN, [1, 1])), "volumes", "finite", "row 1"),
    "inf radius": (lambda: query(TREE, Spheres(ZEROS, [1, np.inf])), "volumes", "finite", "row 1"),
    "nan box": (lambda: query_any(TREE, Boxes(NAN, NAN)), "volumes", "finite", "row 1"),
    "inf frustum": (lambda: query_count(TREE, ENDLESS), "volumes", "finite", "row 0"),
    "statistics": (lambda: statistics(TREE.items), "tree", "Octree", "Triangles"),
    "segments of": (lambda: cell_segments(TREE.items, [0]), "tree", "Octree", "Triangles"),
    "cell high": (lambda: cell_segments(TREE, [0, CELLS]), "cells", f"{CELLS - 1}", f"{CELLS}"),
    "cell low": (lambda: cell_segments(TREE, [-1]), "cells", f"{CELLS - 1}", "-1"),
    "cell float": (lambda: cell_segments(TREE, [1.0]), "cells", "whole", "float64"),
    "cells shape": (lambda: cell_segments(TREE, [[0, 1]]), "cells", r"\(n,?\)", r"\(1, 2\)"),
    "node high": (lambda: TREE.items_in(CELLS), "node", f"{CELLS}", f"got {CELLS}"),
    "node low": (lambda: TREE.items_below(-1), "node", "at least 0", "got -1"),
    "node float": (lambda: TREE.items_in(0.0), "node", "whole", "0.0"),
    "items": (lambda: TREE.cells_of([300]), "items", r"0\.\.299", "300"),
    "items shape": (lambda: TREE.cells_of([[0, 1]]), "items", r"\(n,?\)", r"\(1, 2\)"),
}  # fmt: skip


@pytest.mark.parametrize("case", SHAPE_ERRORS)
def test_shapes_refuse(case):
    refuses(*SHAPE_ERRORS[case])


@pytest.mark.parametrize("case", QUESTION_ERRORS)
def test_questions_refuse(case):
    refuses(*QUESTION_ERRORS[case])


def refuses(call, name, wanted, got):
    with pytest.raises(ValueError, match=f"^{name} must .*{wanted}.*{got}"):
        call()


@pytest.mark.parametrize(
    ("option", "value"), [(name, value) for name, bad in OPTION_ERRORS.items() for value in bad]
)
def test_building_refuses_before_it_begins(option, value):
    for call in (build_octree, build_steps):
        with pytest.raises(ValueError, match=rf"^{option} must .*, got "):
            call(TREE.items, **{option: value})


@pytest.mark.parametrize("items", [None, ZEROS, Frusta([]), TREE])
def test_only_items_can_be_built_over(items):
    for call in (build_octree, build_steps):
        with pytest.raises(ValueError, match=r"^items must be one of .*Triangles.*, got "):
            call(items)


def test_numbers_of_numpy_are_numbers():
    tree = build_octree(TREE.items, capacity=np.int32(16), min_size=np.float32(0.5))
    assert (type(tree.capacity), type(tree.min_size)) == (int, float)


def test_an_octree_cannot_be_changed():
    for name in ("capacity", "items", "node_depth"):
        with pytest.raises(AttributeError):
            setattr(TREE, name, 3)
    assert isinstance(TREE, Octree)


def test_a_number_in_quotes_is_no_number():
    with pytest.raises(ValueError, match=r"min_size must be .* '0.5'"):
        build_octree(Spheres([[0, 0, 0]], [1]), min_size="0.5")


def test_shapes_are_frozen():
    for name in ("rows", "centers"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(Spheres([[0, 0, 0]], [1]), name, 1)


def test_a_selection_of_two_dimensions_is_refused():
    with pytest.raises(ValueError, match=r"shape \(n,\), got \(1, 2\)"):
        Spheres([[0, 0, 0]] * 2, [1, 1])[[[0, 1]]]


@pytest.mark.parametrize("corners", [[[1, 2, 3]] * 8, [[0, 0, 0], [1, 0, 0]] * 4])
def test_a_flat_frustum_is_refused(corners):
    tree = build_octree(Spheres([[0, 0, 0]], [1]))
    with pytest.raises(ValueError, match="volumes must enclose a volume"):
        query(tree, Frusta([corners]))


def test_a_pyramid_is_not_flat():
    tree = build_octree(Spheres([[0, 0, 2], [0, 0, -1], [2, 0, 2]], [0.1] * 3))
    base = [[-1, -1, 3], [1, -1, 3], [1, 1, 3], [-1, 1, 3]]
    assert query(tree, Frusta([[[0, 0, 0]] * 4 + base])).tolist() == [[0], [0]]


@tuned(core, copies_at_a_depth=1_000)
def test_copies_without_end_are_refused():
    with pytest.raises(ValueError, match="capacity must be larger, or max_depth smaller: got 1 "):
        build_octree(scenes.grid(), capacity=1, max_depth=20)
