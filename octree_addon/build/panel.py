"""Panels of the build: its settings, the state of the tree, and its statistics."""

import bpy

from .. import trees
from ..reader import ObjectSource
from ..trees import BuiltTree
from ..ui import SubPanel, column_of, draw_hint, draw_rows, draw_table, settings_of
from .operators import draw_options
from .settings import ADVANCED, PLAIN, OctreeSourceSettings
from .steps import build_options, build_settings, chosen_bounds, object_options

REFERENCES_WARNING = 8


def draw_build(column: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Show what the tree is built of and how, and offer to build, clear and rebuild."""
    source = settings_of(scene).source
    draw_source(column, source)
    row = column.row(align=True)
    row.operator("octree.build", text="Build")
    row.operator("octree.clear", text="Clear")
    state = state_of(scene)
    if state:
        column.label(text=state, icon="ERROR")
        column.operator("octree.rebuild", icon="FILE_REFRESH")
    column.separator()
    draw_options(column, build_settings(scene, source.source), PLAIN)


def draw_source(layout: bpy.types.UILayout, source: OctreeSourceSettings) -> None:
    """Show what the tree is built of."""
    layout.row().prop(source, "source", expand=True)
    layout.prop(source, "scope")
    if source.scope == "COLLECTION":
        layout.prop(source, "collection")
    if source.source == "OBJECTS":
        kinds = layout.column(align=True, heading="With")
        draw_rows(kinds, source, ["lights", "cameras", "empties"])


def state_of(scene: bpy.types.Scene) -> str:
    """Say why the scene's tree should be built again; nothing if it need not."""
    built = trees.get(scene)
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
    """Say why the scene's tree is not in memory."""
    if trees.was_dropped(scene):
        return "No longer in memory: many were built since"
    return "Not built since the file was opened"


def is_built_as_set(scene: bpy.types.Scene, built: BuiltTree) -> bool:
    """Tell whether the tree was built with the settings as they are now."""
    holds_objects = isinstance(built.source, ObjectSource)
    settings = build_settings(scene, "OBJECTS" if holds_objects else "TRIANGLES")
    options = object_options(settings) if holds_objects else build_options(settings)
    has_bounds = built.octree.bounds is not None
    return built.options == options and has_bounds == bool(chosen_bounds(settings))


class OCTREE_PT_advanced(SubPanel):
    """What is seldom changed about the build."""

    bl_label = "Advanced"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        source = settings_of(context.scene).source.source
        settings, column = build_settings(context.scene, source), column_of(self)
        draw_options(column, settings, ADVANCED[source])
        if settings.bounds == "OBJECT":
            column.prop(settings, "bounds_object", text="Object")


class OCTREE_PT_statistics(SubPanel):
    """Numbers of cells and references, memory and build time."""

    bl_label = "Statistics"
    bl_order = 100

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return trees.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        built = trees.get(context.scene)
        assert built is not None
        draw_table(self.layout, table_of(built), names=0.6)
        if built.statistics.references_per_item > REFERENCES_WARNING:
            draw_hint(self.layout, "Many copies: try a higher capacity or Keep", "ERROR")


def table_of(built: BuiltTree) -> list[tuple[str, str]]:
    """Return what the user reads about a tree: names and values."""
    found, noun = built.statistics, built.source.noun.title()
    return [
        (f"{noun}s", f"{found.items:,}"),
        ("Cells", f"{found.cells:,}"),
        ("Leaves", f"{found.leaves:,}"),
        ("Depth", f"{found.depth}"),
        (f"References per {noun}", f"{found.references_per_item:.2f}"),
        ("Fullest Leaf", f"{found.fullest_leaf:,}"),
        ("Memory", f"{found.bytes / 2**20:.1f} MiB"),
        ("Build Time", f"{built.build_seconds:.3f} s"),
    ]
