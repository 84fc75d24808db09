"""Entries in Blender's menus that several features share; the F3 search knows them from there."""

import bpy

from .questions import QUESTIONS
from .ui import Feature


def draw_build(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to build and to clear."""
    menu.layout.separator()
    menu.layout.operator("octree.build")
    menu.layout.operator("octree.rebuild")
    menu.layout.operator("octree.live")
    menu.layout.operator("octree.clear")
    menu.layout.operator("octree.make_real", text="Make Octree Cells Real")


def draw_shot(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to ask what cameras see, and to use the answer."""
    menu.layout.separator()
    menu.layout.operator("octree.find_seen")
    menu.layout.operator("octree.collect_seen")
    menu.layout.operator("octree.mark_seen")
    menu.layout.operator("octree.export_seen")


def draw_select(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to select by the octree."""
    menu.layout.separator()
    for question in QUESTIONS:
        menu.layout.operator(question.bl_idname)
    menu.layout.operator("octree.prove_it", text="Prove Octree's Answer")
    menu.layout.operator("octree.select_seen")


def draw_hide(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to hide and to restore."""
    menu.layout.separator()
    menu.layout.operator("octree.hide_unseen")
    menu.layout.operator("octree.restore_hidden")


FEATURE = Feature(
    menus=(
        ("VIEW3D_MT_object", draw_build),
        ("VIEW3D_MT_object", draw_shot),
        ("VIEW3D_MT_edit_mesh", draw_build),
        ("VIEW3D_MT_select_object", draw_select),
        ("VIEW3D_MT_select_edit_mesh", draw_select),
        ("VIEW3D_MT_object_showhide", draw_hide),
    )
)
