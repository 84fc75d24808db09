"""Building in steps: fractions done, and a way out."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES
from costs import bytes_of_steps
from numpy.testing import assert_array_equal
from stepping import finished

from core import BuildCancelled, Octree, build_octree, build_steps
from core.options import SPLITS


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("count", [0, 1, 3000])
def test_steps_yield_fractions_that_never_fall_and_return_the_tree(count, policy, split):
    items = scenes.random(3000, 0.1)[:count]
    options = {"capacity": 4, "straddlers": policy, "split": split}
    fractions, tree = finished(build_steps(items, **options))
    assert (np.diff(fractions) >= 0).all()
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
@pytest.mark.parametrize("policy", POLICIES)
def test_no_step_does_much_of_the_work(policy, split):
    """The arrays that a step allocates are its work: a million items are built in 50 ms steps."""
    items = scenes.random(300_000, 0.01)
    made = bytes_of_steps(build_steps(items, straddlers=policy, split=split))
    assert max(made) <= 320 * len(items)
    assert max(made) <= sum(made) / 4
