"""Cuts: cells at the moment of their division, and which of their children items touch."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import child_masks
from ..arrays import Flags, Floats, Ids, gather
from ..child_masks import POPCOUNT, ChildMasks
from ..shapes import Shapes
from .levels import Members


@dataclass(frozen=True)
class Cut:
    """Cells with these walls, (6, c), that are divided at `middles`, (3, c).

    `scale`, (3,), is one by the unit of length of each axis: children count as `margin` units
    larger than they are.
    """

    walls: Floats
    middles: Floats
    scale: Floats
    margin: float

    @cached_property
    def _reach(self) -> Floats:
        """The extents of the children below and above the middles, in units, (6, c)."""
        # Walls are rounded, so children are not quite of one size.
        sizes = np.stack((self.middles - self.walls[:3], self.walls[3:] - self.middles))
        return (sizes * self.scale[:, None]).reshape(6, -1)

    def touched(
        self, items: Shapes, pairs: Members, overlapped: ChildMasks, is_whole: Flags
    ) -> tuple[ChildMasks, Ids]:
        """Return the children that the entry of each pair touches, of those its bounds overlap.

        `is_whole` flags entries that lie in their cell. `overlapped` is written to. The second
        result are strays: entries that touch no child, by a rounding, and are given every child
        that their bounds overlap.
        """
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        certain = 1 + is_whole.view(np.uint8)
        doubtful = np.flatnonzero(POPCOUNT.take(overlapped) > certain)
        some = pairs[doubtful]
        touched = child_masks.touched_children(
            items,
            some.entries,
            gather(self.middles, some.cells),
            self.scale,
            self.margin,
            gather(self._reach, some.cells).reshape(2, 3, -1),
        )
        kept = overlapped[doubtful] & touched
        overlapped[doubtful] = np.where(kept, kept, overlapped[doubtful])
        return overlapped, some.entries[np.flatnonzero(kept == 0)]
