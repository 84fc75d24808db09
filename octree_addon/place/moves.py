"""Moves as Blender stores them, in single precision: foretold, written, compared, taken back."""

from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import SceneOctree
from ..arrays import Flags, Floats, Ids
from ..reader import SceneMesh, matrices_of
from ..snapshots import SceneTarget
from .units import Movers

# What two ways to the same place may differ by, in least steps of a coordinate.
_ROUNDINGS = 16.0


class Stored(NamedTuple):
    """What Blender is to store, and where it will then have the placements.

    Attributes
    ----------
    locations : ndarray of float32, shape (r, 3)
        Of the objects that are written.
    went : ndarray of float64, shape (r, 3)
        Where that takes each of them in the world.
    matrices : ndarray of float32, shape (k, 16)
        Of the placements that move, as the reader has them.
    """

    locations: NDArray[np.float32]
    went: Floats
    matrices: NDArray[np.float32]


def stored_moves(
    movers: Movers, target: SceneTarget, shifts: Floats, *, outward: bool = False
) -> Stored:
    """Return what is stored when units go by shifts, (u, 3): no farther or, outward, no less far.

    Where a location cannot have the number it has the next one to the wanted side. A `ValueError`
    says that Blender cannot store a number.
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
    """Return the octree of a scene with some placements elsewhere."""
    other = copy(octree)
    other.move(ids, matrices_of(matrices))
    return other


def least_steps(movers: Movers, target: SceneTarget) -> Floats:
    """Return the least step of single precision where each unit is, (u,)."""
    boxes = target.octree.bounds_of(target.octree.ids[movers.rows])
    far = np.maximum(np.abs(boxes.lower), np.abs(boxes.upper)).max(axis=1)
    most = np.zeros(len(movers))
    np.maximum.at(most, movers.bodies, far)
    return np.spacing(np.maximum(most, 1e-30).astype(np.float32)).astype(np.float64)


def compare_moves(
    movers: Movers, before: SceneTarget, now: SceneTarget, stored: Stored
) -> tuple[Flags, Ids]:
    """Return which units, (u,), went elsewhere than foretold, and where their placements stand.

    Such as what another add-on or a simulation places. What rounding makes of a parent counts as
    foretold; the placements are those that were to move, (k,), as rows of now.
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
    """Tell whether meshes are the same but for rounding: what an armature bends is made anew."""
    if one is other:
        return True
    here, there = one.triangles, other.triangles
    if not np.array_equal(here.faces, there.faces) or len(here.vertices) != len(there.vertices):
        return False
    size = float(np.abs(here.vertices).max(initial=0.0))
    return bool((np.abs(here.vertices - there.vertices) <= least + 1e-5 * size).all())
