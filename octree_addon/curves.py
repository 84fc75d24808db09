"""Animation curves (F-curves) of an action, with slots or without."""

from collections.abc import Iterator
from typing import Any

import bpy


def action_curves(action: Any, slot: Any = None) -> Iterator[bpy.types.FCurve]:
    """Yield the curves of an action that apply to one of its users.

    Parameters
    ----------
    action : bpy.types.Action or None
        None has no curves.
    slot : bpy.types.ActionSlot, optional
        The user's; before Blender 4.4 there are none, and all curves apply.

    Yields
    ------
    bpy.types.FCurve
        In their order.
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
