"""Triangle density: counts in cells, and counts against visible pixels."""

from typing import NamedTuple

import bpy
import numpy as np

from ...core import Steps, between, density_steps
from ..arrays import Floats, Ids
from ..cameras import get as last_seen
from ..chunks import CellTable, WorldTriangles, cell_names, triangle_materials, world_steps
from ..shares import Chunk
from ..ui import length_unit

# Fraction of the work at which reading ends.
_READ = 0.6


class CountedCells(NamedTuple):
    """Triangle counts in cells of one size.

    Attributes
    ----------
    world : WorldTriangles
        The triangles.
    table : CellTable
        The cells.
    names : list of str
        Name of each cell.
    densities : ndarray of float64, shape (c,)
        Triangles per cubic meter; per cubic Blender unit in a scene without units.
    cell_materials : ndarray of intp, shape (2, k)
        Pairs of a cell and the session id of a material in it; 0 for no material.
    """

    world: WorldTriangles
    table: CellTable
    names: list[str]
    densities: Floats
    cell_materials: Ids

    def values(self, by: str) -> Floats:
        """Return the values to sort cells by: "TRIANGLES", "OBJECTS", "MATERIALS" or "VOLUME"."""
        of = {
            "TRIANGLES": self.table.triangles,
            "OBJECTS": self.table.objects,
            "MATERIALS": self.table.materials,
            "VOLUME": self.densities,
        }
        return np.asarray(of[by], np.float64)


class ObjectCounts(NamedTuple):
    """Triangle and pixel counts of n objects.

    Attributes
    ----------
    owners : ndarray of intp, shape (n,)
        Session ids of the objects.
    triangles, needs : ndarray of intp, shape (n,)
        Number of triangles that each object has, and that it needs.
    pixels : ndarray of float64, shape (n,)
        Largest number of visible pixels of each object in one view.
    """

    owners: Ids
    triangles: Ids
    needs: Ids
    pixels: Floats

    @property
    def saved(self) -> Ids:
        """Number of triangles beyond the need of each object, (n,)."""
        return np.maximum(self.triangles - self.needs, 0)


def cells_counted_steps(
    context: bpy.types.Context, cell: float, budget: int = 0, chunk: Chunk | None = None
) -> Steps[CountedCells]:
    """Count triangles in cells of one size; yield the fraction done.

    Cells with more triangles than `budget` are flagged as over it, unless it is 0. With `chunk`,
    only a shard of the placements is counted, in the cells of the whole scene.
    """
    reading = world_steps(context, with_chunks=True, chunk=chunk)
    world = yield from between(0.0, _READ, reading)
    of_rows = world.materials(context.evaluated_depsgraph_get())
    yield _READ
    materials = triangle_materials(world, of_rows)
    yield _READ
    counting = density_steps(
        world.triangles,
        cell=cell,
        budget=0,
        least_size=cell,
        owners=world.rows,
        materials=materials,
        bounds=world.bounds,
    )
    found = yield from between(_READ, 1.0, counting)
    counts = found.chunks.counts
    cells, owners, shares = found.culprits
    (first,) = (np.diff(cells, prepend=-1) != 0).nonzero()
    table = CellTable(
        found.chunks.lower,
        found.chunks.upper,
        counts,
        found.objects,
        found.materials,
        counts.astype(np.float64),
        counts > budget if budget else np.zeros(len(counts), np.bool_),
        owners[first],
        shares[first],
    )
    scale = length_unit(context.scene)[1]
    names, densities = cell_names(found.chunks), found.densities / scale**3
    return CountedCells(world, table, names, densities, found.cell_materials[:2])


def objects_counted_steps(
    context: bpy.types.Context, per_pixel: float = 1.0
) -> Steps[ObjectCounts]:
    """Count triangles of visible objects against their pixels; yield the fraction done.

    Raise `ValueError` if the pixels of cameras have not been counted before.
    """
    seen = last_seen(context.scene)
    if seen is None or seen.table.pixels is None:
        raise ValueError("Find what cameras see first, with Behind Others: Counts as Unseen")
    world = yield from world_steps(context, with_chunks=True)
    table, pixels = seen.table, seen.table.pixels
    objects = seen.object_of_item[table.items_of]
    count = len(seen.objects)
    visible, alone = np.zeros(count), np.zeros(count)
    np.maximum.at(visible, objects, pixels.visible)
    np.maximum.at(alone, objects, pixels.extended)
    owners = np.array([each.session_uid for each in seen.objects], np.intp)
    triangles = triangles_of(world, owners)
    (there,) = ((visible > 0) & (triangles > 0)).nonzero()
    needs = np.ceil(per_pixel * alone[there]).astype(np.intp)
    return ObjectCounts(owners[there], triangles[there], needs, visible[there])


def triangles_of(world: WorldTriangles, owners: Ids) -> Ids:
    """Return the triangles of each object; for an instancer, those of its largest instance."""
    sizes = np.diff(world.starts)
    order = np.argsort(owners, kind="stable")
    at = np.searchsorted(owners[order], world.placements.owners)
    known = at < len(owners)
    known[known] &= owners[order][at[known]] == world.placements.owners[known]
    counts = np.zeros(len(owners), np.intp)
    np.maximum.at(counts, order[at[known]], sizes[known])
    return counts
