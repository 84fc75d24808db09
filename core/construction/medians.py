"""Dividing cells at the medians of what they hold, a whole level at a time.

Such walls may lie anywhere, so nothing is known of an item beforehand: at every depth each item is
a pair of item and cell, and these are kept in the order of the cells.
"""

from collections.abc import Generator

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..child_masks import POPCOUNT, ChildMasks
from ..grid import DEEPEST, Grid
from ..options import Options
from ..shapes import Shapes
from .entries import Entries
from .levels import MOST_COPIES, Level, Pairs, check_copies, moving, settle
from .off_grid import ItemBounds, OffGridCells
from .progress import between

# Pairs looked at together, and numbers in a table whose rows are searched for their medians.
_STEP, _TABLE = 32_768, 262_144
_NO_SLICE = np.zeros((2, 1), np.intp)
_NONE_GONE = np.zeros(1, np.intp)


def divide_at_medians(
    entries: Entries, grid: Grid, options: Options
) -> Generator[float, None, tuple[list[Level], Ids]]:
    """Divide the root, its parts, their parts and so on; yields the fraction done.

    Returns the levels, and the entries that were placed where rounding hid what they touch.
    """
    lower, upper = yield from between(0.0, 0.04, _limits(entries.arranged))
    places = ItemBounds(entries.arranged, lower, upper)
    return (yield from between(0.05, 1.0, _levels(places, len(entries), grid, options)))


def _limits(items: Shapes) -> Generator[float, None, tuple[Floats, Floats]]:
    lower, upper = np.empty((2, 3, len(items)))
    for some in blocks(len(items), _TABLE):
        lower[:, some], upper[:, some] = items[some].limits()
        yield some.stop / len(items)
    return lower, upper


def _levels(
    places: ItemBounds, entries: int, grid: Grid, options: Options
) -> Generator[float, None, tuple[list[Level], Ids]]:
    root = np.concatenate((grid.lower, grid.upper))[:, None]
    everything = Pairs(np.arange(entries), np.zeros(entries, np.intp))
    levels = [Level.of_leaves(root, _NO_SLICE, everything, np.ones(1, np.intp))]
    strays = [np.empty(0, np.intp)]
    deepest = min(options.max_depth, DEEPEST)
    for depth in range(deepest):
        level = levels[-1]
        counts = level.counts(_NONE_GONE)
        large = (level.cells[3:] - level.cells[:3]).max(axis=0) / 2 >= options.min_size
        crowded = np.flatnonzero((counts > options.capacity) & large)
        if len(crowded) == 0:
            break
        now, later, last, after = ((depth + share) / deepest for share in (0.0, 0.7, 0.9, 1.0))
        pairs = _pairs_of(level, crowded, counts)
        dividing = _division(places, grid, options, level.cells[:, crowded], pairs)
        cells, parts, lost = yield from between(now, later, dividing)
        strays.append(lost)
        move, stay = moving(parts, options)
        making = _children(cells, pairs[move], parts[move], level.spread[crowded])
        children = yield from between(later, last, making)
        check_copies(len(children.copies), entries, depth + 1, options)
        copied = np.flatnonzero(POPCOUNT.take(parts) > 1)
        places.single[pairs.entries[copied]] = False
        yield last
        settling = settle(level, crowded, counts[crowded], pairs[stay], children, _NONE_GONE)
        levels.append((yield from between(last, after, settling)))
        yield after
    return levels, np.concatenate(strays)


def _pairs_of(level: Level, crowded: Ids, counts: Ids) -> Pairs:
    """Return the items of the crowded cells, cell by cell, and the ranks of these cells."""
    starts = np.cumsum(counts) - counts
    members = concatenated_ranges(starts[crowded], counts[crowded])
    cells = np.repeat(np.arange(len(crowded)), counts[crowded])
    return Pairs(level.copies.entries[members], cells)


