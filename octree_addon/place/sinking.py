"""Sinking: landed units move on into the surface that they landed on, but into nothing else.

A unit is a group of objects that move together.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ...core import SceneOctree, Steps, overlapping_objects_steps, slide_steps
from ..arrays import Flags, Ids
from .moves import least_steps

Landed = TypeVar("Landed", bound=Any)


def sunk_steps(landed: Landed, sunk: Landed) -> Steps[Landed]:
    """Return the falls `sunk`, shortened before a unit enters something that it did not land on.

    A unit may sink into everything that it touches after the falls `landed`.
    """
    movers, wish = landed.movers, landed.wish
    octree = landed.octree()
    touching = yield from overlapping_objects_steps(octree, margin=wish.band)
    after = yield from overlapping_objects_steps(sunk.octree())
    size = int(octree.ids.max(initial=0)) + 1
    new = after[:, ~np.isin(after[0] * size + after[1], touching[0] * size + touching[1])]
    units = np.unique(movers.units_of(np.searchsorted(octree.ids, new)))
    more, step = sunk.distances - landed.distances, least_steps(movers, landed.target)
    for unit in units[(units >= 0) & (more[units] > 0)].tolist():
        ids = octree.ids[movers.rows[movers.bodies == unit]]
        steps = slide_steps(
            octree,
            ids,
            wish.direction,
            bodies=np.zeros(len(ids), np.intp),
            against=_without(octree, ids, touching),
            limit=float(more[unit]),
        )
        free = (yield from steps).distances[0]
        if free < more[unit]:
            more[unit] = max(free - 2 * step[unit], 0.0)
    under = movers.units_of(landed.below)
    more = _carried(more, under, landed.below >= 0, wish.sink)
    return replace(sunk, distances=landed.distances + more)


def _without(octree: SceneOctree, ids: Ids, touching: Ids) -> Ids:
    """Return all placement ids except some and their touching neighbors."""
    met: Flags = np.isin(touching, ids).any(axis=0)
    return np.setdiff1d(octree.ids, np.concatenate((ids, touching[:, met].ravel())))


def _carried(more: Any, under: Ids, lands: Flags, sink: float) -> Any:
    """Return sink depths, (u,), limited to `sink` more than the depth of the unit below."""
    above = lands & (under >= 0)
    for _ in range(len(more)):
        least = np.where(above, np.minimum(more, more[under] + sink), more)
        if (least == more).all():
            break
        more = least
    return more
