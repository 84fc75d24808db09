"""The icons of the Outliner that hide objects, EYE, MONITOR and RENDER: many at once."""

from collections.abc import Sequence

import bpy
import numpy as np

from .eye import close_eyes, open_eyes

FLAGS = {"MONITOR": "hide_viewport", "RENDER": "hide_render"}


def is_hidden(item: bpy.types.Object, layer: bpy.types.ViewLayer, icon: str) -> bool:
    """Tell whether this icon, whatever the others do, hides an object in the view layer."""
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
        (close_eyes if hidden else open_eyes)(context, layer, objects)
    else:
        _set_flags(objects, FLAGS[icon], hidden)
        context.view_layer.update()


def _set_flags(objects: Sequence[bpy.types.Object], name: str, hidden: bool) -> None:
    flags = np.empty(len(bpy.data.objects), np.bool_)
    bpy.data.objects.foreach_get(name, flags)
    chosen = {item.session_uid for item in objects}
    flags[[item.session_uid in chosen for item in bpy.data.objects]] = hidden
    bpy.data.objects.foreach_set(name, flags)
    # Flags written in bulk wake nothing. One ordinary write rebuilds the graph, once for all.
    setattr(objects[0], name, hidden)
