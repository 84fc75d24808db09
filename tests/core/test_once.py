"""Each item is tested once for a question at most, and no more items than need be."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from counters import PairsTested
from numpy.testing import assert_array_equal

from core import Boxes, Regions, Spheres, build_octree, query, query_any, query_count
from core.volumes import walked as queries

pytestmark = pytest.mark.usefixtures("in_numpy")


SMALL = Boxes([[-0.4, 0.1, -0.3]], [[0.9, 0.8, 0.5]])


@pytest.fixture
def tested(monkeypatch):
    """Start counting when called: the counter of all pairs that are tested from now on."""

    def start():
        counter = PairsTested()
        for name in ("touching", "lying_inside"):
            monkeypatch.setattr(queries, name, counter.watch(originals[name]))
        return counter

    originals = {name: getattr(queries, name) for name in ("touching", "lying_inside")}
    return start


ASK = {
    "touching": query,
    "inside": lambda tree, volumes: query(tree, volumes, relation="inside"),
    "any": query_any,
    "count": query_count,
}


@pytest.mark.parametrize("bounds", [None, SMALL])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("about", scenes.ABOUT)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_each_pair_is_tested_once_at_most(kind, about, policy, bounds, tested):
    tree = built(kind(scenes.random()), capacity=4, straddlers=policy, bounds=bounds)
    volumes = about(tree.items)
    for name, ask in ASK.items():
        counter = tested()
        ask(tree, volumes)
        _, counts = counter.counts(volumes)
        assert len(counts) > 0, name
        assert counts.max() == 1, name


@pytest.mark.parametrize("name", ASK)
def test_many_questions_that_share_items_test_each_once(name, tested):
    """The queries descend in groups, collide in mailboxes, and fill several pieces."""
    tree = built(scenes.random(2000, 0.1), capacity=4)
    volumes = scenes.spheres_about(tree.items, 3000)
    counter = tested()
    ASK[name](tree, volumes)
    assert counter.counts(volumes)[1].max() == 1


def test_what_a_cell_vouches_for_is_not_tested(tested):
    tree = built(scenes.uv_sphere(), capacity=4)
    counter = tested()
    around = Boxes([[-2, -2, -2]], [[2, 2, 2]])
    assert len(query(tree, around)[0]) == query_count(tree, around)[0] == 960
    assert sum(map(len, counter.entries)) == 0


def test_nor_is_it_tested_for_a_cell_that_does_not(tested):
    """An item may be in a cell inside the volume and in another that the surface crosses."""
    tree = built(scenes.random(3000, 0.05), capacity=4)
    lower = scenes.numbers(62).uniform(-0.9, 0, (10, 3))
    volumes = Boxes(lower, lower + 0.8)
    counter = tested()
    query(tree, volumes)
    asked = {tuple(pair) for pair in counter.counts(volumes)[0].T}
    vouched = 0
    for number in range(len(volumes)):
        lower, upper = volumes.lower[number], volumes.upper[number]
        inside = (tree.node_lower > lower + 1e-3) & (tree.node_upper < upper - 1e-3)
        held = np.flatnonzero(inside.all(axis=1) & tree.is_leaf)
        for leaf in held.tolist():
            entries = tree.references[tree.begin[leaf] : tree.end[leaf]].tolist()
            assert not asked & {(number, entry) for entry in entries}
            vouched += len(entries)
    assert vouched > 1000


def test_without_copies_no_candidate_is_left_out(tested):
    """Every candidate is tested, or vouched for."""
    tree = built(scenes.random(), capacity=4, straddlers="keep")
    volumes = scenes.spheres_about(tree.items)
    counter = tested()
    found = query(tree, volumes)
    pairs, _ = counter.counts(volumes)
    candidates = query(tree, volumes, relation="candidates")
    asked = np.stack((pairs[0], tree.order[pairs[1]]))
    everything = np.unique(np.concatenate((asked, found), axis=1), axis=1)
    assert_array_equal(everything, candidates)


# The early out

ITEMS = scenes.random(20_000, 0.02)


def large(kind, count=50):
    """Volumes that touch about a thousand of the items."""
    centers = scenes.numbers(60).uniform(-0.6, 0.6, (count, 3))
    if kind is Spheres:
        return Spheres(centers, np.full(count, 0.45))
    return Boxes(centers - 0.36, centers + 0.36)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", [Spheres, Boxes])
def test_any_tests_a_small_part_of_what_all_test(kind, policy, alone, tested):
    tree, volumes = build_octree(ITEMS, straddlers=policy), large(kind)
    hits = query_count(tree, volumes)
    assert 700 < hits.mean() < 1300
    parts = [volumes[k] for k in range(10)] if alone else [volumes]
    amounts = []
    for ask in (query, query_any):
        counter = tested()
        for part in parts:
            ask(tree, part)
        amounts.append(sum(map(len, counter.entries)))
    assert 0 < amounts[1] <= 0.1 * amounts[0]


def test_any_asks_about_everything_where_there_is_nothing(tested):
    """Who touches no item has looked at each of its candidates once, and where it looked first."""
    tree = built(scenes.random(2000, 0.1), capacity=8)
    places = scenes.numbers(61).uniform(-0.9, 0.9, (300, 3))
    points = Spheres(places, np.zeros(300))
    counter = tested()
    assert not query_any(tree, points).any()
    pairs, counts = counter.counts(points)
    candidates = query(tree, points, relation="candidates")
    assert counts.max() == 1
    assert len(candidates[0]) > 1000
    asked = pairs[0] * len(tree.items) + tree.order[pairs[1]]
    assert np.isin(candidates[0] * len(tree.items) + candidates[1], asked).all()
    assert len(asked) < 1.1 * len(candidates[0])


@pytest.mark.parametrize("policy", POLICIES)
def test_any_is_right_when_the_first_look_is_not(policy):
    """The leaf around the middle of each volume holds items, but none that it touches."""
    places = np.array([(x, 0.5, 0.5) for x in (0, 0.4, 0.45, 0.55, 0.6, 1)])
    tree = built(Regions(places, places, np.full(6, 0.01)), capacity=2, straddlers=policy)
    plates = Boxes(
        [[-1, 0.52, 0], [-1, 0.505, 0], [0.41, 0.5, 0]], [[2, 2, 1], [2, 2, 1], [0.6, 0.5, 1]]
    )
    assert query_any(tree, plates).tolist() == [False, True, True]


def test_any_looks_at_more_and_more_of_a_full_leaf(tested):
    """In one leaf the first hundred of 5,000 boxes are points; the volume touches the others."""
    upper = np.zeros((5000, 3))
    upper[100:, 0] = 3
    tree = built(Boxes(np.zeros((5000, 3)), upper), max_depth=0)
    volumes = Spheres([[2, 0, 0], [0, 0, 0]], [0.5, 1])
    counter = tested()
    assert query_any(tree, volumes).tolist() == [True, True]
    (numbers, _), counts = counter.counts(volumes)
    assert counts.max() == 1
    late, early = np.bincount(numbers)
    assert early <= 32
    assert 100 < late < 1000
