"""Carrying out: plans of moves are written at once, compared with what Blender made of them.

Where anything is not as foretold all is taken back, and worked out again without it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, Self

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import SceneOctree, Steps, between, run
from ..arrays import Ids
from ..scope import viewport_of
from ..snapshots import SceneTarget, scene_steps
from .moves import Stored, compare_moves, placed
from .turning import Turns, write_turn
from .units import Movers

_STRAY = "does not follow its location"
_ROTATIONS = ("rotation_euler", "rotation_quaternion", "rotation_axis_angle")


class MovePlan(Protocol):
    """Where units of a scene are to go."""

    @property
    def target(self) -> SceneTarget:
        """The scene before."""

    @property
    def movers(self) -> Movers:
        """Who moves."""

    @property
    def turns(self) -> Turns:
        """How they are turned."""

    @property
    def stored(self) -> Stored:
        """What Blender is to store."""

    def settled_steps(self, look: Callable[[Self], SceneOctree]) -> Steps[Self]:
        """Return what keeps its promise in the scene that `look` shows of a plan."""


# Works a plan out without some objects: session ids, each with the reason.
Replan = Callable[[Mapping[int, str]], Steps[Any]]


def carry_out(context: bpy.types.Context, plan: Any, replan: Replan) -> Any:
    """Write a plan, or what comes of it without what does not go where it is told; return that.

    A `ValueError` leaves everything as it was.
    """
    with _taken_back_on_errors(context, plan.movers) as objects:
        while True:
            _write(context, plan, objects)
            now = read_again(context)
            strays, rows = compare_moves(plan.movers, plan.target, now, plan.stored)
            if not strays.any():
                return _settled(context, plan, objects, now, rows)
            reasons = dict.fromkeys(plan.movers.uids[strays].tolist(), _STRAY)
            left = {**plan.movers.left, **reasons}
            objects.take_back(context)
            plan = run(replan(left))


def carried_out(
    context: bpy.types.Context,
    plan_steps: Callable[[SceneTarget, Mapping[int, str]], Steps[Any]],
    heed: Callable[[], None] | None = None,
) -> Any:
    """Work out a plan for what is visible, and carry it out; `heed` is called at each step."""

    def steps(left: Mapping[int, str]) -> Steps[Any]:
        target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
        return (yield from between(0.3, 1.0, plan_steps(target.frozen(), left)))

    return carry_out(context, run(steps({}), heed=heed), steps)


def _settled(
    context: bpy.types.Context, plan: Any, objects: "_Objects", now: SceneTarget, rows: Ids
) -> Any:
    """Return a plan that holds of what Blender has made of it, by a rounding of its own."""
    actual = now.placements.matrices[rows]
    if actual.tobytes() == plan.stored.matrices.tobytes():
        return plan
    seen: list[tuple[bytes, NDArray[np.float32]]] = [
        (plan.stored.locations.tobytes(), actual),
    ]

    def look(other: MovePlan) -> SceneOctree:
        key = other.stored.locations.tobytes()
        if key != seen[0][0]:
            _write(context, other, objects)
            found = read_again(context)
            there = found.rows_of(other.target.placements)[other.movers.rows]
            seen[:] = [(key, found.placements.matrices[there])]
        ids = other.target.octree.ids[other.movers.rows]
        return placed(other.target.octree, ids, seen[0][1])

    settled = run(plan.settled_steps(look))
    look(settled)
    return settled


def read_again(context: bpy.types.Context) -> SceneTarget:
    """Return what is visible now."""
    return run(scene_steps(context, viewport_of(context))).frozen()


class _Objects:
    """The objects of a plan by session id, and what was written in them before."""

    def __init__(self, context: bpy.types.Context, movers: Movers) -> None:
        wanted = set(movers.root_uids.tolist())
        self.found = {
            item.session_uid: item
            for item in context.view_layer.objects
            if item.session_uid in wanted
        }
        if len(self.found) < len(wanted):
            raise ValueError("An object has left the scene meanwhile: nothing was moved")
        self._before: dict[int, Any] = {
            uid: (item.location.copy(), [tuple(getattr(item, name)) for name in _ROTATIONS])
            for uid, item in self.found.items()
        }

    def take_back(self, context: bpy.types.Context) -> None:
        """Write what was there."""
        for uid, item in self.found.items():
            item.location = self._before[uid][0]
            self.turn_back(item)
        context.view_layer.update()

    def turn_back(self, item: bpy.types.Object) -> None:
        """Write the rotation that was there, if it is another one now."""
        for name, values in zip(_ROTATIONS, self._before[item.session_uid][1], strict=True):
            if tuple(getattr(item, name)) != values:
                setattr(item, name, values)


@contextmanager
def _taken_back_on_errors(context: bpy.types.Context, movers: Movers) -> Iterator[_Objects]:
    objects = _Objects(context, movers)
    try:
        yield objects
    except BaseException:
        objects.take_back(context)
        raise


def _write(context: bpy.types.Context, plan: MovePlan, objects: _Objects) -> None:
    """Write locations and turns, and have Blender evaluate them; nothing is keyed."""
    movers, stored = plan.movers, plan.stored
    turned = np.flatnonzero(plan.turns.are_turned).tolist()
    objects_turned = {movers.first_roots[unit]: plan.turns.rotations[unit] for unit in turned}
    for root, uid in enumerate(movers.root_uids.tolist()):
        item = objects.found[uid]
        location = stored.locations[root]
        if np.array(item.location, np.float32).tobytes() != location.tobytes():
            item.location = location.tolist()
        if root in objects_turned:
            objects.turn_back(item)  # what is written twice is turned once
            write_turn(item, objects_turned[root])
    context.view_layer.update()
