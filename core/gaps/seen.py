"""Bounds of placed patches and triangles as seen along a way, above a plane for each pair.

The gap of two points over each other is the same above any plane, and boxes that lie along a
slope are flat above one that is tilted as it is.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, gather
from ..scene.moment import Moment
from ..scene.sheets import Sheets
from .way import Way

# By how much boxes are larger than they have to be, as a part of the terms of their coordinates.
_GROWN = 2.0**-40
# What rounding does to heights above tilted planes.
_TILTED = 2.0**-47


@dataclass(frozen=True)
class PlacedPatches:
    """Triangles of u small patches, placed: entries (t,), corners (3, 3, t) and bounds (6, t).

    Bounds around all of each patch are (6, u), where its triangles begin, and how many there are,
    (u,). `which` is the patch of each of b pairs, (b,).
    """

    entries: Ids
    corners: Floats
    bounds: Floats
    around: Floats
    firsts: Ids
    counts: Ids
    which: Ids


class Seen:
    """Pairs of rows, (2, p), and how the plane of each is tilted, `slopes` (2, p)."""

    def __init__(self, moment: Moment, sheets: Sheets, way: Way, rows: Ids) -> None:
        self._moment, self._sheets, self._way, self._rows = moment, sheets, way, rows
        self._matrices, self._terms = way.turned(moment.placements.matrices)
        self.slopes = np.zeros((2, rows.shape[1]))

    def patches(self, number: int, patches: Ids, pairs: Ids) -> Floats:
        """Return the bounds of patches of one side of pairs, (6, t)."""
        rows = self._rows[number, pairs]
        boxes = gather(self._sheets.patches.rows, patches)
        middle, half = (boxes[:3] + boxes[3:]) / 2, (boxes[3:] - boxes[:3]) / 2
        size = np.maximum(np.abs(boxes[:3]), np.abs(boxes[3:]))
        found = np.empty((6, len(rows)))
        tilt = self.slopes[:, pairs]
        is_tilted = bool(tilt.any())
        for axis in range(3):
            x, y, z, shift = (self._matrices[4 * axis + i].take(rows) for i in range(4))
            if axis == 2 and is_tilted:
                x, y, z, shift = (
                    each
                    - tilt[0] * self._matrices[i].take(rows)
                    - tilt[1] * self._matrices[4 + i].take(rows)
                    for i, each in enumerate((x, y, z, shift))
                )
            center = x * middle[0] + y * middle[1] + z * middle[2] + shift
            extent = np.abs(x) * half[0] + np.abs(y) * half[1] + np.abs(z) * half[2]
            a, b, c, d = (self._terms[4 * axis + i].take(rows) for i in range(4))
            if axis == 2 and is_tilted:
                a, b, c, d = (
                    each
                    + np.abs(tilt[0]) * self._terms[i].take(rows)
                    + np.abs(tilt[1]) * self._terms[4 + i].take(rows)
                    for i, each in enumerate((a, b, c, d))
                )
            extent += (a * size[0] + b * size[1] + c * size[2] + d) * _GROWN
            found[axis], found[3 + axis] = center - extent, center + extent
        return found

    def each_once(self, pairs: Ids, patches: Ids) -> tuple[Ids, Ids]:
        """Return where each patch of each pair stands first, and which of these each one is."""
        keys = pairs * len(self._sheets.patches.firsts) + patches
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return first, which

    def placed(self, number: int, pairs: Ids, patches: Ids) -> PlacedPatches:
        """Return the triangles of small patches of one side of pairs, each once."""
        used, which = self.each_once(pairs, patches)
        owners, entries = self._sheets.patches.entries(patches[used])
        whose = pairs[used[owners]]
        rows = self._rows[number, whose]
        corners = self._moment.placed(self._sheets, entries, rows).rows.reshape(3, 3, -1)
        counts = np.bincount(owners, minlength=len(used))
        firsts = np.cumsum(counts) - counts
        bounds = self.triangles(corners, whose)
        around = np.concatenate(
            (
                np.minimum.reduceat(bounds[:3], firsts, axis=1),
                np.maximum.reduceat(bounds[3:], firsts, axis=1),
            )
        )
        return PlacedPatches(entries, corners, bounds, around, firsts, counts, which)

    def triangles(self, corners: Floats, pairs: Ids) -> Floats:
        """Return the bounds of triangles (3 corners, 3 axes, t), as seen along the way, (6, t)."""
        seen, tilt = self._way.seen(corners), self.slopes[:, pairs]
        seen[:, 2] -= tilt[0] * seen[:, 0] + tilt[1] * seen[:, 1]
        moved = np.full((3, len(pairs)), self._way.error)
        moved[2] += np.abs(tilt).sum(axis=0) * (_TILTED + self._way.error)
        return np.concatenate((seen.min(axis=0) - moved, seen.max(axis=0) + moved))
