"""Octree in Blender: a list of features, registered in order and unregistered in reverse."""

from typing import Any

import bpy
from bpy.props import PointerProperty

from . import (
    audit,
    cameras,
    cells,
    chunks,
    command_line,
    density,
    display,
    distances,
    handlers,
    hiding,
    live,
    main_panel,
    manual,
    menus,
    place,
    preferences,
    probe,
    questions,
    result_list,
    shipping,
    shortcuts,
    town,
    translations,
    ui,
)
from .answers.result_kind import KINDS
from .cameras import never_seen
from .questions import QueryRecord
from .trees import TreeRecord
from .ui import Group

FEATURES = (
    preferences.FEATURE,
    ui.FEATURE,
    main_panel.FEATURE,
    menus.FEATURE,
    cells.FEATURE,
    result_list.FEATURE,
    questions.FEATURE,
    distances.FEATURE,
    audit.FEATURE,
    chunks.FEATURE,
    density.FEATURE,
    shipping.FEATURE,
    live.FEATURE,
    display.FEATURE,
    probe.FEATURE,
    cameras.FEATURE,
    never_seen.FEATURE,
    place.FEATURE,
    hiding.FEATURE,
    town.FEATURE,
)
GROUPS = tuple(group for feature in FEATURES for group in feature.all_groups())
CLASSES = tuple(each for feature in FEATURES for each in feature.classes)
MENUS = tuple(entry for feature in FEATURES for entry in feature.menus)
KINDS.update({kind.question: kind for feature in FEATURES for kind in feature.kinds})


class OctreeSettings(TreeRecord, QueryRecord, bpy.types.PropertyGroup):
    """The settings of all features, `scene.octree`: saved in the file and in each undo step."""


OctreeSettings.__annotations__ = {
    name: PointerProperty(type=group)  # type: ignore[func-returns-value]
    for feature in FEATURES
    for name, group in feature.settings.items()
}


def register() -> None:
    """Register settings, classes, menus, keys, translations, commands and handlers."""
    for group in (*GROUPS, OctreeSettings):
        bpy.utils.register_class(group)
    for owner, group in _owners():
        owner.octree = PointerProperty(type=group)  # type: ignore[func-returns-value]
    for each in CLASSES:
        bpy.utils.register_class(each)
    for menu, draw in MENUS:
        getattr(bpy.types, menu).append(draw)
    preferences.apply_kernel()
    cells.register_presets()
    probe.register()
    shortcuts.register(name for feature in FEATURES for name in feature.shortcuts)
    translations.register()
    manual.register()
    command_line.register()
    handlers.register()


def unregister() -> None:
    """Undo `register` in reverse order; the values of settings stay in the file."""
    handlers.unregister()
    command_line.unregister()
    manual.unregister()
    translations.unregister()
    shortcuts.unregister()
    probe.unregister()
    cells.unregister_presets()
    for menu, draw in reversed(MENUS):
        getattr(bpy.types, menu).remove(draw)
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
    for owner, _ in reversed(_owners()):
        del owner.octree
    for group in reversed((*GROUPS, OctreeSettings)):
        bpy.utils.unregister_class(group)


def _owners() -> list[tuple[Any, Group]]:
    """Return the types of Blender that get a property `octree`, with its property group."""
    owners: list[tuple[Any, Group]] = [(bpy.types.Scene, OctreeSettings)]
    for feature in FEATURES:
        if feature.layer_settings:
            owners.append((bpy.types.ViewLayer, feature.layer_settings))
        if feature.session_settings:
            owners.append((bpy.types.WindowManager, feature.session_settings))
    return owners
