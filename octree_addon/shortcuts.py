"""Shortcuts: entries of the keymap without a key, shown in the preferences to be given one."""

from collections.abc import Iterator

import bpy
import rna_keymap_ui

_KEYMAP = "3D View"
_NAMES = (
    "octree.select_in_frustum",
    "octree.select_in_sphere",
    "octree.select_in_box",
    "octree.select_nearest",
    "octree.select_on_ray",
    "octree.select_collisions",
    "octree.find_seen",
    "octree.hide_unseen",
    "octree.restore_hidden",
)
_added: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    """Add the entries; in background Blender has no keymap."""
    config = bpy.context.window_manager.keyconfigs.addon
    if config is None:
        return
    keymap = config.keymaps.new(name=_KEYMAP, space_type="VIEW_3D")
    _added.extend((keymap, keymap.keymap_items.new(name, "NONE", "PRESS")) for name in _NAMES)


def unregister() -> None:
    """Take them back."""
    for keymap, item in _added:
        keymap.keymap_items.remove(item)
    _added.clear()


def draw(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Show the entries as the user has set them."""
    config = context.window_manager.keyconfigs.user
    for keymap, item in _entries(config):
        rna_keymap_ui.draw_kmi([], config, keymap, item, layout.column(), 0)


def _entries(
    config: bpy.types.KeyConfig | None,
) -> Iterator[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]]:
    keymap: bpy.types.KeyMap | None = config.keymaps.get(_KEYMAP) if config else None
    if keymap:
        yield from ((keymap, item) for item in keymap.keymap_items if item.idname in _NAMES)
