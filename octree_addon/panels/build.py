"""The main panel: build, rebuild and clear."""

import bpy

from .. import trees
from ..properties import OctreeBuildSettings, bounds_object, build_options, settings_of
from .hiding import draw_banner
from .layout import SidebarPanel, SubPanel, column_of, say


class OCTREE_PT_main(SidebarPanel):
    """Build, rebuild and clear."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
        draw_banner(column, context.scene)
        row = column.row(align=True)
        row.operator("octree.build", text="Build")
        row.operator("octree.clear", text="Clear")
        state = state_of(context.scene)
        if state:
            column.label(text=state, icon="ERROR")
            column.operator("octree.rebuild", icon="FILE_REFRESH")
        column.separator()
        draw_build_settings(column, settings_of(context.scene).build)


def state_of(scene: bpy.types.Scene) -> str:
    """Say why the scene's tree should be built again; nothing if it need not."""
    built = trees.get(scene)
    if built is None:
        left = "Not built since the file was opened" if trees.is_missing(scene) else ""
        return trees.refusal(scene) or left
    if built.stale:
        return "Out of date: the scene has changed"
    if not is_built_as(built, settings_of(scene).build):
        return "Out of date: built with other settings"
    return ""


def is_built_as(built: trees.BuiltTree, settings: OctreeBuildSettings) -> bool:
    """Tell whether the tree was built as the settings are now."""
    automatic = bounds_object(settings) is None
    return built.options == build_options(settings) and automatic == (built.octree.bounds is None)


def draw_build_settings(layout: bpy.types.UILayout, build: OctreeBuildSettings) -> None:
    """Show what is often changed about the build."""
    layout.prop(build, "capacity")
    layout.prop(build, "max_depth")
    layout.prop(build, "straddlers")
    keeps = build.straddlers == "KEEP"
    loose = layout.column()
    loose.enabled = keeps
    loose.prop(build, "loose_factor")
    if not keeps:
        say(layout, "Loose cells need Straddlers: Keep")


class OCTREE_PT_advanced(SubPanel):
    """What is seldom changed about the build."""

    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        build = settings_of(context.scene).build
        column = column_of(self)
        column.prop(build, "min_size")
        column.prop(build, "bounds")
        if build.bounds == "OBJECT":
            column.prop(build, "bounds_object", text="Object")
