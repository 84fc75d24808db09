"""Exact tests of pairs of hulls that are grown round, against fractions: all pairs of batches."""

import core_scenes
import hull_oracle as oracle
import hull_scenes as scenes
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    Capsules,
    Frusta,
    OrientedBoxes,
    Regions,
    Spheres,
    Triangles,
    build_octree,
    query_any,
)
from core.touch import lying_inside, touching

ITEMS = (Triangles, Boxes, Spheres, Regions)
PAIRS = [
    *((item, volume) for volume in (OrientedBoxes, Capsules) for item in ITEMS),
    (Triangles, Regions),
    (Regions, Frusta),
]
HELD = PAIRS[:8]
every_pair = pytest.mark.parametrize(("item", "volume"), PAIRS)
every_holding_pair = pytest.mark.parametrize(("item", "volume"), HELD)


def flags(test, items, volumes):
    """Ask a test for all pairs: one row for each volume."""
    numbers, ids = np.indices((len(volumes), len(items))).reshape(2, -1)
    return test(items, ids, volumes, numbers).reshape(len(volumes), len(items))


def assert_right(test, truth, items, volumes, exactly=False):
    found = flags(test, items, volumes)
    largest = max(np.abs(shapes.limits()).max() for shapes in (items, volumes))
    doubt = 0 if exactly else oracle.TOLERANCE * oracle.Fraction(largest)
    surely, possibly = truth(items, volumes, doubt)
    wrong = np.argwhere((surely & ~found) | (found & ~possibly))
    assert len(wrong) == 0, f"first of {len(wrong)} wrong pairs: {wrong[0]}"
    assert 0 < found.mean() < 1


@every_pair
@pytest.mark.parametrize("size", [0.2, 1])
def test_random_shapes_touch_as_fractions_say(item, volume, size):
    items = scenes.random(item, 40, 1, 0.5)
    assert_right(touching, oracle.touching, items, scenes.random(volume, 12, 2, size))


@every_pair
@pytest.mark.parametrize("seed", [1, 3])
def test_whole_shapes_touch_exactly(item, volume, seed):
    items, volumes = scenes.whole(item, 40, seed), scenes.whole(volume, 20, seed + 1)
    assert_right(touching, oracle.touching, items, volumes, exactly=True)


@every_pair
def test_points_segments_and_flat_shapes_touch_exactly(item, volume):
    items, volumes = scenes.degenerate(item), scenes.degenerate(volume, 2)
    assert_right(touching, oracle.touching, items, volumes, exactly=True)


@every_holding_pair
def test_random_shapes_lie_in_volumes_as_fractions_say(item, volume):
    items = scenes.random(item, 60, 1, 0.2)
    assert_right(lying_inside, oracle.inside, items, scenes.random(volume, 20, 2, 2))


@every_holding_pair
def test_whole_shapes_lie_in_volumes_exactly(item, volume):
    volumes = scenes.moved(scenes.whole(volume, 30, 2), 3)
    for items in (scenes.whole(item, 30), scenes.degenerate(item)):
        assert_right(lying_inside, oracle.inside, items, volumes, exactly=True)


@every_pair
@pytest.mark.parametrize(("size", "other"), [(0.02, 2), (2, 0.02)])
def test_giants_and_dwarfs_touch_as_fractions_say(item, volume, size, other):
    items, volumes = scenes.random(item, 30, 1, size), scenes.random(volume, 15, 2, other)
    assert_right(touching, oracle.touching, items, volumes)


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("angle", [0, 1e-17, 1e-16, 1e-12, 1e-8, 1e-6])
def test_edges_that_are_all_but_parallel(item, angle):
    """Rotations by next to nothing have axes whose products are next to nothing."""
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]) @ np.array(
        [[1, 0, 0], [0, cos, -sin], [0, sin, cos]]
    )
    turned = scenes.whole(OrientedBoxes, 20, 6)
    turned = OrientedBoxes(turned.centers, turned.half_sizes, turn @ turned.rotations)
    assert_right(touching, oracle.touching, scenes.whole(item, 20, 5), turned)


