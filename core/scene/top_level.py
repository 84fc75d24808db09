"""The top level of a scene: candidate placements for rays, points and volumes.

A row is the position of a placement among all placements.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, flagged
from ..boxes import box_gaps
from ..nearby import nearest
from ..octree import Octree
from ..rays.walked import all_crossings
from ..rounds import in_rounds
from ..shapes import Shapes, Spheres
from ..snapshot import IndexSnapshot, RayPairs, SearchLimits, TreeSnapshot, VolumePairs
from ..touch import lying_inside
from ..touch.rays import Rays
from ..volumes import query
from .placements import Placements

# Volumes in the first batch; the size of later batches aims at this many pairs.
_FIRST, _PAIRS = 4_096, 262_144
# Up to this many rays, all boxes along them are found at once: windows would cost more.
_ALONE = 16
# Boxes that a ray should cross in its first window, and the factor by which windows grow.
_CROSSED, _WIDER = 6.0, 3.0
# Smallest component of a unit direction; smaller ones are replaced by it.
_STANDING = 2.0**-100
# Nearest boxes that are searched first for a point, and the factor by which their number grows.
_BOXES, _MORE = 1, 8
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-46


@dataclass(frozen=True)
class TopLevel(IndexSnapshot):
    """Placements, and the octree of their boxes.

    A placement outside the groups of a query is not in `top`, and its `is_there` is False.
    """

    placements: Placements
    top: Octree

    @property
    def in_groups(self) -> Flags:
        """Flags of the placements in the groups of the query, (n,)."""
        assert self.top.ids is not None
        return flagged(len(self.placements), self.placements.rows_named(self.top.ids))

    def ray_pairs(self, rays: Rays, closest: Floats) -> Iterator[RayPairs]:
        """Yield candidate placements of rays, in windows that begin where rays enter the scene.

        The caller lowers `closest` meanwhile. A ray with a hit inside its window is done; the
        windows of the other rays grow. So few boxes behind the hits are searched.
        """
        if len(rays) <= _ALONE:
            yield self._boxes_crossed(rays.up_to(closest), np.zeros(len(rays)))
            return
        there = self.placements.boxes[:, self.placements.is_there]
        if there.shape[1] == 0:
            return
        around = np.stack((there[:3].min(axis=1), there[3:].max(axis=1)))
        begins, ends = _span(rays, around)
        step, seen = _free_path(there, around), np.zeros(len(rays))
        (asking,) = (begins <= np.minimum(ends, closest)).nonzero()
        while len(asking):
            reach = np.minimum(begins[asking] + step, closest[asking])
            last = reach + step > ends[asking]
            reach[last] = closest[asking[last]]
            yield self._boxes_crossed(rays[asking].up_to(reach), seen[asking]).numbered(asking)
            seen[asking] = reach
            asking, step = asking[(closest[asking] > reach) & ~last], step * _WIDER

    def _boxes_crossed(self, rays: Rays, beyond: Floats) -> RayPairs:
        """Return the placements whose boxes rays enter at distances of `beyond` (q,) or more."""
        numbers, _, items, entries = all_crossings(TreeSnapshot(self.top), rays)
        rows = self.placements.rows_named(self.top.named(items))
        far = entries + np.abs(rays.origins).max(axis=0, initial=0.0)[numbers]
        pairs = RayPairs(numbers, rows, entries - far * 2.0**-44)
        return pairs[(entries >= beyond[numbers]) & self.placements.is_there[rows]]

    def point_pairs(self, points: Floats, best: SearchLimits) -> Iterator[tuple[Ids, Ids]]:
        """Yield pairs of points (3, q) and rows of placements that may hold nearest items.

        For each point, the nearest boxes come first, until its search radius is known. The other
        boxes within the radius follow in rounds of growing size, the nearest first.
        """
        looked = np.empty(0, np.intp)
        for numbers, rows in self._nearest_boxes(points, best):
            keys = numbers * len(self.placements) + rows
            new = np.flatnonzero(self.placements.is_there[rows] & ~np.isin(keys, looked))
            yield numbers[new], rows[new]
            looked = np.concatenate((looked, keys[new]))
        numbers, rows, away = self._in_reach(points, best.limits)
        new = np.flatnonzero(~np.isin(numbers * len(self.placements) + rows, looked))
        numbers, rows, away = numbers[new], rows[new], away[new]
        for early in in_rounds(numbers, 1, 4, lambda of, left: away[left] <= best.limits[of]):
            yield numbers[early], rows[early]

    def _nearest_boxes(self, points: Floats, best: SearchLimits) -> Iterator[tuple[Ids, Ids]]:
        """Yield points and the placements with the nearest boxes, in growing numbers."""
        asking = np.arange(points.shape[1])
        boxes = _BOXES if len(asking) > _ALONE else _BOXES * _MORE
        while len(asking):
            found = nearest(
                self.top, points[:, asking].T, count=boxes, max_distance=best.most
            ).items
            numbers, ranks = np.nonzero(found >= 0)
            yield asking[numbers], self.placements.rows_named(found[numbers, ranks])
            more = found[:, -1] >= 0  # farther boxes may exist
            asking, boxes = asking[more & ~best.are_full[asking]], boxes * _MORE

    def _in_reach(self, points: Floats, limits: Floats) -> tuple[Ids, Ids, Floats]:
        """Return points, placements within their limits, and lower bounds of their distances.

        They are sorted by point, then by distance.
        """
        (asking,) = np.isfinite(limits).nonzero()
        size = limits[asking] + np.abs(points[:, asking]).max(axis=0)
        spheres = np.concatenate((points[:, asking], (limits[asking] + size * _ROUNDING)[None]))
        numbers, rows = self.rows_touching(Spheres.from_rows(spheres))
        numbers = asking[numbers]
        gaps = box_gaps(self.placements.boxes[:, rows], points[:, numbers])
        away = np.sqrt((gaps * gaps).sum(axis=0)) * (1 - _ROUNDING)
        order = np.lexsort((away, numbers))
        return numbers[order], rows[order], away[order]

    def rows_touching(self, volumes: Shapes) -> tuple[Ids, Ids]:
        """Return volumes and rows of placements whose boxes they touch, pair by pair, sorted."""
        found, ids = query(self.top, volumes)
        rows = self.placements.rows_named(ids)
        (there,) = self.placements.is_there[rows].nonzero()
        return found[there], rows[there]

    def volume_pairs(self, volumes: Shapes) -> Iterator[VolumePairs]:
        """Yield batches of pairs of volumes and placements whose boxes they touch."""
        first, size = 0, _FIRST
        while first < len(volumes):
            asked = np.arange(first, min(first + size, len(volumes)))
            part = volumes if len(asked) == len(volumes) else volumes[asked]
            found, rows = self.rows_touching(part)
            whole = lying_inside(self.top.items, self._tops(rows), part, found)
            yield VolumePairs(asked[found], rows, whole)
            first += len(asked)
            size = max(1, min(4 * len(asked), len(asked) * _PAIRS // max(len(rows), 1)))

    def _tops(self, rows: Ids) -> Ids:
        """Return the numbers of placements among the items of the top level."""
        if len(self.top.items) == len(self.placements):
            return rows
        assert self.top.ids is not None
        return np.searchsorted(self.top.ids, self.placements.ids[rows])


def _span(rays: Rays, around: Floats) -> tuple[Floats, Floats]:
    """Return the distances at which rays enter and leave a box (2, 3), enlarged for rounding."""
    units = rays.directions / rays.lengths
    units = np.where(np.abs(units) < _STANDING, _STANDING, units)
    slack = (np.abs(around).max() + np.abs(rays.origins)) * 2.0**-40
    walls = np.stack((around[0][:, None] - slack, around[1][:, None] + slack))
    steps = (walls - rays.origins) / units
    begins, ends = steps.min(axis=0).max(axis=0), steps.max(axis=0).min(axis=0)
    return np.maximum(begins * (1 - 2.0**-40), 0.0), ends * (1 + 2.0**-40)


def _free_path(boxes: Floats, around: Floats) -> float:
    """Estimate the distance within which a ray crosses `_CROSSED` of these boxes."""
    size = around[1] - around[0]
    longest = float(size.max())
    if longest == 0:
        return 1.0
    x, y, z = (boxes[3:] - boxes[:3]) / longest
    # The mean projected area of a convex body is a quarter of its surface area (Cauchy).
    seen = float((x * y + y * z + z * x).sum()) / 2
    path = _CROSSED * float((size / longest).prod()) / seen if seen > 0 else 1.0
    return float(np.clip(path, 1 / 256, 1.0)) * longest
