"""Gaps along a direction: each triangle with each, and how few of them are looked at."""

import gap_oracle as oracle
import numpy as np
import pytest
from audit_scenes import box, scene_of
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_pairs import heights
from tuned import tuned

import core
from core import SceneOctree, use_kernel
from core.gaps import search as search_of_gaps
from core.gaps.search import GapSearch
from core.gaps.way import Way
from core.place.sliding import scale_of
from core.steps import run

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.mark.usefixtures("each_kernel")
@example(seed=83, signed=False)  # without area, at the end of others
@example(seed=92, signed=False)
@example(seed=106, signed=False)
@example(seed=166, signed=False)
@examples(60)
@given(seed=st.integers(0, 2**32 - 1), signed=st.booleans())
def test_gaps_are_those_of_each_triangle_with_each(seed, signed):
    assert_as_by_force(seed, signed)


def test_gaps_do_not_depend_on_how_many_are_looked_at_together():
    use_kernel(False)
    with tuned(core, nodes_paired=12, triangles_tested=5):
        for seed in range(12):
            assert_as_by_force(seed, seed % 2 == 0)
    use_kernel(True)


def assert_as_by_force(seed, signed):
    random = np.random.default_rng(seed)
    moment, pool = oracle.flush(random)
    rows, way = oracle.pairs_of(moment, random), oracle.way_of(random)
    keys, limits = np.arange(rows.shape[1]), np.full(rows.shape[1], np.inf)
    search = GapSearch(moment, pool, way, signed=signed)
    run(search.look(rows, keys, limits, shared=False))
    lowest, every = search.faces, None if signed else run(search.every_face(keys, keys % 2 == 0))
    for pair in keys:
        best, crosses, faces = oracle.gaps(moment, pool, way, rows[:, pair], signed=signed)
        items = pool.items(search.entries[:, pair])
        found = search.gaps[pair], *items, search.corners[pair]
        assert found == best, (seed, pair)
        assert search.crossing[pair] == crosses
        assert named(lowest, pair, pool) == faces[:1]
        if not signed and named(every, pair, pool) != faces:
            assert (
                pair % 2
                and named(every, pair, pool) == []
                and is_past(moment, pool, way, rows[:, pair])
            )
    return len(keys)


def named(faces, pair, pool):
    some = faces.pairs == pair
    sides = (pool.items(each[some]).tolist() for each in (faces.ones, faces.others))
    return list(zip(*sides, strict=True))


def is_past(moment, pool, way, rows):
    """Return whether all of the first lies ahead of all of the second, from their corners."""
    ends = []
    for row in rows:
        entries = oracle.entries_of(moment, pool, row)
        corners = oracle.corners_of(moment, pool, entries, row)
        along = corners[:, way.axes[2]] * np.sign(way.direction[way.axes[2]])
        ends.append((along.min(), along.max()))
    return ends[0][0] >= ends[1][1]


def looked_at(scene, direction, monkeypatch):
    """Return how many pairs of boxes and of triangles a slide of placement 1 looks at.

    With the kernel, how many pairs of patches: each is a step.
    """
    moment = scene._snapshot(oracle.EVERYTHING)
    moment = moment.scaled(scale_of(moment))
    pool = run(moment.meshes.pool(np.unique(moment.placements.meshes)))
    search, rows = GapSearch(moment, pool, Way.of(np.array(direction, float))), [[1], [0]]
    counts = []
    for name, module in (("shadow_gaps", search_of_gaps), ("near", search_of_gaps._GapWalk)):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, counted(real, counts))
    with tuned(core, nodes_walked=1):
        one = np.zeros(1, np.intp)
        counts += [1 for _ in search.look(np.array(rows), one, np.full(1, np.inf), shared=False)]
    return sum(counts)


def counted(real, counts):
    def count(first, second, *others, **options):
        counts.append(second.shape[-1])
        return real(first, second, *others, **options)

    return count


def flush_grids(side, lift):
    """Place two level grids of 2 side * side triangles, one of them turned and lifted."""
    grid, turned = heights(side, lambda places: 0 * places[:, 0]), np.eye(4)
    turned[:2, :2], turned[2, 3] = [[0.6, -0.8], [0.8, 0.6]], lift
    scene = SceneOctree()
    scene.place([scene.add_mesh(grid)] * 2, [np.eye(4), turned])
    return scene


@pytest.mark.usefixtures("each_kernel")
@pytest.mark.parametrize("lift", [0.0, 0.5])
@pytest.mark.parametrize("direction", [[0, 0, -1], [0, 0, 1], [1, 0, 0], [3, 1, 0], [1, 2, -4]])
def test_what_lies_flush_costs_no_more_with_more_triangles(direction, lift, monkeypatch):
    with monkeypatch.context() as patched:
        few = looked_at(flush_grids(12, lift), direction, patched)
    many = looked_at(flush_grids(96, lift), direction, monkeypatch)
    assert many <= 10 * max(few, 8)  # of 64 times as many triangles, and pairs


@pytest.mark.usefixtures("each_kernel")
def test_faces_behind_which_nothing_is_are_not_gathered():
    """A box upon another, from which it moves away; and one that is beside a higher part."""
    lower, upper, way = box([0, 0, 0], [4, 4, 1]), box([1, 1, 1], [2, 2, 2]), Way.of(-DOWN)
    for below, count in ((lower, 0), (oracle.both(lower, box([3, 3, 1], [4, 4, 3])), 2)):
        moment = scene_of(below, upper)._snapshot(oracle.EVERYTHING)
        search = GapSearch(moment, run(moment.meshes.pool(np.arange(2))), way)
        rows, one = np.array([[1], [0]]), np.zeros(1, np.intp)
        run(search.look(rows, one, np.zeros(1), shared=False))
        assert len(search.faces) == 1
        assert len(run(search.every_face(one, one > 0))) == count
