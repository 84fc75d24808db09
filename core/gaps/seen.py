"""Bounds of placed nodes and triangles along a direction: of their shadows, and of heights.

Along an axis of the scene that is one of the mesh, too, bounds are known without rounding:
rounding is monotonic, and the box of a mesh ends where a corner is.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, distinct, dot, gather
from ..boxes import bounds_of_points, bounds_of_runs, boxes_grown, magnitudes, middles_and_halves
from ..scene.moment import Moment
from ..scene.pool import Pool
from .way import Way

# By how much boxes are larger than they have to be, as a part of the terms of their coordinates.
_GROWN = 2.0**-40
# How far rounding may move triangles, with what it does to altitudes, as a part of the terms.
_MOVED = 2.0**-46


@dataclass(frozen=True)
class PlacedLeaves:
    """Triangles of u leaves, placed: entries (t,), corners (3, 3, t) and bounds (8, t).

    Bounds around all of each leaf are (8, u), where its triangles begin, and how many there are,
    (u,). `which` is the leaf of each of b pairs, (b,).
    """

    entries: Ids
    corners: Floats
    bounds: Floats
    around: Floats
    firsts: Ids
    counts: Ids
    which: Ids


class Seen:
    """Bounds of the surfaces of pairs of rows, (2, p).

    Bounds are (8, t): of both coordinates of the shadow and of the height along the way, three
    lower and three upper ones; then those along the axis that is nearest to the way, as long as
    the scene has them and without rounding, or no numbers. `exact` (2, p) tells of which
    coordinates of the shadow bounds are without rounding.
    """

    def __init__(self, moment: Moment, pool: Pool, way: Way, rows: Ids) -> None:
        self._moment, self._pool, self._way, self._rows = moment, pool, way, rows
        self._matrices, self._terms = way.turned(moment.placements.matrices)
        axes, placing = list(way.axes), moment.placements.matrices.reshape(3, 4, -1)
        self._plain = (np.count_nonzero(placing[axes, :3], axis=1) <= 1) & np.append(
            way.direction[axes[:2]] == 0, True
        )[:, None]
        self.exact = self._plain[:2, rows].all(axis=1)
        self._sign = np.sign(way.direction[axes[2]])
        self._thin = self._thin_altitudes()

    def _thin_altitudes(self) -> Floats:
        """Return up to which altitude triangles may have no area where rows place them, (n,).

        Rounding moves corners, and the least singular value of the matrix tells how far that is
        where they came from.
        """
        placements, nodes = self._moment.placements, self._pool.nodes
        meshes = distinct(placements.meshes[distinct(self._rows)])
        sizes = np.zeros((3, len(nodes.roots)))
        sizes[:, meshes] = magnitudes(nodes.boxes[:, nodes.roots[meshes]])
        rows = placements.matrices.reshape(3, 4, -1)
        reach = (np.abs(rows[:, :3]) * sizes[:, placements.meshes]).sum(axis=1)
        reach = (reach + np.abs(rows[:, 3])).max(axis=0)
        one, two, three = rows[:, :3]
        square = dot(one, one) + dot(two, two) + dot(three, three)
        with np.errstate(all="ignore"):
            thin: Floats = reach * square / np.abs(dot(one, cross(two, three))) * _MOVED
        return thin

    def are_thin(self, number: int, pairs: Ids, nodes: Ids) -> Flags:
        """Return which nodes of one side of pairs may hold triangles without area, (t,)."""
        altitudes = self._pool.nodes.least_altitude.take(nodes)
        flags: Flags = ~(altitudes > self._thin.take(self._rows[number].take(pairs)))
        return flags

    def are_past(self) -> Flags:
        """Return which pairs of rows surely have the first wholly ahead of the second, (p,)."""
        pairs = np.arange(self._rows.shape[1])
        ahead, behind = (self.nodes(side, self.roots(side, pairs), pairs) for side in (0, 1))
        flags: Flags = ahead[6] >= behind[7]
        return flags

    def roots(self, number: int, pairs: Ids) -> Ids:
        """Return the roots of one side of pairs, (t,)."""
        meshes = self._moment.placements.meshes[self._rows[number, pairs]]
        return self._pool.nodes.roots[meshes]

    def nodes(self, number: int, nodes: Ids, pairs: Ids) -> Floats:
        """Return the bounds of nodes of one side of pairs, (8, t)."""
        rows = self._rows[number, pairs]
        boxes = gather(self._pool.nodes.boxes, nodes)
        middle, half = middles_and_halves(boxes)
        size = magnitudes(boxes)
        found = np.empty((8, len(rows)))
        for axis in range(3):
            plain = self._plain[axis].take(rows)
            ends = self._ends(axis, boxes, rows) if plain.any() else np.empty((2, len(rows)))
            if axis == 2:
                found[6:] = np.where(plain, ends, np.nan)
                plain &= self._way.error == 0
            if plain.all():
                found[axis], found[3 + axis] = ends
                continue
            x, y, z, shift = (self._matrices[4 * axis + i].take(rows) for i in range(4))
            center = x * middle[0] + y * middle[1] + z * middle[2] + shift
            extent = np.abs(x) * half[0] + np.abs(y) * half[1] + np.abs(z) * half[2]
            a, b, c, d = (self._terms[4 * axis + i].take(rows) for i in range(4))
            extent += (a * size[0] + b * size[1] + c * size[2] + d) * _GROWN
            found[axis], found[3 + axis] = center - extent, center + extent
            found[axis, plain], found[3 + axis, plain] = ends[:, plain]
        return found

    def _ends(self, axis: int, boxes: Floats, rows: Ids) -> Floats:
        """Return where both ends of boxes (6, t) are placed along an axis, the lower first."""
        at = 4 * self._way.axes[axis]
        x, y, z, shift = self._moment.placements.matrices[at : at + 4].take(rows, axis=1)
        ends = np.stack([x * a + y * b + z * c + shift for a, b, c in (boxes[:3], boxes[3:])])
        ends.sort(axis=0)
        return ends if axis < 2 or self._sign > 0 else -ends[::-1]

    def each_once(self, pairs: Ids, nodes: Ids) -> tuple[Ids, Ids]:
        """Return where each node of each pair stands first, and which of these each one is."""
        keys = pairs * len(self._pool.nodes.begin) + nodes
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first, which

    def placed(self, number: int, pairs: Ids, leaves: Ids) -> PlacedLeaves:
        """Return the triangles of leaves of one side of pairs, each once."""
        used, which = self.each_once(pairs, leaves)
        owners, entries = self._pool.nodes.entries(leaves[used])
        whose = pairs[used[owners]]
        rows = self._rows[number, whose]
        corners = self._moment.placed(self._pool, entries, rows).rows.reshape(3, 3, -1)
        counts = np.bincount(owners, minlength=len(used))
        firsts = np.cumsum(counts) - counts
        bounds = self._triangles(corners)
        parts = (bounds[:3], bounds[3:6]), (bounds[6:7], bounds[7:])
        around = np.concatenate([bounds_of_runs(*part, firsts) for part in parts])
        return PlacedLeaves(entries, corners, bounds, around, firsts, counts, which)

    def _triangles(self, corners: Floats) -> Floats:
        """Return the bounds of triangles (3 corners, 3 axes, t), as seen along the way, (8, t)."""
        seen = boxes_grown(bounds_of_points(self._way.seen(corners)), self._way.error)
        heights = corners[:, [self._way.axes[2]]] * self._sign
        return np.concatenate((seen, bounds_of_points(heights)))
