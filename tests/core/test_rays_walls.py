"""Rays where numbers are awkward: along axes, on walls of cells, far away, hardly moving."""

import core_scenes as scenes
import numpy as np
import pytest
import ray_scenes as rays
from agreement import POLICIES, built
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Triangles, ray_cast, ray_test

SIX = np.concatenate((np.eye(3), -np.eye(3)))


def along_walls(tree, nudge, start=20.0):
    """Rays in six directions, on all walls of cells, or a bit beside them."""
    walls = np.unique(np.concatenate((tree.node_lower, tree.node_upper)))
    walls = {0: walls, 1: np.nextafter(walls, np.inf), -1: np.nextafter(walls, -np.inf)}[nudge]
    across = np.stack(np.meshgrid(walls, walls[::2]), axis=-1).reshape(-1, 2)
    origins, directions = [], []
    for direction in SIX:
        axis = np.abs(direction).argmax()
        origins.append(np.insert(across, axis, -start * direction[axis], axis=1))
        directions.append(np.broadcast_to(direction, (len(across), 3)))
    return np.concatenate(origins), np.concatenate(directions)


@pytest.mark.parametrize("nudge", [-1, 0, 1])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", rays.KINDS)
def test_six_axis_directions_on_and_beside_walls(kind, policy, nudge):
    items = kind(scenes.whole(60))
    bounds = Boxes([[-8, -8, -8]], [[8, 8, 8]])
    tree = built(items, capacity=2, max_depth=3, straddlers=policy, bounds=bounds)
    origins, directions = along_walls(tree, nudge)
    rays.assert_nearly_true(tree, origins, directions, 0.0 if nudge == 0 else 1e-12)


@pytest.mark.parametrize("kind", rays.KINDS)
def test_rays_that_start_on_walls(kind):
    items = kind(scenes.whole(40))
    tree = built(items, capacity=2, max_depth=3, bounds=Boxes([[-8] * 3], [[8] * 3]))
    walls = np.arange(-8.0, 9.0, 4)
    origins = np.repeat(np.stack(np.meshgrid(walls, walls, walls), -1).reshape(-1, 3), 6, axis=0)
    rays.assert_nearly_true(tree, origins, np.tile(SIX, (len(origins) // 6, 1)), 0.0)


@pytest.mark.parametrize("kind", rays.KINDS)
def test_rays_from_far_away(kind):
    items = kind(scenes.whole(40))
    aims = scenes.numbers(35).integers(-7, 8, (12, 3))
    directions = scenes.numbers(36).integers(-3, 4, (12, 3))
    directions[~directions.any(axis=1)] = (1, 1, 0)
    tree = built(items, capacity=4)
    rays.assert_true(tree, aims - 2**20 * directions, directions)


@pytest.mark.parametrize("kind", rays.KINDS)
@pytest.mark.parametrize("far", [1e30, 1e110])
def test_rays_from_far_away_change_no_bit_of_others(kind, far):
    tree = built(kind(scenes.random()))
    origins, directions = rays.about(tree.items, 60)
    origins[::3] -= far * directions[::3]
    together = ray_cast(tree, origins, directions)
    assert (together.items[1::3] >= 0).any()
    order = scenes.numbers(41).permutation(60)
    for some in (order, np.arange(40), *np.arange(60)[:, None]):
        found = ray_cast(tree, origins[some], directions[some])
        for name in ("items", "distances", "positions", "normals", "barycentric"):
            assert_array_equal(getattr(found, name), getattr(together, name)[some])


@pytest.mark.parametrize("kind", rays.KINDS)
def test_rays_from_a_billion_units_away(kind):
    items = kind(scenes.random())
    origins, directions = rays.about(items, 60)
    aims = origins + directions * 0.5
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    found = rays.assert_nearly_true(built(items), aims - 1e9 * directions, directions, 1e-5)
    assert np.count_nonzero(~np.isnan(found)) > 30


@pytest.mark.parametrize("length", [2.0**-1000, 5e-324, 3.0, 2.0**1000])
@pytest.mark.parametrize("kind", rays.KINDS)
def test_directions_of_any_length(kind, length):
    items = kind(scenes.whole(60))
    tree = built(items, capacity=4)
    origins = scenes.numbers(37).integers(-9, 10, (100, 3))
    directions = scenes.numbers(38).choice((-1, 0, 1), (100, 3))
    directions[~directions.any(axis=1)] = (0, 0, 1)
    long, short = ray_cast(tree, origins, directions), ray_cast(tree, origins, directions * length)
    assert_array_equal(long.items, short.items)
    assert_allclose(long.distances, short.distances, rtol=1e-15)


@pytest.mark.parametrize("least", [1e-300, 1e-160, 1e-100, 1e-17])
@pytest.mark.parametrize("kind", rays.KINDS)
def test_rays_nearly_along_an_axis_are_like_those_along_it(kind, least):
    items = kind(scenes.random())
    origins, _ = rays.about(items, 200)
    directions = SIX[np.arange(200) % 6]
    tree = built(items, capacity=4)
    straight = ray_cast(tree, origins, directions)
    aslant = ray_cast(tree, origins, np.where(directions == 0, least, directions))
    assert_array_equal(straight.items, aslant.items)
    assert_allclose(straight.distances, aslant.distances, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("size", [1e-100, 1e-9, 3e-4, 1e100])
@pytest.mark.parametrize("kind", rays.KINDS)
def test_tiny_and_huge_scenes(kind, size):
    items = kind(scenes.moved(scenes.random(), size))
    origins, directions = rays.about(items)
    plain = kind(scenes.random())
    found = ray_cast(built(items, capacity=4), origins, directions)
    assert_array_equal(found.items, ray_cast(built(plain), origins / size, directions).items)


def test_an_empty_region_is_passed_in_either_direction():
    wall = Triangles([[5, -9, -9], [5, 9, -9], [5, 0, 9]], [[0, 1, 2]])
    assert ray_test(built(wall), [[-1e9, 0, 0], [1e9, 0, 0]], [[1, 0, 0], [-1, 0, 0]]).all()
    assert not ray_test(built(wall), [[6, 0, 0], [4, 0, 0]], [[1, 0, 0], [-1, 0, 0]]).any()
