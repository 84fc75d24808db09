"""Feature records: settings, classes and menu entries that Blender registers."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import bpy

Draw = Callable[[Any, bpy.types.Context], None]
Group = type[bpy.types.PropertyGroup]


class Feature(NamedTuple):
    """The parts that a folder brings; all of them are optional.

    Attributes
    ----------
    settings : Mapping of str to property group
        By the name under `scene.octree`. `OctreeSettings` is put together from these.
    layer_settings, session_settings : property group, optional
        What `view_layer.octree` is, and `window_manager.octree`; one feature at most has each.
    groups : tuple of property groups
        Those that the others hold, registered before them.
    classes : tuple of type
        Operators and panels, in order.
    menus : tuple of (str, function)
        Menus, headers or panels of Blender by the names of their classes, such as
        "VIEW3D_MT_select_object", and what is appended to each.
    shortcuts : tuple of str
        The operators that the user may give a key in the preferences.
    kinds : tuple of ResultKind
        How the results of its questions look and what they offer, one for each question.
    """

    settings: Mapping[str, Group] = MappingProxyType({})
    layer_settings: Group | None = None
    session_settings: Group | None = None
    groups: tuple[Group, ...] = ()
    classes: tuple[type, ...] = ()
    menus: tuple[tuple[str, Draw], ...] = ()
    shortcuts: tuple[str, ...] = ()
    kinds: tuple[Any, ...] = ()  # `answers` stands above `ui`

    def all_groups(self) -> list[Group]:
        """Return the property groups in the order of registration, each once."""
        others = [each for each in (self.layer_settings, self.session_settings) if each]
        return list(dict.fromkeys([*self.groups, *others, *self.settings.values()]))
