"""Frustum culling of oriented bounding boxes and of vertices: certain, or left undecided."""

import itertools

import numpy as np

from ...core import Boxes, Frusta, build_octree, query_any
from ..arrays import Flags, Floats, Ids
from .placements import Placements

# Heights computed at once: 8 MiB.
_BLOCK = 1 << 20
# Rounding of what is computed here, as a part of the coordinates: only what is farther counts.
_ROUNDING = 2.0**-40
# No edge of a box counts as shorter than this part of its longest.
_THIN = 2.0**-20
_CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def cull_by_vertices(vertices: Floats, frusta: Frusta) -> tuple[Flags, Flags]:
    """Tell which frusta certainly hold a vertex, and which certainly have all beyond one plane.

    Parameters
    ----------
    vertices : ndarray of float64, shape (n, 3)
        Corners of triangles, or of a solid.
    frusta : Frusta
        q of them.

    Returns
    -------
    holds, misses : ndarray of bool, shape (q,)
        Neither where only what lies between the vertices can decide; O(q n).
    """
    planes = frusta.plane_rows.transpose(2, 0, 1)
    holds, misses = np.zeros((2, len(planes)), np.bool_)
    step = max(1, _BLOCK // (6 * len(vertices)))
    for start in range(0, len(planes), step):
        part = slice(start, start + step)
        normals, offsets = planes[part, :, :3], planes[part, :, 3:]
        heights = normals @ vertices.T + offsets
        sizes = np.abs(normals) @ np.abs(vertices).max(axis=0)[:, None] + np.abs(offsets)
        holds[part] = (heights > _ROUNDING * sizes).all(axis=1).any(axis=1)
        misses[part] = (heights < -_ROUNDING * sizes).all(axis=2).any(axis=1)
    return holds, misses


def cull_by_planes(placements: Placements, planes: Floats) -> tuple[Flags, Flags]:
    """Tell which boxes are certainly outside one of six planes, and which inside all of them.

    Parameters
    ----------
    placements : Placements
        p boxes, turned and sheared as they are placed.
    planes : ndarray of float64, shape (6, 4)
        A frustum, positive inside.

    Returns
    -------
    outside, inside : ndarray of bool, shape (p,)
        Neither where that is not certain. The radius of a box along a normal is the sum of the
        projections of its half edges: Gottschalk et al., "OBBTree", 1996.
    """
    normals, offsets = planes[:, :3], planes[:, 3]
    heights = placements.centers @ normals.T + offsets
    radii = np.abs(normals @ placements.half_edges).sum(axis=2)
    sizes = np.abs(placements.centers) @ np.abs(normals).T + np.abs(offsets) + radii
    slack = _ROUNDING * sizes
    nowhere = np.isnan(placements.centers).any(axis=1)
    outside: Flags = nowhere | (heights + radii < -slack).any(axis=1)
    inside: Flags = (heights - radii > slack).all(axis=1)
    return outside, inside


def boxes_in_view(corners: Floats) -> Flags:
    """Tell which frusta touch the cube from -1 to 1, every box's shape in its own space.

    Parameters
    ----------
    corners : ndarray of float64, shape (q, 8, 3)
        Of the frusta, each in the space of a box; see `to_box_space`.

    Returns
    -------
    ndarray of bool, shape (q,)
        Exact.
    """
    touched, misses = cull_by_vertices(_CUBE, Frusta(corners))
    undecided = np.flatnonzero(~touched & ~misses)
    cube = build_octree(Boxes(_CUBE[:1], _CUBE[-1:]))
    touched[undecided] = query_any(cube, Frusta(corners[undecided]))
    return touched


def to_box_space(placements: Placements, chosen: Ids, corners: Floats) -> Floats:
    """Bring a frustum into spaces where the boxes of placements are the cube from -1 to 1.

    Parameters
    ----------
    placements : Placements
        Their boxes are turned and sheared as they are placed.
    chosen : ndarray of intp, shape (c,)
        Which of them.
    corners : ndarray of float64, shape (8, 3)
        Of the frustum, in the world.

    Returns
    -------
    ndarray of float64, shape (c, 8, 3)
        The same corners in the space of each box; a box thinner than a millionth of its size
        counts as that thick.
    """
    inverse = np.linalg.inv(_thickened(placements, chosen))
    local: Floats = (corners - placements.centers[chosen, None]) @ inverse.swapaxes(1, 2)
    return local


def to_mesh_space(placements: Placements, chosen: Ids, corners: Floats) -> Floats:
    """Bring a frustum into the space of the meshes that are placed.

    Parameters
    ----------
    placements : Placements
        Each matrix has an inverse.
    chosen : ndarray of intp, shape (c,)
        Which of them.
    corners : ndarray of float64, shape (8, 3)
        Of the frustum, in the world.

    Returns
    -------
    ndarray of float64, shape (c, 8, 3)
        The same corners in the space of each mesh.
    """
    matrices = placements.matrices[chosen]
    inverse = np.linalg.inv(matrices[:, :, :3])
    local: Floats = (corners - matrices[:, None, :, 3]) @ inverse.swapaxes(1, 2)
    return local


def _thickened(placements: Placements, chosen: Ids) -> Floats:
    """Return half of the edges of boxes, (c, 3, 3), none shorter than a part of the longest."""
    linear = placements.matrices[chosen, :, :3]
    lengths = np.linalg.norm(linear, axis=1)
    halves = np.array([mesh.half for mesh in placements.meshes])[placements.mesh_of[chosen]]
    least = _THIN * (halves * lengths).max(axis=1, keepdims=True)
    # A mesh that is a single point has no size, but it has a place.
    least[least == 0] = _THIN
    edges: Floats = linear * np.maximum(halves, least / lengths)[:, None]
    return edges