@every_pair
@pytest.mark.parametrize("power", [-450, -250, -30, 30, 250, 450])
def test_scaled_by_a_power_of_two_the_flags_are_the_same(item, volume, power):
    for make in (scenes.random, scenes.whole):
        items, volumes = make(item, 40, 1), make(volume, 40, 2)
        scaled = [scenes.moved(shapes, 2.0**power) for shapes in (items, volumes)]
        for test in (touching, lying_inside):
            if test is touching or (item, volume) in HELD:
                assert_array_equal(flags(test, items, volumes), flags(test, *scaled))


@every_pair
@pytest.mark.parametrize("shift", [(64, -128, 8), (2**20, 0, 0), (-(2**33), 2**30, 2**31)])
def test_shifted_exactly_the_flags_are_the_same(item, volume, shift):
    items = scenes.rounded(scenes.random(item, 40, 1))
    volumes = scenes.rounded(scenes.random(volume, 40, 2))
    shifted = [scenes.moved(shapes, 1, shift) for shapes in (items, volumes)]
    for test in (touching, lying_inside):
        if test is touching or (item, volume) in HELD:
            assert_array_equal(flags(test, items, volumes), flags(test, *shifted))


@pytest.mark.parametrize("item", ITEMS)
def test_capsules_that_just_reach_from_a_point_which_rounding_misses(item):
    """At a right angle from a third or a seventh of the segment, as far as the radius."""
    lengths = np.repeat(np.arange(3, 60), 57)
    shares = np.tile(np.arange(1, 58), 57)
    lengths, shares = lengths[shares < lengths], shares[shares < lengths]
    along, beside = np.array([3, 4, 12]), np.array([4, -3, 0])
    capsules = Capsules(np.zeros((len(lengths), 3)), lengths[:, None] * along, lengths * 0 + 5)
    points = shares[:, None] * along + beside
    items = {
        Triangles: lambda: core_scenes.loose_triangles(np.repeat(points[:, None], 3, axis=1)),
        Boxes: lambda: Boxes(points, points),
        Spheres: lambda: Spheres(points, 0 * shares),
        Regions: lambda: Regions(points, points, 0 * shares),
    }[item]()
    both = np.arange(len(shares))
    assert touching(items, both, capsules, both).all()
    assert lying_inside(items, both, capsules, both).all()
    away = scenes.moved(items, 1, 2.0**-40 * beside)
    assert not touching(away, both, capsules, both).any()


# One shape as two kinds


def boxes_and_turns(seed=4):
    boxes = scenes.whole(Boxes, 40, seed)
    half, turns = (boxes.upper - boxes.lower) / 2, scenes.SIGNED[np.arange(40)]
    sizes = np.abs(np.einsum("nij,ni->nj", turns, half))
    return boxes, OrientedBoxes(boxes.lower + half, sizes, turns)


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("test", [touching, lying_inside])
def test_a_box_turned_by_right_angles_is_a_box(item, test):
    boxes, turned = boxes_and_turns()
    items = scenes.whole(item)
    assert_array_equal(flags(test, items, boxes), flags(test, items, turned))


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("test", [touching, lying_inside])
def test_a_capsule_without_length_is_a_sphere(item, test):
    spheres, items = scenes.whole(Spheres, 40, 4), scenes.whole(item)
    capsules = Capsules(spheres.centers, spheres.centers, spheres.radii)
    assert_array_equal(flags(test, items, spheres), flags(test, items, capsules))


@pytest.mark.parametrize("item", ITEMS)
@pytest.mark.parametrize("test", [touching, lying_inside])
@pytest.mark.parametrize("axis", range(3))
def test_a_capsule_along_an_axis_is_a_region(item, test, axis):
    regions, items = scenes.whole(Regions, 40, 4), scenes.whole(item)
    upper = np.where(np.arange(3) == axis, regions.upper, regions.lower)
    regions = Regions(regions.lower, upper, regions.radii)
    capsules = Capsules(regions.upper, regions.lower, regions.radii)
    assert_array_equal(flags(test, items, regions), flags(test, items, capsules))


