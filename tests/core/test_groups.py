"""Groups: a query ignores items in none of its groups."""

from dataclasses import replace

import nearest_oracle
import numpy as np
import oracle
import pair_oracle
import ray_oracle
import ray_scenes
from crowd import Crowd
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from core import (
    Boxes,
    DynamicOctree,
    Regions,
    Spheres,
    build_octree,
    nearest,
    overlapping_pairs,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)
from core.snapshot import in_groups

ALL = 0xFFFFFFFF
MASKS = st.sampled_from((0, 1, 2, 3, 6, 2**31, ALL))
DIRECTIONS = [(1, 0, 0), (0, 0, -2), (0, -3, 0), (3, 4, 0), (0, -4, 3), (2, -1, 2), (-6, 2, -3)]


class Members(Crowd):
    """A crowd that knows its members' masks."""

    def __init__(self):
        super().__init__()
        self.masks = {}

    def enter(self, ids, items, masks):
        masks = np.full(len(ids), ALL) if masks is None else np.broadcast_to(masks, len(ids))
        self.put(ids, items)
        self.masks |= dict(zip(ids.tolist(), masks.tolist(), strict=True))

    def of(self, groups):
        """Return ids and items in the groups, by brute force."""
        ids = [one for one in self.ids.tolist() if self.masks[one] & groups]
        rows = np.array([self.living[one] for one in ids]).reshape(-1, 7)
        return np.array(ids, np.intp), Regions(rows[:, :3], rows[:, 3:6], rows[:, 6])


@st.composite
def shapes(draw, count, kinds=(Boxes, Spheres, Regions)):
    """Return some shapes in whole numbers, often alike, often of no size."""
    corners = draw(arrays(np.int64, (2, count, 3), elements=st.integers(-5, 5)))
    radii = draw(arrays(np.int64, count, elements=st.integers(0, 2)))
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    kind = draw(st.sampled_from(kinds))
    if kind is Boxes:
        return Boxes(lower, upper)
    return Spheres(lower, radii) if kind is Spheres else Regions(lower, upper, radii)


@st.composite
def dynamic(draw):
    """Return an octree whose items came with masks or without, moved and went; its members."""
    tree = DynamicOctree(
        capacity=draw(st.integers(1, 3)),
        merge_below=1,
        max_depth=draw(st.integers(0, 5)),
        straddlers=draw(st.sampled_from(("keep", "copy"))),
        loose_factor=draw(st.sampled_from((1.0, 1.5))),
        grow_above=draw(st.sampled_from((0, 3))),
        bounds=draw(st.sampled_from((None, Boxes([[-3] * 3], [[3] * 3])))),
    )
    members = Members()
    for _ in range(draw(st.integers(1, 3))):
        count = draw(st.integers(0, 12))
        items = draw(shapes(count))
        each = arrays(np.uint32, count, elements=MASKS)
        masks = draw(st.none() | MASKS | each)
        members.enter(tree.insert(items, groups=masks), items, masks)
        some = np.flatnonzero(draw(arrays(bool, len(members))))
        moved, gone = np.split(members.ids[some], [draw(st.integers(0, len(some)))])
        items = draw(shapes(len(moved)))
        tree.move(moved, items)
        members.put(moved, items)
        tree.remove(gone)
        members.remove(gone)
    tree.check()
    return tree.octree, members


@st.composite
def static(draw):
    """Return an octree whose items are in every group, and its members."""
    items, members = draw(shapes(draw(st.integers(0, 20)))), Members()
    members.enter(np.arange(len(items)), items, None)
    straddlers = draw(st.sampled_from(("keep", "copy", "hybrid")))
    return build_octree(items, capacity=2, straddlers=straddlers), members


trees = st.one_of(dynamic(), static())


@given(trees, MASKS)
def test_what_is_left_is_a_sound_tree(tree, groups):
    octree, members = tree
    seen, (ids, items) = in_groups(octree, groups), members.of(groups)
    seen.check()
    assert len(seen) == len(ids)
    assert_array_equal(seen.named(np.arange(len(ids))), ids)
    assert_array_equal(np.stack(seen.items.limits()), np.stack(items.limits()))
    assert_array_equal(seen.cell_rows, octree.cell_rows)


