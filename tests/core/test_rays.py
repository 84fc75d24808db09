"""The form of answers about rays, where segments end, and what is refused."""

import core_scenes as scenes
import numpy as np
import pytest
import ray_scenes as rays
from agreement import POLICIES, built
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Regions, Spheres, Triangles, ray_cast, ray_cast_all, ray_test

FLOOR = Triangles([[0, 0, 0], [4, 0, 0], [0, 4, 0], [4, 4, 0]], [[0, 1, 2], [1, 3, 2]])
ASK = (ray_cast, ray_test, ray_cast_all)


@pytest.mark.parametrize("scene", scenes.SCENES)
@pytest.mark.parametrize("kind", rays.KINDS)
def test_answers_are_true(kind, scene):
    items = kind(scenes.SCENES[scene]())
    tree = built(items, capacity=8, bounds=scenes.root_of(scene, items))
    rays.assert_nearly_true(tree, *rays.about(items))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", rays.KINDS)
def test_other_trees_give_true_answers(kind, policy):
    items = kind(scenes.random())
    bounds = Boxes([[-0.5, -0.5, -1]], [[1, 0.7, 0.5]])
    tree = built(items, capacity=4, straddlers=policy, loose_factor=1.5, bounds=bounds)
    assert tree.outside > 20
    rays.assert_nearly_true(tree, *rays.about(items))


def test_a_hit_tells_all():
    hits = ray_cast(built(FLOOR), [[1, 1, 5], [1, 1, -5], [9, 9, 9]], [[0, 0, -2]] * 3)
    assert hits.items.tolist() == [0, -1, -1]
    assert hits.distances.tolist() == [5, np.inf, np.inf]
    assert hits.positions[0].tolist() == [1, 1, 0]
    assert hits.normals[0].tolist() == [0, 0, 1]
    assert hits.barycentric[0].tolist() == [0.5, 0.25, 0.25]
    for row in (hits.positions, hits.normals, hits.barycentric):
        assert row.shape == (3, 3) and np.isnan(row[1:]).all()


def test_both_sides_are_hit_and_the_normal_is_that_of_the_winding():
    hits = ray_cast(built(FLOOR), [[1, 1, 5], [1, 1, -5]], [[0, 0, -1], [0, 0, 1]])
    assert hits.items.tolist() == [0, 0]
    assert hits.normals.tolist() == [[0, 0, 1]] * 2


@pytest.mark.parametrize("kind", rays.KINDS)
def test_positions_normals_and_weights_belong_to_the_surface(kind):
    items = kind(scenes.random())
    origins, directions = rays.about(items, 400)
    hits = ray_cast(built(items), origins, directions)
    (hit,) = ((hits.items >= 0) & (hits.distances > 0)).nonzero()
    units = directions[hit] / np.linalg.norm(directions[hit], axis=1)[:, None]
    assert_allclose(hits.positions[hit], origins[hit] + hits.distances[hit, None] * units)
    assert_allclose(np.linalg.norm(hits.normals[hit], axis=1), 1)
    if kind is scenes.as_triangles:
        corners = items.vertices[items.faces[hits.items[hit]]]
        assert_allclose(hits.barycentric[hit].sum(axis=1), 1)
        assert_allclose((hits.barycentric[hit][..., None] * corners).sum(axis=1),
                        hits.positions[hit], atol=1e-9)  # fmt: skip
    else:
        assert ((hits.normals[hit] * units).sum(axis=1) <= 1e-9).all()
        assert np.isnan(hits.barycentric).all()
        assert np.isnan(hits.normals[hits.distances == 0]).all()


def test_normals_of_rounded_items():
    up = [[2, 2, 9]], [[0, 0, -1]]
    for items, height in (
        (Boxes([[0, 0, 0]], [[4, 4, 4]]), 4),
        (Spheres([[2, 2, 1]], [3]), 4),
        (Regions([[1, 1, 0]], [[3, 3, 2]], [2]), 4),
        (Spheres([[2, 2, 3]], [0]), 3),
        (Boxes([[2, 2, 3]], [[2, 2, 3]]), 3),
    ):
        hits = ray_cast(built(items), *up)
        assert hits.positions.tolist() == [[2, 2, height]]
        assert hits.normals.tolist() == [[0, 0, 1]]
    corner = ray_cast(built(Regions([[0, 0, 0]], [[1, 1, 1]], [3])), [[9, 9, 9]], [[-1, -1, -1]])
    assert_allclose(corner.normals, [[3**-0.5] * 3])
    assert_allclose(corner.distances, 8 * 3**0.5 - 3)


@pytest.mark.parametrize("kind", rays.KINDS[1:])
def test_a_ray_that_starts_inside_has_met_it(kind):
    items = kind(scenes.random(1))
    middle = items.bounds().lower / 2 + items.bounds().upper / 2
    middle = items.centers if isinstance(items, Spheres) else middle
    hits = ray_cast(built(items), middle, [[1, 2, 3]], max_distance=0)
    assert hits.distances.tolist() == [0]
    assert_array_equal(hits.positions, middle)
    assert np.isnan(hits.normals).all()


