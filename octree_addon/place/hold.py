"""Interactive placement: held objects under the pointer, green where they fit, else red."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty
from mathutils import Vector

from ...core import Steps, ray_cast, run
from ..arrays import Floats, Ids
from ..audit import usual_band
from ..probe import session
from ..probe.picture import MOST_DRAWN, ProbePicture, boxes_around, name_of
from ..probe.pointer import Spot, ray_through, spot_of
from ..probe.shapes import Shape
from ..snapshots import SceneTarget
from ..ui import RefusingOperator, Status, mode_obstacle, settings_of, write_status
from .carrying import carried_out
from .copies import copy_unit
from .falling import Falls, FallWish, joined
from .fitting import room_named, rooms_of
from .moves import placed
from .resting import Resting, rest_steps
from .settings import AXES
from .telling import named
from .units import Movers, ObjectFamily, movers_of

_GREEN, _RED = (0.1, 0.8, 0.3), (0.95, 0.2, 0.1)
# Angle of one notch of the wheel.
_NOTCH = np.pi / 12
_KEYS = "Click: Put Here   |   Shift Click: Leave a Copy   |   Alt Wheel: Turn   |   Esc: Cancel"


def held_of(
    context: bpy.types.Context, target: SceneTarget, left: Mapping[int, str] | None = None
) -> Movers:
    """Return the selected objects as one unit, which moves as a whole.

    Raise `ValueError` with the reasons if they cannot be held.
    """
    objects = context.view_layer.objects.selected
    movers = movers_of(context, target.placements, objects, np.eye(3), left)
    if not len(movers):
        reasons = ", ".join(movers.left.values())
        raise ValueError(f"Nothing to hold: {reasons}" if reasons else "Select what to hold")
    count = len(movers)
    return joined(movers, np.zeros(count, np.intp), np.zeros(count, np.bool_), "")


def resting_steps(
    context: bpy.types.Context, target: SceneTarget, movers: Movers, point: Floats, turn: float
) -> Steps[Resting]:
    """Return the resting pose of held objects, in the direction of *Drop* if that is an axis."""
    direction = np.array(AXES.get(settings_of(context.scene).drop.toward, AXES["DOWN"]))
    wish = FallWish(direction=direction, band=usual_band(context.scene))
    if turn and not movers.turnable[0]:
        raise ValueError("Only one object that is not locked can be turned")
    chosen = room_named(context, settings_of(context.scene).fill.room)
    rooms = rooms_of(target, chosen)
    return rest_steps(target, movers, wish, point, turn, rooms)


@dataclass(frozen=True, eq=False)
class HeldShape(Shape):
    """Held objects at the point under the pointer; the answer is their resting pose."""

    point: Floats
    turn: float
    question, key, reads = "put", "drop", ()

    @classmethod
    def at(cls, settings: Any, sight: Any) -> "HeldShape":
        return cls(sight.point, 0.0)

    def options(self) -> dict[str, Any]:
        return {"point": self.point.tolist(), "turn": self.turn}

    def answer(self, context: bpy.types.Context, target: SceneTarget) -> ProbePicture:
        movers = held_of(context, target)
        rest = run(resting_steps(context, target, movers, self.point, self.turn))
        octree = placed(target.octree, rest.falls.ids, rest.falls.stored.matrices)
        corners = octree.triangles_of(rest.falls.ids).rows.T.reshape(-1, 3)
        return ProbePicture(
            words=words_of(context, target, rest),
            faces=corners[: 3 * MOST_DRAWN].astype(np.float32),
            boxes=boxes_around(target, rest.in_way) if len(rest.in_way) else None,
            hue=_GREEN if rest.is_free else _RED,
        )


def words_of(context: bpy.types.Context, target: SceneTarget, rest: Resting) -> str:
    """Return the status text for a click: obstacles, nothing below, or the object landed on."""
    if len(rest.in_way):
        names = [name_of(context, target, row) for row in rest.in_way.tolist()]
        return f"In the way: {named(list(dict.fromkeys(names)))}"
    if rest.falls.endless.any():
        return "Nothing below"
    return f"On {name_of(context, target, int(rest.falls.below[0]))}"


def point_under(context: bpy.types.Context, spot: Spot, target: SceneTarget) -> Floats:
    """Return the point under a pixel, without the held objects; raise `ValueError` if none."""
    ray = ray_through(context, spot.x, spot.y)
    held = held_of(context, target)
    others: Ids = np.delete(target.octree.ids, held.rows)
    hit = ray_cast(target.octree.only(others), [ray.origin], [ray.direction])
    if hit.items[0] < 0:
        raise ValueError("Nothing is under the pointer")
    point: Floats = hit.positions[0]
    return point


def shape_held(
    spot: Spot, turn: float, context: bpy.types.Context, target: SceneTarget
) -> HeldShape:
    """Return the held objects at the point under the pointer."""
    return HeldShape(point_under(context, spot, target), turn)


class OCTREE_OT_put(RefusingOperator, bpy.types.Operator):
    """Move the selected objects to their resting pose at a point."""

    bl_idname = "octree.put"
    bl_label = "Put"
    bl_description = "Put the selected objects where they come to rest above or at a point"
    bl_options = {"INTERNAL", "UNDO"}

    if TYPE_CHECKING:
        point: Vector
        turn: float
        leave_copy: bool
    else:
        point: FloatVectorProperty(
            name="Point", description="Where they are put", subtype="TRANSLATION"
        )
        turn: FloatProperty(
            name="Turn", description="What they are turned by", default=0.0, subtype="ANGLE"
        )
        leave_copy: BoolProperty(
            name="Leave a Copy", description="Leave a linked copy where they were", default=False
        )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=False)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            text = self._put(context)
        except ValueError as error:
            return self.refuse(error)
        self.report({"INFO"}, text)
        return {"FINISHED"}

    def _put(self, context: bpy.types.Context) -> str:
        point = np.array(self.point, np.float64)

        def steps(target: SceneTarget, left: Mapping[int, str]) -> Steps[Falls]:
            movers = held_of(context, target, left)
            rest = yield from resting_steps(context, target, movers, point, self.turn)
            if not rest.is_free:
                raise ValueError(words_of(context, target, rest))
            return rest.falls

        copies = copies_here(context) if self.leave_copy else []
        try:
            falls = carried_out(context, steps)
        except BaseException:
            bpy.data.batch_remove(copies)
            context.view_layer.update()
            raise
        more = f"; {len(copies):,} linked copies left" if copies else ""
        return f"{', '.join(falls.movers.names)} put in place{more}"


def copies_here(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Return linked copies of the selected objects at their current poses, evaluated.

    The copies stay, and the held originals move on: so each copy has the pose that was tested.
    """
    family = ObjectFamily(context.view_layer.objects)
    made: list[bpy.types.Object] = []
    for members in family.units(list(context.view_layer.objects.selected)):
        made += copy_unit((), members, [])
    for item in made:
        item.select_set(False)
    context.view_layer.update()
    return made


