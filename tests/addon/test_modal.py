"""An operator that works in steps: on with every timer event, dropped at Esc."""

from types import SimpleNamespace

import bpy
import pytest
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.octree_addon.ui import progress
from octree_ext.octree_addon.ui import stepped as operators


class FakeEvent:
    def __init__(self, kind):
        self.type = kind


class FakeManager:
    """What a window manager is asked for by a modal build."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        return lambda *arguments, **_: self.calls.append(name) or name


class FakeContext:
    """The context with a window manager that notes its calls."""

    def __init__(self):
        self.window_manager = FakeManager()

    def __getattr__(self, name):
        return getattr(bpy.context, name)


class StandIn(operators.SteppedOperator):
    """A modal operator without a window."""

    properties = SimpleNamespace(bl_rna=SimpleNamespace(properties=()))

    def __init__(self, steps):
        self.prepared, self.results, self.reports = steps, [], []

    def steps(self, context):
        return self.prepared

    def finish(self, context, result):
        self.results.append(result)
        return {"FINISHED"}

    def report(self, levels, message):
        self.reports.append((levels, message))


def slow_steps(closed):
    try:
        for number in range(100):
            yield number / 100
        return "tree"
    finally:
        closed.append(True)


@pytest.fixture
def slices():
    """Let each turn take one step."""
    with tuned(octree_addon, first_turn=-1.0, turn=-1.0):
        yield


def test_a_modal_build_goes_on_with_every_timer_event(slices):
    context, closed = FakeContext(), []
    operator = StandIn(slow_steps(closed))
    assert operator.start(context) == {"RUNNING_MODAL"}
    states = [operator.modal(context, FakeEvent("TIMER")) for _ in range(100)]
    assert states == [{"RUNNING_MODAL"}] * 99 + [{"FINISHED"}]
    assert operator.results == ["tree"]
    assert closed == [True]
    assert context.window_manager.calls.count("event_timer_add") == 1
    assert context.window_manager.calls.count("event_timer_remove") == 1
    assert context.window_manager.calls[-1] == "progress_end"


def test_escape_drops_a_modal_build(slices):
    context, closed = FakeContext(), []
    operator = StandIn(slow_steps(closed))
    operator.start(context)
    assert operator.modal(context, FakeEvent("MIDDLEMOUSE")) == {"PASS_THROUGH"}
    assert operator.modal(context, FakeEvent("A")) == {"RUNNING_MODAL"}
    assert operator.modal(context, FakeEvent("ESC")) == {"CANCELLED"}
    assert (operator.results, closed) == ([], [True])
    assert "event_timer_remove" in context.window_manager.calls
    assert operator.reports == [({"INFO"}, "Cancelled: nothing has changed")]


@pytest.mark.parametrize("drawn, longest, taken", [(0.0, 9.0, 1), (3.0, 9.0, 4), (30.0, 9.0, 10)])
def test_work_goes_on_for_as_long_as_blender_has_drawn(monkeypatch, drawn, longest, taken):
    """Each step takes a second, a turn one, and a redraw between two turns some more."""
    now = [0.0]
    monkeypatch.setattr(operators, "perf_counter", lambda: now[0])

    def steps():
        for number in range(100):
            now[0] += 1
            yield number / 100

    operator = StandIn(steps())
    with tuned(octree_addon, first_turn=1.0, turn=1.0, longest_drawn=longest):
        assert operator.start(FakeContext()) == {"RUNNING_MODAL"}
        before = now[0]
        now[0] += drawn
        operator.modal(FakeContext(), FakeEvent("TIMER"))
    assert now[0] - before - drawn == taken
    operator.cancel(FakeContext())


def refusing_steps():
    raise ValueError("It cannot be")
    yield 0.0


def test_what_a_modal_build_refuses_is_said_at_once():
    context = FakeContext()
    operator = StandIn(refusing_steps())
    assert operator.start(context) == {"CANCELLED"}
    assert operator.reports == [({"ERROR"}, "It cannot be")]
    assert context.window_manager.calls == []


def test_a_build_that_is_soon_done_is_not_modal():
    context, closed = FakeContext(), []
    operator = StandIn(slow_steps(closed))
    assert operator.start(context) == {"FINISHED"}
    assert (operator.results, closed) == (["tree"], [True])
    assert context.window_manager.calls == []


def test_cancel_stops_the_work_that_is_shown_and_no_other(slices):
    context, closed = FakeContext(), {"Shown": [], "Other": []}
    shown, other = (type(name, (StandIn,), {})(slow_steps(closed[name])) for name in closed)
    assert shown.start(context) == other.start(context) == {"RUNNING_MODAL"}
    assert progress.working().name == "octree.Shown"
    assert bpy.ops.octree.cancel_work() == {"FINISHED"}
    assert other.modal(context, FakeEvent("TIMER")) == {"RUNNING_MODAL"}
    assert shown.modal(context, FakeEvent("TIMER")) == {"CANCELLED"}
    assert other.modal(context, FakeEvent("TIMER")) == {"RUNNING_MODAL"}
    assert progress.working().name == "octree.Other"  # which goes on
    shown.prepared = slow_steps(closed["Shown"])
    assert shown.start(context) == {"RUNNING_MODAL"}
    assert shown.modal(context, FakeEvent("TIMER")) == {"RUNNING_MODAL"}
    for each in (shown, other):
        assert each.modal(context, FakeEvent("ESC")) == {"CANCELLED"}
    assert progress.working() is None
    assert closed == {"Shown": [True, True], "Other": [True]}
