"""Laws of the nearest items for any scene, in whole numbers, where brute force is exact."""

import importlib

import core_scenes as scenes
import nearest_oracle as oracle
import numpy as np
import pytest
from agreement import POLICIES, built
from costs import most_held
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from nearest_oracle import KINDS, as_kind, exact
from numpy.testing import assert_array_equal
from tuned import tuned
from whole_numbers import batches, options

import core
from core import Boxes, Spheres, Triangles, build_octree, nearest, query

asking = importlib.import_module("core.nearby.walked")


@st.composite
def places(draw, most=4):
    elements = st.integers(-6, 6) | st.sampled_from((-1000, 70))
    return draw(arrays(np.float64, (draw(st.integers(0, most)), 3), elements=elements))


counts = st.integers(1, 5) | st.just(20)
limits = st.just(np.inf) | st.integers(0, 9).map(float)


@given(batches(), places(), options, counts, limits)
def test_answers_equal_brute_force(items, points, options, count, most):
    found = nearest(built(items, **options), points, count=count, max_distance=most)
    known = oracle.distances(items, points, exact)
    ids = oracle.nearest(known, count, most)
    assert_array_equal(found.items, ids)
    row, rank = (ids >= 0).nonzero()
    assert_array_equal(found.distances[row, rank], known[row, ids[row, rank]])
    apart = np.linalg.norm(found.positions[row, rank] - points[row], axis=1)
    np.testing.assert_allclose(apart, found.distances[row, rank], rtol=1e-12, atol=1e-12)


@given(batches(), places(), options, counts)
def test_fewer_are_the_first_of_more(items, points, options, count):
    tree = built(items, **options)
    fewer, more = (nearest(tree, points, count=some) for some in (count, count + 3))
    assert_array_equal(fewer.items, more.items[:, :count])
    assert_array_equal(fewer.distances, more.distances[:, :count])


@given(batches(), places(), options, counts, st.randoms(use_true_random=False))
def test_permuting_items_permutes_ids(items, points, options, count, random):
    """Among equal distances at the end of a row, other items may be left out."""
    order = np.array(random.sample(range(len(items)), len(items)), int)
    one = nearest(built(items, **options), points, count=count)
    other = nearest(built(items[order], **options), points, count=count)
    assert_array_equal(one.distances, other.distances)
    for here, there, lengths in zip(one.items, other.items, one.distances, strict=True):
        sure = (here >= 0) & (lengths < lengths[-1])
        assert set(here[sure]) == set(order[there[sure]])


@given(batches(), places(), options, st.integers(-60, 60))
def test_scaling_by_a_power_of_two_changes_nothing(items, points, options, power):
    options = {**options, "bounds": None}
    scaled = built(moved(items, 2.0**power), **options)
    one = nearest(built(items, **options), points, count=3)
    other = nearest(scaled, points * 2.0**power, count=3)
    assert_array_equal(one.items, other.items)
    assert_array_equal(one.distances * 2.0**power, other.distances)
    assert_array_equal(one.positions * 2.0**power, other.positions)


@given(batches(), places(), options, st.tuples(*[st.integers(-(2**20), 2**20)] * 3))
def test_an_exact_shift_changes_no_item(items, points, options, shift):
    options = {**options, "bounds": None}
    one = nearest(built(items, **options), points, count=3)
    other = nearest(built(moved(items, 1, shift), **options), points + shift, count=3)
    assert_array_equal(one.items, other.items)
    assert_array_equal(one.distances, other.distances)


@given(batches(), places(), options)
def test_the_nearest_touches_a_sphere_of_its_distance(items, points, options):
    """Whole distances are exact: a sphere just that large touches, a smaller one does not."""
    tree = built(items, **options)
    found = nearest(tree, points)
    lengths = found.distances[:, 0]
    some = np.flatnonzero((lengths < np.inf) & (lengths == np.round(lengths)))
    touched = query(tree, Spheres(points[some], lengths[some]))
    assert set(zip(some, found.items[some, 0], strict=True)) <= {
        (some[volume], item) for volume, item in touched.T
    }
    beyond = some[lengths[some] > 0]
    smaller = Spheres(points[beyond], lengths[beyond] * (1 - 1e-9))
    assert query(tree, smaller).shape == (2, 0)


