"""Long random walks: after every step the tree examines itself and answers as brute force does."""

import numpy as np
import pytest
from crowd import Crowd, assert_stands_in_what_it_touches, some_items
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, Regions, overlapping_pairs, query

WALKS = {
    "keep": {},
    "tight": {"loose_factor": 1.0, "capacity": 2, "merge_below": 1},
    "very loose": {"loose_factor": 3.0, "capacity": 4, "merge_below": 2},
    "copy": {"straddlers": "copy"},
    "small leaves": {"straddlers": "copy", "capacity": 1, "merge_below": 1, "max_depth": 6},
    "deferred": {"merge": "deferred", "capacity": 3, "merge_below": 3},
    "deferred copies": {
        "merge": "deferred",
        "straddlers": "copy",
        "capacity": 3,
        "merge_below": 2,
    },
    "shallow": {"max_depth": 1, "capacity": 1, "merge_below": 1},
    "patient": {"grow_above": 9, "shrink_below": 4, "capacity": 4},
    "patient copies": {"grow_above": 4, "shrink_below": 9, "capacity": 4, "straddlers": "copy"},
    "large cells": {"min_size": 5.0, "capacity": 2, "merge_below": 2},
    "box": {"bounds": Boxes([[-8, 0, -3]], [[8, 5, 9]]), "capacity": 4},
    "flat": {"bounds": Boxes([[0, 0, 0]], [[5, 7, 0]]), "capacity": 4},
    "point": {"bounds": Boxes([[1, 1, 1]], [[1, 1, 1]]), "straddlers": "copy"},
}


class Walk:
    """A tree and a crowd that undergo the same."""

    def __init__(self, seed, scales=(1, 1, 1, 1, 1, 1, 1, 2.0**7, 2.0**-20, 2.0**30), **options):
        self.scales, self.random = scales, np.random.default_rng(seed)
        self.tree, self.crowd = DynamicOctree(**options), Crowd()

    def some(self):
        ids = self.random.permutation(self.crowd.ids)
        return ids[: self.random.integers(0, len(ids) + 1)]

    def items(self, count):
        scale, span = self.random.choice(self.scales), self.random.choice((30, 30, 2))
        items = some_items(self.random, count, span)
        return type(items).from_rows(items.rows * scale)

    def insert(self):
        items = self.items(self.random.integers(0, 25))
        self.crowd.put(self.tree.insert(items), items)

    def move(self):
        ids = self.some()
        items = self.items(len(ids))
        self.tree.move(ids, items)
        self.crowd.put(ids, items)

    def drift(self):
        """All move a little, as they do in a game."""
        ids, rows = self.crowd.ids, self.crowd.rows.T.copy()
        rows[:6] += np.tile(self.random.integers(-2, 3, (3, len(ids))), (2, 1))
        items = Regions(rows[:3].T, rows[3:6].T, rows[6])
        self.tree.move(ids, items)
        self.crowd.put(ids, items)

    def remove(self):
        ids = self.some()
        self.tree.remove(ids)
        self.crowd.remove(ids)

    def step(self):
        choices = (self.insert, self.move, self.drift, self.drift, self.remove, self.tree.prune)
        choices[self.random.integers(len(choices))]()

    def check(self):
        self.tree.check()
        assert_stands_in_what_it_touches(self.tree)
        octree, crowd = self.tree.octree, self.crowd
        assert_array_equal(self.tree.ids, crowd.ids)
        assert len(self.tree) == len(octree) == len(crowd)
        volumes = some_items(self.random, 6)
        assert_array_equal(query(octree, volumes), crowd.touched(volumes))
        assert_array_equal(overlapping_pairs(octree), crowd.pairs())
        if self.random.random() < 0.5:
            found = self.tree.changes()
            for pairs, wanted in zip(found, crowd.changes(), strict=True):
                assert list(zip(*pairs.tolist(), strict=True)) == wanted


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("options", WALKS.values(), ids=WALKS)
def test_a_walk(options, seed):
    walk = Walk(seed, **options)
    for _ in range(40):
        walk.step()
        walk.check()


def any_options(seed):
    random = np.random.default_rng(seed)
    capacity = int(random.integers(1, 6))
    boxes = None, None, Boxes([[-8, 0, -3]], [[8, 5, 9]]), Boxes([[0, 0, 0]], [[5, 7, 0]])
    return {
        "capacity": capacity,
        "merge_below": random.integers(1, capacity + 1),
        "max_depth": random.integers(8),
        "min_size": random.choice([0, 0, 1, 3, 5]),
        "straddlers": str(random.choice(["copy", "copy", "keep"])),
        "loose_factor": random.choice([1, 1.25, 2, 3]),
        "merge": str(random.choice(["eager", "deferred"])),
        "grow_above": random.choice([0, 0, 3, 9]),
        "shrink_below": random.choice([0, 0, 4, 9]),
        "bounds": boxes[random.integers(4)],
    }


@pytest.mark.parametrize("seed", range(24))
def test_a_walk_with_any_options(seed):
    walk = Walk(seed, **any_options(seed))
    for _ in range(40):
        walk.step()
        walk.check()


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_a_long_walk_meets_everything(straddlers):
    """Cells and root change often, items stand outside, alike, and in one leaf too many."""
    walk = Walk(3, straddlers=straddlers, capacity=3, merge_below=2, grow_above=2, shrink_below=2)
    met = {"outside": 0, "alike": 0, "crowded": 0}
    for _ in range(300):
        walk.step()
        walk.check()
        octree = walk.tree.octree
        met["outside"] += len(walk.tree.outside) > 0
        met["alike"] += len(np.unique(walk.crowd.rows, axis=0)) < len(walk.crowd)
        met["crowded"] += octree.item_counts[octree.is_leaf].max() > 3
    turnover = walk.tree.turnover
    assert min(met.values()) > 10
    assert min(turnover.splits, turnover.merges, turnover.growths, turnover.shrinks) > 20


@pytest.mark.parametrize("straddlers", ["keep", "copy"])
def test_a_crowd_that_drifts(straddlers):
    """Cells split and merge all the time."""
    walk = Walk(5, [1], straddlers=straddlers, capacity=3, merge_below=3)
    for _ in range(5):
        walk.insert()
    for _ in range(60):
        walk.drift()
        walk.check()
    turnover = walk.tree.turnover
    assert min(turnover.splits, turnover.merges) > 10
