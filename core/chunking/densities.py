"""Density of triangles in cells; each triangle counts once, in the cell of its centroid."""

from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Floats, Ids, blocks, distinct, dot, robust_cross, starts_of_runs
from ..boxes import bounds_of_points, bounds_of_runs
from ..passes import radix_argsort_steps, taken_steps
from ..records import Record
from ..shapes import Boxes, Triangles
from ..steps import Steps, at_once, between
from .api import ASSIGN, Chunks, chunks_steps
from .budget import TRIANGLES


@dataclass(frozen=True, eq=False)
class Density(Record):
    """Counts and areas of n triangles, by c cells and by o objects.

    Attributes
    ----------
    chunks : Chunks
        The cells, in Morton order. `chunks.counts` are the triangles of each cell: their sum is
        the number of valid triangles.
    volumes : ndarray of float64, shape (c,)
        Volumes of the cells; cubic scene units.
    densities : ndarray of float64, shape (c,)
        Triangles per cubic scene unit.
    areas : ndarray of float64, shape (c,)
        Total area of the triangles of each cell; square scene units.
    objects, materials : ndarray of intp, shape (c,)
        Numbers of different owners and materials of the triangles of each cell.
    cell_materials : ndarray of intp, shape (3, m)
        Cell, material and number of triangles; sorted by cell and material.
    culprits : ndarray of intp, shape (3, h)
        Cell, owner and number of triangles; sorted by cell, most triangles first.
    object_triangles : ndarray of intp, shape (o,)
        Number of triangles of each owner.
    object_areas : ndarray of float64, shape (o,)
        Total area of the triangles of each owner.
    object_lower, object_upper : ndarray of float64, shape (o, 3)
        Bounds of each owner's triangles; NaN for an owner without triangles.
    object_cells : ndarray of intp, shape (o,)
        Number of cells that hold triangles of each owner.
    """

    chunks: Chunks
    volumes: Floats
    densities: Floats
    areas: Floats
    objects: Ids
    materials: Ids
    cell_materials: Ids
    culprits: Ids
    object_triangles: Ids
    object_areas: Floats
    object_lower: Floats
    object_upper: Floats
    object_cells: Ids

    @property
    def object_sparseness(self) -> Floats:
        """The surface area of each owner's bounding box, divided by the owner's area, (o,).

        1 for a box; large for an owner with much empty space in its bounds; infinite for one
        without area; NaN for one without triangles.
        """
        x, y, z = (self.object_upper - self.object_lower).T
        box = 2 * (x * y + y * z + z * x)
        with np.errstate(divide="ignore", invalid="ignore"):
            sparseness: Floats = box / self.object_areas
        return sparseness


def density_steps(
    triangles: Triangles,
    /,
    *,
    cell: float = 1.0,
    budget: float = 50_000,
    counted: str = TRIANGLES,
    split: str = "octree",
    least_triangles: SupportsIndex = 0,
    least_size: float | None = None,
    weights: ArrayLike | None = None,
    owners: ArrayLike | None = None,
    materials: ArrayLike | None = None,
    bounds: Boxes | None = None,
) -> Steps[Density]:
    """Count triangles, areas, objects and materials of cells, in steps.

    Parameters
    ----------
    triangles : Triangles
        n triangles of the whole scene, in its space. Triangles that are not finite, or name a
        vertex twice, do not count.
    cell, budget, counted, split, least_triangles, least_size, weights : optional
        As for `chunks`. With a `budget` of 0 and a `least_size`, all cells have the least size.
    owners : array_like of int, shape (n,), optional
        The object of each triangle, 0 to o - 1; by default all belong to one object.
    materials : array_like of int, shape (n,), optional
        The material of each triangle; by default all have one material.
    bounds : Boxes, optional
        As for `chunks`.

    Returns
    -------
    generator of Density
        The cells that hold centroids. Triangles are not cut, so triangle counts and areas of the
        cells add up to those of the scene. A million triangles take less than a second.

    Raises
    ------
    ValueError
        As for `chunks`.
    """
    checks.kind("triangles", triangles, (Triangles,))
    count = len(triangles)
    objects, stuff = (
        np.zeros(count, np.intp) if given is None else checks.one_each(name, given, count)
        for name, given in (("owners", owners), ("materials", materials))
    )
    dividing = chunks_steps(
        triangles,
        cell=cell,
        budget=budget,
        counted=counted,
        split=split,
        least_triangles=least_triangles,
        least_size=least_size,
        owners=objects,
        modes=np.full(int(objects.max(initial=0)) + 1, ASSIGN),
        weights=weights,
        bounds=bounds,
    )
    return _steps(triangles, dividing, objects, stuff)


