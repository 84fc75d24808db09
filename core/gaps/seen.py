"""Projected bounds of placed nodes and triangles: across a direction, and of heights along it.

If a matrix maps an axis of the mesh to an axis of the scene, bounds along this axis are exact:
rounding is monotonic, and each face of a tight box touches a corner of a triangle. A row is the
position of a placement in the snapshot.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, cross, distinct, dot, gather
from ..boxes import bounds_of_points, boxes_grown, magnitudes, middles_and_halves
from ..scene.dual_walk import Surfaces
from .way import Way

# Enlargement of boxes against rounding, relative to the terms that their coordinates are sums of.
_GROWN = 2.0**-40
# Motion of corners by rounding, and its effect on altitudes, relative to the same terms.
_MOVED = 2.0**-46


class Seen:
    """Projected bounds of the surfaces of pairs of rows, (2, p).

    Bounds are (8, t): four lower ones, then four upper ones. The four are both coordinates of the
    projection, the height along the direction, and the coordinate along the axis nearest to the
    direction, which grows with the height. The last is in units of the scene and exact, or NaN.
    `exact` (2, p) flags coordinates of the projection with exact bounds for both surfaces.
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
        """Return the altitude up to which triangles may be degenerate once placed, (n,).

        Rounding moves placed corners; a lower bound of the smallest singular value of the matrix
        converts this motion to the space of the mesh.
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
        """Flag the nodes, of side `number` of pairs, that may hold degenerate triangles, (t,)."""
        altitudes = self._nodes.least_altitude.take(nodes)
        flags: Flags = ~(altitudes > self._thin.take(self._rows[number].take(pairs)))
        return flags

    def are_past(self) -> Flags:
        """Flag pairs of rows whose first surface surely is wholly ahead of the second, (p,)."""
        ahead, behind = (self.nodes(self._side.roots(rows), rows) for rows in self._rows)
        flags: Flags = ahead[3] >= behind[7]
        return flags

    def nodes(self, nodes: Ids, rows: Ids) -> Floats:
        """Return the projected bounds of nodes placed in rows, (8, t)."""
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
        """Return the bounds of placed boxes (6, t) along a projected axis, (2, t), lower first."""
        at = 4 * self._way.axes[axis]
        x, y, z, shift = self._placing[at : at + 4].take(rows, axis=1)
        ends = np.stack([x * a + y * b + z * c + shift for a, b, c in (boxes[:3], boxes[3:])])
        ends.sort(axis=0)
        return ends if axis < 2 or self._sign > 0 else -ends[::-1]

    def triangles(self, corners: Floats) -> Floats:
        """Return the projected bounds of triangles (3 corners, 3 axes, t), (8, t)."""
        seen = boxes_grown(bounds_of_points(self._way.seen(corners)), self._way.error)
        heights = corners[:, [self._way.axes[2]]] * self._sign
        along = bounds_of_points(heights)
        return np.concatenate((seen[:3], along[:1], seen[3:], along[1:]))