def test_segments_are_closed():
    tree = built(FLOOR)
    above, down = [[1, 1, 3]] * 3, [[0, 0, -1], [0, 0, -7], [0, 0, -1e-3]]
    assert ray_test(tree, above, down, max_distance=3).all()
    assert not ray_test(tree, above, down, max_distance=np.nextafter(3, 0)).any()
    assert ray_test(tree, [[1, 1, 0]], [[0, 0, 1]], max_distance=0).all()
    assert not ray_test(tree, [[1, 1, 3]], [[0, 0, 1]]).any()


def test_a_segment_between_two_points_reaches_the_second():
    random = scenes.numbers(30)
    ends = np.column_stack((random.integers(0, 5, (500, 2)), np.zeros(500, int)))
    starts = ends + random.integers(-9, 10, (500, 3))
    starts[:, 2] += 20
    lengths = np.linalg.norm(ends - starts, axis=1)
    hits = ray_cast(built(FLOOR), starts, ends - starts, max_distance=lengths)
    assert (hits.items >= 0).all()
    assert_array_equal(hits.distances, lengths)


def test_of_items_at_the_same_distance_the_smaller_comes_first():
    items = scenes.coincident()
    middle = items.vertices[items.faces[0]].mean(axis=0)
    away = np.array([3.0, 2, 1])
    found = ray_cast_all(built(items, capacity=4), [middle - away], [away])
    assert found.pairs[1].tolist()[: found.pairs.shape[1]].count(0) == 1
    same = found.pairs[1][found.distances == found.distances[found.pairs[1] == 0]]
    assert_array_equal(same[:100], np.arange(100))


def test_in_the_plane_and_without_area_nothing_is_hit():
    line = Triangles([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    assert not ray_test(built(line), [[1, 0, 5]], [[0, 0, -1]]).any()
    flat = [[-1, 1, 0], [0, 0, 0], [1, 1, 0]], [[1, 0, 0], [1, 1, 0], [3, -2, 0]]
    assert not ray_test(built(FLOOR), *flat).any()


@pytest.mark.parametrize("items", [FLOOR, FLOOR[:0], Boxes(np.empty((0, 3)), np.empty((0, 3)))])
@pytest.mark.parametrize("count", [0, 2])
def test_shapes_never_depend_on_values(items, count):
    asked = built(items), np.full((count, 3), 9.0), np.full((count, 3), 1.0)
    hits, every = ray_cast(*asked), ray_cast_all(*asked)
    assert hits.items.dtype == np.intp and hits.distances.dtype == np.float64
    assert hits.items.tolist() == [-1] * count
    assert hits.distances.tolist() == [np.inf] * count
    for rows in (hits.positions, hits.normals, hits.barycentric):
        assert rows.shape == (count, 3) and np.isnan(rows).all()
    assert ray_test(*asked).tolist() == [False] * count
    assert every.pairs.shape == (2, 0) and every.pairs.dtype == np.intp
    assert every.distances.shape == (0,)


@pytest.mark.parametrize("ask", ASK)
@pytest.mark.parametrize(
    ("origins", "directions", "limits", "message"),
    [
        ([[0, 0]], [[1, 0, 0]], 1, r"origins must have shape \(n, 3\), got \(1, 2\)"),
        ([[0, 0, 0]], [1, 0], 1, r"directions must have shape \(n, 3\), got \(2,\)"),
        ([0, 0, 0], [1, 0, 0], 1, r"origins must have shape \(n, 3\), got \(3,\)"),
        ([[0, 0, 0]], np.ones((2, 3)), 1, r"must have the same length, got \[1, 2\]"),
        ([[0, 0, 0], [0, np.nan, 0]], np.ones((2, 3)), 1, "origins must be finite.* in row 1"),
        (np.zeros((2, 3)), [[1, 0, 0], [np.inf, 0, 0]], 1, "directions must be finite.* in row 1"),
        (np.zeros((2, 3)), [[1, 0, 0], [0, 0, 0]], 1, "directions must not be zero.* in row 1"),
        (np.zeros((2, 3)), np.ones((2, 3)), -1, "max_distance must be a number of at least 0"),
        (np.zeros((2, 3)), np.ones((2, 3)), [1, np.nan], "max_distance must .* nan in row 1"),
        (np.zeros((2, 3)), np.ones((2, 3)), [1], r"the same length, got \[1, 2\]"),
        (np.zeros((2, 3)), np.ones((2, 3)), "far", "max_distance must be a number"),
    ],
)
def test_bad_questions_are_errors(ask, origins, directions, limits, message):
    with pytest.raises(ValueError, match=message):
        ask(built(FLOOR), origins, directions, max_distance=limits)


@pytest.mark.parametrize("ask", ASK)
def test_the_tree_must_be_one(ask):
    with pytest.raises(ValueError, match="tree must be one of Octree"):
        ask(FLOOR, [[0, 0, 0]], [[1, 0, 0]])
