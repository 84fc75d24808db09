"""Queries about one placement each: inside tests and nearest triangles.

A row is the position of a placement in the snapshot.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, starts_of_runs
from ..compiled import NOT_TAKEN, Questions, repaired, threads_of
from ..nearby.walked import Best, look
from ..rays.walked import met
from ..shapes import Triangles
from ..snapshot import RayPairs
from ..touch.rays import Rays, met_sides
from .moment import Moment


def wound_about(moment: Moment, rays: Rays, rows: Ids, codes: Ids, starts: Ids) -> Flags:
    """Flag the rays whose origins are inside the mesh placed in their row, (q,).

    `codes` give the rule by which each triangle counts; those of a mesh begin at its `starts`. A
    triangle with code 0 is ignored. Triangles with code -1 are summed with the sign of the side
    that the ray hits. Triangles with the same positive code count by parity.
    """
    scene = moment.packed()
    start, way = np.ascontiguousarray(rays.origins.T), np.ascontiguousarray(rays.directions.T)
    given = Questions(start, way, rays.limits, threads_of(None))
    found = (
        None if scene is None else scene.wound(given, np.ascontiguousarray(rows), codes, starts)
    )
    if found is None:
        return _wound_about(moment, rays, rows, codes, starts)
    (states,) = found
    return repaired(
        states == 1, states == NOT_TAKEN,
        lambda left: _wound_about(moment, rays[left], rows[left], codes, starts),
    )  # fmt: skip


def _wound_about(moment: Moment, rays: Rays, rows: Ids, codes: Ids, starts: Ids) -> Flags:
    pairs = RayPairs(np.arange(len(rays)), rows, np.zeros(len(rays)))
    parts = [np.empty((3, 0), np.intp)]
    for nodes, found, entries, _ in met(moment, rays, pairs, rays.limits):
        items, ids = moment.entry_items(nodes, entries, rows[found])
        assert isinstance(items, Triangles)
        sides = met_sides(items, ids, rays, found).astype(np.intp)
        parts.append(np.stack((found, nodes.order[entries], sides)))
    crossed = np.concatenate(parts, axis=1)
    crossed = crossed[:, np.lexsort((crossed[1], crossed[0]))]
    found, triangles, sides = crossed[:, starts_of_runs(crossed[0], crossed[1])]  # each once
    kinds = codes[starts[moment.placements.meshes[rows[found]]] + triangles]
    turns, odd = np.zeros((2, len(rays)), np.intp)
    np.add.at(turns, found, np.where(kinds < 0, sides, 0))
    np.bitwise_xor.at(odd, found, np.maximum(kinds, 0))
    flags: Flags = (turns != 0) | (odd != 0)
    return flags


def nearest_corners(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> tuple[Floats, Floats]:
    """Return the distances of points (3, q) to the meshes in these rows, and nearest triangles.

    Distances are (q,), the placed corners of the nearest triangles (9, q). Each mesh has a
    triangle within the limit of its point, (q,).
    """
    scene = moment.packed()
    found = None if scene is None else scene.nearest_of(points, rows, limits)
    if found is None:
        return _nearest_corners(moment, points, rows, limits)
    items, distances, corners = found
    (left,) = (items < 0).nonzero()
    if len(left):
        some = np.ascontiguousarray(points[:, left])
        distances[left], corners.T[:, left] = _nearest_corners(
            moment, some, rows[left], limits[left]
        )
    return distances, corners.T


def _nearest_corners(
    moment: Moment, points: Floats, rows: Ids, limits: Floats
) -> tuple[Floats, Floats]:
    best = Best(len(rows), 1, limits)
    look(moment, points, np.arange(len(rows)), rows, best)
    return best.lengths[:, 0], moment.placed(moment.trees_at(rows), best.entries[:, 0], rows).rows
