"""The Octree tab in the sidebar of the 3D view: it shows and offers, and computes nothing."""

from typing import Literal

import bpy

from . import overlay, trees
from .properties import OctreeBuildSettings, bounds_object, build_options, settings_of

REFERENCES_WARNING = 8


class SidebarPanel(bpy.types.Panel):
    """Where all our panels are, and how they are laid out."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Octree"


class SubPanel(SidebarPanel):
    """A panel inside the main one."""

    bl_parent_id = "OCTREE_PT_main"


def column_of(panel: bpy.types.Panel) -> bpy.types.UILayout:
    """Return the single column that a panel's properties stand in."""
    panel.layout.use_property_split = True
    panel.layout.use_property_decorate = False
    return panel.layout.column()


def say(layout: bpy.types.UILayout, text: str, icon: Literal["INFO", "ERROR"] = "INFO") -> None:
    """Put a sentence under the properties that it is about."""
    row = layout.row()
    row.alignment = "RIGHT"
    row.label(text=text, icon=icon)


class OCTREE_PT_main(SidebarPanel):
    """Build, rebuild and clear."""

    bl_label = "Octree"

    def draw(self, context: bpy.types.Context) -> None:
        column = column_of(self)
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


class OCTREE_PT_display(SubPanel):
    """How the cells are drawn."""

    bl_label = "Display"

    def draw_header(self, context: bpy.types.Context) -> None:
        self.layout.prop(settings_of(context.scene).display, "show", text="")

    def draw(self, context: bpy.types.Context) -> None:
        display = settings_of(context.scene).display
        column = column_of(self)
        column.active = display.show
        column.prop(display, "cells")
        if display.cells == "DEPTH":
            column.prop(display, "depth")
        for name in ("boxes", "color_by", "line_width", "opacity", "in_front"):
            column.prop(display, name)
        built = trees.get(context.scene)
        drawn, wanted = (built and overlay.counts(built)) or (0, 0)
        if drawn < wanted:
            say(column, f"Drawn: the largest {drawn:,} of {wanted:,} cells", "ERROR")


class OCTREE_PT_camera(SubPanel):
    """Ask what a camera sees."""

    bl_label = "Camera"

    def draw(self, context: bpy.types.Context) -> None:
        frustum = settings_of(context.scene).frustum
        column = column_of(self)
        for name in ("camera", "margin", "angle", "relation", "kind", "action", "invert"):
            column.prop(frustum, name)
        column.operator("octree.select_in_frustum")


class OCTREE_PT_sphere(SubPanel):
    """Ask what is near the 3D cursor."""

    bl_label = "Sphere"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        sphere = settings_of(context.scene).sphere
        column = column_of(self)
        for name in ("radius", "relation", "kind", "action"):
            column.prop(sphere, name)
        column.operator("octree.select_in_sphere")


class OCTREE_PT_statistics(SubPanel):
    """What became of the triangles."""

    bl_label = "Statistics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return trees.get(context.scene) is not None

    def draw(self, context: bpy.types.Context) -> None:
        built = trees.get(context.scene)
        assert built is not None
        column = self.layout.column(align=True)
        for name, value in table_of(built):
            row = column.split(factor=0.5)
            row.alignment = "RIGHT"
            row.label(text=name)
            row.alignment = "LEFT"
            row.label(text=value)
        if built.statistics.references_per_item > REFERENCES_WARNING:
            say(column, "Many copies: try a higher capacity or Keep", "ERROR")


def table_of(built: trees.BuiltTree) -> list[tuple[str, str]]:
    """Return what the user reads about a tree: names and values."""
    found = built.statistics
    return [
        ("Triangles", f"{found.items:,}"),
        ("Cells", f"{found.cells:,}"),
        ("Leaves", f"{found.leaves:,}"),
        ("Depth", f"{found.depth}"),
        ("References per Triangle", f"{found.references_per_item:.2f}"),
        ("Fullest Leaf", f"{found.fullest_leaf:,}"),
        ("Memory", f"{found.bytes / 2**20:.1f} MiB"),
        ("Build Time", f"{built.build_seconds:.3f} s"),
    ]


def draw_switch(popover: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Add the display switch to the Overlays popover."""
    display = settings_of(context.scene).display
    popover.layout.prop(display, "show", text="Octree Cells")


PANELS = (
    OCTREE_PT_main,
    OCTREE_PT_advanced,
    OCTREE_PT_display,
    OCTREE_PT_camera,
    OCTREE_PT_sphere,
    OCTREE_PT_statistics,
)


def register() -> None:
    """Register the panels, the main one first."""
    for panel in PANELS:
        bpy.utils.register_class(panel)
    bpy.types.VIEW3D_PT_overlay.append(draw_switch)


def unregister() -> None:
    """Unregister the panels."""
    bpy.types.VIEW3D_PT_overlay.remove(draw_switch)
    for panel in reversed(PANELS):
        bpy.utils.unregister_class(panel)
