"""Moves in single precision, as Blender stores them: predicted, and compared after evaluation.

A unit is a group of objects that move together.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import SceneOctree
from ..arrays import Flags, Floats, Ids
from ..reader import SceneMesh, matrices_of
from ..snapshots import SceneTarget
from .units import Movers

# Tolerance between predicted and evaluated coordinates, in float32 steps (ULPs).
_ROUNDINGS = 16.0


class Stored(NamedTuple):
    """The locations that Blender will store, and the placements' matrices that follow.

    Attributes
    ----------
    locations : ndarray of float32, shape (r, 3)
        Locations of the objects that are written.
    went : ndarray of float64, shape (r, 3)
        Move of each of these objects in world space, after rounding.
    matrices : ndarray of float32, shape (k, 16)
        Matrices of the k placements that move, column after column.
    """

    locations: NDArray[np.float32]
    went: Floats
    matrices: NDArray[np.float32]


def stored_moves(
    movers: Movers, target: SceneTarget, shifts: Floats, *, outward: bool = False
) -> Stored:
    """Return the stored values after units move by shifts, (u, 3).

    Locations are rounded toward the start, so that no object moves farther than its shift, or with
    `outward` away from it, so that none moves less. Raise `ValueError` if a value is not finite.
    """
    before = movers.locations.astype(np.float64)
    change = np.linalg.solve(movers.spaces, shifts[movers.root_units][:, :, None])[:, :, 0]
    locations = (before + change).astype(np.float32)
    way = np.abs(locations - before)
    is_off = way < np.abs(change) if outward else way > np.abs(change)
    towards = np.copysign(np.inf, change) if outward else before
    nudged = np.nextafter(locations, towards.astype(np.float32))
    locations = np.where(is_off, nudged, locations).astype(np.float32)
    went = np.einsum("rij,rj->ri", movers.spaces, locations - before)
    matrices = target.placements.matrices[movers.rows].copy()
    matrices[:, 12:15] = (matrices[:, 12:15] + went[movers.row_roots]).astype(np.float32)
    if not (np.isfinite(locations).all() and np.isfinite(matrices).all()):
        raise ValueError("Nothing was moved: a location would not be finite")
    return Stored(locations, went, matrices)


def placed(octree: SceneOctree, ids: Ids, matrices: NDArray[np.float32]) -> SceneOctree:
    """Return a copy of a scene's octree with some placements at new matrices."""
    other = copy(octree)
    other.move(ids, matrices_of(matrices))
    return other


def least_steps(movers: Movers, target: SceneTarget) -> Floats:
    """Return the float32 step (ULP) at the farthest coordinate of each unit, (u,)."""
    boxes = target.octree.bounds_of(target.octree.ids[movers.rows])
    far = np.maximum(np.abs(boxes.lower), np.abs(boxes.upper)).max(axis=1)
    most = np.zeros(len(movers))
    np.maximum.at(most, movers.bodies, far)
    return np.spacing(np.maximum(most, 1e-30).astype(np.float32)).astype(np.float64)


def compare_moves(
    movers: Movers, before: SceneTarget, now: SceneTarget, stored: Stored
) -> tuple[Flags, Ids]:
    """Flag units that are not where `stored` predicts, (u,), and return their rows in `now`, (k,).

    Other add-ons and simulations, for example, place objects themselves. Differences within
    rounding are accepted. A row is -1 if its placement is gone.
    """
    strays = np.zeros(len(movers), np.bool_)
    rows = now.rows_of(before.placements)[movers.rows]
    strays[movers.bodies[rows < 0]] = True
    there = np.flatnonzero(rows >= 0)
    actual, wanted = now.placements.matrices[rows[there]], stored.matrices[there]
    least = np.spacing(np.abs(wanted).max(axis=1, keepdims=True, initial=1e-30))
    off = (np.abs(actual.astype(np.float64) - wanted) > _ROUNDINGS * least).any(axis=1)
    meshes = before.placements.meshes, now.placements.meshes
    for place, step in zip(there.tolist(), least[:, 0].tolist(), strict=True):
        one, other = meshes[0][movers.rows[place]], meshes[1][rows[place]]
        off[np.searchsorted(there, place)] |= not _are_alike(one, other, _ROUNDINGS * step)
    strays[movers.bodies[there[off]]] = True
    return strays, rows


def _are_alike(one: SceneMesh, other: SceneMesh, least: float) -> bool:
    """Return whether meshes are equal within rounding; armatures make a mesh at each change."""
    if one is other:
        return True
    here, there = one.triangles, other.triangles
    if not np.array_equal(here.faces, there.faces) or len(here.vertices) != len(there.vertices):
        return False
    size = float(np.abs(here.vertices).max(initial=0.0))
    return bool((np.abs(here.vertices - there.vertices) <= least + 1e-5 * size).all())
