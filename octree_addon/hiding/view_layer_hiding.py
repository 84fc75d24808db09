"""Hiding in a view layer (Hide in Viewport), and by object flags: many objects at once.

The Outliner's icons are EYE, which each view layer keeps, MONITOR and RENDER. `Object.hide_set`
searches the whole view layer each time: 1.3 s for 8,000 objects. Blender's own operators search
once, but act on what is selected, or on everything.
"""

from collections.abc import Collection, Sequence
from typing import Any

import bpy
import numpy as np

Objects = Collection[bpy.types.Object]

FLAGS = {"MONITOR": "hide_viewport", "RENDER": "hide_render"}


def hide(context: bpy.types.Context, layer: bpy.types.ViewLayer, objects: Objects) -> None:
    """Hide objects of a view layer; the others stay selected."""
    view = _any_view(context, layer)
    if view:
        selected = list(layer.objects.selected)
        _select(layer, selected, False)
        _select(layer, objects, True)
        with context.temp_override(**view):
            bpy.ops.object.hide_view_set(unselected=False)
        _select(layer, selected, True)
    # Without a 3D view, and what cannot be selected: one by one.
    for item in objects:
        if not item.hide_get(view_layer=layer):
            item.hide_set(True, view_layer=layer)


def show(context: bpy.types.Context, layer: bpy.types.ViewLayer, objects: Objects) -> None:
    """Show objects of a view layer again, and nothing else."""
    view = _any_view(context, layer)
    if not view:
        for item in objects:
            item.hide_set(False, view_layer=layer)
        return
    shown = {item.session_uid for item in objects}
    hidden = [item for item in members(layer) if item.hide_get(view_layer=layer)]
    others = [item for item in hidden if item.session_uid not in shown]
    with context.temp_override(**view):
        bpy.ops.object.hide_view_clear(select=False)
    if others:
        hide(context, layer, others)


def members(layer: bpy.types.ViewLayer) -> list[bpy.types.Object]:
    """Return the objects of a view layer; where one was just deleted it still has a gap."""
    return [item for item in layer.objects if item]


def _select(layer: bpy.types.ViewLayer, objects: Objects, state: bool) -> None:
    for item in objects:
        item.select_set(state, view_layer=layer)


def _any_view(context: bpy.types.Context, layer: bpy.types.ViewLayer) -> dict[str, Any]:
    """Return a context with a 3D view, which Blender's operators need; empty if there is none."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                region = next(each for each in area.regions if each.type == "WINDOW")
                return {
                    "window": window,
                    "area": area,
                    "region": region,
                    "scene": layer.id_data,
                    "view_layer": layer,
                }
    return {}


def is_hidden(item: bpy.types.Object, layer: bpy.types.ViewLayer, icon: str) -> bool:
    """Tell whether this icon hides an object in the view layer, whatever the other icons do."""
    if icon == "EYE":
        try:
            return item.hide_get(view_layer=layer)
        except RuntimeError:  # it has left the view layer, and its eye with it
            return False
    hidden: bool = getattr(item, FLAGS[icon])
    return hidden


def set_hidden(
    context: bpy.types.Context,
    layer: bpy.types.ViewLayer,
    objects: Sequence[bpy.types.Object],
    icon: str,
    hidden: bool,
) -> None:
    """Hide or show objects by an icon; the eye only where they are in the view layer."""
    if not objects:
        return
    if icon == "EYE":
        (hide if hidden else show)(context, layer, objects)
    else:
        _set_flags(objects, FLAGS[icon], hidden)
        context.view_layer.update()


def _set_flags(objects: Sequence[bpy.types.Object], name: str, hidden: bool) -> None:
    flags = np.empty(len(bpy.data.objects), np.bool_)
    bpy.data.objects.foreach_get(name, flags)
    chosen = {item.session_uid for item in objects}
    flags[[item.session_uid in chosen for item in bpy.data.objects]] = hidden
    bpy.data.objects.foreach_set(name, flags)
    # Flags written in bulk update nothing. One ordinary write rebuilds the graph, once for all.
    setattr(objects[0], name, hidden)
