"""What rays still have to look at: for each ray a stack of cells, the nearest on top, or last."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges

# Rays take one cell at a time. Few rays take more, up to so many, and about so many together: to
# call costs more than to look at a cell too many.
_MOST, _TOGETHER = 16, 800
# Cells that there is room for on each stack at first.
_ROOM = 16


@dataclass(frozen=True)
class Front:
    """Pairs of rays and cells, (k,), and where the rays enter and leave the cells.

    Rays ascend. Of the cells of one ray the nearer ones come first, or last.
    """

    numbers: Ids
    cells: Ids
    entries: Floats
    exits: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, some: Ids | slice) -> "Front":
        return Front(self.numbers[some], self.cells[some], self.entries[some], self.exits[some])

    def where(self, flags: Flags) -> "Front":
        """Return the pairs that are flagged."""
        (some,) = flags.nonzero()
        return self if len(some) == len(self) else self[some]


class Stacks:
    """A stack for each of so many rays, empty at first; on top the nearest cell, or the farthest.

    The stacks stand side by side, level upon level: a row for each level, a column for each ray
    that still looks.
    """

    def __init__(self, rays: int, *, nearest_on_top: bool) -> None:
        self._nearest_on_top = nearest_on_top
        self._rays, self._columns = np.arange(rays), np.arange(rays)
        self._heights, self._waits = np.zeros(rays, np.intp), np.zeros(rays, bool)
        self._few = False
        self._cells = np.empty(_ROOM * rays, np.intp)
        self._entries, self._exits = np.empty((2, _ROOM * rays))

    def put(self, front: Front) -> None:
        """Put the cells of each ray on its stack."""
        columns = self._columns[front.numbers]
        counts = np.bincount(columns, minlength=len(self._rays))
        ends = np.cumsum(counts)
        if self._nearest_on_top:
            levels = (self._heights + ends - 1)[columns] - np.arange(len(columns))
        else:
            levels = (self._heights + counts - ends)[columns] + np.arange(len(columns))
        places = levels * len(self._rays) + columns
        self._heights += counts
        self._make_room(int(self._heights.max(initial=0)) * len(self._rays))
        self._cells[places] = front.cells
        self._entries[places] = front.entries
        self._exits[places] = front.exits

    def take(self) -> Front:
        """Take from the top of the stacks: one cell for each ray, or more for few rays.

        Rays that wait get none. Nothing is left when no ray waits and nothing is taken.
        """
        if not self._waits.any():
            self._keep_busy()
        (columns,) = ((self._heights > 0) & ~self._waits).nonzero()
        self._few = len(columns) <= _TOGETHER
        most = min(max(1, _TOGETHER // max(len(columns), 1)), _MOST)
        levels = self._heights[columns] - 1
        counts = np.minimum(levels + 1, most)
        self._heights[columns] -= counts
        if most > 1:
            columns = np.repeat(columns, counts)
            levels = np.repeat(levels, counts) - concatenated_ranges(0 * counts, counts)
        places = levels * len(self._rays) + columns
        kept = (self._cells[places], self._entries[places], self._exits[places])
        return Front(self._rays[columns], *kept)

    def wait(self, numbers: Ids) -> None:
        """Let these rays, each named once or more, wait until they are called; few need not."""
        if not self._few:
            self._waits[self._columns[numbers]] = True

    def call(self) -> None:
        """Call the rays that wait."""
        self._waits[:] = False

    def _make_room(self, size: int) -> None:
        more = max(size, 2 * len(self._cells)) - len(self._cells)
        if size > len(self._cells):
            self._cells = np.concatenate((self._cells, np.empty(more, np.intp)))
            self._entries = np.concatenate((self._entries, np.empty(more)))
            self._exits = np.concatenate((self._exits, np.empty(more)))

    def _keep_busy(self) -> None:
        """Give columns only to rays that have cells, once half of the others are done."""
        (columns,) = self._heights.nonzero()
        if 2 * len(columns) > len(self._rays):
            return
        levels = np.arange(self._heights.max(initial=0))[:, None]
        places = (levels * len(self._rays) + columns).ravel()
        self._cells, self._entries = self._cells[places], self._entries[places]
        self._exits = self._exits[places]
        self._rays, self._heights = self._rays[columns], self._heights[columns]
        self._waits = np.zeros(len(columns), bool)
        self._columns[self._rays] = np.arange(len(columns))
