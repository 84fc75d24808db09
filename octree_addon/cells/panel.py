"""The Octree panel: contents and build options, state of the octree, and its statistics."""

from typing import Any

import bpy

from .. import trees
from ..built_tree import BuiltTree
from ..options import draw_options
from ..ui import (
    SidebarPanel,
    column_of,
    draw_hint,
    draw_table,
    settings_of,
    working,
)
from .operators import draw_advanced, draw_plain
from .presets import OCTREE_PT_build_presets
from .settings import SourceOptions
from .steps import build_options, build_settings, chosen_bounds, object_options

REFERENCES_WARNING = 8


class OCTREE_PT_tree(SidebarPanel):
    """Build, rebuild and clear the octree for inspection."""

    bl_label = "Octree"
    bl_order = 20
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        row = self.layout.row(align=True)
        row.enabled = working() is None
        row.prop(settings_of(context.scene).source, "scope", expand=True, icon_only=True)
        row.operator("octree.build", text="Build")
        OCTREE_PT_build_presets.draw_panel_header(self.layout)

    def draw_header(self, context: bpy.types.Context) -> None:
        if state_of(context.scene):
            self.layout.label(icon="ERROR")

    def draw(self, context: bpy.types.Context) -> None:
        column, source = column_of(self), settings_of(context.scene).source
        draw_source(column, source)
        column.operator("octree.clear", text="Clear")
        state = state_of(context.scene)
        if state:
            column.label(text=state, icon="ERROR")
            column.operator("octree.rebuild", icon="FILE_REFRESH")
        settings = build_settings(context.scene, source.source)
        draw_plain(column, settings, source.source)


def draw_source(layout: bpy.types.UILayout, source: Any) -> None:
    """Draw the contents of the octree."""
    layout.row().prop(source, "source", expand=True)
    draw_options(layout, source, SourceOptions, without=("source",))


def state_of(scene: bpy.types.Scene) -> str:
    """Return the reason to rebuild the scene's octree; an empty string if it is up to date."""
    built = trees.get(scene)
    if built is None and trees.is_pending(scene):
        return ""
    if built is None:
        return trees.rebuild_error(scene) or (
            missing_text(scene) if trees.is_missing(scene) else ""
        )
    if built.was_stale:
        return "Out of date: the scene has changed"
    if not is_built_as_set(scene, built):
        return "Out of date: built with other settings"
    return ""


def missing_text(scene: bpy.types.Scene) -> str:
    """Return the reason why the scene's octree is not in memory."""
    if trees.was_dropped(scene):
        return "No longer in memory: many were built since"
    return "Not built since the file was opened"


def is_built_as_set(scene: bpy.types.Scene, built: BuiltTree) -> bool:
    """Return whether the octree was built with the present settings."""
    settings = build_settings(scene, "OBJECTS" if built.holds_objects else "TRIANGLES")
    options = object_options(settings) if built.holds_objects else build_options(settings)
    has_bounds = built.octree.bounds is not None
    return built.options == options and has_bounds == bool(chosen_bounds(settings))


class OCTREE_PT_advanced(SidebarPanel):
    """Rarely changed build options."""

    bl_label = "Advanced"
    bl_parent_id = "OCTREE_PT_tree"
    bl_order = 21
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        source = settings_of(context.scene).source.source
        settings, column = build_settings(context.scene, source), column_of(self)
        draw_advanced(column, settings, source)
        column.prop(settings_of(context.scene).tab, "meshes")


class OCTREE_PT_statistics(SidebarPanel):
    """Numbers of cells and references, memory and build time."""

    bl_label = "Statistics"
    bl_parent_id = "OCTREE_PT_tree"
    bl_order = 24
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return trees.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        built = trees.get(context.scene)
        assert built is not None
        draw_table(self.layout, table_of(built), names=0.6)
        if built.statistics.references_per_item > REFERENCES_WARNING:
            draw_hint(self.layout, "Many copies: raise Capacity", "ERROR")


def table_of(built: BuiltTree) -> list[tuple[str, str]]:
    """Return the statistics of an octree as labels and values."""
    found, noun = built.statistics, built.source.noun.title()
    parts = "Pieces" if built.octree.straddlers == "clip" else "Copies"
    return [
        (f"{noun}s", f"{found.items:,}"),
        ("Cells", f"{found.cells:,}"),
        ("Undivided Cells", f"{found.leaves:,}"),
        ("Depth", f"{found.depth}"),
        (f"{parts} per {noun}", f"{found.references_per_item:.2f}"),
        ("Most in a Cell", f"{found.fullest_leaf:,}"),
        ("Memory", f"{found.bytes / 2**20:.1f} MiB"),
        ("Build Time", f"{built.build_seconds:.3f} s"),
    ]
