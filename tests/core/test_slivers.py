"""Triangles of every thinness, down to exactly collinear and to a point, against fractions."""

import core_scenes as scenes
import hull_oracle
import nearest_oracle
import numpy as np
import pytest
from agreement import POLICIES, built, flags
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Spheres,
    nearest,
    overlapping_pairs,
    query,
    ray_cast,
)
from core.touch import touching
from core.touch.points import closest_points, distances, lower_bounds, upper_bounds
from core.touch.triangle_pairs import triangles_near_triangles, triangles_touch_triangles

KINDS = (Boxes, Spheres, Regions, OrientedBoxes, Capsules, Frusta)
every_kind = pytest.mark.parametrize("kind", KINDS)
seeds = st.integers(0, 2**31)
# Fractions are slow, and each example looks at dozens of pairs.
few = examples(15)


def needles(count, seed, far=0.0):
    """Return triangles of length about 1, of different thinness and third corners."""
    random = scenes.numbers([seed, 1])
    start = far * random.uniform(-1, 1, 3) + random.uniform(-1, 1, (count, 1, 3))
    way = random.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    aside = np.cross(way, random.normal(size=(count, 3)))
    aside /= np.linalg.norm(aside, axis=1)[:, None]
    share = random.choice([0, 1e-9, 0.5, 1, 2], count) * random.uniform(0, 1, count)
    thin = 10.0 ** random.uniform(-20, 0, count) * (random.uniform(0, 1, count) < 0.9)
    corners = np.zeros((count, 3, 3))
    corners[:, 1] = way
    corners[:, 2] = share[:, None] * way + thin[:, None] * aside
    corners[random.uniform(0, 1, count) < 0.05] = 0  # a point
    corners += start
    order = np.argsort(random.uniform(0, 1, (count, 3)), axis=1)
    return scenes.loose_triangles(np.take_along_axis(corners, order[..., None], axis=1))


def points_about(items, count, seed, reach):
    """Points on some of the triangles, beyond their tips and beside them, by up to `reach`."""
    random = scenes.numbers([seed, 2])
    corners = items.vertices[items.faces][random.integers(len(items), size=count)]
    weights = random.dirichlet((0.3, 0.3, 0.3), count)
    ends = np.eye(3)[random.integers(3, size=count)] - np.eye(3)[random.integers(3, size=count)]
    beyond = (random.uniform(0, 1, count) < 0.4) * 10.0 ** random.uniform(-9, 0.3, count)
    weights += beyond[:, None] * ends
    aside = random.normal(size=(count, 3))
    aside *= (reach * random.uniform(0, 2, count) / np.linalg.norm(aside, axis=1))[:, None]
    return (weights[:, :, None] * corners).sum(axis=1) + aside


def volumes_about(kind, items, count, seed):
    """Volumes of sizes from 1e-7 to 1, and the same a little smaller and a little larger."""
    random = scenes.numbers([seed, 3])
    size = 10.0 ** random.uniform(-7, 0, count)
    places = points_about(items, count, seed, size)
    shape = random.uniform(0.1, 1, (count, 3))
    to = points_about(items, count, seed + 1, size)
    turns = scenes.turns(count, seed)

    def made(grown):
        half = shape * size[:, None] + grown
        return {
            Boxes: lambda: Boxes(places - half, places + half),
            Spheres: lambda: Spheres(places, size + grown),
            Regions: lambda: Regions(places - half, places + half, shape[:, 0] * size),
            OrientedBoxes: lambda: OrientedBoxes(places, half, turns),
            Capsules: lambda: Capsules(places, to, size + grown),
            Frusta: lambda: Frusta(
                scenes.hexahedra(Boxes(-half, half)).corners @ turns + places[:, None]
            ),
        }[kind]()

    doubt = 1e-9 * max(np.abs(items.vertices).max(), np.abs(places).max(), 1)
    return made(0.0), made(-min(doubt, size.min() / 20)), made(doubt)


def assert_between(found, surely, possibly):
    lost, invented = np.argwhere(surely & ~found), np.argwhere(found & ~possibly)
    assert len(lost) == 0, f"{len(lost)} lost, first {lost[0]}"
    assert len(invented) == 0, f"{len(invented)} invented, first {invented[0]}"


def truth(items, smaller, larger):
    return hull_oracle.touching(items, smaller)[0], hull_oracle.touching(items, larger)[0]


