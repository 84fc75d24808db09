"""Which cells have become too empty for parts, and which are too fine."""

import numpy as np

from ..arrays import Ids
from ..construction.levels import Pairs
from .assignment import OUTSIDE, Layout


def sparse(layout: Layout, least: int) -> Ids:
    """Return the uppermost divided cells whose subtrees hold fewer items than `least`."""
    counts = layout.end - layout.begin if layout.single else _different_items(layout, least)
    few = (layout.cells.first_child >= 0) & (counts < least)
    return np.flatnonzero(few & ~np.append(few, False)[layout.cells.parent])


def too_fine(layout: Layout, most: int) -> Ids:
    """Return the uppermost divided cells at the greatest depth allowed, or with too fine parts."""
    cells = layout.cells
    sizes = (cells.rows[3:] - cells.rows[:3]).max(axis=0)
    is_limit = (cells.depth >= most) | (sizes / 2 < layout.finest)
    fine = (cells.first_child >= 0) & is_limit
    return np.flatnonzero(fine & ~np.append(fine, False)[cells.parent])


def _different_items(layout: Layout, least: int) -> Ids:
    """Count the different items in each subtree, as far as they are fewer than `least`.

    Of a subtree that holds enough, nothing is handed up: what is counted stays small.
    """
    cells, counts = layout.cells, layout.own.copy()
    pairs = layout.homes[layout.homes.cells != OUTSIDE]
    for depth in range(int(cells.depth.max()), 0, -1):
        (here,) = (cells.depth == depth).nonzero()
        enough = here[counts[here] >= least]
        up = pairs[(cells.depth[pairs.cells] == depth) & (counts[pairs.cells] < least)]
        keys = np.unique(up.entries * len(cells) + cells.parent[up.cells])
        lifted = Pairs(keys // len(cells), keys % len(cells))
        counts += np.bincount(lifted.cells, minlength=len(cells))
        counts[cells.parent[enough]] = least
        pairs = pairs[cells.depth[pairs.cells] < depth] + lifted
    return counts
