"""Operators of the probe: start, ask at the pointer, store by click or drag, resize, end."""

from collections.abc import Mapping
from functools import partial
from operator import attrgetter
from typing import Any, Literal

import bpy
import numpy as np

from .. import questions
from ..arrays import Floats
from ..options import Asking, OptionGroup, enum, integer, real, vector
from ..scope import SizeOptions
from ..snapshots import SceneTarget
from ..ui import (
    RefusingOperator,
    Status,
    mode_obstacle,
    offer_anyway,
    settings_of,
    write_status,
)
from . import session
from .pointer import Ray, Spot, line_of_sight, ray_through, shape_under, spot_of
from .shapes import (
    BoxShape,
    Shape,
    Sight,
    Sized,
    SphereShape,
    normal_of,
    shape_asked,
    shape_at,
    shape_of,
)

# The tool that becomes active when the probe ends.
SELECT_TOOL = "builtin.select_box"


def ask_kept(
    operator: Any, context: bpy.types.Context, shape: Shape, shared: Mapping[str, str]
) -> Status:
    """Call the question's operator for a shape, with the options that all questions share.

    The answer becomes the result, in one undo step.
    """
    how = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
    options = {**shape.options(), **shared}
    try:
        outcome: Status = attrgetter(f"octree.{shape.question}")(bpy.ops)(how, True, **options)
    except RuntimeError as error:
        refusal: Status = operator.refuse(ValueError(str(error).removeprefix("Error: ").strip()))
        return refusal
    query = questions.get(context.scene)
    # An operator that works in steps or shows a menu has no answer yet: `query` is an older one.
    if query is not None and "FINISHED" in outcome:
        operator.report({"INFO"}, f"{query.title}: {query.found_text}")
    return {"FINISHED"}


def ask_again(operator: Any, context: bpy.types.Context, shape: Shape) -> Status:
    """Ask the last question about another shape, with the same selection options."""
    return ask_kept(operator, context, shape, questions.shared_of(context.scene))


def set_tool(context: bpy.types.Context, name: str) -> None:
    """Make a tool the active one of 3D views; without a 3D view, do nothing."""
    for area in context.screen.areas if context.screen else ():
        if area.type == "VIEW_3D":
            region = next(each for each in area.regions if each.type == "WINDOW")
            with context.temp_override(area=area, region=region):
                bpy.ops.wm.tool_set_by_id(name=name, space_type="VIEW_3D")
            return


# A box is dragged on the ground, unless the view is closer to horizontal than this sine.
_LEVEL = 0.2


class OCTREE_OT_probe(RefusingOperator, bpy.types.Operator):
    """Operator that makes the probe the active tool."""

    bl_idname = "octree.probe"
    bl_label = "Octree Probe"
    bl_description = (
        "Show under the pointer, live, what a sphere, a box, the nearest objects or a ray would"
        " find; a click keeps the answer. It is the tool of this name in the toolbar"
    )
    bl_options = {"REGISTER"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)

    def execute(self, context: bpy.types.Context) -> Status:
        set_tool(context, session.TOOL)
        return {"FINISHED"}


class ProbeOperator(RefusingOperator):
    """Base of the operators in the keymap of the tool; a mixin."""

    bl_options = {"INTERNAL"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)


class OCTREE_OT_probe_move(ProbeOperator, bpy.types.Operator):
    """Operator that asks at the pointer, called at each of its movements."""

    bl_idname = "octree.probe_move"
    bl_label = "Probe at Pointer"
    bl_description = "Show what a question at the pointer would find"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        ask_at_pointer(context, event)
        return {"PASS_THROUGH"}

    def execute(self, context: bpy.types.Context) -> Status:
        return {"PASS_THROUGH"}


def ask_at_pointer(context: bpy.types.Context, event: bpy.types.Event) -> None:
    """Ask the question of the settings at the pointer."""
    spot = spot_of(context, event.mouse_region_x, event.mouse_region_y)
    if spot is not None:
        session.ask(context, spot, partial(_under, spot))


def _under(spot: Spot, context: bpy.types.Context, target: SceneTarget) -> Shape:
    return shape_under(context, spot, target)


def _fixed(shape: Shape, _: bpy.types.Context, __: SceneTarget) -> Shape:
    return shape


