"""Dry run of hiding: the objects to hide, and the others counted by reason."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import bpy

from ..curves import is_animated
from ..reader import outside_views
from ..ui import settings_of
from .view_layer_hiding import FLAGS, is_hidden, members

_NEVER = {"CAMERA", "LIGHT", "LIGHT_PROBE"}
_WITHOUT_SURFACE = _NEVER | {"ARMATURE", "EMPTY", "LATTICE", "SPEAKER"}


@dataclass(frozen=True)
class Plan:
    """The objects that would be hidden, and the numbers of others that would not.

    Attributes
    ----------
    icon : {"EYE", "MONITOR", "RENDER"}
        The icon of the Outliner that would hide the objects.
    objects : tuple of bpy.types.Object
        The objects to hide; valid until the next undo.
    left : Counter of str
        The number of objects that stay as they are, by reason.
    is_everything : bool
        True if no object with a surface would stay visible.
    """

    icon: str
    objects: tuple[bpy.types.Object, ...]
    left: Counter[str]
    is_everything: bool


def plan(context: bpy.types.Context, objects: Iterable[bpy.types.Object], icon: str) -> Plan:
    """Return which of the objects an icon would hide, each once; nothing is changed.

    The scene's settings name the protected collection; visibility is that of the view layer of the
    context. `hide` takes the result.
    """
    layer = context.view_layer
    present = {item.session_uid for item in members(layer)}
    protected = _protected(context.scene)
    hidden: list[bpy.types.Object] = []
    left: Counter[str] = Counter()
    for item in dict.fromkeys(objects):
        reason = "in another view layer"
        if item.session_uid in present:
            reason = _reason_to_leave(item, layer, icon, protected)
        if reason:
            left[reason] += 1
        else:
            hidden.append(item)
    return Plan(icon, tuple(hidden), left, _is_everything(layer, hidden, icon))


def _protected(scene: bpy.types.Scene) -> set[int]:
    collection = settings_of(scene).hiding.protect
    return {item.session_uid for item in collection.all_objects} if collection else set()


def _reason_to_leave(
    item: bpy.types.Object, layer: bpy.types.ViewLayer, icon: str, protected: set[int]
) -> str:
    if is_hidden(item, layer, icon):
        return "hidden already"
    if item.type in _NEVER:
        return "lights or cameras"
    if item.session_uid in protected:
        return "protected"
    if icon in FLAGS and item.library is not None:
        return "linked from another file"
    if icon in FLAGS and item.is_property_readonly(FLAGS[icon]):
        return "overrides that cannot be edited"
    if icon in FLAGS and is_animated(item, FLAGS[icon]):
        return "with animated visibility"
    return ""


def _is_everything(layer: bpy.types.ViewLayer, hidden: list[bpy.types.Object], icon: str) -> bool:
    gone = {item.session_uid for item in hidden}
    stays = (item for item in members(layer) if item.session_uid not in gone)
    with outside_views():
        return bool(gone) and not any(_is_seen(item, layer, icon) for item in stays)


def _is_seen(item: bpy.types.Object, layer: bpy.types.ViewLayer, icon: str) -> bool:
    """Return whether an object shows a surface: in renders for RENDER, else in the viewport."""
    if item.type in _WITHOUT_SURFACE and item.instance_type == "NONE":
        return False
    return not item.hide_render if icon == "RENDER" else item.visible_get(view_layer=layer)