def moved(items, factor=1.0, shift=(0, 0, 0)):
    if isinstance(items, Triangles):
        return Triangles(items.vertices * factor + shift, items.faces)
    if isinstance(items, Spheres):
        return Spheres(items.centers * factor + shift, items.radii * factor)
    sides = items.lower * factor + shift, items.upper * factor + shift
    return (
        type(items)(*sides)
        if isinstance(items, Boxes)
        else type(items)(*sides, items.radii * factor)
    )


# Work and memory


@pytest.fixture
def tested(monkeypatch):
    """Collect the pairs whose distances are measured."""
    pairs = []

    def counting(items, ids, points, numbers, reach):
        pairs.append(np.stack((points[:, numbers][0], ids)))
        return measure(items, ids, points, numbers, reach)

    measure = asking.distances
    monkeypatch.setattr(asking, "distances", counting)
    return pairs


@pytest.mark.usefixtures("in_numpy")
@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", KINDS)
def test_each_item_is_tested_once_for_a_point(kind, policy, count, tested):
    triangles = scenes.random(600, 0.3)
    items = as_kind(kind, triangles.vertices[triangles.faces])
    bounds = Boxes([[-1, -1, -1]], [[0.9, 0.8, 1]])
    tree = built(items, capacity=4, straddlers=policy, bounds=bounds)
    assert (policy != "copy") | tree.copied.any()
    points = scenes.numbers(30).uniform(-1.2, 1.2, (3000, 3))
    nearest(tree, points, count=count)
    pairs = np.concatenate(tested, axis=1)
    assert len(np.unique(pairs, axis=1).T) == len(pairs.T) >= 3000 * count


def test_few_items_are_tested(tested):
    """On a fine mesh most are ruled out by their discs, and most cells are never looked at."""
    tree = build_octree(scenes.icosphere(5))
    assert len(tree) == 20480
    random = scenes.numbers(31).normal(size=(2000, 3))
    directions = random / np.linalg.norm(random, axis=1, keepdims=True)
    for height, most in ((1.0, 12), (1.1, 20), (3.0, 40)):
        tested.clear()
        nearest(tree, height * directions)
        assert sum(pairs.shape[1] for pairs in tested) < most * 2000


@pytest.mark.parametrize("count", [1, 4])
def test_many_points_need_no_more_memory(count):
    tree = build_octree(scenes.random(20_000, 0.03))
    points = scenes.numbers(32).uniform(-1.5, 1.5, (40_000, 3))
    answer = count * (8 + 8 + 24) * len(points)
    assert most_held(lambda: nearest(tree, points, count=count)) < 100_000_000 + 3 * answer


@pytest.mark.parametrize("policy", POLICIES)
def test_points_that_are_equally_far_from_everything_are_answered_in_pieces(policy):
    tree = build_octree(scenes.icosphere(4), straddlers=policy)
    centers = np.zeros((200, 3))
    assert most_held(lambda: nearest(tree, centers)) < 150_000_000
    found = nearest(tree, centers)
    assert (found.items == found.items[0]).all()
    assert np.allclose(found.distances, found.distances[0])


@pytest.mark.usefixtures("in_numpy")
def test_groups_that_look_at_too_much_are_asked_apart():
    tree = build_octree(scenes.random(), capacity=2)
    points = scenes.numbers(33).uniform(-3, 3, (700, 3))
    whole = nearest(tree, points, count=2)
    with tuned(core, nearest_pairs=40):
        apart = nearest(tree, points, count=2)
    assert_array_equal(apart.items, whole.items)
    assert_array_equal(apart.distances, whole.distances)


@pytest.mark.usefixtures("in_numpy")
def test_few_points_are_answered_without_a_look_at_all_items():
    """Discs around all triangles are made for many points only."""
    items = scenes.random(3000, 0.1)
    tree = build_octree(items)
    few, many = scenes.numbers(34).uniform(-1, 1, (2, 500, 3))
    alone = nearest(tree, few[:3])
    assert "planes" not in vars(tree.arranged)
    nearest(tree, many)
    assert "planes" in vars(tree.arranged)
    assert_array_equal(nearest(tree, few).items[:3], alone.items)