def matrix(test, items, volumes):
    numbers, ids = np.indices((len(volumes), len(items))).reshape(2, -1)
    return test(items, ids, volumes, numbers).reshape(len(volumes), len(items))


def lines(count=500, seed=1):
    """Triangles whose corners lie on a line except for rounding."""
    random = scenes.numbers(seed)
    corners = random.uniform(-1, 1, (count, 3, 3))
    share = random.uniform(0, 1, (count, 1))
    corners[:, 2] = (1 - share) * corners[:, 0] + share * corners[:, 1]
    places = (corners[:, 0] + corners[:, 1]) / 2
    return scenes.loose_triangles(corners), places


@every_kind
@pytest.mark.parametrize("size", [1e-6, 1e-3, 0.1])
def test_volumes_on_a_line_find_it(kind, size):
    items, places = lines()
    half, turns = np.full((500, 3), size), scenes.turns(500)
    volumes = {
        Boxes: lambda: Boxes(places - size, places + size),
        Spheres: lambda: Spheres(places, half[:, 0]),
        Regions: lambda: Regions(places, places, half[:, 0]),
        OrientedBoxes: lambda: OrientedBoxes(places, half, turns),
        Capsules: lambda: Capsules(places, places + size, half[:, 0]),
        Frusta: lambda: scenes.hexahedra(Boxes(places - size, places + size)),
    }[kind]()
    each = np.arange(500)
    assert touching(items, each, volumes, each).all()
    for policy in POLICIES:
        found = query(built(items, capacity=8, straddlers=policy), volumes)
        assert (np.isin(each * 501, found[0] * 500 + found[1])).all()


@every_kind
@few
@given(seeds, st.sampled_from([0.0, 10.0]))
def test_volumes_touch_what_fractions_say(kind, seed, far):
    items = needles(6, seed, far)
    volumes, smaller, larger = volumes_about(kind, items, 6, seed)
    assert_between(matrix(touching, items, volumes), *truth(items, smaller, larger))


@every_kind
@few
@given(seeds, st.sampled_from(POLICIES), st.integers(1, 4), st.sampled_from(("middle", "median")))
def test_trees_find_what_fractions_say(kind, seed, policy, capacity, split):
    items = needles(8, seed)
    tree = built(items, straddlers=policy, capacity=capacity, split=split, max_depth=12)
    volumes, smaller, larger = volumes_about(kind, items, 5, seed)
    found = flags(query(tree, volumes), volumes, items)
    assert_between(found, *truth(items, smaller, larger))


@every_kind
def test_trees_of_many_lose_none(kind):
    items = needles(3000, 5)
    volumes = volumes_about(kind, items, 400, 5)[0]
    every = matrix(touching, items, volumes)
    for policy in POLICIES:
        tree = built(items, capacity=4, straddlers=policy, max_depth=14)
        assert (flags(query(tree, volumes), volumes, items) == every).all()


@given(seeds)
def test_half_spaces_touch_what_fractions_say(seed):
    items, random = needles(20, seed), scenes.numbers(seed)
    places, normals = points_about(items, 20, seed, 1e-3), random.normal(size=(20, 3))
    heights = [
        (hull_oracle.fractions(items.vertices) - hull_oracle.fractions(place)) @ normal
        for place, normal in zip(places, hull_oracle.fractions(normals), strict=True)
    ]
    deepest = np.array(heights, float).reshape(20, 20, 3).max(axis=2)
    planes = np.column_stack((normals, -(places * normals).sum(axis=1)))
    found = matrix(touching, items, HalfSpaces(planes))
    assert_between(found, deepest > 1e-12, deepest > -1e-12)


