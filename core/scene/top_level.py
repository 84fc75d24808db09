"""The top level of a scene: to which placements rays, points and volumes come."""

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

# Volumes that ask together at first; later batches should find this many pairs.
_FIRST, _PAIRS = 4_096, 262_144
# So few rays ask for all boxes at once: that costs less than to look where the scene begins.
_ALONE = 16
# Boxes that the first window holds, about; the factor by which the next one is wider.
_CROSSED, _WIDER = 6.0, 3.0
# The slowest that a direction counts as moving along an axis.
_STANDING = 2.0**-100
# Nearest boxes that a point tries first, and the factor for more if these are too few.
_BOXES, _MORE = 1, 8
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-46


@dataclass(frozen=True)
class TopLevel(IndexSnapshot):
    """Placements, and the octree of their boxes.

    A placement outside the groups of the question is missing in `top` and in `is_there`.
    """

    placements: Placements
    top: Octree

    @property
    def in_groups(self) -> Flags:
        """Flags of the placements in the groups of the question, (n,)."""
        assert self.top.ids is not None
        return flagged(len(self.placements), self.placements.rows_named(self.top.ids))

    def ray_pairs(self, rays: Rays, closest: Floats) -> Iterator[RayPairs]:
        """Yield the placements that rays come to, first those near where they enter the scene.

        The caller lowers `closest`. A ray that has found something nearer than its window reaches
        has no more; the windows of the others grow. So few boxes behind the hits are looked for.
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
        """Return placements with boxes that rays cross, unless entered before `beyond` (q,)."""
        numbers, _, items, entries = all_crossings(TreeSnapshot(self.top), rays)
        rows = self.placements.rows_named(self.top.named(items))
        far = entries + np.abs(rays.origins).max(axis=0, initial=0.0)[numbers]
        pairs = RayPairs(numbers, rows, entries - far * 2.0**-44)
        return pairs[(entries >= beyond[numbers]) & self.placements.is_there[rows]]

    def point_pairs(self, points: Floats, best: SearchLimits) -> Iterator[tuple[Ids, Ids]]:
        """Yield points (3, q) and placements: those with the nearest boxes, then all in reach.

        Boxes are looked at until each point knows how far to look; of the others those first that
        promise most.
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
        """Yield points and the placements with the nearest boxes, more and more of them."""
        asking = np.arange(points.shape[1])
        boxes = _BOXES if len(asking) > _ALONE else _BOXES * _MORE
        while len(asking):
            found = nearest(
                self.top, points[:, asking].T, count=boxes, max_distance=best.most
            ).items
            numbers, ranks = np.nonzero(found >= 0)
            yield asking[numbers], self.placements.rows_named(found[numbers, ranks])
            more = found[:, -1] >= 0  # there may be others farther away
            asking, boxes = asking[more & ~best.are_full[asking]], boxes * _MORE

    def _in_reach(self, points: Floats, limits: Floats) -> tuple[Ids, Ids, Floats]:
        """Return points, ascending, placements within their limits, and how far, nearest first."""
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
        """Return pairs of a volume and the row of a placement whose box it touches, sorted."""
        found, ids = query(self.top, volumes)
        rows = self.placements.rows_named(ids)
        (there,) = self.placements.is_there[rows].nonzero()
        return found[there], rows[there]

    def volume_pairs(self, volumes: Shapes) -> Iterator[VolumePairs]:
        """Yield pairs of a volume and a placement with a box that it touches, some at a time."""
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
    """Return where rays enter and leave a box (2, 3), a little too early and too late."""
    units = rays.directions / rays.lengths
    units = np.where(np.abs(units) < _STANDING, _STANDING, units)
    slack = (np.abs(around).max() + np.abs(rays.origins)) * 2.0**-40
    walls = np.stack((around[0][:, None] - slack, around[1][:, None] + slack))
    steps = (walls - rays.origins) / units
    begins, ends = steps.min(axis=0).max(axis=0), steps.max(axis=0).min(axis=0)
    return np.maximum(begins * (1 - 2.0**-40), 0.0), ends * (1 + 2.0**-40)


def _free_path(boxes: Floats, around: Floats) -> float:
    """Estimate how far rays go until they have crossed a few of these boxes."""
    size = around[1] - around[0]
    longest = float(size.max())
    if longest == 0:
        return 1.0
    x, y, z = (boxes[3:] - boxes[:3]) / longest
    # Convex bodies are seen with a quarter of their surface on average (Cauchy).
    seen = float((x * y + y * z + z * x).sum()) / 2
    path = _CROSSED * float((size / longest).prod()) / seen if seen > 0 else 1.0
    return float(np.clip(path, 1 / 256, 1.0)) * longest
