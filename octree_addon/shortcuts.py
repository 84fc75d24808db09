"""Shortcuts: keymap entries without a key, to which the user assigns keys in the preferences."""

from collections.abc import Iterable
from typing import Any

import bpy
import rna_keymap_ui

_KEYMAP = "3D View"
_OURS = "octree."


def register(names: Iterable[str]) -> None:
    """Add keymap entries for operators; in background there is no keymap."""
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return
    keymap = config.keymaps.new(name=_KEYMAP, space_type="VIEW_3D")
    for name in names:
        keymap.keymap_items.new(name, "NONE", "PRESS")


def unregister() -> None:
    """Remove the keymap entries."""
    for keymap, item in entries(bpy.context.window_manager.keyconfigs.addon):
        keymap.keymap_items.remove(item)


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the entries of the user's key configuration."""
    config = context.window_manager.keyconfigs.user
    for keymap, item in entries(config):
        rna_keymap_ui.draw_kmi([], config, keymap, item, layout.column(), 0)


def entries(config: Any) -> list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]]:
    """Return the entries of this add-on in a key configuration; empty in background."""
    keymap = config.keymaps.get(_KEYMAP) if config else None
    items = keymap.keymap_items if keymap else []
    return [(keymap, item) for item in items if item.idname.startswith(_OURS)]