density = at_once(density_steps)


def _steps(
    triangles: Triangles, dividing: Steps[Chunks], owners: Ids, materials: Ids
) -> Steps[Density]:
    made = yield from between(0.0, 0.7, dividing)
    count, objects = len(made.counts), int(owners.max(initial=-1)) + 1
    (inside,) = (made.cells >= 0).nonzero()
    yield 0.7
    cells, of = made.cells[inside], owners[inside]
    yield 0.7
    areas, low, high = yield from between(0.7, 0.85, _measures(triangles, inside, of, objects))
    triples = yield from between(0.85, 0.9, _counted(cells, of))
    stuff = yield from between(0.9, 0.94, _counted(cells, materials[inside]))
    cell_areas = np.bincount(cells, areas, minlength=count).astype(np.float64)
    yield 0.96
    object_areas = np.bincount(of, areas, minlength=objects).astype(np.float64)
    yield 0.98
    volumes = np.prod(made.upper - made.lower, axis=1)
    found = Density(
        chunks=made,
        volumes=volumes,
        densities=made.counts / volumes,
        areas=cell_areas,
        objects=np.bincount(triples[0], minlength=count),
        materials=np.bincount(stuff[0], minlength=count),
        cell_materials=stuff,
        culprits=triples[:, np.lexsort((triples[1], -triples[2], triples[0]))],
        object_triangles=np.bincount(of, minlength=objects),
        object_areas=object_areas,
        object_lower=low.T,
        object_upper=high.T,
        object_cells=np.bincount(triples[1], minlength=objects),
    )
    yield 1.0
    return found


def _counted(cells: Ids, names: Ids) -> Steps[Ids]:
    """Return cells, names in each cell, and their counts, (3, h); yields the fraction done."""
    known, ranks = _ranked(names)
    yield 0.2
    width = max(len(known), 1)
    keys = cells * width + ranks
    bits = (int(cells.max(initial=0) + 1) * width).bit_length()
    order = yield from between(0.3, 0.8, radix_argsort_steps(keys, bits))
    keys = yield from between(0.8, 0.95, taken_steps(keys, order))
    first = starts_of_runs(keys)
    pairs = np.divmod(keys[first], width)
    return np.stack((pairs[0], known[pairs[1]], np.diff(first, append=len(keys))))


def _ranked(names: Ids) -> tuple[Ids, Ids]:
    """Return the distinct names, ascending, and the rank of each given name among them."""
    (some,) = (np.diff(names, prepend=-1) != 0).nonzero()  # one of each run of equal names
    known = distinct(names[some])
    return known, np.searchsorted(known, names)


def _measures(
    triangles: Triangles, ids: Ids, owners: Ids, objects: int
) -> Steps[tuple[Floats, Floats, Floats]]:
    """Return areas (k,) of triangles, and lower and upper bounds (3, o) of their owners.

    Bounds of an owner without triangles are NaN. Yields the fraction done.
    """
    areas, (low, high) = np.empty(len(ids)), np.full((2, 3, objects), np.nan)
    for some in blocks(len(ids), tuning.current.piece):
        corners = triangles[ids[some]].rows.reshape(3, 3, -1)
        edges = corners[1:] - corners[0]
        full = dot(edges[0], edges[0]) * dot(edges[1], edges[1])
        _, squares, _ = robust_cross(edges[0], edges[1], full)
        areas[some] = np.sqrt(squares) / 2
        order = np.argsort(owners[some], kind="stable")
        first = starts_of_runs(owners[some][order])
        there = owners[some][order[first]]
        bounds = bounds_of_points(corners)[:, order]
        around = bounds_of_runs(bounds[:3], bounds[3:], first)
        low[:, there] = np.fmin(low[:, there], around[:3])
        high[:, there] = np.fmax(high[:, there], around[3:])
        yield some.stop / len(ids)
    return areas, low, high
