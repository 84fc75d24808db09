"""Groups of duplicates: connected components against a plain search, one kept of each group."""

import numpy as np
import pytest
from costs import lines_run
from finding_scenes import ANY, house
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.octree_addon import audit
from octree_ext.octree_addon.audit import duplicates


def searched(pairs, count):
    """Return the smallest that each is connected to, by walking along the pairs."""
    neighbors = {each: set() for each in range(count)}
    for a, b in zip(*pairs, strict=True):
        neighbors[a].add(b)
        neighbors[b].add(a)
    labels = [-1] * count
    for start in range(count):
        reached = [start] if labels[start] < 0 else []
        while reached:
            here = reached.pop()
            if labels[here] < 0:
                labels[here] = start
                reached += neighbors[here]
    return labels


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 30))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    pairs = np.array(draw(st.lists(pair, max_size=40)), np.intp).reshape(-1, 2).T
    return pairs, draw(st.permutations(range(count)))


@given(graphs())
@ANY
def test_components_are_what_a_search_finds(graph):
    pairs, order = graph
    count = len(order)
    assert duplicates.connected_components(pairs, count).tolist() == searched(pairs, count)


@given(graphs())
@ANY
def test_one_of_each_group_is_kept_the_first_of_the_scene(graph):
    pairs, order = graph
    groups = audit.duplicate_groups(pairs, order)
    labels = np.array(searched(pairs, len(order)))
    for label in set(labels.tolist()):
        members = np.flatnonzero(labels == label)
        kept = members[groups.kept[members]]
        if len(members) == 1:
            assert groups.group_of[members[0]] == -1
            assert not (groups.kept | groups.surplus)[members[0]]
        else:
            assert kept.tolist() == [min(members, key=lambda each: order[each])]
            assert groups.surplus[members].sum() == len(members) - 1
            assert len(set(groups.group_of[members].tolist())) == 1
    grouped = groups.group_of[groups.group_of >= 0]
    assert np.unique(grouped).tolist() == list(range(int(groups.kept.sum())))


@given(graphs(), st.randoms(use_true_random=False))
@ANY
def test_what_is_kept_depends_on_the_scene_and_not_on_the_pairs(graph, random):
    pairs, order = graph
    again = pairs[:, random.sample(range(pairs.shape[1]), pairs.shape[1])][::-1]
    one, other = audit.duplicate_groups(pairs, order), audit.duplicate_groups(again, order)
    assert one.kept.tolist() == other.kept.tolist()
    assert one.surplus.tolist() == other.surplus.tolist()


def test_a_chain_is_one_group():
    groups = audit.duplicate_groups([(0, 1, 2), (1, 2, 3)], (3, 2, 1, 0, 4))
    assert groups.kept.tolist() == [False, False, False, True, False]
    assert groups.surplus.tolist() == [True, True, True, False, False]


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_long_chain_takes_a_few_rounds(seed):
    count = 20_000
    chain = np.arange(count) if seed is None else np.random.default_rng(seed).permutation(count)
    pairs = np.stack((chain[:-1], chain[1:]))
    lines = lines_run(lambda: duplicates.connected_components(pairs, count))
    assert sum(lines.values()) < 400
    assert not duplicates.connected_components(pairs, count).any()


def test_only_findings_of_the_class_connect():
    found = house()
    groups = audit.duplicate_groups(audit.duplicates_of(found), range(7))
    assert [found.objects.names[each] for each in np.flatnonzero(groups.kept)] == ["Wall"]
    assert [found.objects.names[each] for each in np.flatnonzero(groups.surplus)] == ["Wall.001"]


def test_no_duplicates_are_no_groups():
    groups = audit.duplicate_groups(np.empty((2, 0)), range(3))
    assert groups.group_of.tolist() == [-1] * 3
    assert not (groups.kept | groups.surplus).any()
    assert len(audit.duplicate_groups(np.empty((2, 0)), ()).kept) == 0


@pytest.mark.parametrize(
    ("pairs", "order", "said"),
    [
        ([(0,), (3,)], (0, 1, 2), "pairs must be from 0 to 2, got 0 to 3"),
        ([0, 1], (0, 1), r"pairs must have shape \(2, m\)"),
        ([(0,), (1,)], (0, 0), "order must have another place for each"),
    ],
)
def test_bad_input_is_refused(pairs, order, said):
    with pytest.raises(ValueError, match=said):
        audit.duplicate_groups(pairs, order)
