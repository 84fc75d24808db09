"""Ground: the level at which the stacks with the most placements end below.

A component is a connected component of the graph of contacts. A stack is a set of components that
stand on each other. A row is the position of a placement in the snapshot of the scene.
"""

import numpy as np

from ..apart import islands
from ..arrays import Floats, Ids, starts_of_runs
from ..boxes import bounds_by_owner
from ..scene.moment import Moment
from ..shapes import Boxes
from .bands import resolutions
from .components import components

# A component stands on another if it falls onto the other by at most _REACH times its own size,
# and the other has at least _CARRIES times its size.
_REACH, _CARRIES = 4.0, 1 / 32


def grounds_of(
    moment: Moment, labels: Ids, parts: Ids, drops: Floats, below: Ids, stated: float
) -> Ids:
    """Return the rows of placements that need no support, (g,).

    Placements that end at the ground level come first, the largest stacks first, then
    the largest base areas; deeper placements follow.

    Parameters
    ----------
    moment : Moment
        Snapshot of the scene.
    labels : ndarray of intp, shape (n,)
        The component of each row.
    parts : ndarray of intp, shape (c,)
        The components, ascending.
    drops, below : ndarray, shape (c,)
        The drop of each component, and the row that it lands on; -1 for none.
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
    """Return the rows of placements that reach down to the lowest point of the scene."""
    (rows,) = moment.placements.is_there.nonzero()
    heights = moment.placements.boxes[2::3, rows]
    bands = np.maximum(resolutions(heights), stated)
    return rows[heights[0] <= heights[0].min(initial=np.inf) + bands]


def _heaps(around: Floats, parts: Ids, labels: Ids, drops: Floats, below: Ids) -> Ids:
    """Return the stack of each component, named by its smallest component, (c,)."""
    (lands,) = (below >= 0).nonzero()
    onto = np.searchsorted(parts, labels[below[lands]])
    sizes = np.linalg.norm(around[3:] - around[:3], axis=0)
    stands = drops[lands] <= _REACH * sizes[lands]
    stands &= sizes[onto] >= _CARRIES * sizes[lands]
    return components(len(parts), lands[stands], onto[stands])


def _level(bottoms: Floats, bands: Floats, counts: Ids, crowds: Ids) -> float:
    """Return the height at which the stacks with the most placements end.

    Ties prefer the larger of `crowds`, the sizes of groups of boxes separated by empty space, then
    the lowest level.
    """
    order = np.argsort(bottoms, kind="stable")
    heights = bottoms[order]
    ends = heights + bands[order]
    sums = np.append(0, np.cumsum(counts[order]))
    totals = sums[np.searchsorted(heights, ends, side="right")] - sums[:-1]
    best = np.lexsort((heights, -crowds[order], -totals))[0]
    return float(heights[best])
