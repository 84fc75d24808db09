"""Placement: up from where an item is to a cell that holds it, and down to where it belongs."""

import numpy as np

from ..arrays import Flags, Floats, Ids, gather
from ..cells import Cells
from ..child_masks import POPCOUNT
from ..construction.levels import Pairs, handed_down
from ..construction.off_grid import ItemBounds, OffGridCells
from ..grid import Grid
from ..options import Options
from .assignment import NO_CELL, Assignment
from .items import limits, simplest


def placed(assignment: Assignment, rows: Floats, moved: Ids, options: Options) -> Assignment:
    """Return the assignment after these of the items (7, n) have looked for their cells.

    Each goes up from a cell that it stands in to the first that holds it, then down.
    """
    if len(moved) == 0:
        return assignment
    some, cells = gather(rows, moved), assignment.cells
    above = first_holding_ancestor(cells, options, assignment.any_cell[moved], some)
    found, strays = pushed_down(cells, options, above, some)
    return assignment.reassigned(moved, Pairs(moved[found.entries], found.cells), moved[strays])


def holding_boxes(cells: Cells, options: Options) -> Floats:
    """Return the boxes (6, m) by which the cells hold items whole.

    With "keep", the enlarged cells: sets are closed. With "copy", what surely touches no
    neighbor; the root, which has none, whole.
    """
    if options.straddlers == "keep":
        return cells.loose_rows
    tolerance = 4 * root_grid(cells).rounding
    boxes = np.concatenate((cells.rows[:3] + tolerance, cells.rows[3:] - tolerance))
    boxes[:, 0] = cells.rows[:, 0]
    return boxes


def root_grid(cells: Cells) -> Grid:
    """Return the root as a grid of one cell."""
    return Grid(cells.rows[:3, 0], cells.rows[3:, 0], 0)


def bounds_of(rows: Floats, never_copied: Flags) -> ItemBounds:
    """Return the bounds of items (7, k); those copied before may reach beyond their cell."""
    bounds = ItemBounds(simplest(rows), *limits(rows))
    bounds.never_copied = never_copied
    return bounds


def held(boxes: Floats, lower: Floats, upper: Floats) -> Flags:
    """Return which of these boxes (6, k) hold these bounds (3, k), (k,)."""
    return ((lower >= boxes[:3]) & (upper <= boxes[3:])).all(axis=0)


def first_holding_ancestor(cells: Cells, options: Options, starts: Ids, rows: Floats) -> Ids:
    """Return for each item (7, k) the first cell, from its start upwards, that holds it."""
    boxes, (lower, upper) = holding_boxes(cells, options), limits(rows)
    found = np.maximum(starts, 0)
    here, waiting = found, np.arange(len(found))
    while len(waiting):
        up = np.flatnonzero(~held(gather(boxes, here), lower, upper))
        here = cells.parent[here[up]]  # the root has none
        found[waiting[up]] = here
        inside = np.flatnonzero(here != NO_CELL)
        here, up = here[inside], up[inside]
        waiting, lower, upper = waiting[up], gather(lower, up), gather(upper, up)
    return found


def pushed_down(cells: Cells, options: Options, starts: Ids, rows: Floats) -> tuple[Pairs, Ids]:
    """Return the pairs of item and cell after items (7, k) have gone down from these cells.

    They ascend by item. The second result are the strays.
    """
    pairs, strays = Pairs(np.arange(len(starts)), starts), [starts[:0]]
    found, grid = pairs[:0], root_grid(cells)
    never_copied = np.ones(len(starts), bool)
    while len(pairs):
        going = (pairs.cells != NO_CELL) & (cells.first_child[pairs.cells] >= 0)
        found, pairs = found + pairs[~going], pairs[going]
        if len(pairs) == 0:
            break
        walls, middles = gather(cells.rows, pairs.cells), gather(cells.middle_rows, pairs.cells)
        bounds = bounds_of(gather(rows, pairs.entries), never_copied[pairs.entries])
        masks, lost = OffGridCells(grid, walls, middles).taking_each(bounds, options)
        # Also of an item whose other copies have come to rest in leaves, this is only a part.
        never_copied[pairs.entries[POPCOUNT[masks] > 1]] = False
        if len(lost):
            strays.append(pairs.entries[lost])
        is_held = masks > 0
        found, pairs = found + pairs[~is_held], pairs[is_held]
        pairs = handed_down(pairs.entries, cells.first_child[pairs.cells], masks[is_held])
    return found[np.argsort(found.entries, kind="stable")], np.unique(np.concatenate(strays))
