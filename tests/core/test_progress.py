"""Building in steps: fractions done, and a way out."""

from time import process_time

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES
from numpy.testing import assert_array_equal

from core import BuildCancelled, Octree, build_octree, build_steps
from core.options import SPLITS


def finished(steps):
    """Return the fractions that a build yields, and what it returns."""
    fractions = []
    while True:
        try:
            fractions.append(next(steps))
        except StopIteration as end:
            return fractions, end.value


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_steps_yield_increasing_fractions_and_return_the_tree(count, policy, split):
    items = scenes.random(3000, 0.1)[:count]
    options = {"capacity": 4, "straddlers": policy, "split": split}
    fractions, tree = finished(build_steps(items, **options))
    assert (np.diff(fractions) > 0).all()
    assert 0 <= fractions[0] <= fractions[-1] <= 1
    assert isinstance(tree, Octree)
    whole = build_octree(items, **options)
    assert_array_equal(tree.cells_of(), whole.cells_of())
    assert_array_equal(tree.node_lower, whole.node_lower)


def test_progress_is_called_with_the_fractions_of_the_steps():
    items, heard = scenes.random(), []
    build_octree(items, capacity=4, progress=heard.append)
    assert heard == finished(build_steps(items, capacity=4))[0]


@pytest.mark.parametrize("after", [1, 2, 4])
def test_progress_that_returns_false_cancels(after):
    heard = []

    def stop(fraction):
        heard.append(fraction)
        return len(heard) < after

    with pytest.raises(BuildCancelled, match="cancelled"):
        build_octree(scenes.random(), capacity=4, progress=stop)
    assert len(heard) == after


def test_a_comparison_with_a_numpy_number_cancels_too():
    with pytest.raises(BuildCancelled):
        build_octree(scenes.random(), capacity=4, progress=lambda done: np.float64(done) < 0.99)


def test_cancelling_is_not_a_bad_question():
    assert issubclass(BuildCancelled, Exception)
    assert not issubclass(BuildCancelled, ValueError)


@pytest.mark.parametrize("answer", [None, True, 0, ""])
def test_only_false_cancels(answer):
    assert isinstance(build_octree(scenes.random(), progress=lambda _: answer), Octree)


def test_errors_of_progress_come_through():
    def fail(fraction):
        raise KeyError(fraction)

    with pytest.raises(KeyError):
        build_octree(scenes.random(), progress=fail)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", ["copy", "keep"])
def test_no_step_takes_long(policy, split):
    """At a million triangles no step may pass 50 ms; the longest grow with their number."""
    items = scenes.random(100_000, 0.01)
    # Of three builds the calmest: others use the machine, too.
    assert min(longest_step(items, straddlers=policy, split=split) for _ in range(3)) < 0.05


def longest_step(items, **options):
    longest, start = 0.0, process_time()
    for _ in build_steps(items, **options):
        now = process_time()
        longest, start = max(longest, now - start), now
    return longest
