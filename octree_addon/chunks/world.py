"""Triangles of the scene in the world, placement after placement, and the cells they are in."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np

from ...core import (
    Boxes,
    Chunks,
    SceneOctree,
    Steps,
    Triangles,
    between,
    build_octree,
    nearest,
)
from .. import tuning
from ..arrays import Flags, Floats, Ids
from ..reader import RowMaterials, ScenePlacements, row_materials, row_uv_areas, texels_of
from ..scene_index import SceneIndex, index_steps
from ..scope import scoped_objects
from ..shares import Chunk, share_range

# The custom property of objects that are chunks, and so are no sources of others.
CHUNK = "octree_chunk"


@dataclass(frozen=True, eq=False)
class WorldTriangles:
    """The triangles of r placements in the world.

    Attributes
    ----------
    index : SceneIndex
        Where they are from.
    placements : ScenePlacements
        Those placements alone.
    ids : ndarray of intp, shape (r,)
        What the octree of the index calls them.
    triangles : Triangles
        All of the first, then of the next.
    bounds : Boxes, optional
        A box around the triangles of a whole, where these are a share of it.
    """

    index: SceneIndex
    placements: ScenePlacements
    ids: Ids
    triangles: Triangles
    bounds: Boxes | None = None

    @property
    def starts(self) -> Ids:
        """Where those of each placement begin, and their number, (r + 1,)."""
        return self.placements.starts

    @cached_property
    def vertex_starts(self) -> Ids:
        """Where the vertices of each placement begin, and their number, (r + 1,)."""
        counts = [len(mesh.triangles.vertices) for mesh in self.placements.meshes]
        return np.cumsum([0, *counts])

    @cached_property
    def rows(self) -> Ids:
        """The placement of each triangle, (n,)."""
        return np.repeat(np.arange(len(self.placements)), np.diff(self.starts))

    def materials(self, depsgraph: bpy.types.Depsgraph) -> list[RowMaterials]:
        """Return the materials of each placement."""
        return row_materials(depsgraph, self.placements)


def is_chunk(item: Any) -> bool:
    """Tell whether an object, or the collection of a cell, was made by cutting."""
    return CHUNK in item


def world_steps(
    context: bpy.types.Context,
    scope: str = "VISIBLE",
    also: Iterable[bpy.types.Object] = (),
    *,
    with_chunks: bool = False,
    chunk: Chunk | None = None,
) -> Steps[WorldTriangles]:
    """Read what is visible and in a scope, or among `also`; yield the fraction done.

    Without chunks, unless these are wanted; of the placements only the share that `chunk` says, of
    about as many triangles as each other one. A `ValueError` says that there are no triangles.
    """
    index = yield from between(0.0, 0.7, index_steps(context))
    placements = index.placements
    wanted = {
        item.session_uid
        for item in (*scoped_objects(context, scope, None), *also)
        if with_chunks or not is_chunk(item)
    }
    rows = np.flatnonzero(np.isin(placements.owners, np.fromiter(wanted, np.int32, len(wanted))))
    if not len(rows):
        raise ValueError("There are no triangles: no object meant has faces")
    bounds = None
    if chunk is not None:
        sizes = np.diff(placements.ordered(rows).starts)
        bounds = yield from _bounds_steps(index.octree, index.octree.ids[rows], sizes)
        rows = rows[slice(*share_range(sizes, chunk))]
    ids = index.octree.ids[rows]
    triangles = yield from between(0.7, 1.0, index.octree.triangles_steps(ids))
    return WorldTriangles(index, placements.ordered(rows), ids, triangles, bounds)


def _bounds_steps(octree: SceneOctree, ids: Ids, sizes: Ids) -> Steps[Boxes | None]:
    """Return a box around all finite triangles of placements, some at a time; None without any."""
    lower, upper = np.full(3, np.inf), np.full(3, -np.inf)
    parts = np.cumsum(sizes) // tuning.current.vertices_read
    for some in np.split(ids, (np.diff(parts) != 0).nonzero()[0] + 1):
        triangles = octree.triangles_of(some)
        corners = triangles.vertices[triangles.faces]
        corners = corners[np.isfinite(corners).all(axis=(1, 2))]
        lower = np.minimum(lower, corners.min(axis=(0, 1), initial=np.inf))
        upper = np.maximum(upper, corners.max(axis=(0, 1), initial=-np.inf))
        yield 0.7
    return Boxes(lower[None], upper[None]) if (lower <= upper).all() else None


@dataclass(frozen=True, eq=False)
class CellTable:
    """What is in c cells that have triangles: each counts where its center is.

    Attributes
    ----------
    lower, upper : ndarray of float64, shape (c, 3)
        The cells.
    triangles, objects, materials : ndarray of intp, shape (c,)
        How many of each; materials are 0 where they were not read.
    totals : ndarray of float64, shape (c,)
        How much of what the budget counts.
    is_over : ndarray of bool, shape (c,)
        Which have more than the budget, and could not be divided.
    culprits : ndarray of intp, shape (c,)
        The placement that has most triangles there.
    shares : ndarray of intp, shape (c,)
        How many of them that one has.
    """

    lower: Floats
    upper: Floats
    triangles: Ids
    objects: Ids
    materials: Ids
    totals: Floats
    is_over: Flags
    culprits: Ids
    shares: Ids

    def __len__(self) -> int:
        return len(self.triangles)

    def take(self, rows: Ids) -> "CellTable":
        """Return some of the cells, in this order."""
        return CellTable(*(each[rows] for each in vars(self).values()))


def cell_table(found: Chunks, world: WorldTriangles) -> CellTable:
    """Count what is in each cell. O(triangles log triangles)."""
    count, width = len(found.lower), len(world.placements)
    whole = np.flatnonzero(found.cells >= 0)
    cells = np.concatenate((found.cells[whole], found.pieces.cells))
    triangles = np.concatenate((whole, found.pieces.triangles))
    codes, sizes = np.unique(cells * width + world.rows[triangles], return_counts=True)
    owners, rows = codes // width, codes % width
    # The last one of each cell is that with the most, of equals the first.
    order = np.lexsort((-rows, sizes, owners))
    last = np.searchsorted(owners[order], np.arange(count), "right") - 1
    return CellTable(
        found.lower,
        found.upper,
        found.counts,
        np.bincount(owners, minlength=count),
        np.zeros(count, np.intp),
        found.totals,
        found.is_over,
        rows[order][last],
        sizes[order][last],
    )


def triangle_materials(world: WorldTriangles, materials: list[RowMaterials]) -> Ids:
    """Return the session id of the material of each triangle, 0 for none, (n,)."""
    parts = [np.empty(0, np.intp)]
    # By mesh, its numbers and its slots: most placements share all three.
    known: dict[tuple[int, int, tuple[int, ...]], Ids] = {}
    for mesh, each in zip(world.placements.meshes, materials, strict=True):
        key = id(mesh), id(each.numbers), each.slots
        if key not in known:
            slots = np.array(each.slots or (0,), np.intp)
            known[key] = slots.take(each.numbers[mesh.polygons], mode="clip")
        parts.append(known[key])
    return np.concatenate(parts)


def triangle_texels(world: WorldTriangles, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Return how many pixels of images UV maps lay on each triangle, (n,).

    A `ValueError` says that there are none.
    """
    stuff = triangle_materials(world, world.materials(depsgraph))
    uids, numbers = np.unique(stuff, return_inverse=True)
    known = {each.session_uid: each for each in bpy.data.materials}
    texels = [texels_of(known[uid]) if uid in known else 0 for uid in uids.tolist()]
    areas = np.concatenate([np.empty(0), *row_uv_areas(depsgraph, world.placements)])
    found: Floats = areas * np.array(texels, np.float64)[numbers.ravel()]
    if not found.any():
        raise ValueError("There are no texels: no UV map lays an image of a material on faces")
    return found


def nearest_cells(found: Chunks, points: Floats) -> Ids:
    """Return the cell that holds each point (k, 3), of several the first, or else the nearest."""
    if not len(points):
        return np.empty(0, np.intp)
    cells = build_octree(Boxes(found.lower, found.upper))
    numbers: Ids = nearest(cells, points).items[:, 0]
    return numbers
