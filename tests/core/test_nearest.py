"""The nearest items against brute force: every kind, every policy, from anywhere."""

import core_scenes as scenes
import nearest_oracle as oracle
import numpy as np
import pytest
from agreement import POLICIES, TOLERANCE, built, largest_coordinate
from nearest_agreement import (
    assert_exactly_nearest,
    assert_nearest,
    corners_of,
    points_about,
    whole_points,
)
from nearest_oracle import KINDS, as_kind, exact
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Regions, Spheres, Triangles, build_octree, nearest, query

SHAPES = pytest.mark.parametrize("kind", KINDS)
POLICY = pytest.mark.parametrize("policy", POLICIES)


@SHAPES
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_answers_equal_brute_force(scene, kind):
    items = as_kind(kind, corners_of(scene))
    points = points_about(items)
    assert_nearest(built(items, capacity=8, max_depth=6), points)


@SHAPES
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_several_nearest_equal_brute_force(scene, kind):
    items = as_kind(kind, corners_of(scene))
    _, half = scenes.extent(items)
    tree, points = built(items, capacity=4), points_about(items, 30)
    assert_nearest(tree, points, count=7)
    assert_nearest(tree, points, count=7, max_distance=half / 20)


@POLICY
@SHAPES
@pytest.mark.parametrize("count", [1, 5])
def test_every_policy_gives_the_same_answer(kind, policy, count):
    items = as_kind(kind, corners_of("random"))
    points = points_about(items)
    bounds = Boxes([[-0.5, -0.2, -0.5]], [[0.5, 0.9, 0.1]])
    wanted = nearest(build_octree(items, max_depth=0), points, count=count)
    for options in (
        {},
        {"split": "median"},
        {"loose_factor": 1.5},
        {"bounds": bounds},
        {"capacity": 1},
    ):
        tree = built(items, **{"capacity": 4, "straddlers": policy, **options})
        found = nearest(tree, points, count=count)
        assert_array_equal(found.items, wanted.items)
        assert_array_equal(found.distances, wanted.distances)
        assert_array_equal(found.positions, wanted.positions)


@SHAPES
@pytest.mark.parametrize("scene", scenes.WHOLE)
@pytest.mark.parametrize("count", [1, 6])
def test_whole_numbers_are_answered_exactly(scene, kind, count):
    items = as_kind(kind, corners_of(scene)[::3])
    assert_exactly_nearest(built(items, capacity=4), whole_points(), count)


def test_what_is_equally_far_comes_in_the_order_of_the_items():
    """The middle of a grid of unit squares: eight triangles share each vertex."""
    items = scenes.grid()
    random = scenes.numbers(22).permutation(len(items))
    points = np.array([[4, 4, 4], [2, 2, 4], [3, 3, 7], [2.5, 2.5, 9], [4, 4, -3]], float)
    for some in (items, items[random]):
        assert_exactly_nearest(built(some, capacity=4), points, 12)
    copies = items[np.repeat(np.arange(3), 20)]
    found = nearest(built(copies, capacity=4), points, count=25)
    assert_array_equal(np.sort(found.items[:, :20]), found.items[:, :20])
    assert_exactly_nearest(built(copies), points, 25)


@SHAPES
def test_the_distance_is_to_the_item_itself(kind):
    items = as_kind(kind, [[(0, 0, 0), (4, 2, 0), (1, 2, 0)]])
    inside = np.array([[0.5, 0.5, 0.0], [0.25, 0.375, 0.0]])
    found = nearest(built(items), inside)
    assert_array_equal(found.distances, np.zeros((2, 1)))
    assert_allclose(found.positions[:, 0], inside, rtol=0, atol=1e-15)
    if kind is not Triangles:
        assert_array_equal(found.positions[:, 0], inside)
    beyond = nearest(built(items), [[2.0, 1.0, 5.0]])
    assert (
        beyond.distances[0, 0] == {Triangles: 5, Boxes: 5, Spheres: 30**0.5 - 1, Regions: 4}[kind]
    )


def test_all_seven_regions_of_an_obtuse_triangle():
    triangle = Triangles([[0, 0, 0], [10, 0, 0], [14, 3, 0]], [[0, 1, 2]])
    points = np.array(
        [(-3, 0, 4), (11, -5, 0), (17, 7, 0), (5, -2, 1), (13, 1, 2), (5, 9, 0), (9, 1, 7)], float
    )
    for turn in range(3):
        turned = Triangles(triangle.vertices, np.roll(triangle.faces, turn, axis=1))
        assert_exactly_nearest(built(turned), points)


@pytest.mark.parametrize(
    "corners",
    [
        [(1, 2, 3)] * 3,
        [(1, 2, 3), (1, 2, 3), (5, 2, 3)],
        [(0, 0, 0), (2, 4, 6), (1, 2, 3)],
        [(0, 0, 0), (1, 2, 3), (2, 4, 6)],
        [(2, 0, 0), (0, 0, 0), (8, 0, 0)],
    ],
)
def test_triangles_of_no_area_have_nearest_points(corners):
    assert_exactly_nearest(built(as_kind(Triangles, [corners])), whole_points(60))