def _division(
    places: ItemBounds, grid: Grid, options: Options, walls: Floats, pairs: Pairs
) -> Generator[float, None, tuple[OffGridCells, ChildMasks, Ids]]:
    """Choose where to divide the cells, and find the parts that their items go to.

    Yields the fraction done. The last result are entries whose parts rounding hid.
    """
    counts = np.bincount(pairs.cells)
    starts = np.cumsum(counts) - counts
    medians = yield from between(0.0, 0.4, _medians(places.centers, pairs.entries, counts))
    lower, upper = walls[:3], walls[3:]
    centers = (lower + upper) / 2
    # A median on a wall gives way to the middle, and so do those that make too small a part.
    middles = np.where((lower < medians) & (medians < upper), medians, centers)
    least = np.minimum(middles - lower, upper - middles).max(axis=0)
    middles = np.where(least >= options.min_size, middles, centers)
    cells = OffGridCells(grid, walls, middles)
    parts, strays = yield from between(0.4, 0.8, _parts(cells, places, options, pairs))
    # So do those that cut so many items that their copies would not be worth it.
    costly = np.add.reduceat(POPCOUNT.take(parts), starts, dtype=np.intp) > MOST_COPIES * counts
    costly &= (middles != centers).any(axis=0)
    if costly.any():
        some = concatenated_ranges(starts[costly], counts[costly])
        cells = OffGridCells(grid, walls, np.where(costly, centers, middles))
        again = _parts(cells, places, options, pairs[some])
        parts[some], more = yield from between(0.8, 1.0, again)
        strays = np.concatenate((strays, more))
    return cells, parts, strays


def _medians(centers: Floats, entries: Ids, counts: Ids) -> Generator[float, None, Floats]:
    """Return the medians of the centres of each cell's entries, (3, c).

    Cells of about one count are taken together, so many that their numbers fill a table. Each is
    a row of it, filled up on both sides so that all medians are in one column.
    """
    starts = np.cumsum(counts) - counts
    order = np.argsort(-counts, kind="stable")
    medians = np.empty((3, len(counts)))
    first = 0
    while first < len(order):
        width = int(counts[order[first]])
        some = order[first : first + max(1, _TABLE // width)]
        before = (width // 2 - counts[some] // 2)[:, None]
        columns = np.arange(width)
        left, right = columns < before, columns >= before + counts[some, None]
        members = entries.take(starts[some, None] - before + columns, mode="clip")
        for axis, row in enumerate(centers):
            table = row.take(members)
            table[left], table[right] = -np.inf, np.inf
            medians[axis, some] = _in_the_middle(table, counts[some] % 2 == 0)
            yield (first + len(some) * (axis + 1) / 3) / len(order)
        first += len(some)
    return medians


def _in_the_middle(table: Floats, even: Flags) -> Floats:
    """Return each row's median, (c,): for an even count, between two numbers; mixes the rows."""
    half = table.shape[1] // 2
    table.partition((half - 1, half), axis=1)
    return (table[:, half] + np.where(even, table[:, half - 1], table[:, half])) / 2


def _parts(
    cells: OffGridCells, places: ItemBounds, options: Options, pairs: Pairs
) -> Generator[float, None, tuple[ChildMasks, Ids]]:
    """Return the parts that entries go to, and entries whose parts rounding hid."""
    parts, strays = np.zeros(len(pairs), np.uint8), [np.empty(0, np.intp)]
    for some in blocks(len(pairs), _STEP):
        if options.straddlers == "keep":
            parts[some] = cells.holding(places, pairs[some], options.loose_factor)
        else:
            parts[some], lost = cells.touched(places, pairs[some])
            strays.append(lost)
        yield some.stop / len(pairs)
    return parts, np.concatenate(strays)


def _children(
    cells: OffGridCells, pairs: Pairs, parts: ChildMasks, spread: Ids
) -> Generator[float, None, Level]:
    """Return the parts of the cells, with copies of the pairs in those that they go to."""
    going, held = [], np.empty((8, len(spread)), np.intp)
    for part in range(8):
        going.append(np.flatnonzero(parts & np.uint8(1 << part)))
        held[part] = np.bincount(pairs.cells[going[part]], minlength=len(spread))
        yield 0.05 * (part + 1)
    ends = np.cumsum(held.T)
    starts = ends.reshape(-1, 8).T - held
    entries = np.empty(ends[-1], np.intp)
    for part, some in enumerate(going):
        # A cell's pairs for one part follow each other in both orders.
        shift = starts[part] - (np.cumsum(held[part]) - held[part])
        entries[np.arange(len(some)) + shift[pairs.cells[some]]] = pairs.entries[some]
        yield 0.4 + 0.05 * (part + 1)
    copies = Pairs(entries, np.repeat(np.arange(held.size), held.T.ravel()))
    yield 0.9
    no_slices = np.zeros((2, held.size), np.intp)
    return Level.of_leaves(cells.parts, no_slices, copies, np.repeat(spread, 8))
