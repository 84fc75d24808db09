"""A broad phase misses no pair of bounds, and compares few others."""

import core_scenes as scenes
import costs
import numpy as np
import pair_oracle
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tuned import tuned

import core
from core import Boxes, Triangles, build_octree, overlapping_pairs
from core.boxes import boxes_meet
from core.pairs import broad_phase
from core.steps import run
from core.touch import triangle_pairs


def sheet(cells, turned, scale=1.0):
    """Return a wavy sheet of 2 * cells * cells triangles, or one that crosses it."""
    line = np.linspace(-1, 1, cells + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(line, line))
    points = np.stack((x, y, 0.1 * np.sin(7 * x) * np.cos(5 * y)), axis=1)
    corner = np.arange((cells + 1) ** 2).reshape(cells + 1, -1)[:-1, :-1].ravel()
    quads = corner[:, None] + [0, 1, cells + 2, cells + 1]
    if turned:
        points = points @ np.linalg.qr(scenes.numbers(3).normal(size=(3, 3)))[0] + 0.02
    points = np.round(scale * points) if scale > 1 else points  # for the oracle
    return Triangles(points, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def trees(cells, scale=1.0):
    return [build_octree(sheet(cells, turned, scale), capacity=8) for turned in (False, True)]


def joined(tree, other, margin=0.0):
    bounds = (broad_phase.grown_bounds(each.arranged, margin / 2) for each in (tree, other))
    return list(broad_phase.near_bounds(*bounds))


@pytest.mark.parametrize("margin", [0, 2])
@pytest.mark.parametrize("paired", [10, 100_000])
def test_joined_bounds_equal_brute_force(margin, paired):
    one, other = trees(8, scale=60)
    with tuned(core, boxes_paired=paired):
        batches = joined(one, other, margin)
        found = overlapping_pairs(one, other, margin=margin)
    assert (sum(len(batch.ones) > 0 for batch in batches) > 10) == (paired == 10)
    done = [batch.done for batch in batches]
    assert done == sorted(done) and done[-1] == 1
    wanted = np.argwhere(pair_oracle.near(one.items, other.items, margin)).T
    assert 20 < wanted.shape[1]
    assert_array_equal(found, wanted)


def boxes(rng, count, size, shift=0.0):
    lower = rng.uniform(0, 1, (3, count)) + shift
    return np.concatenate((lower, lower + rng.uniform(0, size, (3, count))))


@examples(25)
@given(
    st.integers(0, 10_000),
    st.sampled_from([1, 5, 6, 7, 36, 37, 400]),
    st.sampled_from([1e-3, 0.05, 2.0]),
    st.sampled_from([0.0, 0.9, 3.0]),
)
def test_pairs_that_meet_are_found_once_and_few_others(seed, count, size, shift):
    rng = np.random.default_rng(seed)
    ones, others = boxes(rng, 250, size), boxes(rng, count, 0.03, shift)
    if seed % 3 == 0:
        ones[[2, 5]] = 0.5  # flat
    for pair in ((ones, others), (others, ones)):
        found = np.concatenate([batch[1:] for batch in broad_phase.near_bounds(*pair)], axis=1)
        found = found[:, np.lexsort(found[::-1])]
        assert (np.diff(found) != 0).any(axis=0).all()
        met = np.argwhere(boxes_meet(pair[0][:, :, None], pair[1][:, None])).T
        whole = len(pair[1][0])
        assert np.isin(met[0] * whole + met[1], found[0] * whole + found[1]).all()
        assert found.shape[1] <= met.shape[1] + 3
        assert_array_equal(run(broad_phase.meeting_boxes(*pair)), met)


@pytest.mark.parametrize("limit", ["joined_pairs", "joined_crowd"])
def test_where_joining_by_the_kernel_does_not_pay_the_answer_is_the_same(limit):
    one, other = trees(8)
    wanted = overlapping_pairs(one, other)
    with tuned(core, **{limit: -(10**9)}):
        assert_array_equal(overlapping_pairs(one, other), wanted)


def test_crowds_that_nothing_divides_are_paired():
    heaps = [build_octree(Boxes(np.zeros((600, 3)), np.ones((600, 3)))) for _ in range(2)]
    assert overlapping_pairs(*heaps).shape == (2, 360_000)


def test_trees_apart_meet_nowhere():
    far = build_octree(Boxes([[5] * 3], [[6] * 3]))
    assert sum(len(batch.ones) for batch in joined(build_octree(sheet(8, False)), far)) == 0
    assert overlapping_pairs(far, build_octree(sheet(8, True))).shape == (2, 0)


def test_work_grows_with_the_curve_along_which_sheets_cross():
    """Four times as many triangles have a crossing that is twice as long."""
    coarse, fine = trees(20), trees(40)
    seen = [sum(len(batch.ones) for batch in joined(*each)) for each in (coarse, fine)]
    found = [overlapping_pairs(*each).shape[1] for each in (coarse, fine)]
    assert 1.5 * found[0] < found[1] < 2.5 * found[0]
    assert seen[1] < 2.7 * seen[0]
    assert seen[1] < 9 * found[1]
    made = [
        costs.bytes_made(lambda pair=each: overlapping_pairs(*pair)) for each in (coarse, fine)
    ]
    assert made[1] < 3 * made[0]
    lines = [
        costs.lines_run(lambda pair=each: overlapping_pairs(*pair)) for each in (coarse, fine)
    ]
    assert lines[1].total() < 1.5 * lines[0].total()


def test_what_pierces_needs_no_search_for_axes(monkeypatch):
    """In two crossing sheets, a piercing edge decides nearly every pair."""
    left = []
    ask = triangle_pairs._unseparated
    monkeypatch.setattr(
        triangle_pairs,
        "_unseparated",
        lambda ones, others: left.append(ones.shape[2]) or ask(ones, others),
    )
    found = overlapping_pairs(*trees(40))
    assert sum(left) < 0.02 * found.shape[1]


@pytest.mark.parametrize("span", [2, 3, 6])
def test_what_is_decided_quickly_is_decided_as_by_all_axes(span):
    corners = scenes.numbers(span).integers(-span, span + 1, (2, 3, 3, 20_000)).astype(float)
    ones, others = corners
    flags, left = triangle_pairs._quick_tests(ones, others)
    wanted = triangle_pairs._unseparated(ones, others)
    assert_array_equal(
        flags | np.isin(np.arange(20_000), left), wanted | np.isin(np.arange(20_000), left)
    )
    assert not flags[left].any()
    assert flags.sum() > len(left) / 4
