"""Baking: the triangles of placed meshes in world space, all placements of a mesh at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .. import checks, tuning
from ..arrays import Floats, Ids, blocks
from ..shapes import Triangles
from ..steps import Steps, at_once, between
from .placed import matrix_rows, placed


def baked_triangles_steps(
    meshes: list[Triangles] | tuple[Triangles, ...], which: ArrayLike, matrices: ArrayLike, /
) -> Steps[Triangles]:
    """Return the triangles of placed meshes, one placement after the other, in steps.

    Parameters
    ----------
    meshes : list or tuple of Triangles
        Each mesh in its own space.
    which : array_like of int, shape (n,)
        The mesh of each placement, as an index into `meshes`.
    matrices : array_like of float, shape (n, 4, 4)
        Transforms from the space of each mesh to the scene, as for `SceneOctree.place`.

    Returns
    -------
    generator of Triangles
        All triangles of the first placement, then of the next, with the same coordinates as in a
        `SceneOctree`. Without placements the batch is empty. O(placed vertices).

    Raises
    ------
    ValueError
        At the call, if an element of `meshes` is not a Triangles, an index in `which` is out of
        range, `which` and `matrices` differ in length, or a last row is not 0, 0, 0, 1.
    """
    checks.kind("meshes", meshes, (list, tuple))
    for mesh in meshes:
        checks.kind("meshes", mesh, (Triangles,))
    numbers, rows = checks.numbers("which", which, len(meshes), "meshes"), matrix_rows(matrices)
    checks.same_length("which and matrices", numbers, rows.T)
    return baking_steps(meshes, numbers, rows)


baked_triangles = at_once(baked_triangles_steps)


def baking_steps(meshes: Sequence[Triangles], which: Ids, matrices: Floats) -> Steps[Triangles]:
    """Return the triangles of placed meshes, for unchecked matrices (12, n)."""
    counts = np.array([(len(mesh.vertices), len(mesh)) for mesh in meshes], np.intp)
    sizes = counts.reshape(-1, 2)[which]
    ends = np.cumsum(sizes, axis=0)
    vertices, faces = np.empty((3, sizes[:, 0].sum())), np.empty((3, sizes[:, 1].sum()), np.intp)
    order = np.argsort(which, kind="stable")
    limits = np.searchsorted(which[order], np.arange(len(meshes) + 1)).tolist()
    done, last, piece = 0, 0, tuning.current.piece
    for number, mesh in enumerate(meshes):
        rows = order[limits[number] : limits[number + 1]]
        for some in blocks(len(rows), max(1, piece // max(*counts[number].tolist(), 1))):
            there = rows[some]
            starts, count = (ends - sizes)[there].T, max(*counts[number].tolist(), 1)
            for part in blocks(count, piece):
                _bake(mesh, part, matrices[:, there], starts, vertices, faces)
                done += len(there) * len(mesh.faces[part])
                if done - last > piece // 2:
                    last = done
                    yield 0.5 * done / faces.shape[1]
    return (yield from between(0.5, 1.0, Triangles.steps(vertices.T, faces.T)))


def _bake(
    mesh: Triangles, part: slice, matrices: Floats, starts: Ids, vertices: Floats, faces: Ids
) -> None:
    """Write a part of a mesh, placed by matrices (12, k), into the baked arrays.

    `part` is a slice of the vertices and of the faces. `starts` (2, k) are the first vertex and
    the first face of each placement.
    """
    own, corners = mesh.vertices.T[:, None, part], mesh.faces.T[:, None, part]
    shape = 3, len(starts[0]), own.shape[2]
    with np.errstate(all="ignore"):
        points = placed(np.broadcast_to(own, shape), matrices[:, :, None])
    first, second = (start[:, None] for start in starts)
    vertices[:, first + part.start + np.arange(shape[2])] = points
    faces[:, second + part.start + np.arange(corners.shape[2])] = corners + first
