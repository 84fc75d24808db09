"""Chunks of the room, or of the forest's ground, cut by a budget, and an exploded view."""

import time
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from demo import studio
from demo.extension import part

COLORS = {
    "Moss": (0.04, 0.08, 0.03),
    "Sand": (0.17, 0.11, 0.04),
    "Slate": (0.03, 0.055, 0.09),
    "Brick": (0.16, 0.035, 0.02),
    "Fog": (0.1, 0.11, 0.12),
}
APART = 0.12  # of the distance from the middle
VIEW = Vector((-0.3, -1.0, 1.1)).normalized()  # from the middle towards the eye


def run(name: str, budget: int, picture: Path | None = None, *, scope: str = "VISIBLE") -> dict:
    """Cut visible or selected objects, draw the chunks if a path is given; undo all changes."""
    start = time.perf_counter()
    options = {"triangles": budget, "least_triangles": 0, "scope": scope}
    bpy.ops.octree.cut_chunks("EXEC_DEFAULT", True, **options)
    spent = 1000 * (time.perf_counter() - start)
    made = part("octree_addon.chunks")
    items = made.chunks_in(made.made_collection(bpy.context.scene))
    cells: dict[str, list[bpy.types.Object]] = {}
    for item in items:
        cells.setdefault(item[made.CHUNK], []).append(item)
    counts = [sum(map(_triangles, each)) for each in cells.values()]
    if picture:
        draw(picture, list(cells.values()))
    bpy.ops.octree.remove_chunks()
    return {
        "name": name,
        "budget": budget,
        "cells": len(cells),
        "chunks": len(items),
        "triangles": sum(counts),
        "most": max(counts),
        "ms": spent,
    }


def _triangles(item: bpy.types.Object) -> int:
    return len(item.data.loops) - 2 * len(item.data.polygons)


def draw(path: Path, cells: list[list[bpy.types.Object]]) -> None:
    """Render an exploded view of chunks, with a color for each cell."""
    corners = [np.concatenate([_corners(item) for item in each]) for each in cells]
    everything = np.concatenate(corners).reshape(-1, 3)
    middle = (everything.min(axis=0) + everything.max(axis=0)) / 2
    moves = [APART * (each.mean(axis=(0, 1)) - middle) for each in corners]
    pulled = [each + move for each, move in zip(corners, moves, strict=True)]
    points = np.concatenate(pulled).reshape(-1, 3)
    shades = np.repeat(np.arange(len(corners)) * 2 % len(COLORS), [len(each) for each in corners])
    scene = bpy.data.scenes.new("Picture")
    made = studio.surface(points, np.arange(len(points)).reshape(-1, 3), shades, COLORS)
    made.data.shade_flat()
    scene.collection.objects.link(made)
    studio.prepare(scene, points, studio.eye(points, VIEW))
    studio.render(scene, path)
    bpy.data.scenes.remove(scene)


def _corners(item: bpy.types.Object) -> Any:
    """Return the corners of an object's triangles in the world, (t, 3, 3)."""
    layers = part("octree_addon.reader").mesh_layers(item.data)
    matrix = np.array(item.matrix_world, np.float64)
    points = layers.positions @ matrix[:3, :3].T + matrix[:3, 3]
    return points[layers.corner_vertices[layers.triangle_corners]]
