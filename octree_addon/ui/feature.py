"""What a feature registers with Blender: a record of classes; handlers and timers, each once."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import bpy

Draw = Callable[[Any, bpy.types.Context], None]
Group = type[bpy.types.PropertyGroup]
Listeners = tuple[tuple[str, Callable[..., None]], ...]


class Feature(NamedTuple):
    """What a folder brings; all of it is optional.

    Attributes
    ----------
    settings : Mapping of str to property group
        By the name under `scene.octree`. `OctreeSettings` is put together from these.
    layer_settings : property group, optional
        What `view_layer.octree` is; one feature at most has it.
    groups : tuple of property groups
        Those that the others hold, registered before them.
    classes : tuple of type
        Operators and panels, in order.
    menus : tuple of (str, function)
        Menus, headers or panels of Blender by the names of their classes, such as
        "VIEW3D_MT_select_object", and what is appended to each.
    """

    settings: Mapping[str, Group] = MappingProxyType({})
    layer_settings: Group | None = None
    groups: tuple[Group, ...] = ()
    classes: tuple[type, ...] = ()
    menus: tuple[tuple[str, Draw], ...] = ()

    def all_groups(self) -> list[Group]:
        """Return the property groups in the order of registration, each once."""
        layer = [self.layer_settings] if self.layer_settings else []
        return list(dict.fromkeys([*self.groups, *layer, *self.settings.values()]))


def listen(listeners: Listeners, wanted: bool) -> None:
    """Add these to Blender's handlers, each once, or remove them."""
    for name, listener in listeners:
        called = getattr(bpy.app.handlers, name)
        if wanted and listener not in called:
            called.append(listener)
        elif not wanted and listener in called:
            called.remove(listener)


def schedule(timer: Callable[[], float | None], seconds: float | None) -> None:
    """Register a timer, once, to be called after this time; None unregisters it."""
    is_registered = bpy.app.timers.is_registered(timer)
    if seconds is not None and not is_registered:
        bpy.app.timers.register(timer, first_interval=seconds)
    elif seconds is None and is_registered:
        bpy.app.timers.unregister(timer)
