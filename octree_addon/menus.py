"""Menus Octree in Object, Select and View, with every operator, so that the search (F3) finds it.

The features append their entries.
"""

import bpy

from .ui import Draw, Feature


class EmptyMenu(bpy.types.Menu):
    """Base of menus that the features fill."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw no entries; the features append theirs."""


class OCTREE_MT_object(EmptyMenu):
    """Build octrees, ask about scenes, hide objects and use answers."""


class OCTREE_MT_select(EmptyMenu):
    """Ask questions and select the answers."""


class OCTREE_MT_view(EmptyMenu):
    """Switches for the drawing of octrees and answers."""


def submenu(name: str) -> Draw:
    """Return a draw function that appends the menu `name` to a menu of Blender."""

    def draw(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
        menu.layout.separator()
        menu.layout.menu(name)

    return draw


_PLACES = {
    "OCTREE_MT_object": ("VIEW3D_MT_object", "VIEW3D_MT_edit_mesh"),
    "OCTREE_MT_select": ("VIEW3D_MT_select_object", "VIEW3D_MT_select_edit_mesh"),
    "OCTREE_MT_view": ("VIEW3D_MT_view",),
}
FEATURE = Feature(
    classes=(OCTREE_MT_object, OCTREE_MT_select, OCTREE_MT_view),
    menus=tuple((place, submenu(name)) for name, places in _PLACES.items() for place in places),
)
