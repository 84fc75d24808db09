"""Shared parts of operators: texts with units, error reports, handlers, timers and redraws."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import bpy
import numpy as np
from mathutils import Vector

from ..arrays import Floats
from ..lengths import unit_for

_INCH = 0.0254
# Translation context for labels that Blender also has, with another meaning.
OWN_WORDS = "Octree"
Listeners = tuple[tuple[str, Callable[..., None]], ...]
Status = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def settings_of(scene: bpy.types.Scene) -> Any:
    """Return `scene.octree`: the settings of all features (`OctreeSettings`)."""
    return scene.octree  # type: ignore[attr-defined]


def tag_redraw(_: Any = None, context: bpy.types.Context | None = None) -> None:
    """Redraw every 3D view; also the update callback of settings that change the drawing."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def given_values(operator: bpy.types.Operator) -> dict[str, Any]:
    """Return the values of the properties that the caller has set, by name."""
    properties = operator.properties
    names = [each.identifier for each in properties.bl_rna.properties if not each.is_readonly]
    return {name: getattr(operator, name) for name in names if properties.is_property_set(name)}


def offer_anyway(
    context: bpy.types.Context,
    operator: Any,
    title: str,
    others: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> None:
    """Open a menu that repeats an operator with `any_size` set; leaving the menu declines.

    `others` are further entries, placed before: a label, and the options that it sets.
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
    """Return a text for a size in bytes, such as "about 1.2 GB"."""
    return f"about {size / 1e9:.1f} GB" if size >= 1e8 else f"about {max(size / 1e6, 1):.0f} MB"


def length_unit(scene: bpy.types.Scene) -> tuple[str, float]:
    """Return the unit of lengths, "BU" or "m", and the length of one Blender unit in it."""
    settings = scene.unit_settings
    return ("BU", 1.0) if settings.system == "NONE" else ("m", settings.scale_length)


def length_text(
    scene: bpy.types.Scene, value: float, *, power: int = 1, precision: int = 4
) -> str:
    """Return the text of a length, or with power 2 of an area, in the units of the scene.

    `value` is in Blender units.
    """
    units = scene.unit_settings
    if units.system == "IMPERIAL" and power == 1 and 0 < abs(value * units.scale_length) < _INCH:
        # Instead of Blender's thousandths of an inch.
        return f'{value * units.scale_length / _INCH:.{precision}g}"'
    if units.system == "NONE" or not math.isfinite(value):
        return f"{value:.4g}"
    category = {1: "LENGTH", 2: "AREA"}[power]
    size = float(value) * units.scale_length**power
    return bpy.utils.units.to_string(units.system, category, size, precision=precision)


def lengths_text(scene: bpy.types.Scene, values: Floats, between: str = ", ") -> str:
    """Return the text of several lengths in a common unit of the scene, written once.

    `values` are in Blender units.
    """
    units, (name, scale) = scene.unit_settings, length_unit(scene)
    system = units.system if units.length_unit == "ADAPTIVE" else units.length_unit
    lengths = np.asarray(values, np.float64) * scale
    if units.system == "NONE":
        return between.join(f"{each:.4g}" for each in lengths.tolist())
    return unit_for(system, name, lengths, alone=True).write_all(lengths, between)


def cursor_place(scene: bpy.types.Scene) -> Vector:
    """Return the location of the 3D cursor; raise a `ValueError` if it is not finite."""
    place = scene.cursor.location
    if not np.isfinite(place[:]).all():
        raise ValueError("The 3D cursor is nowhere")
    return place


def named_object(scene: bpy.types.Scene, name: str) -> bpy.types.Object:
    """Return the object of this name; raise a `ValueError` if the scene has none."""
    item: bpy.types.Object | None = scene.objects.get(name)
    if item is None:
        raise ValueError(f"The scene has no object named {name}")
    return item


def active_name(context: bpy.types.Context) -> str:
    """Return the name of the active object; raise a `ValueError` if there is none."""
    if context.object is None:
        raise ValueError("There is no active object")
    return context.object.name


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, which gets an s unless the count is 1."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


# Base of mixins: a class derived from bpy.types.Operator would itself need to be registered.
if TYPE_CHECKING:
    Mixin = bpy.types.Operator
else:
    Mixin = object


def mode_obstacle(context: bpy.types.Context, *, may_edit: bool) -> str:
    """Return a message if the mode is wrong; empty in Object Mode.

    With `may_edit`, Edit Mode of a mesh is right too.
    """
    if context.mode == "OBJECT" or (may_edit and context.mode == "EDIT_MESH"):
        return ""
    return "Go to Object Mode" + ", or to Edit Mode of a mesh" * may_edit


class RefusingOperator(Mixin):
    """An operator that reports why it cannot run; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        """Return the reason why the operator cannot run; empty if it can."""
        raise NotImplementedError

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        reason = cls.obstacle(context)
        if reason:
            cls.poll_message_set(reason)
        return not reason

    def refuse(self, error: ValueError | OSError) -> Status:
        """Report an error, and return the status CANCELLED."""
        self.report({"ERROR"}, str(error))
        return {"CANCELLED"}


def listen(listeners: Listeners, wanted: bool) -> None:
    """Add listeners to Blender's handlers, each once, or remove them; idempotent."""
    for name, listener in listeners:
        called = getattr(bpy.app.handlers, name)
        if wanted and listener not in called:
            called.append(listener)
        elif not wanted and listener in called:
            called.remove(listener)


def is_listening(listeners: Listeners) -> bool:
    """Return whether all of these listeners are among Blender's handlers."""
    return all(listener in getattr(bpy.app.handlers, name) for name, listener in listeners)


def schedule(timer: Callable[[], float | None], seconds: float | None) -> None:
    """Register a timer to be called after some seconds, unless it is registered already.

    None unregisters it.
    """
    is_registered = bpy.app.timers.is_registered(timer)
    if seconds is not None and not is_registered:
        bpy.app.timers.register(timer, first_interval=seconds)
    elif seconds is None and is_registered:
        bpy.app.timers.unregister(timer)
