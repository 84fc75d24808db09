"""Objects whose icons are animated: a flag that is written holds until the next frame only."""

from collections.abc import Iterator
from typing import Any

import bpy


def is_keyed(item: bpy.types.Object, path: str) -> bool:
    """Tell whether keyframes or a driver write a property of an object.

    Parameters
    ----------
    item : bpy.types.Object
        Any object.
    path : str
        The property, such as `"hide_render"`.

    Returns
    -------
    bool
        Of the object's own action and drivers; strips of the NLA are not looked into.
    """
    animation = item.animation_data
    if animation is None:
        return False
    return any(curve.data_path == path for curve in [*animation.drivers, *_curves(animation)])


def _curves(animation: Any) -> Iterator[Any]:
    action = animation.action
    if action is None:
        return
    if not hasattr(action, "layers"):  # before Blender 4.4
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(animation.action_slot)
            yield from bag.fcurves if bag else ()
