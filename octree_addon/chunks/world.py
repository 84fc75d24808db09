"""Triangles of the scene in world space, sorted by placement, and tables of their cells."""

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

# Custom property that marks chunks and their collections; chunks are not cut again.
CHUNK = "octree_chunk"


@dataclass(frozen=True, eq=False)
class WorldTriangles:
    """The triangles of r placements in world space.

    Attributes
    ----------
    index : SceneIndex
        The index that the triangles come from.
    placements : ScenePlacements
        The placements of the triangles, a subset of those of the index.
    ids : ndarray of intp, shape (r,)
        Ids of the placements in the octree of the index.
    triangles : Triangles
        The triangles, sorted by placement.
    bounds : Boxes, optional
        If the triangles are only one share of the work, the bounds of all shares together.
    """

    index: SceneIndex
    placements: ScenePlacements
    ids: Ids
    triangles: Triangles
    bounds: Boxes | None = None

    @property
    def starts(self) -> Ids:
        """First triangle of each placement, and the number of triangles, (r + 1,)."""
        return self.placements.starts

    @cached_property
    def vertex_starts(self) -> Ids:
        """First vertex of each placement, and the number of vertices, (r + 1,)."""
        counts = [len(mesh.triangles.vertices) for mesh in self.placements.meshes]
        return np.cumsum([0, *counts])

    @cached_property
    def rows(self) -> Ids:
        """Row of the placement of each triangle, (n,)."""
        return np.repeat(np.arange(len(self.placements)), np.diff(self.starts))

    def materials(self, depsgraph: bpy.types.Depsgraph) -> list[RowMaterials]:
        """Return the materials of each placement."""
        return row_materials(depsgraph, self.placements)


def is_chunk(item: Any) -> bool:
    """Return whether an object or a collection was made by cutting."""
    return CHUNK in item


def world_steps(
    context: bpy.types.Context,
    scope: str = "VISIBLE",
    also: Iterable[bpy.types.Object] = (),
    *,
    with_chunks: bool = False,
    chunk: Chunk | None = None,
) -> Steps[WorldTriangles]:
    """Read the visible triangles of objects in scope or in `also`; yield the fraction done.

    Chunks are left out unless `with_chunks`. With `chunk`, only the placements of this share of
    the work are read; all shares have about as many triangles.

    Raises
    ------
    ValueError
        If there are no triangles.
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
    """Return the bounds of all finite triangles of placements, in steps; None if there is none."""
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
    """Contents of c cells; a triangle or piece counts for the cell that holds its center.

    Attributes
    ----------
    lower, upper : ndarray of float64, shape (c, 3)
        Bounds of the cells.
    triangles, objects, materials : ndarray of intp, shape (c,)
        Numbers of triangles, objects and materials; materials are 0 if they were not read.
    totals : ndarray of float64, shape (c,)
        Sums of the quantity that the budget limits.
    is_over : ndarray of bool, shape (c,)
        Cells over the budget, which could not be divided further.
    culprits : ndarray of intp, shape (c,)
        Row of the placement with the most triangles in the cell.
    shares : ndarray of intp, shape (c,)
        Number of triangles of that placement in the cell.
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
        """Return a table of some of the cells, in the order of `rows`."""
        return CellTable(*(each[rows] for each in vars(self).values()))


def cell_table(found: Chunks, world: WorldTriangles) -> CellTable:
    """Count triangles and objects in each cell. O(triangles log triangles)."""
    count, width = len(found.lower), len(world.placements)
    whole = np.flatnonzero(found.cells >= 0)
    cells = np.concatenate((found.cells[whole], found.pieces.cells))
    triangles = np.concatenate((whole, found.pieces.triangles))
    codes, sizes = np.unique(cells * width + world.rows[triangles], return_counts=True)
    owners, rows = codes // width, codes % width
    # The last entry of a cell is its largest; on a tie, the placement with the lowest row.
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
    # By mesh, material numbers and slots, which most placements share.
    known: dict[tuple[int, int, tuple[int, ...]], Ids] = {}
    for mesh, each in zip(world.placements.meshes, materials, strict=True):
        key = id(mesh), id(each.numbers), each.slots
        if key not in known:
            slots = np.array(each.slots or (0,), np.intp)
            known[key] = slots.take(each.numbers[mesh.polygons], mode="clip")
        parts.append(known[key])
    return np.concatenate(parts)


def triangle_texels(world: WorldTriangles, depsgraph: bpy.types.Depsgraph) -> Floats:
    """Return the number of image pixels that UV maps lay on each triangle, (n,).

    Raises
    ------
    ValueError
        If no triangle has any.
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
    """Return the cell that holds each point (k, 3), else the nearest; on a tie, the first one."""
    if not len(points):
        return np.empty(0, np.intp)
    cells = build_octree(Boxes(found.lower, found.upper))
    numbers: Ids = nearest(cells, points).items[:, 0]
    return numbers
