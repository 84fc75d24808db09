"""Which cells an item stands in: up from where it is to a cell that holds it, and down again."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Flags, Floats, Ids, gather
from ..child_masks import ChildMasks
from ..construction.levels import Pairs
from ..construction.off_grid import ItemBounds, OffGridCells
from ..grid import Grid, enlarged
from .assignment import OUTSIDE
from .cells import Cells
from .items import limits, simplest

_EIGHT = np.arange(8, dtype=np.uint8)


class Placement(Protocol):
    """What becomes of items that several parts of a cell concern."""

    def boxes(self, cells: Cells) -> Floats:
        """Return the boxes (6, m) by which the cells hold items."""

    def parts(
        self, cells: Cells, walls: Floats, middles: Floats, items: ItemBounds
    ) -> tuple[ChildMasks, Ids]:
        """Return the parts that take each item from its cell, (k,); none where it stays.

        `walls` (6, k) and `middles` (3, k) are those of the items' cells. The second result are
        the strays: items that touch no part, by a rounding, and go to all that they may touch.
        """


@dataclass(frozen=True)
class Keep:
    """Each item stands in the deepest cell that holds it, enlarged by a factor."""

    factor: float

    def boxes(self, cells: Cells) -> Floats:
        """Return the enlarged cells: sets are closed."""
        return cells.loose_rows

    def parts(
        self, cells: Cells, walls: Floats, middles: Floats, items: ItemBounds
    ) -> tuple[ChildMasks, Ids]:
        """Return the part around the item's centre, if it holds the item whole."""
        above = items.centers >= middles
        low, high = np.where(above, middles, walls[:3]), np.where(above, walls[3:], middles)
        low, high = enlarged(low, high, self.factor)
        held = ((items.lower >= low) & (items.upper <= high)).all(axis=0)
        x, y, z = above.view(np.uint8)
        part = x | y << np.uint8(1) | z << np.uint8(2)
        return held.view(np.uint8) << part, np.empty(0, np.intp)


@dataclass(frozen=True)
class Copy:
    """Each item stands in all leaves that it touches."""

    def boxes(self, cells: Cells) -> Floats:
        """Return what surely touches no neighbour; the root, which has none, whole."""
        reach = 4 * _grid(cells).rounding
        boxes = np.concatenate((cells.rows[:3] + reach, cells.rows[3:] - reach))
        boxes[:, 0] = cells.rows[:, 0]
        return boxes

    def parts(
        self, cells: Cells, walls: Floats, middles: Floats, items: ItemBounds
    ) -> tuple[ChildMasks, Ids]:
        """Return the parts that the item touches, generously by a rounding."""
        free = OffGridCells(_grid(cells), walls, middles)
        everyone = np.arange(len(items.items))
        return free.touched(items, Pairs(everyone, everyone))


def _grid(cells: Cells) -> Grid:
    return Grid(cells.rows[:3, 0], cells.rows[3:, 0], 0)


def places(rows: Floats, single: Flags) -> ItemBounds:
    """Return where items (7, k) are; those that are not single may reach beyond their cell."""
    found = ItemBounds(simplest(rows), *limits(rows))
    found.single = single
    return found


def held(boxes: Floats, lower: Floats, upper: Floats) -> Flags:
    """Return which of these boxes (6, k) hold these bounds (3, k), (k,)."""
    return ((lower >= boxes[:3]) & (upper <= boxes[3:])).all(axis=0)


def climbed(cells: Cells, placement: Placement, starts: Ids, rows: Floats) -> Ids:
    """Return for each item (7, k) the first cell, from its start upwards, that holds it."""
    boxes, (lower, upper) = placement.boxes(cells), limits(rows)
    found = np.maximum(starts, 0)
    here, waiting = found, np.arange(len(found))
    while len(waiting):
        up = np.flatnonzero(~held(gather(boxes, here), lower, upper))
        here = cells.parent[here[up]]  # the root's is -1: outside
        found[waiting[up]] = here
        inside = np.flatnonzero(here != OUTSIDE)
        here, up = here[inside], up[inside]
        waiting, lower, upper = waiting[up], gather(lower, up), gather(upper, up)
    return found


def sunk(cells: Cells, placement: Placement, starts: Ids, rows: Floats) -> tuple[Pairs, Ids]:
    """Return the pairs of item and cell that come of items (7, k) going down from these cells.

    They ascend by item. The second result are the strays.
    """
    pairs, strays = Pairs(np.arange(len(starts)), starts), [starts[:0]]
    found = pairs[:0]
    while len(pairs):
        going = (pairs.cells != OUTSIDE) & (cells.first_child[pairs.cells] >= 0)
        found, pairs = found + pairs[~going], pairs[going]
        if len(pairs) == 0:
            break
        single = np.bincount(pairs.entries)[pairs.entries] == 1
        walls, middles = gather(cells.rows, pairs.cells), gather(cells.middle_rows, pairs.cells)
        items = places(gather(rows, pairs.entries), single)
        parts, lost = placement.parts(cells, walls, middles, items)
        strays.append(pairs.entries[lost])
        found = found + pairs[parts == 0]
        pairs = handed_down(pairs.entries, cells.first_child[pairs.cells], parts)
    return found[np.argsort(found.entries, kind="stable")], np.unique(np.concatenate(strays))


def handed_down(entries: Ids, first_parts: Ids, parts: ChildMasks) -> Pairs:
    """Return a pair for each part that takes an entry, entry by entry."""
    taken, part = (parts[:, None] >> _EIGHT & 1).nonzero()
    return Pairs(entries[taken], first_parts[taken] + part)
