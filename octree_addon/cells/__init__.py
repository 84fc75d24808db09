"""Build: the scene's octree for inspection. Reading order: settings, steps, operators, panel."""

import bpy

from ..ui import Feature
from .operators import OCTREE_OT_build, OCTREE_OT_clear, OCTREE_OT_rebuild
from .panel import (
    OCTREE_PT_advanced,
    OCTREE_PT_statistics,
    OCTREE_PT_tree,
)
from .presets import (
    OCTREE_OT_add_build_preset,
    OCTREE_PT_build_presets,
    register_presets,
    unregister_presets,
)
from .settings import OctreeBuildSettings, OctreeObjectSettings, OctreeSourceSettings
from .steps import (
    build_settings,
    chosen_bounds,
    fresh_tree_steps,
    keep,
    keep_tree,
    keep_visible_objects,
    kinds_of,
    note_source,
    steps_for_settings,
    triangle_tree_steps,
    visible_tree_steps,
)

__all__ = [
    "build_settings",
    "chosen_bounds",
    "fresh_tree_steps",
    "keep",
    "keep_tree",
    "keep_visible_objects",
    "kinds_of",
    "note_source",
    "register_presets",
    "steps_for_settings",
    "triangle_tree_steps",
    "unregister_presets",
    "visible_tree_steps",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entries that build, follow and clear the octree."""
    for name in ("build", "rebuild", "live", "clear"):
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={
        "source": OctreeSourceSettings,
        "build": OctreeBuildSettings,
        "objects": OctreeObjectSettings,
        "built_of": OctreeSourceSettings,
    },
    classes=(
        OCTREE_OT_build,
        OCTREE_OT_rebuild,
        OCTREE_OT_clear,
        OCTREE_OT_add_build_preset,
        OCTREE_PT_build_presets,
        OCTREE_PT_tree,
        OCTREE_PT_advanced,
        OCTREE_PT_statistics,
    ),
    menus=(("OCTREE_MT_object", draw_menu),),
)
