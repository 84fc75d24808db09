"""Baking: the triangles of placed meshes, each mesh at many of its places at once."""

from collections.abc import Generator, Sequence

import numpy as np

from ..arrays import Floats, Ids, blocks
from ..passes import PIECE
from ..shapes import Triangles
from ..steps import between
from .placed import placed


def baking_steps(
    meshes: Sequence[Triangles], which: Ids, matrices: Floats
) -> Generator[float, None, Triangles]:
    """Return the triangles of n placements, one placement after the other.

    Parameters
    ----------
    meshes : sequence of Triangles
        Each mesh once.
    which : ndarray of intp, shape (n,)
        The mesh of each placement, by its place among `meshes`.
    matrices : ndarray of float64, shape (12, n)
        Three rows of four each.

    Returns
    -------
    generator
        Yields the fraction done, of few triangles never; its StopIteration carries the Triangles
        as `value`.
    """
    counts = np.array([(len(mesh.vertices), len(mesh)) for mesh in meshes], np.intp)
    sizes = counts.reshape(-1, 2)[which]
    ends = np.cumsum(sizes, axis=0)
    vertices, faces = np.empty((3, sizes[:, 0].sum())), np.empty((3, sizes[:, 1].sum()), np.intp)
    order = np.argsort(which, kind="stable")
    limits = np.searchsorted(which[order], np.arange(len(meshes) + 1)).tolist()
    done = last = 0
    for number, mesh in enumerate(meshes):
        rows = order[limits[number] : limits[number + 1]]
        for some in blocks(len(rows), max(1, PIECE // max(*counts[number].tolist(), 1))):
            there = rows[some]
            _bake(mesh, matrices[:, there], (ends - sizes)[there].T, vertices, faces)
            done += len(there) * len(mesh)
            if done - last > PIECE:
                last = done
                yield 0.5 * done / faces.shape[1]
    return (yield from between(0.5, 1.0, Triangles.steps(vertices.T, faces.T)))


def _bake(mesh: Triangles, matrices: Floats, starts: Ids, vertices: Floats, faces: Ids) -> None:
    """Write a mesh as matrices (12, k) place it, from k vertices and k faces on, (2, k)."""
    own, shape = mesh.vertices.T[:, None], (3, len(starts[0]), len(mesh.vertices))
    with np.errstate(all="ignore"):
        points = placed(np.broadcast_to(own, shape), matrices[:, :, None])
    first, second = (start[:, None] for start in starts)
    vertices[:, first + np.arange(shape[2])] = points
    faces[:, second + np.arange(len(mesh))] = mesh.faces.T[:, None] + first
