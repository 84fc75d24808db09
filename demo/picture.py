"""The picture: cells over the objects, the camera's frustum, and what it sees in orange.

Everything is made of the arrays that the octree was built from. Walls, floor and whatever else
spans the scene are the backdrop: darker, seen through from behind, and without cells of their own.
"""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Color

from demo import studio
from demo.extension import part

DEEPEST = 7  # cells below are shown by the one above them, else the objects disappear
SPANS = 0.9  # share of the scene's width, along two axes, that makes an object a backdrop


def draw(path: Path, built: Any, frustum: Any | None) -> None:
    """Render the tree, the triangles that the frustum sees, and the frustum itself."""
    items = built.octree.items
    backdrop = backdrop_triangles(built)
    shades = 2 * backdrop.astype(np.int32)
    if frustum is not None:
        shades[part("core").query(built.octree, frustum)[1]] += 1
    scene, size = bpy.data.scenes.new("Picture"), np.ptp(items.vertices, axis=0).max()
    shown = [studio.surface(items.vertices, items.faces, shades), *cell_lines(built, ~backdrop)]
    if frustum is not None:
        shown += studio.frustum(frustum.corners[0], width=size / 500)
    for made in shown:
        scene.collection.objects.link(made)
    studio.prepare(scene, items.vertices, studio.eye(items.vertices))
    studio.render(scene, path)


def backdrop_triangles(built: Any) -> np.ndarray:
    """Flag the triangles (t,) of objects that span the scene along two axes."""
    items, source = built.octree.items, built.source
    corners, starts = items.vertices[items.faces], source.placements.starts[:-1]
    lower = np.full((len(source.objects), 3), np.inf)
    upper = -lower
    np.minimum.at(lower, source.object_of_placement, np.minimum.reduceat(corners.min(1), starts))
    np.maximum.at(upper, source.object_of_placement, np.maximum.reduceat(corners.max(1), starts))
    spans = upper - lower >= SPANS * np.ptp(items.vertices, axis=0)
    return (np.count_nonzero(spans, axis=1) >= 2)[source.object_of_item]


def cell_lines(built: Any, foreground: np.ndarray) -> list[bpy.types.Object]:
    """Make lines of the cells that hold a triangle of the foreground, a mesh for each depth."""
    octree, size = built.octree, np.ptp(built.octree.items.vertices, axis=0).max()
    cells_to_mesh = part("octree_addon.display.mesh").cells_to_mesh
    cells = cells_down_to(octree, octree.cells_of(np.flatnonzero(foreground))[1], DEEPEST)
    depths = octree.node_depth[cells]
    lines = []
    for depth, color in zip(np.unique(depths), ramp(len(np.unique(depths))), strict=True):
        mesh = cells_to_mesh(octree, cells[depths == depth], name=f"Cells of Depth {depth}")
        material = studio.glow(mesh.name, color)
        lines.append(studio.lines(mesh, material, width=size / (150 * (depth + 1))))
    return lines


def ramp(count: int) -> list[Color]:
    """Return colors of the overlay's ramp for `count` depths."""
    colors = part("octree_addon.display.cells").RAMP
    chosen = colors[(np.linspace(0.12, 0.92, count) * len(colors)).astype(int)].tolist()
    return [Color(color).from_srgb_to_scene_linear() for color in chosen]


def cells_down_to(octree: Any, cells: np.ndarray, deepest: int) -> np.ndarray:
    """Replace cells below a depth by their ancestors at that depth; sorted, without duplicates."""
    while (below := octree.node_depth[cells] > deepest).any():
        cells = np.unique(np.where(below, octree.node_parent[cells], cells))
    return np.unique(cells)
