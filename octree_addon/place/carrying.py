"""Application of move plans: locations are written, then compared with Blender's evaluation.

If an object is not where the plan predicted it, all writes are reverted, and a new plan is made
without that object.
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
    """Planned moves of the units of a scene (groups of objects that move together)."""

    @property
    def target(self) -> SceneTarget:
        """The scene before the moves."""

    @property
    def movers(self) -> Movers:
        """The units that move."""

    @property
    def turns(self) -> Turns:
        """The rotation of each unit."""

    @property
    def stored(self) -> Stored:
        """The values that Blender will store."""

    def settled_steps(self, look: Callable[[Self], SceneOctree]) -> Steps[Self]:
        """Return the plan, corrected until its scene, `look(plan)`, has no new overlap."""


# Makes a plan without some objects: a mapping from session id to the reason.
Replan = Callable[[Mapping[int, str]], Steps[Any]]


def carry_out(context: bpy.types.Context, plan: Any, replan: Replan) -> Any:
    """Write a plan and return the plan that was written in the end.

    Objects that do not follow their location are left out, and the rest is planned again. If a
    `ValueError` is raised, the scene is unchanged.
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
    """Plan moves among visible objects and write them; `heed` is called at each step."""

    def steps(left: Mapping[int, str]) -> Steps[Any]:
        target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
        return (yield from between(0.3, 1.0, plan_steps(target.frozen(), left)))

    return carry_out(context, run(steps({}), heed=heed), steps)


def _settled(
    context: bpy.types.Context, plan: Any, objects: "_Objects", now: SceneTarget, rows: Ids
) -> Any:
    """Return the plan, corrected for matrices that Blender rounds otherwise than predicted."""
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
    """Return the visible scene as it is now."""
    return run(scene_steps(context, viewport_of(context))).frozen()


class _Objects:
    """The objects of a plan by session id, and their transforms before it was written."""

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
        """Restore locations and rotations, and evaluate the view layer."""
        for uid, item in self.found.items():
            item.location = self._before[uid][0]
            self.turn_back(item)
        context.view_layer.update()

    def turn_back(self, item: bpy.types.Object) -> None:
        """Restore the rotation of an object if it has changed."""
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
    """Write locations and rotations, and evaluate the view layer; insert no keyframes."""
    movers, stored = plan.movers, plan.stored
    turned = np.flatnonzero(plan.turns.are_turned).tolist()
    objects_turned = {movers.first_roots[unit]: plan.turns.rotations[unit] for unit in turned}
    for root, uid in enumerate(movers.root_uids.tolist()):
        item = objects.found[uid]
        location = stored.locations[root]
        if np.array(item.location, np.float32).tobytes() != location.tobytes():
            item.location = location.tolist()
        if root in objects_turned:
            objects.turn_back(item)  # a second write must not turn the object again
            write_turn(item, objects_turned[root])
    context.view_layer.update()