class DragOperator(ProbeOperator):
    """Base of operators that follow the pointer until the button is released; a mixin."""

    _shape: Shape
    _spot: Spot

    def dragged(self, context: bpy.types.Context, event: bpy.types.Event) -> Shape:
        """Return the shape for the present position of the pointer."""
        raise NotImplementedError

    def dropped(self, context: bpy.types.Context) -> Status:
        """Store the answer for the present shape."""
        raise NotImplementedError

    def begin(self, context: bpy.types.Context, spot: Spot, shape: Shape) -> Status:
        """Begin to follow the pointer."""
        self._spot, self._shape = spot, shape
        write_status(context, "Release: Keep   |   Esc or Right Click: Cancel")
        session.ask(context, spot, partial(_fixed, shape), held=True)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if event.type in ("ESC", "RIGHTMOUSE"):
            self.cancel(context)
            return {"CANCELLED"}
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self.cancel(context)
            return self.dropped(context)
        if event.type == "MOUSEMOVE":
            self._shape = self.dragged(context, event)
            spot = self._spot.at(event.mouse_region_x, event.mouse_region_y)
            session.ask(context, spot, partial(_fixed, self._shape), held=True)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Return to the question of the tool, if it is active, after a drag or a closed window."""
        live = session.current()
        if live is not None:
            if session.is_on(context):
                session.ask(context, live.spot, partial(_under, live.spot))
            else:
                session.end()


class ProbeOptions(SizeOptions):
    """Point that a script asks at, and the change of the selection."""

    action: Literal["AUTOMATIC", "EXTEND", "SUBTRACT"] = enum(
        "AUTOMATIC",
        "Selection",
        "How the current selection changes",
        {
            "AUTOMATIC": ("By Tab", "As the tab Octree says"),
            "EXTEND": ("Extend", "Add to the selection"),
            "SUBTRACT": ("Subtract", "Remove from the selection"),
        },
        options={"SKIP_SAVE"},
    )
    point: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Point",
        "Where a script asks; a click asks where the pointer is",
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )


class OCTREE_OT_probe_keep(Asking[ProbeOptions], DragOperator, bpy.types.Operator):
    """Operator that stores the answer at the pointer; dragging sets the size of the shape."""

    bl_idname = "octree.probe_keep"
    bl_label = "Keep Probe"
    bl_description = (
        "Keep the answer at the pointer as the result. A drag sets the radius of a sphere around"
        " where it began, or the base of a box"
    )
    _from: tuple[float, float] = (0.0, 0.0)
    _is_drag = False
    _start: Floats | None = None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        spot = spot_of(context, event.mouse_region_x, event.mouse_region_y)
        if spot is None:
            return {"PASS_THROUGH"}
        self._from, agreed = (spot.x, spot.y), self.taken.any_size
        live = session.ask(context, spot, partial(_under, spot), may_read_all=agreed)
        if live.answered is not None and not agreed:
            return self.begin(context, spot, live.answered.shape)
        # Without a target, the shape at the pointer is unknown; after the menu, the pointer is at
        # its button.
        if live.answered is not None:
            self.report({"INFO"}, "The scene has been read: click again")
        elif live.steps is not None:
            self.report({"INFO"}, "The scene is being read: click again when that is done")
        elif refusal := session.too_much():
            offer_anyway(context, self, f"Read {refusal}?")
        else:
            return self.refuse(ValueError(live.hint))
        return {"CANCELLED"}

    def execute(self, context: bpy.types.Context) -> Status:
        direction = np.array(settings_of(context.scene).ray.direction, np.float64)
        point = np.array(self.taken.point)
        return self._keep(context, shape_at(context.scene, Sight(point, direction, point, False)))

    def dragged(self, context: bpy.types.Context, event: bpy.types.Event) -> Shape:
        x, y = event.mouse_region_x, event.mouse_region_y
        limit = context.preferences.inputs.drag_threshold_mouse
        moved = max(abs(x - self._from[0]), abs(y - self._from[1]))
        self._is_drag = self._is_drag or moved > limit * context.preferences.system.ui_scale
        return self._grown(context, x, y) if self._is_drag else self._shape

    def dropped(self, context: bpy.types.Context) -> Status:
        return self._keep(context, self._shape)

    def _grown(self, context: bpy.types.Context, x: float, y: float) -> Shape:
        ray = ray_through(context, x, y)
        if isinstance(self._shape, SphereShape):
            place = ray.on_plane(self._shape.center, line_of_sight(context))
            if place is not None:
                radius = float(np.linalg.norm(place - self._shape.center))
                return SphereShape(self._shape.center, radius)
        elif isinstance(self._shape, BoxShape):
            return self._base_dragged(context, self._shape, ray)
        return self._shape

    def _base_dragged(self, context: bpy.types.Context, shape: BoxShape, ray: Ray) -> BoxShape:
        """Return a box whose base is dragged open in a plane through the start of the drag."""
        if self._start is None:
            self._start = (shape.lower + shape.upper) / 2
        sight = line_of_sight(context)
        axis = 2 if abs(sight[2]) > _LEVEL else int(np.abs(sight[:2]).argmax())
        up = np.zeros(3)
        up[axis] = -np.sign(sight[axis])  # toward the viewer
        place = ray.on_plane(self._start, up)
        if place is None:
            return shape
        top = self._start + up * settings_of(context.scene).box.size[axis]
        corners = np.stack((self._start, place, top))
        return BoxShape(corners.min(axis=0), corners.max(axis=0), shape.relation)

    def _keep(self, context: bpy.types.Context, shape: Shape) -> Status:
        if not shape.question:
            refusal = "Axes are shown, not kept: Measure Distances keeps distances"
            return self.refuse(ValueError(refusal))
        tab = settings_of(context.scene).tab
        asked = self.taken.action
        action = tab.action if asked == "AUTOMATIC" else asked
        shared = {"kind": tab.kind, "action": action, "meshes": tab.meshes}
        return ask_kept(self, context, shape, shared)


class FactorOptions(OptionGroup):
    """Factor for the size of the shape."""

    factor: float = real(1.1, "Factor", "How many times as large")


class OCTREE_OT_probe_size(Asking[FactorOptions], ProbeOperator, bpy.types.Operator):
    """Operator that scales the sphere or the box of the tool."""

    bl_idname = "octree.probe_size"
    bl_label = "Probe Size"
    bl_description = "Make the sphere or the box larger or smaller"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        outcome = self.execute(context)
        if outcome == {"FINISHED"}:
            ask_at_pointer(context, event)
        return outcome

    def execute(self, context: bpy.types.Context) -> Status:
        shape, settings = shape_asked(context.scene)
        if not shape.size:
            return {"PASS_THROUGH"}
        size = np.array(getattr(settings, shape.size)) * self.taken.factor
        setattr(settings, shape.size, size.tolist())
        for area in context.screen.areas if context.screen else ():
            area.tag_redraw()
        return {"FINISHED"}


class OCTREE_OT_probe_end(ProbeOperator, bpy.types.Operator):
    """Operator that ends the probe and activates the select tool."""

    bl_idname = "octree.probe_end"
    bl_label = "End Probe"
    bl_description = "Go back to the select tool"

    def execute(self, context: bpy.types.Context) -> Status:
        session.end()
        set_tool(context, SELECT_TOOL)
        return {"FINISHED"}


class ResizeOptions(OptionGroup):
    """Side of the shape to move, and the distance."""

    side: int = integer(
        0, "Side", "Which side moves: left, front, bottom, right, back, top", min=0, max=5
    )
    amount: float = real(
        0.0, "Amount", "How far it moves outward", subtype="DISTANCE", options={"SKIP_SAVE"}
    )


class OCTREE_OT_resize_answer(Asking[ResizeOptions], DragOperator, bpy.types.Operator):
    """Operator that asks the last question again with a resized sphere or box."""

    bl_idname = "octree.resize_answer"
    bl_label = "Resize Question"
    bl_description = "Drag to ask the last question again with a larger or smaller sphere or box"
    _first: Sized
    _grip = 0.0

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        if shape_of(questions.get(context.scene)) is None:
            return "Ask about a sphere first, or a box around the 3D cursor"
        return super().obstacle(context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        spot, shape = spot_of(context, *_place(event)), shape_of(questions.get(context.scene))
        if spot is None or shape is None:
            return {"CANCELLED"}
        self._first = shape
        self._grip = self._reached(context, event) or 0.0
        return self.begin(context, spot, shape)

    def execute(self, context: bpy.types.Context) -> Status:
        shape = shape_of(questions.get(context.scene))
        assert shape is not None
        options = self.taken
        return ask_again(self, context, shape.resized(options.side, options.amount))

    def dragged(self, context: bpy.types.Context, event: bpy.types.Event) -> Shape:
        reached = self._reached(context, event)
        if reached is None:
            return self._shape
        return self._first.resized(self.taken.side, reached - self._grip)

    def dropped(self, context: bpy.types.Context) -> Status:
        return ask_again(self, context, self._shape)

    def _reached(self, context: bpy.types.Context, event: bpy.types.Event) -> float | None:
        """Return the distance of the pointer from the handle, outward."""
        ray = ray_through(context, *_place(event))
        side = self.taken.side
        return ray.along(self._first.handle(side), normal_of(side))


def _place(event: bpy.types.Event) -> tuple[int, int]:
    return event.mouse_region_x, event.mouse_region_y
