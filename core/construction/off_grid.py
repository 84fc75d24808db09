"""Cells whose walls lie anywhere, on no grid; and which of their parts an item goes to."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import child_masks
from ..arrays import Floats, Ids, gather
from ..child_masks import ON_SIDES, POPCOUNT, ChildMasks
from ..grid import Grid, enlarged
from ..shapes import Shapes
from .levels import Pairs

# Of the root's size: what a few roundings may move an item by.
_MARGIN = 2.0**-46


class ItemBounds:
    """Where the items of a tree are, (3, n) each, and which have never been copied."""

    def __init__(self, items: Shapes, lower: Floats, upper: Floats) -> None:
        self.items, self.lower, self.upper = items, lower, upper
        self.centers = (lower + upper) / 2
        self.single = np.ones(len(items), bool)


@dataclass(frozen=True)
class OffGridCells:
    """Cells with these walls, (6, c), that are divided at `middles`, (3, c)."""

    grid: Grid
    walls: Floats
    middles: Floats

    @property
    def parts(self) -> Floats:
        """The walls of their eight parts, (6, 8 c)."""
        return eight_parts(self.walls, self.middles)

    @cached_property
    def _from(self) -> Floats:
        """From where on something lies in the upper part; nothing does in one without extent."""
        return np.where(self.middles < self.walls[3:], self.middles, np.inf)

    def touched(self, places: ItemBounds, pairs: Pairs) -> tuple[ChildMasks, Ids]:
        """Return the parts of its cell that each entry touches.

        The second result are entries that touch no part, by a rounding: they are given every part
        that their bounds overlap.
        """
        overlapped = self._overlapped(places, pairs)
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        certain = 1 + places.single.take(pairs.entries).view(np.uint8)
        doubtful = np.flatnonzero(POPCOUNT.take(overlapped) > certain)
        some = pairs[doubtful]
        scale = self.grid.scale / 2**self.grid.depth
        reach = np.stack((self.middles - self.walls[:3], self.walls[3:] - self.middles))
        reach = gather((reach * scale[:, None]).reshape(6, -1), some.cells).reshape(2, 3, -1)
        middles = gather(self.middles, some.cells)
        touched = child_masks.touched(places.items, some.entries, middles, scale, _MARGIN, reach)
        return overlapped, some.entries[child_masks.confirm(overlapped, doubtful, touched)]

    def _overlapped(self, places: ItemBounds, pairs: Pairs) -> ChildMasks:
        """Return the parts that the entries' bounds overlap, or miss by a rounding."""
        rounding, flags = self.grid.rounding, np.zeros(len(pairs), np.uint8)
        for axis in range(3):
            wall = self._from[axis].take(pairs.cells)
            below = places.lower[axis].take(pairs.entries) <= wall + rounding
            above = places.upper[axis].take(pairs.entries) >= wall - rounding
            flags |= below.view(np.uint8) << 2 * axis | above.view(np.uint8) << 2 * axis + 1
        return ON_SIDES.take(flags)

    def holding(self, places: ItemBounds, pairs: Pairs, factor: float) -> ChildMasks:
        """Return the part around each entry's centre, if it holds it whole when it is enlarged.

        A centre on the wall belongs to the larger part, which grows further beyond it.
        """
        lower_is_larger = self.middles - self.walls[:3] > self.walls[3:] - self.middles
        start = np.where(lower_is_larger, np.nextafter(self._from, np.inf), self._from)
        part = np.zeros(len(pairs), np.intp)
        for axis in range(3):
            above = places.centers[axis].take(pairs.entries) >= start[axis].take(pairs.cells)
            part |= above.astype(np.intp) << axis
        walls = gather(self.parts, 8 * pairs.cells + part)
        low, high = enlarged(walls[:3], walls[3:], factor)
        held = (gather(places.lower, pairs.entries) >= low).all(axis=0)
        held &= (gather(places.upper, pairs.entries) <= high).all(axis=0)
        return held.astype(np.uint8) << part.astype(np.uint8)


def eight_parts(walls: Floats, middles: Floats) -> Floats:
    """Return the eight parts (6, 8 c) of cells with these walls, (6, c), divided at `middles`."""
    upper = (np.arange(8) >> np.arange(3)[:, None] & 1 == 1)[:, None]
    low, high = walls[:, :, None].reshape(2, 3, -1, 1)
    rows = np.where(upper, middles[:, :, None], low), np.where(upper, high, middles[:, :, None])
    return np.concatenate(rows).reshape(6, -1)
