"""Dividing cells, a whole level at a time.

An item that lies within one cell is a member of that cell's slice of the sorted items and costs
nothing. It is looked at when a cell is divided that it straddles; from there on it is a pair of
item and cell, handed down level by level.
"""

from collections.abc import Generator

import numpy as np

from .. import child_masks
from ..arrays import Ids, blocks, concatenated_ranges, gather
from ..child_masks import ChildMasks
from ..grid import Grid
from ..morton import Words, morton_codes, packed, sides
from ..options import Options
from .entries import Entries
from .levels import NO_PAIRS, Level, Pairs, check_copies, moving, settle
from .progress import between

_STEP = 32_768


def divide(
    entries: Entries, grid: Grid, options: Options
) -> Generator[float, None, tuple[list[Level], Ids]]:
    """Divide the root, its parts, their parts and so on; yields the fraction done.

    Returns the levels, and the entries that were placed where rounding hid what they touch.
    """
    root = np.zeros((3, 1), np.int64)
    whole = np.array([[0], [len(entries)]])
    levels = [Level.of_leaves(root, whole, NO_PAIRS, np.ones(1, np.intp))]
    strays = [np.empty(0, np.intp)]
    gone = np.zeros(len(entries) + 1, np.intp)
    for depth in range(grid.depth):
        level = levels[-1]
        counts = level.counts(gone)
        crowded = np.flatnonzero(counts > options.capacity)
        if len(crowded) == 0:
            break
        pairs, fresh = _straddlers(entries, level, crowded, depth)
        parts = np.zeros(len(pairs), np.uint8)
        if options.straddlers != "keep":
            cut = _Cut(entries, grid, level.cells[:, crowded], depth)
            for some in blocks(len(pairs), _STEP):
                parts[some], lost = cut.touched(pairs[some], max(fresh - some.start, 0))
                strays.append(lost)
                yield (depth + 0.9 * some.stop / len(pairs)) / grid.depth
        np.cumsum(entries.depths <= depth, out=gone[1:])
        move, stay = moving(parts, options)
        children = _children(entries, grid, level, crowded, pairs[move], parts[move], depth)
        check_copies(len(children.copies), len(entries), depth + 1, options)
        now, after = (depth + 0.95) / grid.depth, (depth + 1) / grid.depth
        yield now
        settling = settle(level, crowded, counts[crowded], pairs[stay], children, gone)
        levels.append((yield from between(now, after, settling)))
    return levels, np.concatenate(strays)


def _straddlers(entries: Entries, level: Level, crowded: Ids, depth: int) -> tuple[Pairs, int]:
    """Return what dividing the crowded cells sets free, with the rank of the cell among them.

    First the items that leave their cell's slice here, which lie in the cell; their number is the
    second result. Then the crowded cells' copies.
    """
    positions = entries.straddling(depth)
    start, stop = np.searchsorted(positions, level.slices[:, crowded])
    fresh = positions[concatenated_ranges(start, stop - start)]
    rank = np.full(level.slices.shape[1], -1)
    rank[crowded] = np.arange(len(crowded))
    among = rank[level.copies.cells]
    copies = Pairs(level.copies.entries, among)[among >= 0]
    return Pairs(fresh, np.repeat(rank[crowded], stop - start)) + copies, len(fresh)


class _Cut:
    """Where cells of one depth are divided, and what of them items touch."""

    def __init__(self, entries: Entries, grid: Grid, cells: Words, depth: int) -> None:
        self.entries = entries
        odd = 2 * cells + 1
        self.walls = packed(odd << grid.depth - depth - 1)
        self.middles = np.stack([grid.walls(axis, odd[axis], depth + 1) for axis in range(3)])
        self.scale = grid.scale / 2 ** (grid.depth - depth - 1)
        # In parts, nothing in the root is farther away than this; a few roundings of it are lost.
        self.margin = 2.0 ** (depth + 1) * 2.0**-48

    def touched(self, pairs: Pairs, in_cell: int) -> tuple[ChildMasks, Ids]:
        """Return the parts that each entry touches of its cell; so many first lie in the cell.

        The second result are entries that touch no part, by a rounding: they are given every part
        that their bounds overlap.
        """
        first, last = self.entries.first[pairs.entries], self.entries.last[pairs.entries]
        overlapped = child_masks.ON_SIDES.take(sides(first, last, self.walls[pairs.cells]))
        count = child_masks.POPCOUNT.take(overlapped)
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        count[:in_cell] -= 1
        doubtful = np.flatnonzero(count > 1)
        some = pairs[doubtful]
        middle = gather(self.middles, some.cells)
        touched = child_masks.touched(
            self.entries.arranged, some.entries, middle, self.scale, self.margin
        )
        return overlapped, some.entries[child_masks.confirm(overlapped, doubtful, touched)]


def _children(
    entries: Entries,
    grid: Grid,
    level: Level,
    crowded: Ids,
    pairs: Pairs,
    parts: ChildMasks,
    depth: int,
) -> Level:
    """Return the parts of the crowded cells, with copies of the pairs in those they touch."""
    eight = np.arange(8)
    cells = np.stack(
        [(2 * level.cells[axis, crowded, None] + (eight >> axis & 1)).ravel() for axis in range(3)]
    )
    codes = morton_codes(cells, depth + 1).reshape(-1, 8) << 3 * (grid.depth - depth - 1)
    begin, end = level.slices[:, crowded]
    inner = np.searchsorted(entries.codes, codes[:, 1:])
    slices = np.stack(
        (np.column_stack((begin, inner)).ravel(), np.column_stack((inner, end)).ravel())
    )
    copies = _copies(pairs.entries, 8 * pairs.cells, parts)
    return Level.of_leaves(cells, slices, copies, np.repeat(level.spread[crowded], 8))


def _copies(entries: Ids, first_parts: Ids, parts: ChildMasks) -> Pairs:
    """Return a pair for each part that an entry touches, entry by entry."""
    counts = child_masks.POPCOUNT.take(parts)
    ends = np.cumsum(counts, dtype=np.intp)
    copies = Pairs(*np.empty((2, ends[-1] if len(ends) else 0), np.intp))
    at = ends - counts
    while len(parts):
        # The lowest part of every entry, then the next of those that touch more, and so on.
        copies.entries[at] = entries
        copies.cells[at] = first_parts + child_masks.LOWEST_BIT.take(parts)
        parts = parts & (parts - np.uint8(1))
        more = np.flatnonzero(parts)
        entries, first_parts, parts = entries[more], first_parts[more], parts[more]
        at = at[more] + 1
    return copies
