"""F-curves (animation curves) of an action, with slots or without."""

from collections.abc import Iterator
from typing import Any

import bpy


def action_curves(action: Any, slot: Any = None) -> Iterator[bpy.types.FCurve]:
    """Yield the curves of an action for one slot; no curves without an action.

    Before Blender 4.4 actions have no slots, and all curves are yielded.
    """
    if action is None:
        return
    if not hasattr(action, "layers"):
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot) if slot else None
            yield from bag.fcurves if bag else ()


def is_animated(item: bpy.types.Object, path: str) -> bool:
    """Return whether keyframes or a driver write a property, such as "hide_render".

    A value set by hand would be lost at the next frame. Strips of the NLA are ignored.
    """
    animation = item.animation_data
    if animation is None:
        return False
    curves = action_curves(animation.action, getattr(animation, "action_slot", None))
    return any(curve.data_path == path for curve in [*animation.drivers, *curves])
