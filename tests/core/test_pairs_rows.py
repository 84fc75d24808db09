"""Boxes are paired the same, however even or uneven their sizes and places are."""

import importlib

import core_scenes as scenes
import numpy as np
import pair_oracle
import pytest
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, Regions, Spheres, build_octree, overlapping_pairs
from core.pairs import broad_phase

asking = importlib.import_module("core.pairs.api")

COUNT = 600


def even(random):
    return random.integers(0, 60, (COUNT, 3)), random.integers(0, 6, (COUNT, 3))


def points(random):
    return random.integers(0, 9, (COUNT, 3)), np.zeros((COUNT, 3))


def flat(random):
    return random.integers(0, 90, (COUNT, 3)) * [1, 1, 0], random.integers(0, 6, (COUNT, 3))


def rods(random):
    return random.integers(0, 90, (COUNT, 3)), np.tile([50, 1, 1], (COUNT, 1))


def sheets(random):
    return random.integers(0, 900, (COUNT, 3)), np.tile([90, 0, 90], (COUNT, 1))


def some_huge(random):
    places, sizes = even(random)
    sizes[::50] = 1_000
    return places, sizes


def one_far(random):
    places, sizes = even(random)
    places[77] = 2**30
    return places, sizes


def islands(random):
    places, sizes = even(random)
    return places // 4 + random.integers(0, 3, (COUNT, 3)) * 2**20, sizes


def diagonal(random):
    return np.tile(np.arange(COUNT)[:, None], (1, 3)), random.integers(0, 3, (COUNT, 3))


def one_spot(random):
    return np.zeros((COUNT, 3)), np.zeros((COUNT, 3))


EVEN = (even, points, flat, rods, sheets)
UNEVEN = (some_huge, one_far, islands, diagonal, one_spot)
KINDS = {
    Boxes: lambda lower, size: Boxes(lower, lower + size),
    Spheres: lambda lower, size: Spheres(lower, size[:, 0]),
    Regions: lambda lower, size: Regions(lower, lower + size, size[:, 1]),
}


def items_of(world, kind=Boxes):
    places, sizes = world(scenes.numbers(50))
    return KINDS[kind](places.astype(float), sizes.astype(float))


def true_pairs(items, margin=0):
    return np.argwhere(np.triu(pair_oracle.near(items, items, margin), 1)).T


@pytest.mark.parametrize("margin", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("world", EVEN + UNEVEN)
def test_pairs_of_kept_items_equal_brute_force(world, kind, margin):
    items = items_of(world, kind)
    wanted = true_pairs(items, margin)
    tree = DynamicOctree()
    tree.insert(items)
    kept = build_octree(items, straddlers="keep", loose_factor=1.5)
    for octree in (tree.octree, kept):
        assert_array_equal(overlapping_pairs(octree, margin=margin), wanted)


@pytest.mark.parametrize("world", EVEN)
def test_bounds_are_paired_once(world):
    items = items_of(world)
    found = list(broad_phase.near_bounds(broad_phase.grown_bounds(items, 0)))
    firsts, seconds = np.concatenate([pairs[1:] for pairs in found], axis=1)
    pairs = np.stack((np.minimum(firsts, seconds), np.maximum(firsts, seconds)))
    pairs = pairs[:, np.lexsort(pairs[::-1])]
    assert (np.diff(pairs) != 0).any(axis=0).all()
    wanted = true_pairs(items)
    # In the few cells of this fine grid, all pairs overlap.
    assert_array_equal(pairs, wanted)


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_one_far_away_does_not_make_all_others_look_alike(straddlers, monkeypatch):
    """The far item makes the root so large that all others are in one cell."""
    items, tested = items_of(one_far), []

    def noted(ones, ids, others, numbers):
        tested.append(len(ids))
        return touching(ones, ids, others, numbers)

    touching = asking.touching
    monkeypatch.setattr(asking, "touching", noted)
    found = overlapping_pairs(build_octree(items, straddlers=straddlers))
    assert found.shape[1] > 100
    assert sum(tested) < 2 * found.shape[1]


@pytest.mark.parametrize("world", [even, one_far, some_huge])
def test_the_grid_covers_most_and_is_fine_for_them(world):
    items = items_of(world)
    grid = broad_phase._grid_around(broad_phase.grown_bounds(items, 0))
    inside = (items.lower >= grid.lower) & (items.upper <= grid.upper)
    assert inside.all(axis=1).mean() > 0.9
    assert (grid.upper - grid.lower < 2_000).all()
