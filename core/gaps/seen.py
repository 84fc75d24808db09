"""Bounds of placed nodes and triangles along a direction: of their shadows, and of heights.

Along an axis of the scene that is one of the mesh, too, bounds are known without rounding:
rounding is monotonic, and the box of a mesh ends where a corner is.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, distinct, dot, gather
from ..boxes import bounds_of_points, boxes_grown, magnitudes, middles_and_halves
from ..scene.dual_walk import Surfaces
from .way import Way

# By how much boxes are larger than they have to be, as a part of the terms of their coordinates.
_GROWN = 2.0**-40
# How far rounding may move triangles, with what it does to altitudes, as a part of the terms.
_MOVED = 2.0**-46


class Seen:
    """Bounds of the surfaces of pairs of rows, (2, p).

    Bounds are (8, t), four lower and four upper ones: of both coordinates of the shadow, of the
    height along the way, and along the axis that is nearest to the way, as long as the scene has
    them and without rounding, or no numbers. `exact` (2, p) tells of which coordinates of the
    shadow bounds are without rounding.
    """

    def __init__(self, side: Surfaces, way: Way, rows: Ids) -> None:
        self._side, self._way, self._rows = side, way, rows
        self._nodes, self._placing = side.pool.nodes, side.moment.placements.matrices
        self._matrices, self._terms = way.turned(self._placing)
        axes, placing = list(way.axes), self._placing.reshape(3, 4, -1)
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
        placements, nodes = self._side.moment.placements, self._nodes
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
        altitudes = self._nodes.least_altitude.take(nodes)
        flags: Flags = ~(altitudes > self._thin.take(self._rows[number].take(pairs)))
        return flags

    def are_past(self) -> Flags:
        """Return which pairs of rows surely have the first wholly ahead of the second, (p,)."""
        ahead, behind = (self.nodes(self._side.roots(rows), rows) for rows in self._rows)
        flags: Flags = ahead[3] >= behind[7]
        return flags

    def nodes(self, nodes: Ids, rows: Ids) -> Floats:
        """Return the bounds of nodes placed in rows, (8, t)."""
        boxes = gather(self._nodes.boxes, nodes)
        middle, half = middles_and_halves(boxes)
        size = magnitudes(boxes)
        found = np.empty((8, len(rows)))
        for axis in range(3):
            plain = self._plain[axis].take(rows)
            ends = self._ends(axis, boxes, rows) if plain.any() else np.empty((2, len(rows)))
            if axis == 2:
                found[3::4] = np.where(plain, ends, np.nan)
                plain &= self._way.error == 0
            if plain.all():
                found[axis], found[4 + axis] = ends
                continue
            x, y, z, shift = (self._matrices[4 * axis + i].take(rows) for i in range(4))
            center = x * middle[0] + y * middle[1] + z * middle[2] + shift
            extent = np.abs(x) * half[0] + np.abs(y) * half[1] + np.abs(z) * half[2]
            a, b, c, d = (self._terms[4 * axis + i].take(rows) for i in range(4))
            extent += (a * size[0] + b * size[1] + c * size[2] + d) * _GROWN
            found[axis], found[4 + axis] = center - extent, center + extent
            found[axis, plain], found[4 + axis, plain] = ends[:, plain]
        return found

    def _ends(self, axis: int, boxes: Floats, rows: Ids) -> Floats:
        """Return where both ends of boxes (6, t) are placed along an axis, the lower first."""
        at = 4 * self._way.axes[axis]
        x, y, z, shift = self._placing[at : at + 4].take(rows, axis=1)
        ends = np.stack([x * a + y * b + z * c + shift for a, b, c in (boxes[:3], boxes[3:])])
        ends.sort(axis=0)
        return ends if axis < 2 or self._sign > 0 else -ends[::-1]

    def triangles(self, corners: Floats) -> Floats:
        """Return the bounds of triangles (3 corners, 3 axes, t), as seen along the way, (8, t)."""
        seen = boxes_grown(bounds_of_points(self._way.seen(corners)), self._way.error)
        heights = corners[:, [self._way.axes[2]]] * self._sign
        along = bounds_of_points(heights)
        return np.concatenate((seen[:3], along[:1], seen[3:], along[1:]))