@few
@given(seeds, st.floats(-7, 0))
def test_pairs_touch_what_fractions_say(seed, power):
    margin, random = 10.0**power, scenes.numbers(seed)
    ones = needles(5, seed)
    # Others that lie near: moved so that two of their points are about a margin apart.
    corners = needles(5, seed + 1).vertices.reshape(5, 3, 3).copy()
    weights = random.dirichlet((0.3, 0.3, 0.3), 5)
    goals = points_about(ones, 5, seed, margin)
    corners += (goals - (weights[:, :, None] * corners).sum(axis=1))[:, None]
    corners[:1] += ones.vertices[0] - corners[0, 0]  # shares a corner, except for rounding
    others = scenes.loose_triangles(corners)
    near = matrix(lambda *pairs: triangles_near_triangles(*pairs, margin), ones, others)
    doubt = 4e-9
    surely, possibly = np.zeros((2, 5, 5), bool)
    touch = np.zeros((5, 5), bool)
    mine, theirs = hull_oracle.corners_of(ones), hull_oracle.corners_of(others)
    for row, column in np.ndindex(5, 5):
        pair = theirs[row], mine[column]
        surely[row, column] = hull_oracle.near(*pair, hull_oracle.Fraction(margin), doubt)[0]
        possibly[row, column] = hull_oracle.near(*pair, hull_oracle.Fraction(margin), doubt)[1]
        touch[row, column] = hull_oracle.near(*pair, 0, doubt)[1]
    assert_between(near, surely, possibly)
    found = matrix(triangles_touch_triangles, ones, others)
    assert_between(found, np.zeros((5, 5), bool), touch)


def test_slivers_touch_those_that_share_a_vertex():
    items = needles(400, 7)
    fan = items.vertices.reshape(-1, 3, 3).copy()
    fan[:, 1:] = needles(400, 8).vertices.reshape(-1, 3, 3)[:, 1:]
    both = scenes.loose_triangles(np.concatenate((items.vertices.reshape(-1, 3, 3), fan)))
    for policy in POLICIES:
        pairs = overlapping_pairs(built(both, capacity=8, straddlers=policy))
        assert np.isin(np.arange(400) * 801 + 400, pairs[0] * 800 + pairs[1]).all()


@few
@given(seeds, st.sampled_from([0.0, 10.0]), st.sampled_from([1e-9, 1e-5, 1e-2, 1.0, 3.0]))
def test_points_are_as_far_as_fractions_say(seed, far, reach):
    items = needles(40, seed, far)
    points = points_about(items, 40, seed, reach)
    wanted = nearest_oracle.distances(items, points, nearest_oracle.exact)
    numbers, ids = np.indices((40, 40)).reshape(2, -1)
    doubt = 1e-11 * max(np.abs(points).max(), np.abs(items.vertices).max(), 1)

    def matching(test, *more):
        return test(items, ids, points.T.copy(), numbers, *more).reshape(40, 40)

    found = matching(distances, np.full(40, np.inf))
    assert np.abs(found - wanted).max() <= doubt
    assert (matching(lower_bounds) <= wanted + doubt).all()
    assert (matching(upper_bounds) >= wanted - doubt).all()
    places = closest_points(items, ids, points.T.copy(), numbers).T
    apart = np.linalg.norm(places - points[numbers], axis=1).reshape(40, 40)
    assert np.abs(apart - wanted).max() <= doubt
    corners = items.vertices[items.faces][ids]
    for place, three in zip(places[::37], corners[::37], strict=True):
        exact = nearest_oracle.exact(place)[None, None], nearest_oracle.exact(three)[None]
        assert (
            np.abs((nearest_oracle.on_triangles(*exact)[0, 0] - place).astype(float)).max()
            <= doubt
        )


@pytest.mark.parametrize("policy", POLICIES)
def test_the_nearest_of_many_is_the_nearest_one(policy):
    items = needles(2000, 3)
    points = points_about(items, 300, 4, 0.1)
    tree = built(items, capacity=8, straddlers=policy)
    numbers, ids = np.indices((300, 2000)).reshape(2, -1)
    every = distances(items, ids, points.T.copy(), numbers, np.full(300, np.inf))
    found = nearest(tree, points).distances[:, 0]
    np.testing.assert_allclose(found, every.reshape(300, -1).min(axis=1), rtol=0, atol=1e-12)


def test_a_hit_on_a_sliver_has_a_normal():
    items = needles(4000, 9)
    corners = items.vertices.reshape(-1, 3, 3)
    tree = built(items, capacity=8)
    origins = scenes.numbers(9).uniform(-3, 3, (4000, 3))
    hits = ray_cast(tree, origins, corners.mean(axis=1) - origins)
    hit = hits.items >= 0
    assert hit.sum() > 1000
    np.testing.assert_allclose(np.linalg.norm(hits.normals[hit], axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(hits.barycentric[hit].sum(axis=1), 1, atol=1e-12)
    edges = corners[hits.items[hit], 1:] - corners[hits.items[hit], :1]
    assert np.abs(np.einsum("hki,hi->hk", edges, hits.normals[hit])).max() < 1e-12
