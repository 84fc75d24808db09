"""Feature records: the settings, classes and menu entries of a folder, to be registered."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import bpy

Draw = Callable[[Any, bpy.types.Context], None]
Group = type[bpy.types.PropertyGroup]


class Feature(NamedTuple):
    """The parts of a feature that are registered; all are optional.

    Attributes
    ----------
    settings : Mapping of str to property group
        Property groups by their names in `scene.octree`; `OctreeSettings` consists of these.
    layer_settings, session_settings : property group, optional
        The types of `view_layer.octree` and `window_manager.octree`; at most one feature has each.
    groups : tuple of property groups
        Groups used by the settings, registered before them.
    classes : tuple of type
        Operators and panels, in order of registration.
    menus : tuple of (str, function)
        Class names of Blender's menus, headers or panels, such as "VIEW3D_MT_select_object", and
        the function to append to each.
    shortcuts : tuple of str
        Operators that the user can give a key in the preferences.
    kinds : tuple of ResultKind
        The result kinds of the feature's questions, one for each question.
    """

    settings: Mapping[str, Group] = MappingProxyType({})
    layer_settings: Group | None = None
    session_settings: Group | None = None
    groups: tuple[Group, ...] = ()
    classes: tuple[type, ...] = ()
    menus: tuple[tuple[str, Draw], ...] = ()
    shortcuts: tuple[str, ...] = ()
    kinds: tuple[Any, ...] = ()  # Any, as `ui` may not import `answers`

    def all_groups(self) -> list[Group]:
        """Return the property groups in the order of registration, each once."""
        others = [each for each in (self.layer_settings, self.session_settings) if each]
        return list(dict.fromkeys([*self.groups, *others, *self.settings.values()]))
