"""Objects whose icons are animated: a flag that is written holds until the next frame only."""

import bpy

from ..curves import action_curves


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
    curves = action_curves(animation.action, getattr(animation, "action_slot", None))
    return any(curve.data_path == path for curve in [*animation.drivers, *curves])
