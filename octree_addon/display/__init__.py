"""Display of octrees and answers: GPU overlays, inspection of cells, cells as a mesh.

Reading order: layers, visible, cells, detail, boxes, lines, batches, painted_objects, words,
hover, active_row, colored_cells, answered, dimensions, drawing.
"""

import bpy

from ..ui import Feature
from .drawing import install, is_installed, uninstall
from .hover import OCTREE_OT_inspect_cells
from .mesh import OCTREE_OT_make_real
from .panel import OCTREE_PT_display, draw_switch
from .real_dimensions import OCTREE_OT_make_distances_real
from .settings import OctreeDisplaySettings
from .snapshot import snapshots

__all__ = [
    "install",
    "is_installed",
    "snapshots",
    "uninstall",
]


def draw_make_real(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that makes a mesh of the cells."""
    menu.layout.operator("octree.make_real")


def draw_inspect(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that inspects cells."""
    menu.layout.operator("octree.inspect_cells")


FEATURE = Feature(
    settings={"display": OctreeDisplaySettings},
    classes=(
        OCTREE_OT_make_real,
        OCTREE_OT_make_distances_real,
        OCTREE_OT_inspect_cells,
        OCTREE_PT_display,
    ),
    menus=(
        ("OCTREE_MT_object", draw_make_real),
        ("OCTREE_MT_view", draw_switch),
        ("OCTREE_MT_view", draw_inspect),
        ("VIEW3D_PT_overlay", draw_switch),
    ),
)
