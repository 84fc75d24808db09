"""Files that version 0.1.0 wrote load, fit together, and answer as trees built today."""

import json
from dataclasses import fields
from pathlib import Path

import core_scenes as scenes
import numpy as np
import pytest
from agreement import assert_same, assert_true_answers, built
from crowd import rows_of, touching
from numpy.testing import assert_array_equal

from core import Boxes, load, nearest, overlapping_pairs, query, ray_cast_all, save
from core.options import Options

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "trees_0.1.0"
STATIC = sorted(path.stem for path in FOLDER.glob("*.npz") if "dynamic" not in path.stem)
DYNAMIC = sorted(path.stem for path in FOLDER.glob("dynamic*.npz"))
VOLUMES = Boxes([[-9, -9, -9], [0, 0, 0], [-3, 1, -5]], [[-2, 9, 9], [2, 3, 4], [9, 1, 2]])
POINTS = np.random.default_rng(0).integers(-10, 11, (20, 3)).astype(float)


def old(name):
    tree = load(FOLDER / f"{name}.npz")
    tree.check()
    return tree


def built_anew(tree):
    options = {field.name: getattr(tree, field.name) for field in fields(Options)}
    return built(tree.items, **options)


def test_every_kind_is_there():
    assert (len(STATIC), len(DYNAMIC)) == (21, 2)


@pytest.mark.parametrize("name", STATIC)
def test_an_old_file_answers_with_the_truth(name):
    tree = old(name)
    assert_true_answers(tree, VOLUMES, exactly=True)
    for about in scenes.ABOUT:
        assert_true_answers(tree, about(tree.items[tree.order], 5))


@pytest.mark.parametrize("name", STATIC)
def test_an_old_file_answers_as_a_tree_built_today(name):
    tree = old(name)
    today = built_anew(tree)
    directions = np.roll(POINTS, 1, axis=0) + np.array([0.25, 0.5, 0.125])
    rays, wanted = (ray_cast_all(one, POINTS, directions) for one in (tree, today))
    assert_array_equal(rays.pairs, wanted.pairs)
    assert_array_equal(rays.distances, wanted.distances)
    near, wanted = (nearest(one, POINTS, count=3) for one in (tree, today))
    assert_array_equal(near.items, wanted.items)
    assert_array_equal(overlapping_pairs(tree), overlapping_pairs(today))
    assert_array_equal(tree.invalid_items, today.invalid_items)


@pytest.mark.parametrize("name", DYNAMIC)
def test_an_old_changing_tree_keeps_ids_and_groups(name):
    tree = old(name)
    assert len(tree) == len(tree.ids) == 90
    assert_array_equal(tree.groups, np.where(tree.ids < 50, tree.ids % 3 + 1, 4))
    for mask in (1, 2, 3, 4, 7, 8):
        there = np.flatnonzero(tree.groups & np.uint32(mask))
        volumes, items = touching(rows_of(VOLUMES), rows_of(tree.items)[there]).nonzero()
        assert_array_equal(query(tree, VOLUMES, groups=mask), (volumes, tree.ids[there[items]]))


@pytest.mark.parametrize("name", STATIC + DYNAMIC)
def test_an_old_file_saved_again_is_the_same(name, tmp_path):
    tree = old(name)
    save(tree, tmp_path / "again")
    assert_same(tree, load(tmp_path / "again"))
    with np.load(FOLDER / f"{name}.npz") as before, np.load(tmp_path / "again") as after:
        assert set(before) == set(after)
        for array in set(before) - {"header"}:
            assert_array_equal(before[array], after[array])
        old_header, header = (json.loads(str(one["header"])) for one in (before, after))
        assert header.pop("members") == sorted(set(before) - {"header"})
        assert header == old_header
