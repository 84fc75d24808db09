"""Runs of neighboring triangles of meshes, in Morton order: their boxes, and widest discs.

A run is looked up in a picture before its triangles are.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, blocks, concatenated_ranges
from ..boxes import bounds_of_points, bounds_of_runs
from ..grid import morton_codes
from ..records import Frozen

# Triangles of a run, and bits of an axis of a Morton code.
_LENGTH, _BITS = 64, 10


@dataclass(frozen=True)
class TriangleRuns(Frozen):
    """Triangles of meshes in runs: those of mesh i from `starts[i]` on, `counts[i]` of them.

    Attributes
    ----------
    triangles : ndarray of intp, shape (t,)
        Triangles of meshes, run after run.
    first, sizes : ndarray of intp, shape (r,)
        Where those of a run begin, and how many it has.
    starts, counts : ndarray of intp, shape (m,)
    bounds : ndarray of float64, shape (6, r)
        In the space of the mesh.
    radii : ndarray of float64, shape (r,)
        Of the widest of the circles in the triangles.
    """

    triangles: Ids
    first: Ids
    sizes: Ids
    starts: Ids
    counts: Ids
    bounds: Floats
    radii: Floats

    @classmethod
    def of(cls, vertices: Floats, faces: Ids, shifts: Ids, face_counts: Ids) -> "TriangleRuns":
        """Return the runs of meshes, which have so many of the faces (3, t), one after the other.

        Of each face `shifts` is added to its corners to number vertices (3, v).
        """
        counts = -(-face_counts // _LENGTH)
        starts = np.cumsum(counts) - counts
        bounds, radii = np.empty((6, faces.shape[1])), np.empty(faces.shape[1])
        for some in blocks(faces.shape[1]):
            corners = vertices[:, faces[:, some] + shifts[some]]
            bounds[:, some] = bounds_of_points(corners, axis=1)
            radii[some] = _inner_radii(corners)
        order = _ordered(bounds, face_counts)
        begins = np.cumsum(face_counts) - face_counts
        first = np.repeat(begins, counts) + _LENGTH * concatenated_ranges(0 * counts, counts)
        sizes = np.diff(np.append(first, len(order)))
        triangles = order - np.repeat(begins, face_counts)
        around = bounds_of_runs(bounds[:3, order], bounds[3:, order], first)
        widest = np.maximum.reduceat(radii[order], first)
        return cls(triangles, first, sizes, starts, counts, around, widest)


def _ordered(bounds: Floats, face_counts: Ids) -> Ids:
    """Return the order of boxes (6, t), mesh after mesh, along a curve through each of these."""
    middles = bounds[:3] / 2 + bounds[3:] / 2
    there = face_counts[face_counts > 0]
    begins = np.cumsum(there) - there
    around = bounds_of_runs(middles, middles, begins)
    lower, size = around[:3], (around[3:] - around[:3]).max(axis=0)
    scale = np.divide(2**_BITS, size, out=np.zeros(size.shape), where=size > 0)
    meshes = np.repeat(np.arange(len(there)), there)
    places = (middles - lower[:, meshes]) * scale[meshes]
    cells = np.fmin(np.fmax(places, 0), 2**_BITS - 1).astype(np.int64)
    return np.lexsort((morton_codes(cells, _BITS), meshes))


def _inner_radii(corners: Floats) -> Floats:
    """Return the radii of the circles in triangles (3, 3, n), (n,)."""
    edges = corners[:, [1, 2, 0]] - corners
    with np.errstate(all="ignore"):
        around = np.sqrt((edges * edges).sum(axis=0)).sum(axis=0)
        normals = np.cross(edges[:, 0], edges[:, 1], axis=0)
        radii: Floats = np.sqrt((normals * normals).sum(axis=0)) / around
    return np.where(around > 0, radii, 0.0)
