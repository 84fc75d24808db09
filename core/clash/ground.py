"""Ground: the level on which most stands, of those at which heaps of components end below."""

import numpy as np

from ..apart import islands
from ..arrays import Floats, Ids, starts_of_runs
from ..boxes import bounds_by_owner
from ..scene.moment import Moment
from ..shapes import Boxes
from .bands import resolutions
from .components import components

# A component stands on another if it would fall onto it by no more than so many times its own
# size, and the other is not smaller by more than the second factor.
_REACH, _CARRIES = 4.0, 1 / 32


def grounds_of(
    moment: Moment, labels: Ids, parts: Ids, drops: Floats, below: Ids, stated: float
) -> Ids:
    """Return the rows of placements that need no support, (g,).

    The widest of those on which most stands is the first.

    Parameters
    ----------
    moment : Moment
        The scene.
    labels : ndarray of intp, shape (n,)
        The component of each row.
    parts : ndarray of intp, shape (c,)
        The components that are asked about, ascending.
    drops, below : ndarray, shape (c,)
        How far each of them falls, and onto which row; -1 for none.
    stated : float
        The band of the audit.
    """
    placements = moment.placements
    (rows,) = (moment.in_groups & placements.is_there).nonzero()
    if not len(rows):
        return rows
    boxes = placements.boxes[:, rows]
    own = np.searchsorted(parts, labels[rows])
    around = bounds_by_owner(boxes[:3], boxes[3:], own, len(parts))
    heaps = _heaps(around, parts, labels, drops, below)[own]
    heaps = np.unique(heaps, return_inverse=True)[1]
    counts, groups = np.bincount(heaps), islands(Boxes(boxes[:3].T, boxes[3:].T))
    crowds = np.zeros(len(counts), np.intp)
    np.maximum.at(crowds, heaps, np.bincount(groups)[groups])
    bands = np.maximum(resolutions(boxes[2::3]), stated)
    order = np.lexsort((boxes[2], heaps))
    feet = order[starts_of_runs(heaps[order])]
    level = _level(boxes[2, feet], bands[feet], counts, crowds)
    (lowest,) = (boxes[2] <= level + bands).nonzero()
    wide = np.prod(boxes[3:5, lowest] - boxes[:2, lowest], axis=0)
    is_deeper = boxes[2, lowest] < level
    return rows[lowest[np.lexsort((-wide, -counts[heaps[lowest]], is_deeper))]]


def lowest(moment: Moment, stated: float) -> Ids:
    """Return the rows of placements that reach down to the lowest point of all."""
    (rows,) = moment.placements.is_there.nonzero()
    heights = moment.placements.boxes[2::3, rows]
    bands = np.maximum(resolutions(heights), stated)
    return rows[heights[0] <= heights[0].min(initial=np.inf) + bands]


def _heaps(around: Floats, parts: Ids, labels: Ids, drops: Floats, below: Ids) -> Ids:
    """Return for each component the smallest one of those that stand on each other, (c,)."""
    (lands,) = (below >= 0).nonzero()
    onto = np.searchsorted(parts, labels[below[lands]])
    sizes = np.linalg.norm(around[3:] - around[:3], axis=0)
    stands = drops[lands] <= _REACH * sizes[lands]
    stands &= sizes[onto] >= _CARRIES * sizes[lands]
    return components(len(parts), lands[stands], onto[stands])


def _level(bottoms: Floats, bands: Floats, counts: Ids, crowds: Ids) -> float:
    """Return the height at which heaps of the most placements end; of equal ones, the lowest.

    But the ground of equally many is that of the larger crowd, far from which others are.
    """
    order = np.argsort(bottoms, kind="stable")
    heights = bottoms[order]
    ends = heights + bands[order]
    sums = np.append(0, np.cumsum(counts[order]))
    totals = sums[np.searchsorted(heights, ends, side="right")] - sums[:-1]
    best = np.lexsort((heights, -crowds[order], -totals))[0]
    return float(heights[best])