@given(trees, shapes(4), MASKS)
def test_volumes(tree, volumes, groups):
    octree, members = tree
    ids, items = members.of(groups)
    touched = oracle.touching(items, volumes, 0)
    for relation, truth in (("touching", touched), ("inside", oracle.inside(items, volumes, 0))):
        numbers, found = np.nonzero(truth)
        assert_array_equal(
            query(octree, volumes, relation=relation, groups=groups), [numbers, ids[found]]
        )
    unmasked = replace(octree, groups=None)
    candidates = query(unmasked, volumes, relation="candidates")
    wanted = candidates[:, np.isin(candidates[1], ids)]
    assert_array_equal(query(octree, volumes, relation="candidates", groups=groups), wanted)
    assert_array_equal(query_any(octree, volumes, groups=groups), touched.any(axis=1))
    assert_array_equal(query_count(octree, volumes, groups=groups), touched.sum(axis=1))


@given(
    trees,
    arrays(np.int64, (4, 3), elements=st.integers(-8, 8)),
    st.lists(st.sampled_from(DIRECTIONS), min_size=4, max_size=4),
    st.sampled_from((np.inf, 3.0)),
    MASKS,
)
def test_rays(tree, origins, directions, most, groups):
    octree, members = tree
    ids, items = members.of(groups)
    lengths = np.linalg.norm(directions, axis=1)
    reaches = np.where(np.isinf(most), np.inf, [most] * 4)
    asked = (octree, origins, directions)
    options = {"max_distance": reaches * lengths, "groups": groups}
    steps = ray_oracle.crossings(items, *asked[1:], reaches, number=ray_oracle.exact)
    crossings = ray_cast_all(*asked, **options)
    found = ray_scenes.matrix(crossings, 4, 1 + max(members.masks, default=0))
    truth = np.full(found.shape, np.nan)
    truth[:, ids] = steps.astype(float) * lengths[:, None]
    assert_array_equal(np.isnan(found), np.isnan(truth))
    assert_allclose(found, truth, rtol=1e-6, atol=1e-6)
    hits, (first, distances) = ray_cast(*asked, **options), ray_scenes.closest(found)
    assert_array_equal(hits.items, first)
    assert_array_equal(hits.distances, distances)
    assert_array_equal(ray_test(*asked, **options), first >= 0)


@given(
    trees,
    arrays(np.int64, (4, 3), elements=st.integers(-8, 8)),
    st.integers(1, 6),
    st.sampled_from((np.inf, 3.0)),
    MASKS,
)
def test_nearest(tree, points, count, most, groups):
    octree, members = tree
    ids, items = members.of(groups)
    lengths = nearest_oracle.distances(items, points, nearest_oracle.exact)
    numbers = nearest_oracle.nearest(lengths, count, most)
    found = nearest(octree, points, count=count, max_distance=most, groups=groups)
    assert_array_equal(found.items, np.append(ids, -1)[numbers])
    rows = np.arange(4)[:, None]
    wanted = np.column_stack((lengths, np.full(4, np.inf)))[rows, numbers]
    assert_array_equal(found.distances, wanted)
    assert_array_equal(np.isnan(found.positions).any(axis=2), numbers < 0)


@given(trees, st.sampled_from((0, 2)), MASKS)
def test_pairs(tree, margin, groups):
    octree, members = tree
    ids, items = members.of(groups)
    ones, others = np.nonzero(np.triu(pair_oracle.near(items, items, margin), 1))
    found = overlapping_pairs(octree, margin=margin, groups=groups)
    assert_array_equal(found, [ids[ones], ids[others]])


@given(trees, trees, st.sampled_from((0, 2)), MASKS)
def test_pairs_of_two_trees(tree, other, margin, groups):
    ids, items = tree[1].of(groups)
    their_ids, their_items = other[1].of(groups)
    ones, others = np.nonzero(pair_oracle.near(items, their_items, margin))
    found = overlapping_pairs(tree[0], other[0], margin=margin, groups=groups)
    assert_array_equal(found, [ids[ones], their_ids[others]])


@given(dynamic(), MASKS)
def test_a_tree_given_twice(tree, groups):
    octree, members = tree
    ids, items = members.of(groups)
    assume(len(ids))
    ones, others = np.nonzero(pair_oracle.near(items, items))
    assert_array_equal(overlapping_pairs(octree, octree, groups=groups), [ids[ones], ids[others]])
