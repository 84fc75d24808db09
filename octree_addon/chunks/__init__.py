"""Chunks feature: cells by budget, previewed; the scene cut into them; sources hidden and back.

Read settings and names, world, shear, sources, assembly, cutting, writing, groups, made and
manifest, then cell_rows, operators and panel.
"""

import bpy

from .. import results
from ..display import CELLS
from ..ui import Feature
from .cell_rows import CELL_LINES, cell_rows, cells_in, pack_cells, worst_first
from .cutting import SceneCut, cell_names, cut_steps
from .made import chunks_in, link_made, made_collection, make_steps, named_objects
from .manifest import MANIFEST, CellFiles, cell_hash, known_hashes, manifest_of, parts_by_cell
from .operators import (
    CUT,
    PREVIEW,
    OCTREE_OT_cut_chunks,
    OCTREE_OT_preview_chunks,
    OCTREE_OT_remove_chunks,
    budget_text,
)
from .panel import (
    OCTREE_PT_chunks,
    draw_chunks,
    offer_cut,
    offer_preview,
    say_cut,
    say_preview,
)
from .settings import CHUNK_OPTIONS, LIMITS, OctreeChunkSettings
from .world import CHUNK, CellTable, WorldTriangles, triangle_materials, world_steps

__all__ = [
    "CELL_LINES",
    "CHUNK",
    "CHUNK_OPTIONS",
    "LIMITS",
    "MANIFEST",
    "CellFiles",
    "CellTable",
    "OctreeChunkSettings",
    "SceneCut",
    "WorldTriangles",
    "budget_text",
    "cell_hash",
    "cell_names",
    "cell_rows",
    "cells_in",
    "chunks_in",
    "cut_steps",
    "draw_chunks",
    "known_hashes",
    "link_made",
    "made_collection",
    "make_steps",
    "manifest_of",
    "named_objects",
    "pack_cells",
    "parts_by_cell",
    "triangle_materials",
    "world_steps",
    "worst_first",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer to preview, cut and restore."""
    menu.layout.separator()
    for name in ("preview_chunks", "cut_chunks", "remove_chunks"):
        menu.layout.operator(f"octree.{name}")


CELLS[PREVIEW] = cells_in
results.LINES[PREVIEW] = CELL_LINES
results.ANSWERS[PREVIEW] = results.Said(say_preview, offer_preview)
results.ANSWERS[CUT] = results.Said(say_cut, offer_cut)
FEATURE = Feature(
    settings={"chunks": OctreeChunkSettings},
    classes=(
        OCTREE_OT_preview_chunks,
        OCTREE_OT_cut_chunks,
        OCTREE_OT_remove_chunks,
        OCTREE_PT_chunks,
    ),
    menus=(("OCTREE_MT_object", draw_menu),),
)
