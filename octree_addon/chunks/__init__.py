"""Chunks: preview of cells within a budget, cutting of the scene into them, and undoing it.

Reading order: settings, names, world, shear, sources, cutting, cell_files, made, cell_rows,
operators, panel.
"""

import bpy

from ..ui import Feature
from .cell_files import CellFiles, arrays_file, parts_by_cell, rounded_bounds, shown_bounds
from .cell_rows import CellKind, cell_rows, cells_in, pack_cells, worst_first
from .cutting import ChunkPart, SceneCut, cell_names, cut_steps
from .made import (
    SOURCE,
    Draft,
    Made,
    chunks_in,
    link_made,
    made_collection,
    make_steps,
    named_objects,
    remove_with_meshes,
    shown_sources,
    sources_in,
)
from .names import safe_name
from .operators import (
    CUT,
    PREVIEW,
    OCTREE_OT_cut_chunks,
    OCTREE_OT_preview_chunks,
    OCTREE_OT_remove_chunks,
    budget_text,
)
from .panel import (
    CutKind,
    OCTREE_PT_chunks,
    PreviewKind,
    draw_chunks,
)
from .settings import ChunkOptions, OctreeChunkSettings
from .shear import are_sheared
from .sources import ChunkSource, is_edited
from .world import CHUNK, CellTable, WorldTriangles, triangle_materials, world_steps

__all__ = [
    "CHUNK",
    "SOURCE",
    "CellFiles",
    "CellKind",
    "CellTable",
    "ChunkOptions",
    "ChunkPart",
    "ChunkSource",
    "Draft",
    "Made",
    "OctreeChunkSettings",
    "SceneCut",
    "WorldTriangles",
    "are_sheared",
    "arrays_file",
    "budget_text",
    "cell_names",
    "cell_rows",
    "cells_in",
    "chunks_in",
    "cut_steps",
    "draw_chunks",
    "is_edited",
    "link_made",
    "made_collection",
    "make_steps",
    "named_objects",
    "pack_cells",
    "parts_by_cell",
    "remove_with_meshes",
    "rounded_bounds",
    "safe_name",
    "shown_bounds",
    "shown_sources",
    "sources_in",
    "triangle_materials",
    "world_steps",
    "worst_first",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the entries that preview, cut and remove chunks."""
    menu.layout.separator()
    for name in ("preview_chunks", "cut_chunks", "remove_chunks"):
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={"chunks": OctreeChunkSettings},
    classes=(
        OCTREE_OT_preview_chunks,
        OCTREE_OT_cut_chunks,
        OCTREE_OT_remove_chunks,
        OCTREE_PT_chunks,
    ),
    menus=(("OCTREE_MT_object", draw_menu),),
    kinds=(PreviewKind(PREVIEW), CutKind(CUT)),
)
