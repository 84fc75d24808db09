"""The main panel: what the tree is built of, and how."""

from typing import Any

import bpy

from .. import trees
from ..hiding.panel import draw_banner
from ..layouts import draw_options
from ..options import ADVANCED, PLAIN
from ..properties import (
    OctreeSourceSettings,
    bounds_object,
    build_options,
    build_settings,
    object_options,
    settings_of,
)
from ..reader import ObjectSource
from ..ui import SidebarPanel, SubPanel, column_of


class OCTREE_PT_main(SidebarPanel):
    """Build, rebuild and clear."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        column, settings = column_of(self), settings_of(context.scene)
        draw_banner(column, context.scene)
        draw_source(column, settings.source)
        row = column.row(align=True)
        row.operator("octree.build", text="Build")
        row.operator("octree.clear", text="Clear")
        state = state_of(context.scene)
        if state:
            column.label(text=state, icon="ERROR")
            column.operator("octree.rebuild", icon="FILE_REFRESH")
        column.separator()
        draw_options(column, build_settings(context.scene, settings.source.source), PLAIN)


def draw_source(layout: bpy.types.UILayout, source: OctreeSourceSettings) -> None:
    """Show what the tree is to be built of."""
    layout.row().prop(source, "source", expand=True)
    layout.prop(source, "scope")
    if source.scope == "COLLECTION":
        layout.prop(source, "collection")
    if source.source == "OBJECTS":
        kinds = layout.column(align=True, heading="With")
        for name in ("lights", "cameras", "empties"):
            kinds.prop(source, name)


def state_of(scene: bpy.types.Scene) -> str:
    """Say why the scene's tree should be built again; nothing if it need not."""
    built = trees.get(scene)
    if built is None:
        left = "Not built since the file was opened" if trees.is_missing(scene) else ""
        return trees.refusal(scene) or left
    if built.stale:
        return "Out of date: the scene has changed"
    if not is_built_as(built, settings_of(scene)):
        return "Out of date: built with other settings"
    return ""


def is_built_as(built: trees.BuiltTree, settings: Any) -> bool:
    """Tell whether the tree was built as the settings are now."""
    holds_objects = isinstance(built.source, ObjectSource)
    how = settings.objects if holds_objects else settings.build
    options = object_options(how) if holds_objects else build_options(how)
    return built.options == options and (built.octree.bounds is None) == (not bounds_object(how))


class OCTREE_PT_advanced(SubPanel):
    """What is seldom changed about the build."""

    bl_label = "Advanced"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene)
        how = build_settings(context.scene, settings.source.source)
        column = column_of(self)
        draw_options(column, how, ADVANCED[settings.source.source])
        if how.bounds == "OBJECT":
            column.prop(how, "bounds_object", text="Object")