def test_a_region_is_a_box_or_a_sphere_to_triangles():
    triangles, boxes = scenes.whole(Triangles), scenes.whole(Boxes, 40, 4)
    regions = Regions(boxes.lower, boxes.upper, np.zeros(40))
    assert_array_equal(flags(touching, triangles, boxes), flags(touching, triangles, regions))
    spheres = scenes.whole(Spheres, 40, 4)
    regions = Regions(spheres.centers, spheres.centers, spheres.radii)
    assert_array_equal(flags(touching, triangles, spheres), flags(touching, triangles, regions))


def test_a_region_without_a_radius_is_a_box_to_triangles_that_miss_it_narrowly():
    numbers = core_scenes.numbers(3)
    triangles = core_scenes.loose_triangles(numbers.uniform(-2, 2, (20_000, 3, 3)))
    half, pairs = numbers.uniform(0.2, 1.5, (20_000, 3)), np.arange(20_000)
    regions = Regions(-half, half, np.zeros(20_000))
    assert_array_equal(
        touching(triangles, pairs, regions, pairs),
        touching(triangles, pairs, Boxes(-half, half), pairs),
    )


@pytest.mark.parametrize("size", [1, 2])
def test_touching_is_mutual_where_kinds_can_change_places(size):
    """A triangle cannot ask, but a flat box and a region can do both."""
    regions, (boxes, turned) = scenes.whole(Regions, 30, 7), boxes_and_turns()
    grown = Regions(boxes.lower, boxes.upper, np.full(40, size - 1))
    expected = flags(touching, grown, regions)
    assert_array_equal(expected, flags(touching, regions, grown).T)
    if size == 1:
        assert_array_equal(expected.T, flags(touching, regions, turned))
        solid = np.flatnonzero((boxes.lower < boxes.upper).all(axis=1))
        frusta = core_scenes.hexahedra(boxes[solid])
        assert_array_equal(expected.T[solid], flags(touching, regions, frusta))


@pytest.mark.parametrize("length", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("count", [1, 500])
def test_long_segments_pierce_small_triangles_only_where_they_pass_through_them(length, count):
    """Beside a triangle by three of its sizes nothing pierces it, through its middle each does."""
    random = np.random.default_rng(int(length))
    ways, asides = random.normal(size=(2, count, 3))
    corners = np.array([[1.0, 0, 0], [-0.5, 0.8, 0], [-0.5, -0.8, 0]])
    ways[:, 2] = np.abs(ways[:, 2]) + 0.5  # not along the plane
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    asides -= (asides * ways).sum(axis=1)[:, None] * ways
    asides *= 3 / np.linalg.norm(asides, axis=1)[:, None]
    tree = build_octree(Triangles(corners, [[0, 1, 2]]))
    for aside, touches in ((0.0, True), (1.0, False)):
        places = asides * aside
        for end in (2.0, length):
            segments = Capsules(places - ways * length, places + ways * end, np.zeros(count))
            for each in (segments, Capsules(segments.ends, segments.starts, segments.radii)):
                assert (query_any(tree, each) == touches).all()
                assert (
                    touching(tree.items, *np.zeros((1, count), int), each, np.arange(count))
                    == touches
                ).all()


def test_segments_in_the_plane_of_a_triangle_pierce_it_only_where_they_reach_it():
    """Rounding leaves the ends a little above or below the plane, beyond one of the edges."""
    random = np.random.default_rng(8)
    count = 3_000
    start, one, other = random.integers(-20, 20, (3, count, 3)) / 10
    shares = random.integers(0, 8, (2, 2, count, 1)) / 8
    shares[:, 0] += 9 / 8  # one edge beyond the opposite side
    beyond = [start + along * one + across * other for along, across in shares]
    corners = np.stack((start, start + one, start + other), axis=1)
    triangles = Triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))
    pairs = np.arange(count)
    segments = Capsules(*beyond, np.zeros(count))
    is_wide = np.linalg.norm(np.cross(one, other), axis=1) > 0.1
    assert not touching(triangles, pairs, segments, pairs)[is_wide].any()
    inward = Capsules(beyond[0], corners.mean(axis=1), np.zeros(count))
    assert touching(triangles, pairs, inward, pairs)[is_wide].all()
