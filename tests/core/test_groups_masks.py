"""Masks in files, and masks that are none."""

import numpy as np
import pytest
from grouped import ALL, QUESTIONS, row, there, tree_of
from numpy.testing import assert_array_equal

from core import DynamicOctree, build_octree, load, save

BAD_MASKS = {
    "negative": (-1, "groups must be a whole number of at least 0, got -1"),
    "too large": (2**32, r"groups must be a whole number in 0\.\.0xffffffff, got 4294967296"),
    "a fraction": (1.5, r"groups must be a whole number, got 1\.5"),
    "a flag": (True, "groups must be a whole number of at least 0, got True"),
    "text": ("1", "groups must be a whole number, got '1'"),
    "too few": ([1, 2], r"groups must have shape \(\) or \(3,\), got \(2,\)"),
    "a row": ([[1, 2, 3]], r"groups must have shape \(n,\), got \(1, 3\)"),
    "fractions": ([1.0, 2.0, 3.0], "groups must hold whole numbers, got dtype float64"),
    "flags": ([True] * 3, "groups must hold whole numbers, got dtype bool"),
    "one negative": ([1, 2, -3], r"groups must lie in 0\.\.4294967295, got \[-3\] in row 2"),
    "one too large": ([1, 2**32, 3], r"groups must lie in 0\.\.4294967295, got .* in row 1"),
    "no array": ([1, [2]], "groups must be a regular array"),
}


@pytest.mark.parametrize("wrong", BAD_MASKS)
def test_a_bad_mask_inserts_nothing(wrong):
    groups, message = BAD_MASKS[wrong]
    tree = tree_of(4, 1)
    octree = tree.octree
    with pytest.raises(ValueError, match=message):
        tree.insert(row(3), groups=groups)
    assert tree.octree is octree
    assert len(tree) == 4
    assert tree.insert(row(1)).tolist() == [4]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("wrong", ["negative", "too large", "a fraction", "a flag", "text"])
def test_a_bad_mask_asks_nothing(question, wrong):
    groups, message = BAD_MASKS[wrong]
    for tree in (build_octree(row(3)), tree_of(3, 1).octree):
        with pytest.raises(ValueError, match=message):
            QUESTIONS[question](tree, groups=groups)


def test_no_items_may_have_no_masks():
    tree = DynamicOctree()
    assert tree.insert(row(0), groups=[]).shape == (0,)
    assert tree.insert(row(0), groups=7).shape == (0,)
    assert tree.insert(row(2), groups=[1, 2]).tolist() == [0, 1]


# Files


@pytest.mark.parametrize("groups", [None, 0, 6, 1 << np.arange(9)])
def test_a_file_keeps_the_masks(groups, tmp_path):
    tree = tree_of(9, groups)
    tree.remove([2])
    save(tree.octree, tmp_path / "tree")
    with np.load(tmp_path / "tree") as file:
        assert ("groups" in file) == (groups is not None)
    again = load(tmp_path / "tree")
    again.check()
    if groups is None:
        assert again.groups is None
    else:
        assert_array_equal(again.groups, tree.octree.groups)
        assert again.groups.dtype == np.uint32
    for mask in (0, 1, 4, 6, ALL):
        assert there(again, mask) == there(tree.octree, mask)


WRONG = {
    "too few": np.zeros(8, np.uint32),
    "fractions": np.zeros(9),
    "too large": np.full(9, 2**32),
    "negative": np.full(9, -1),
    "a table": np.zeros((9, 1), np.uint32),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_with_other_masks_is_refused(wrong, tmp_path):
    path = tmp_path / "tree"
    save(tree_of(9, 3).octree, path)
    with np.load(path) as file:
        arrays = {**file, "groups": WRONG[wrong]}
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="tree must be a saved octree: groups must"):
        load(path)
