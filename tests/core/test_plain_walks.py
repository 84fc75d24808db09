"""Every question has the answers of a plain walk, with the kernel and without."""

from collections.abc import Callable
from dataclasses import dataclass

import kernel_worlds as worlds
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scene_oracle import Baked
from support import plain_walks as plain

from core import (
    nearest,
    overlapping_pairs,
    pairs_within,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)

SEEDS = range(12)
pytestmark = pytest.mark.usefixtures("each_kernel")


@dataclass(frozen=True)
class Asked:
    """A tree, and the questions of its world."""

    tree: object
    origins: np.ndarray
    directions: np.ndarray
    limits: object
    groups: int

    @property
    def rays(self):
        return self.origins[:60], self.directions[:60]

    @property
    def options(self):
        limits = self.limits[:60] if np.ndim(self.limits) else self.limits
        return {"max_distance": limits, "groups": self.groups}

    @property
    def volumes(self):
        return worlds.volumes(self.origins[:12], np.ptp(self.origins, axis=0))


@pytest.fixture(params=SEEDS)
def asked(request):
    return make_asked(*worlds.world(request.param))


def make_asked(tree, question):
    return Asked(tree, *question)


def of_volumes(asked):
    for volumes in asked.volumes:
        options = {"groups": asked.groups}
        pairs = plain.related(asked.tree, volumes, **options)
        counts = np.bincount(pairs[0], minlength=len(volumes))
        yield query(asked.tree, volumes, **options), pairs
        yield query_count(asked.tree, volumes, **options), counts
        yield query_any(asked.tree, volumes, **options), counts > 0
        inside = {"relation": "inside", **options}
        yield query(asked.tree, volumes, **inside), plain.related(asked.tree, volumes, **inside)


def of_rays(asked):
    items, lengths = plain.closest(asked.tree, *asked.rays, **asked.options)
    hits = ray_cast(asked.tree, *asked.rays, **asked.options)
    yield hits.items, items
    yield hits.distances, lengths
    yield ray_test(asked.tree, *asked.rays, **asked.options), items >= 0
    every = ray_cast_all(asked.tree, *asked.rays, **asked.options)
    yield from zip(
        (every.pairs, every.distances),
        plain.crossed(asked.tree, *asked.rays, **asked.options),
        strict=True,
    )


def of_points(asked):
    limit = float(np.max(asked.limits, initial=0.0))
    for count in (1, 3):
        options = {"count": count, "max_distance": limit, "groups": asked.groups}
        found = nearest(asked.tree, asked.origins[:30], **options)
        expected = plain.nearby(asked.tree, asked.origins[:30], **options)
        yield from zip((found.items, found.distances), expected, strict=True)


ONE_TREE: list[Callable] = [of_volumes, of_rays, of_points]


@pytest.mark.parametrize("question", ONE_TREE)
def test_a_tree_of_triangles_is_asked_as_by_a_plain_walk(asked, question):
    for found, expected in question(asked):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("question", ONE_TREE)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_of_boxes_and_spheres_is_asked_as_by_a_plain_walk(seed, question):
    tree, _ = worlds.boxes(seed)
    (_, (origins, directions, _, _)) = worlds.world(seed)
    for found, expected in question(Asked(tree, origins, directions, np.inf, worlds.ALL_BITS)):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_scene_is_asked_as_its_baked_triangles_by_a_plain_walk(seed):
    scene, (origins, directions, limits, _) = worlds.scene(seed)
    baked = Baked(scene)
    asked = Asked(baked.tree, origins, directions, limits, worlds.ALL_BITS)
    hits = ray_cast(scene, *asked.rays, **asked.options)
    items, lengths = plain.closest(baked.tree, *asked.rays, **asked.options)
    assert_array_equal((hits.placements, hits.items), baked.named(items))
    assert_array_equal(hits.distances, lengths)
    found = nearest(scene, origins[:20], count=2)
    items, lengths = plain.nearby(baked.tree, origins[:20], count=2)
    assert_array_equal((found.placements, found.items), baked.named(items))
    assert_array_equal(found.distances, lengths)
    for volumes in asked.volumes:
        pairs = plain.related(baked.tree, volumes)
        assert_array_equal(query(scene, volumes), baked.renumbered(pairs))


@pytest.mark.parametrize("margin", [0.0, 0.05])
@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_those_of_a_plain_walk_down_two_trees(seed, margin):
    first, second = small_tree(seed), small_tree(seed + 1000)

    def test(ones, others):
        return pairs_within(first.items, ones, second.items, others, margin=margin)

    expected = plain.joined(first, second, test, margin)
    assert_array_equal(overlapping_pairs(first, second, margin=margin), expected)


def small_tree(seed):
    """Take the tree of the first world from this seed on that has few items."""
    while len((tree := worlds.world(seed)[0]).items) > 700:
        seed += 1
    return tree