@SHAPES
@pytest.mark.parametrize("far", [1e3, 1e9, 1e150])
def test_from_far_outside_the_root(kind, far):
    items = as_kind(kind, corners_of("random"))
    directions = scenes.numbers(23).normal(size=(40, 3))
    points = far * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    points[:6] = far * np.concatenate((np.eye(3), -np.eye(3)))
    tree = built(items, capacity=4)
    assert_nearest(tree, points)
    assert_nearest(tree, points, count=4)


def test_so_far_above_a_face_that_rounding_hides_where_the_foot_is():
    """All edge functions round to 0, so that barycentric weights would be 0 / 0."""
    triangle = as_kind(Triangles, [[(1, 0, 0), (0, -1, 2), (-2, 2, -3)]])
    assert_nearest(built(triangle), np.array([[-1e16, -1e16, 0]]))


@SHAPES
def test_answers_agree_with_a_sphere_of_that_radius(kind):
    items = as_kind(kind, corners_of("random"))
    tree, points = built(items, capacity=8), points_about(items, 100)
    count = 4
    farthest = nearest(tree, points, count=count).distances[:, -1]
    doubt = TOLERANCE * np.maximum(np.abs(points).max(axis=1), 2)
    less = query(tree, Spheres(points, np.maximum(farthest - doubt, 0)))
    more = query(tree, Spheres(points, farthest + doubt))
    known = np.bincount(more[0], minlength=len(points))
    assert (known >= count).all()
    assert (np.bincount(less[0], minlength=len(points))[farthest > doubt] < count).all()


@POLICY
@pytest.mark.parametrize("count", [1, 3])
def test_items_beyond_the_root_are_found(policy, count):
    items = as_kind(Triangles, corners_of("random"))
    bounds = Boxes([[0.9, 0.9, 0.9]], [[1, 1, 1]])
    tree = built(items, straddlers=policy, bounds=bounds, capacity=2)
    assert tree.outside > 200
    assert_nearest(tree, points_about(items), count)


def test_slivers_are_as_far_as_they_are():
    """Their normals are not known well; seen from their faces, that must not matter."""
    corners = corners_of("slivers")[:60]
    items, random = as_kind(Triangles, corners), scenes.numbers(24)
    on = (corners * random.dirichlet((1, 1, 1), 60)[..., None]).sum(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    doubt = TOLERANCE * largest_coordinate(items)
    for height in (0, 1e-6, 0.01, 1):
        points = on + height * normals
        found = nearest(built(items, capacity=2, max_depth=12), points)
        lengths, places = found.distances[:, 0], found.positions[:, 0]
        known = oracle.distances(items, points[:12], exact)
        assert_allclose(lengths[:12], known.min(axis=1), rtol=0, atol=1e-15)
        assert_allclose(np.linalg.norm(places - points, axis=1), lengths, rtol=0, atol=doubt)
        left = oracle.distances(items[found.items[:12, 0]], places[:12], exact)
        assert (np.diagonal(left) <= 1e-15).all()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("asked", [1, 255, 257, 5_000])
def test_every_one_of_many_points_gets_its_answer(asked, count):
    items = as_kind(Spheres, corners_of("random"))
    tree = built(items, capacity=8)
    points = scenes.numbers(25).uniform(-1, 1, (asked, 3))
    found = nearest(tree, points, count=count)
    some = np.arange(0, asked, max(1, asked // 40))
    alone = [nearest(tree, points[[number]], count=count).items[0] for number in some]
    assert_array_equal(found.items[some], alone)


@SHAPES
@pytest.mark.parametrize("power", [-300, -100, -30, 30, 100, 450])
def test_scaled_by_a_power_of_two_gives_the_same_items(kind, power):
    corners, factor = corners_of("random"), 2.0**power
    one, other = (built(as_kind(kind, corners * by), capacity=8) for by in (1, factor))
    points = points_about(one.items)
    wanted, found = nearest(one, points, count=3), nearest(other, points * factor, count=3)
    assert_array_equal(found.items, wanted.items)
    assert_array_equal(found.distances, wanted.distances * factor)
    assert_array_equal(found.positions, wanted.positions * factor)


@SHAPES
@pytest.mark.parametrize("shift", [(64, -128, 8), (2**20, 0, 0), (-(2**33), 2**30, 2**31)])
def test_shifted_exactly_gives_the_same_items(kind, shift):
    """Coordinates have sixteen bits after the point."""
    corners = np.round(corners_of("random") * 2**16) / 2**16
    one, other = (built(as_kind(kind, corners + by), capacity=8) for by in (0, shift))
    points = np.round(points_about(one.items) * 2**16) / 2**16
    wanted, found = nearest(one, points, count=3), nearest(other, points + shift, count=3)
    assert_array_equal(found.items, wanted.items)
    assert_array_equal(found.distances, wanted.distances)
