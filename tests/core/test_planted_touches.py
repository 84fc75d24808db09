"""Touches that are exact are never lost: no axis separates within its own rounding."""

import numpy as np
import planted_scenes as planted
import pytest
from agreement import built, flags
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    Capsules,
    Frusta,
    OrientedBoxes,
    Regions,
    Triangles,
    query,
    query_any,
    query_count,
    use_kernel,
)

with_and_without_kernel = pytest.mark.parametrize("kernel", [True, False])
POWERS = (0, -300, 300)
SHIFTS = (0, 2**40 - 3)


def assert_found(items, volumes, kept=slice(None)):
    """Item i touches volume i, say all questions and all builds."""
    each = np.arange(len(items))[kept]
    for options in ({}, {"straddlers": "keep"}, {"straddlers": "hybrid", "split": "median"}):
        tree = built(items, capacity=2, **options)
        touched = flags(query(tree, volumes), volumes, items)
        assert touched[each, each].all()
        assert_array_equal(query_any(tree, volumes), touched.any(axis=1))
        assert_array_equal(query_count(tree, volumes), touched.sum(axis=1))
        alone = volumes[each[:1]]
        assert each[0] in query(tree, alone)[1]


def world(seed, unit, power, shift):
    """Corners of triangles (n, 3, 3) and boxes (n, 3) they touch, and where rounding keeps it."""
    corners, both = planted.touching_pairs(seed, 36)
    scale = unit * 2.0**power
    kinds = [planted.KINDS[i % len(planted.KINDS)] for i in range(36)]
    kept = [unit in planted.EXACT_UNITS or kind in planted.ALONG_AXES for kind in kinds]
    lower, upper = (both.swapaxes(1, 2) + shift) * scale
    return (corners + shift) * scale, lower, upper, np.array(kept)


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("kind", [Boxes, Regions, OrientedBoxes, Frusta])
def test_boxes_of_every_kind(kernel, power, shift, kind):
    use_kernel(kernel)
    # The middle of an oriented box must not be rounded.
    units = planted.EXACT_UNITS if kind is OrientedBoxes else planted.UNITS
    for seed, unit in enumerate(units):
        corners, lower, upper, kept = world(seed, unit, power, shift)
        if kind is Frusta:
            kept &= (lower < upper).all(axis=1)
        items, lower, upper = planted.triangles(corners[kept]), lower[kept], upper[kept]
        turns = planted.TURNS[::9] if kind is OrientedBoxes else planted.TURNS[:1]
        for turn in turns:
            volumes = planted.volumes_like(kind, lower, upper, turn)
            assert_found(items, volumes)


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("shift", SHIFTS)
def test_faces_as_far_away_as_the_radius(kernel, power, shift):
    use_kernel(kernel)
    _, lower, upper, _ = world(1, 1.0, 0, 0)
    axis, side = 2, 3.0
    middle = (lower + upper) / 2
    corners = middle[:, None] + np.array([[-90.0, -80, 0], [95, -70, 0], [5, 99, 0]])
    corners[:, :, axis] = upper[:, None, axis] + side
    scale = 2.0**power
    items = planted.triangles((corners + shift) * scale)
    lower, upper = (lower + shift) * scale, (upper + shift) * scale
    assert_found(items, Regions(lower, upper, np.full(len(lower), side * scale)))
    ends = upper.copy()
    ends[:, 0] = lower[:, 0]
    assert_found(items, Capsules(upper, ends, np.full(len(lower), side * scale)))


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(3))
def test_triangles_in_planes_with_long_normals(kernel, power, seed):
    use_kernel(kernel)
    one, other, normal = planted.in_planes(seed)
    scale = 2.0**power
    corners = np.stack((one - 2 * other, 3 * other - one, 2 * one + other), axis=1) * scale
    items = planted.triangles(corners)
    for facing in (normal, -normal):
        assert_found(items, planted.half_spaces(facing))
        frusta = planted.hexahedra(one, other, facing)
        assert_found(items, Frusta(frusta.corners * scale))
    assert_found(items, planted.segments(corners[:, 0], 3 * corners[:, 0]))
    inside = (corners[:, 0] + corners[:, 1] + 2 * corners[:, 2]) / 4
    assert_found(items, planted.segments(inside, 3 * inside + normal / 2**20 * scale))


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("seed", range(3))
def test_boxes_with_a_corner_in_a_plane_with_a_long_normal(kernel, power, seed):
    use_kernel(kernel)
    one, other, normal = planted.in_planes(seed)
    scale = 2.0**power
    corner, size = 3 * one - 2 * other, np.sign(normal) * 2.0**16
    for facing in (normal, -normal):
        # Of the box, no other corner is on the plane's inner side.
        beyond = corner - size if facing is normal else corner + size
        both = np.stack((corner, beyond)) * scale
        boxes = Boxes(both.min(axis=0), both.max(axis=0))
        assert_found(boxes, planted.half_spaces(facing))
        frusta = planted.hexahedra(4 * one, 4 * other, facing)
        assert_found(boxes, Frusta(frusta.corners * scale))


@with_and_without_kernel
@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("unit", planted.UNITS)
def test_boxes_that_share_a_wall_an_edge_or_a_corner(kernel, power, shift, unit):
    use_kernel(kernel)
    random = np.random.default_rng(4)
    lower = 2 * random.integers(-6, 6, (30, 3))
    upper = lower + 2 * random.integers(0, 5, (30, 3))
    sides = random.integers(-1, 2, (30, 3))
    size = 2 * random.integers(0, 5, (30, 3))
    there = np.where(sides > 0, upper, np.where(sides < 0, lower - size, lower))
    scale = unit * 2.0**power
    items = Boxes((lower + shift) * scale, (upper + shift) * scale)
    there, end = (there + shift) * scale, (there + size + shift) * scale
    for turn in planted.TURNS[::9]:
        if unit in planted.EXACT_UNITS:
            assert_found(items, planted.volumes_like(OrientedBoxes, there, end, turn))
    solid = (there < end).all(axis=1)
    assert_found(items[solid.nonzero()[0]], planted.volumes_like(Frusta, there[solid], end[solid]))
    axis = np.arange(30) % 3
    stop = there.copy()
    stop[np.arange(30), axis] = end[np.arange(30), axis]
    kept = np.where(sides >= 0, True, size == 0).all(axis=1)
    assert_found(items, planted.segments(there, stop), kept)


def test_degenerate_triangles_in_faces_of_hexahedra():
    one, other, normal = planted.in_planes(9)
    middle = (one + other) / 2
    for corners in (
        np.stack((middle, middle, middle), axis=1),
        np.stack((middle, 3 * middle, middle), axis=1),
        np.stack((-middle, 3 * middle, middle), axis=1),
    ):
        items = Triangles(corners.reshape(-1, 3), np.arange(120).reshape(-1, 3))
        for facing in (normal, -normal):
            assert_found(items, planted.hexahedra(one, other, facing))
            assert_found(items, planted.half_spaces(facing))
