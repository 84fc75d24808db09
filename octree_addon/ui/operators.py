"""Operators and their settings; handlers, timers and redraws.

An operator takes the scene's settings, runs, and writes them back.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import bpy
import numpy as np
from mathutils import Vector

from ..arrays import Floats
from ..lengths import unit_for

_INCH = 0.0254
# The context of labels that Blender translates itself, but where it means something else.
OWN_WORDS = "Octree"
Listeners = tuple[tuple[str, Callable[..., None]], ...]
Status = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def settings_of(scene: bpy.types.Scene) -> Any:
    """Return what the scene remembers: `OctreeSettings`, put together from all features."""
    return scene.octree  # type: ignore[attr-defined]


def tag_redraw(_: Any = None, context: bpy.types.Context | None = None) -> None:
    """Redraw every 3D view; also the callback of settings that change the picture."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def given_values(operator: bpy.types.Operator) -> dict[str, Any]:
    """Return the values of the properties that the caller set, by name."""
    properties = operator.properties
    names = [each.identifier for each in properties.bl_rna.properties if not each.is_readonly]
    return {name: getattr(operator, name) for name in names if properties.is_property_set(name)}


def offer_anyway(
    context: bpy.types.Context,
    operator: Any,
    title: str,
    others: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> None:
    """Offer to go on with `any_size`, in a menu; moving away from it declines.

    Before that stand `others`: what a button says, and the options that it sets.
    """
    name, given = operator.bl_idname, given_values(operator)
    offered = (*others, ("Go On", {"any_size": True}))

    def offer(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
        popup.layout.operator_context = "INVOKE_DEFAULT"
        for text, options in offered:
            button = popup.layout.operator(name, text=text)
            for key, value in {**given, **options}.items():
                setattr(button, key, value)

    context.window_manager.popup_menu(offer, title=title, icon="QUESTION")


def memory_text(size: float) -> str:
    """Write roughly how much memory something takes, such as "about 1.2 GB"."""
    return f"about {size / 1e9:.1f} GB" if size >= 1e8 else f"about {max(size / 1e6, 1):.0f} MB"


def length_unit(scene: bpy.types.Scene) -> tuple[str, float]:
    """Return the unit that lengths are told in, and how many of it one Blender unit is."""
    settings = scene.unit_settings
    return ("BU", 1.0) if settings.system == "NONE" else ("m", settings.scale_length)


def length_text(
    scene: bpy.types.Scene, value: float, *, power: int = 1, precision: int = 4
) -> str:
    """Write a length, or of power 2 an area, in the units of the scene."""
    units = scene.unit_settings
    if units.system == "IMPERIAL" and power == 1 and 0 < abs(value * units.scale_length) < _INCH:
        # Blender would write thousandths of an inch.
        return f'{value * units.scale_length / _INCH:.{precision}g}"'
    if units.system == "NONE" or not math.isfinite(value):
        return f"{value:.4g}"
    category = {1: "LENGTH", 2: "AREA"}[power]
    size = float(value) * units.scale_length**power
    return bpy.utils.units.to_string(units.system, category, size, precision=precision)


def lengths_text(scene: bpy.types.Scene, values: Floats, between: str = ", ") -> str:
    """Write lengths that stand in one line in one unit of the scene, which stands there once."""
    units, (name, scale) = scene.unit_settings, length_unit(scene)
    system = units.system if units.length_unit == "ADAPTIVE" else units.length_unit
    lengths = np.asarray(values, np.float64) * scale
    if units.system == "NONE":
        return between.join(f"{each:.4g}" for each in lengths.tolist())
    return unit_for(system, name, lengths, alone=True).write_all(lengths, between)


def cursor_place(scene: bpy.types.Scene) -> Vector:
    """Return where the 3D cursor is; a `ValueError` if that is no place."""
    place = scene.cursor.location
    if not np.isfinite(place[:]).all():
        raise ValueError("The 3D cursor is nowhere")
    return place


def named_object(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the object that a text property names; a `ValueError` if the scene has none."""
    item: bpy.types.Object | None = scene.objects.get(name)
    if item is None:
        raise ValueError(f"The scene has no object named {name}")
    return item


def active_name(context: bpy.types.Context) -> str:
    """Return the name of the active object; a `ValueError` if there is none."""
    if context.object is None:
        raise ValueError("There is no active object")
    return context.object.name


def plural(count: int, noun: str) -> str:
    """Write a count and its noun, with an s unless it is one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# A mixin is registered with the operator that it is mixed into, never for itself.
if TYPE_CHECKING:
    Mixin = bpy.types.Operator
else:
    Mixin = object


def mode_obstacle(context: bpy.types.Context, *, may_edit: bool) -> str:
    """Say which mode to go to; nothing in Object Mode or, if it may be, Edit Mode of a mesh."""
    if context.mode == "OBJECT" or (may_edit and context.mode == "EDIT_MESH"):
        return ""
    return "Go to Object Mode" + ", or to Edit Mode of a mesh" * may_edit


class RefusingOperator(Mixin):
    """The part of an operator that says why it cannot run, or did nothing; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        """Say why the operator cannot run; nothing if it can."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = cls.obstacle(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def refuse(self, error: ValueError | OSError) -> Status:
        """Say why nothing was done."""
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def listen(listeners: Listeners, wanted: bool) -> None:
    """Add these to Blender's handlers, each once, or remove them."""
    for name, listener in listeners:
        called = getattr(bpy.app.handlers, name)
        if wanted and listener not in called:
            called.append(listener)
        elif not wanted and listener in called:
            called.remove(listener)


def is_listening(listeners: Listeners) -> bool:
    """Tell whether all of these are among Blender's handlers."""
    return all(listener in getattr(bpy.app.handlers, name) for name, listener in listeners)


def schedule(timer: Callable[[], float | None], seconds: float | None) -> None:
    """Register a timer, once, to be called after this time; None unregisters it."""
    is_registered = bpy.app.timers.is_registered(timer)
    if seconds is not None and not is_registered:
        bpy.app.timers.register(timer, first_interval=seconds)
    elif seconds is None and is_registered:
        bpy.app.timers.unregister(timer)
