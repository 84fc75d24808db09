"""Menus Octree in Object, Select and View: every operator, so that the search (F3) finds it.

Features append their entries to them.
"""

import bpy

from .ui import Draw, Feature


class EmptyMenu(bpy.types.Menu):
    """A menu that features fill."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw nothing of its own."""


class OCTREE_MT_object(EmptyMenu):
    """Build, find, hide, and what is made of answers."""


class OCTREE_MT_select(EmptyMenu):
    """Ask, and select the answer."""


class OCTREE_MT_view(EmptyMenu):
    """Switches for the drawing of octrees and answers."""


def submenu(name: str) -> Draw:
    """Return what adds one of our menus to the end of a menu of Blender's."""

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