class OCTREE_OT_hold(RefusingOperator, bpy.types.Operator):
    """Move the selected objects with the pointer until a click places them."""

    bl_idname = "octree.hold"
    bl_label = "Hold"
    bl_description = (
        "Hold the selected objects under the pointer: green where they come to rest, red with what"
        " is in the way. A click puts them there, Shift and a click leaves a linked copy, too, Alt"
        " and the wheel turn"
    )
    _turn = 0.0

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = "" if context.view_layer.objects.selected else "Select what to hold"
        return mode_obstacle(context, may_edit=False) or other

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if bpy.app.background or window_of(context) is None:
            return self.refuse(ValueError("There is no 3D view to hold anything in"))
        self._turn = 0.0
        write_status(context, _KEYS)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Status:
        return self.refuse(ValueError("Nothing is held without a pointer: call octree.put"))

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if event.type in ("ESC", "RIGHTMOUSE"):
            self.cancel(context)
            return {"CANCELLED"}
        if event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE") and event.alt:
            self._turn += _NOTCH if event.type == "WHEELUPMOUSE" else -_NOTCH
            self._ask(context, event)
            return {"RUNNING_MODAL"}
        if event.type == "MOUSEMOVE":
            self._ask(context, event)
            return {"RUNNING_MODAL"}
        if event.type == "LEFTMOUSE" and event.value == "PRESS":
            return self._put(context, event)
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """End the preview; Blender also calls this if the window closes."""
        session.end()

    def _spot(self, context: bpy.types.Context, event: bpy.types.Event) -> Spot | None:
        """Return the pointer's spot in the 3D view; None if the pointer is outside of it."""
        found = window_of(context)
        if found is None:
            return None
        area, region = found
        x, y = event.mouse_x - region.x, event.mouse_y - region.y
        if not (0 <= x < region.width and 0 <= y < region.height):
            return None
        with context.temp_override(area=area, region=region):
            return spot_of(bpy.context, x, y)

    def _ask(self, context: bpy.types.Context, event: bpy.types.Event) -> session.Live | None:
        spot = self._spot(context, event)
        if spot is None:
            return None
        with session.at_spot(spot):
            wish = partial(shape_held, spot, self._turn)
            return session.ask(bpy.context, spot, wish, held=True)

    def _put(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        live = self._ask(context, event)
        if live is None:
            return {"PASS_THROUGH"}
        if live.answered is None:
            self.report({"INFO"}, live.hint or "The scene is being read: click again")
            return {"RUNNING_MODAL"}
        put: Any = bpy.ops.octree.put  # type: ignore[attr-defined]
        try:
            put("EXEC_DEFAULT", True, **live.answered.shape.options(), leave_copy=event.shift)
        except RuntimeError as error:
            self.report({"WARNING"}, str(error).removeprefix("Error: ").strip())
            return {"RUNNING_MODAL"}
        if event.shift:
            self._turn = 0.0  # the original has this rotation now
            self._ask(context, event)
            return {"RUNNING_MODAL"}
        self.cancel(context)
        return {"FINISHED"}


def window_of(context: bpy.types.Context) -> tuple[bpy.types.Area, bpy.types.Region] | None:
    """Return the context's 3D view, else the first of the screen, and its region; None if none."""
    screen = context.screen
    areas = [context.area, *(screen.areas if screen else ())]
    for area in areas:
        if area is not None and area.type == "VIEW_3D":
            region = next(each for each in area.regions if each.type == "WINDOW")
            return area, region
    return None
