"""The entries in Blender's menus, from where the F3 search knows the operators."""

from collections.abc import Callable
from typing import Any

import bpy

Draw = Callable[[Any, bpy.types.Context], None]


def draw_build(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to build and to clear."""
    menu.layout.separator()
    menu.layout.operator("octree.build")
    menu.layout.operator("octree.rebuild")
    menu.layout.operator("octree.live")
    menu.layout.operator("octree.clear")


def draw_select(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to select by the octree."""
    menu.layout.separator()
    menu.layout.operator("octree.select_in_frustum")
    menu.layout.operator("octree.select_in_sphere")
    menu.layout.operator("octree.select_nearest")
    menu.layout.operator("octree.select_on_ray")
    menu.layout.operator("octree.select_collisions")
    menu.layout.operator("octree.prove_it", text="Prove Octree's Answer")


ENTRIES: tuple[tuple[str, Draw], ...] = (
    ("VIEW3D_MT_object", draw_build),
    ("VIEW3D_MT_edit_mesh", draw_build),
    ("VIEW3D_MT_select_object", draw_select),
    ("VIEW3D_MT_select_edit_mesh", draw_select),
)
