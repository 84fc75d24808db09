"""Of each group of duplicates one is kept: the first of the scene, in whatever order found."""

import numpy as np
from finding_scenes import ANY, house, kind, make_findings
from hypothesis import given
from hypothesis import strategies as st

from octree_ext.core import connected_components
from octree_ext.octree_addon.audit.marking import surplus_duplicates
from octree_ext.octree_addon.audit.model import IGNORED, audited_objects


def doubled(pairs, count, **objects):
    """Return findings: the duplicates of some pairs, of objects with the session ids 1, 2, ..."""
    names = [f"Part {number}" for number in range(count)]
    pairs = np.array(sorted(pairs), np.intp).reshape(-1, 2).T
    found = pairs.shape[1]
    return make_findings(
        audited_objects(names, uids=range(1, count + 1), **objects),
        [kind("duplicate")] * found,
        pairs,
        [0] * found,
        [0] * found,
        [0] * found,
        np.zeros((found, 3)),
    )


@st.composite
def graphs(draw):
    count = draw(st.integers(2, 20))
    pair = st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True)
    pairs = {tuple(sorted(each)) for each in draw(st.lists(pair, max_size=30))}
    return pairs, draw(st.permutations(range(count)))


@given(graphs())
@ANY
def test_all_but_the_first_of_each_group_are_surplus(graph):
    pairs, order = graph
    count = len(order)
    surplus = surplus_duplicates(
        doubled(pairs, count), {uid: order[uid - 1] for uid in range(1, count + 1)}
    )
    groups = connected_components(np.array(sorted(pairs), int).reshape(-1, 2).T, count)
    first = {}
    for number in sorted(range(count), key=order.__getitem__):
        first.setdefault(groups[number], number)
    assert surplus == [n + 1 for n in range(count) if first[groups[n]] != n]


def test_a_chain_is_one_group():
    places = {1: 3, 2: 2, 3: 1, 4: 0, 5: 4}
    assert surplus_duplicates(doubled([(0, 1), (1, 2), (2, 3)], 5), places) == [1, 2, 3]


def test_only_open_findings_of_the_class_connect():
    found = house()
    places = {uid: at for at, uid in enumerate(found.objects.uids.tolist())}
    assert surplus_duplicates(found, places) == [16]
    assert surplus_duplicates(found.with_statuses([3], IGNORED), places) == []


def test_instances_and_what_is_gone_are_no_surplus():
    instances = np.full((3, 8), 2**31 - 1)
    instances[1, 0] = 7
    found = doubled([(0, 1), (1, 2)], 3, instances=instances)
    assert surplus_duplicates(found, {1: 0, 2: 0, 3: 1}) == [3]
    assert surplus_duplicates(found, {1: 0, 2: 0}) == []
