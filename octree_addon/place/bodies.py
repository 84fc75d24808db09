"""Baked units: groups of objects that move together, each as one mesh and one placement."""

from copy import copy
from typing import NamedTuple

import numpy as np

from ...core import SceneOctree, Triangles
from ..arrays import Ids
from ..snapshots import SceneTarget
from .units import Movers


class Bodies(NamedTuple):
    """A scene in which each unit is one placement.

    Attributes
    ----------
    octree : SceneOctree
        The scene with baked units; placements that do not move keep their ids.
    ids : ndarray of intp, shape (u,)
        The placement of each unit.
    """

    octree: SceneOctree
    ids: Ids


def as_bodies(target: SceneTarget, movers: Movers) -> Bodies:
    """Return the scene with each unit of several placements baked into one mesh; O(triangles)."""
    octree, ids = copy(target.octree), target.octree.ids[movers.rows]
    bodies = movers.bodies
    several = np.flatnonzero(np.bincount(bodies, minlength=len(movers)) > 1)
    of_unit = np.empty(len(movers), np.intp)
    of_unit[bodies[::-1]] = ids[::-1]
    for unit in several.tolist():
        members = ids[bodies == unit]
        mesh = octree.add_mesh(octree.triangles_of(members))
        octree.remove(members)
        of_unit[unit] = octree.place([mesh], [np.eye(4)])[0]
    return Bodies(octree, of_unit)


def triangles_of(target: SceneTarget, movers: Movers, unit: int) -> Triangles:
    """Return the triangles of a unit in world space."""
    return target.octree.triangles_of(target.octree.ids[movers.rows[movers.bodies == unit]])
