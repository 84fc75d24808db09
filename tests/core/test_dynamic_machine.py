"""Any sequence of changes, searched by Hypothesis for one after which tree and crowd differ."""

import numpy as np
from crowd import Crowd, assert_stands_in_what_it_touches, rows_of
from examples import examples
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from numpy.testing import assert_array_equal

from core import Boxes, DynamicOctree, Regions, Spheres, overlapping_pairs, query

coordinates = st.integers(-4, 4) | st.sampled_from((-900, 900, 2**40))


@st.composite
def items(draw, count=None):
    """Boxes, spheres or regions in whole numbers, often alike, often of no size."""
    count = draw(st.integers(0, 12)) if count is None else count
    both = draw(arrays(np.int64, (2, count, 3), elements=coordinates))
    radii = draw(arrays(np.int64, count, elements=st.integers(0, 3)))
    lower, upper = both.min(axis=0), both.max(axis=0)
    kind = draw(st.sampled_from((Boxes, Spheres, Regions)))
    if kind is Boxes:
        return Boxes(lower, upper)
    return Spheres(lower, radii) if kind is Spheres else Regions(lower, upper, radii)


class Machine(RuleBasedStateMachine):
    @initialize(data=st.data(), capacity=st.integers(1, 5))
    def begin(self, data, capacity):
        self.crowd = Crowd()
        self.tree = DynamicOctree(
            capacity=capacity,
            merge_below=data.draw(st.integers(1, capacity)),
            max_depth=data.draw(st.integers(0, 6)),
            min_size=data.draw(st.sampled_from((0.0, 1.0, 3.0))),
            straddlers=data.draw(st.sampled_from(("keep", "copy"))),
            loose_factor=data.draw(st.sampled_from((1.0, 1.5, 2.0))),
            merge=data.draw(st.sampled_from(("eager", "deferred"))),
            grow_above=data.draw(st.integers(0, 3)),
            shrink_below=data.draw(st.integers(0, 3)),
            bounds=data.draw(st.sampled_from((None, Boxes([[-2] * 3], [[2] * 3])))),
        )

    def some(self, data):
        if len(self.crowd) == 0:
            return np.empty(0, np.intp)
        return np.array(data.draw(st.lists(st.sampled_from(list(self.crowd.ids)), unique=True)))

    @rule(items=items())
    def insert(self, items):
        self.crowd.put(self.tree.insert(items), items)

    @rule(data=st.data())
    def move(self, data):
        ids = self.some(data).astype(np.intp)
        moved = data.draw(items(len(ids)))
        self.tree.move(ids, moved)
        self.crowd.put(ids, moved)

    @rule(data=st.data())
    def remove(self, data):
        ids = self.some(data).astype(np.intp)
        self.tree.remove(ids)
        self.crowd.remove(ids)

    @rule()
    def prune(self):
        self.tree.prune()

    @rule()
    def changes(self):
        for pairs, wanted in zip(self.tree.changes(), self.crowd.changes(), strict=True):
            assert list(zip(*pairs.tolist(), strict=True)) == wanted

    @rule(volumes=items())
    def ask(self, volumes):
        assert_array_equal(query(self.tree.octree, volumes), self.crowd.touched(volumes))

    @invariant()
    def agree(self):
        if not hasattr(self, "tree"):
            return
        self.tree.check()
        assert_stands_in_what_it_touches(self.tree)
        assert_array_equal(self.tree.ids, self.crowd.ids)
        assert_array_equal(rows_of(self.tree.octree.items), self.crowd.rows)
        assert_array_equal(overlapping_pairs(self.tree.octree), self.crowd.pairs())


Machine.TestCase.settings = examples(40, stateful_step_count=15)
TestMachine = Machine.TestCase
