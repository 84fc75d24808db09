"""Top-down construction on the Morton grid: items are sorted once, then cells divided by level.

An item that lies within one cell is a member of that cell's slice of the sorted items and costs
nothing. It is looked at when a cell is divided that it straddles; from there on it is a pair of
item and cell, handed down level by level.
"""

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from .. import child_masks, tuning
from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    gather,
)
from ..cells import UPPER_SIDES, root_around
from ..child_masks import ChildMasks
from ..compiled import builder
from ..grid import (
    DEEPEST,
    Depths,
    Grid,
    Words,
    differing_bits,
    enlarged_contain,
    morton_codes,
    pack,
    sides_of_planes,
)
from ..options import Options
from ..passes import radix_argsort_steps, taken_steps
from ..shapes import Shapes
from ..steps import Steps, between
from .levels import (
    NO_MEMBERS,
    Check,
    Division,
    Level,
    Members,
    check_copies,
    foresee,
    handed_down_steps,
    may_be_refused,
    most_references,
    moving,
    settle,
)


@dataclass(frozen=True)
class Entries:
    """The items that the root holds, sorted by code; entry e is item `order[e]`.

    Behind them, `order` names the items beyond the root, in no order of codes, and `arranged` are
    all these items in the same order. `depths` tell how deep an item sinks whole; `first` and
    `last` are the finest cells that its bounds touch, packed.
    """

    items: Shapes
    invalid: Ids
    order: Ids
    arranged: Shapes
    codes: Words
    depths: Depths
    first: Words
    last: Words

    @cached_property
    def _by_depth(self) -> tuple[Ids, Ids]:
        """The entries sorted by depth, and where those of each depth end."""
        by_depth = np.argsort(self.depths, kind="stable")
        return by_depth, np.searchsorted(self.depths[by_depth], np.arange(DEEPEST + 2))

    def __len__(self) -> int:
        return len(self.codes)

    def straddling(self, depth: int) -> Ids:
        """Return the entries that sink to just this depth, ascending."""
        by_depth, ends = self._by_depth
        return by_depth[ends[depth] : ends[depth + 1]]


def root_grid(lower: Floats, upper: Floats, options: Options) -> Grid:
    """Return the grid over `options.bounds`, or over a cube around these bounds."""
    walls = options.bounds.rows[:, 0] if options.bounds else root_around(lower, upper)
    low, high = walls[:3], walls[3:]
    depth = min(options.max_depth, DEEPEST)
    while depth and (high - low).max() / 2**depth < options.min_size:
        depth -= 1
    return Grid(low, high, depth)


def enter(
    items: Shapes, lower: Floats, upper: Floats, finite: Flags, grid: Grid, options: Options
) -> Steps[Entries]:
    """Sort the finite items; bounds, (3, n), are of all items. Yields the fraction done."""
    count = lower.shape[1]
    codes, first, last = np.empty((3, count), np.int64)
    depths, kernel = np.empty(count, np.uint8), builder()
    is_kept = options.straddlers == "keep" and options.split == "middle"
    for some in blocks(count, tuning.current.divided):
        if kernel is not None and not is_kept:
            kernel.enter((lower, upper), some, grid, (first, last, codes), depths)
            yield some.stop / count / 2
            continue
        low, high = lower[:, some], upper[:, some]
        cells, ends = grid.overlapped(low, high)
        first[some], last[some] = pack(cells), pack(ends)
        if is_kept:
            cells = grid.holding((low + high) / 2)
            depths[some] = grid.held_depth(low, high, cells, options.loose_factor)
        else:
            depths[some] = grid.depth - differing_bits(first[some], last[some])
        codes[some] = morton_codes(cells, grid.depth)
        yield some.stop / count / 2
    held = finite & _held_by_root(lower, upper, grid, options)
    yield 0.51
    codes, order = yield from between(0.51, 0.75, _by_code(codes, held, 3 * grid.depth))
    beyond = np.flatnonzero(finite & ~held)
    arranged_order = np.concatenate((order, beyond)) if len(beyond) else order
    yield 0.76
    arranged = yield from between(0.76, 0.85, items.take_steps(arranged_order))
    depths = yield from between(0.85, 0.87, taken_steps(depths, order))
    first = yield from between(0.87, 0.93, taken_steps(first, order))
    last = yield from between(0.93, 1.0, taken_steps(last, order))
    return Entries(
        items=items,
        invalid=np.flatnonzero(~finite),
        order=arranged_order,
        arranged=arranged,
        codes=codes,
        depths=depths,
        first=first,
        last=last,
    )


def _by_code(codes: Words, held: Flags, bits: int) -> Steps[tuple[Words, Ids]]:
    """Return the codes of the items that are held, sorted, and these; yields the fraction done."""
    entering, kernel = None, builder()
    if not held.all():
        entering = np.flatnonzero(held)
        yield 0.1
        codes = yield from between(0.1, 0.2, taken_steps(codes, entering))
    if kernel is not None:
        return (yield from between(0.2, 1.0, kernel.sorted_steps(codes, entering, bits)))
    order = yield from between(0.2, 0.8, radix_argsort_steps(codes, bits))
    codes = yield from between(0.8, 0.9, taken_steps(codes, order))
    if entering is not None:
        order = yield from between(0.9, 1.0, taken_steps(entering, order))
    return codes, order


def _held_by_root(lower: Floats, upper: Floats, grid: Grid, options: Options) -> Flags:
    """Return which items the root holds whole, enlarged if cells are."""
    if options.bounds is None:
        return np.ones(lower.shape[1], bool)
    walls = grid.lower[:, None], grid.upper[:, None]
    return enlarged_contain(*walls, options.enlargement, lower, upper)


def divide(entries: Entries, grid: Grid, options: Options) -> Steps[tuple[list[Level], Ids]]:
    """Divide the root, its children, their children and so on; yields the fraction done.

    Returns the levels, and the entries that were placed where rounding hid what they touch.
    """
    root = np.zeros((3, 1), np.int64)
    whole = np.array([[0], [len(entries)]])
    allowance = np.array([most_references(len(entries), options)])
    levels = [Level.of_leaves(root, whole, NO_MEMBERS, np.ones(1, np.intp), allowance)]
    strays = [np.empty(0, np.intp)]
    gone, is_safe = np.zeros(len(entries) + 1, np.intp), False
    division = division_of(entries, grid, options)
    check = partial(check_copies, len(entries), options)
    for depth in range(grid.depth):
        level, start = levels[-1], depth / grid.depth
        overfull = np.flatnonzero(level.counts(gone) > options.capacity)
        if len(overfull) == 0:
            break
        if not is_safe and may_be_refused(len(level.copies), len(overfull), len(entries), options):
            below = range(depth, grid.depth)
            trying = foresee(level, below, gone.copy(), division, len(entries), options)
            yield from between(start, start + 0.5 / grid.depth, trying)
            start, is_safe = start + 0.5 / grid.depth, True
        dividing = division(level, overfull, depth, gone, check)
        children, lost = yield from between(start, (depth + 1) / grid.depth, dividing)
        levels.append(children)
        strays.append(lost)
    return levels, np.concatenate(strays)


def division_of(entries: Entries, grid: Grid, options: Options) -> Division:
    """Return what divides cells of a level among entries."""
    return partial(_divide_level, entries, grid, options)


def _divide_level(
    entries: Entries,
    grid: Grid,
    options: Options,
    level: Level,
    overfull: Ids,
    depth: int,
    gone: Ids,
    check: Check,
) -> Steps[tuple[Level, Ids]]:
    """Divide these cells of a level where it is worth it; yields the fraction done.

    Returns their children, and strays. `gone` is brought up to date.
    """
    counts = level.counts(gone)[overfull]
    yield 0.01
    pairs, fresh = yield from between(0.01, 0.1, _straddlers(entries, level, overfull, depth))
    masks, strays = np.zeros(len(pairs), np.uint8), [np.empty(0, np.intp)]
    if options.straddlers != "keep":
        cut = _Cut(entries, grid, level.cells[:, overfull], depth)
        for some in blocks(len(pairs), tuning.current.divided):
            masks[some], lost = cut.touched(pairs[some], max(fresh - some.start, 0))
            strays.append(lost)
            yield 0.1 + 0.6 * some.stop / len(pairs)
    yield from between(0.7, 0.71, _count_gone(entries.depths, depth, gone))
    move, stay = moving(masks, options)
    making = _children(entries, grid, level, overfull, pairs[move], masks[move], depth)
    children = yield from between(0.71, 0.85, making)
    yield 0.85
    check_below = partial(check, depth + 1)
    settling = settle(level, overfull, counts, pairs[stay], children, gone, check_below)
    children = yield from between(0.85, 1.0, settling)
    return children, np.concatenate(strays)


def _straddlers(
    entries: Entries, level: Level, overfull: Ids, depth: int
) -> Steps[tuple[Members, int]]:
    """Return what dividing the overfull cells sets free, with the rank of the cell among them.

    First the items that leave their cell's slice here, which lie in the cell; their number is the
    second result. Then the overfull cells' copies.
    """
    positions = entries.straddling(depth)
    start, stop = np.searchsorted(positions, level.slices[:, overfull])
    fresh = positions[concatenated_ranges(start, stop - start)]
    yield 0.3
    rank = np.full(level.slices.shape[1], -1)
    rank[overfull] = np.arange(len(overfull))
    among = yield from between(0.3, 0.5, taken_steps(rank, level.copies.cells))
    count = len(fresh)
    pairs = Members(*np.empty((2, count + np.count_nonzero(among >= 0)), np.intp))
    pairs.entries[:count], pairs.cells[:count] = fresh, np.repeat(rank[overfull], stop - start)
    for some in blocks(len(among), tuning.current.piece):
        there = np.flatnonzero(among[some] >= 0)
        filled, count = slice(count, count + len(there)), count + len(there)
        pairs.entries[filled] = level.copies.entries[some][there]
        pairs.cells[filled] = among[some][there]
        yield 0.5 + 0.5 * some.stop / len(among)
    return pairs, len(fresh)


def _count_gone(depths: Depths, depth: int, gone: Ids) -> Steps[None]:
    """Count in `gone` the entries before each that sink no deeper; yields the fraction done."""
    for some in blocks(len(depths), tuning.current.piece):
        there = gone[some.start + 1 : some.stop + 1]
        np.cumsum(depths[some] <= depth, out=there)
        there += gone[some.start]
        yield some.stop / len(depths)


class _Cut:
    """Where cells of one depth are divided, and which of their children items touch."""

    def __init__(self, entries: Entries, grid: Grid, cells: Words, depth: int) -> None:
        self.entries = entries
        odd = 2 * cells + 1
        self.walls = pack(odd << grid.depth - depth - 1)
        self.middles, _ = grid.bounds(odd, depth + 1)
        self.scale = grid.scale / 2 ** (grid.depth - depth - 1)
        lower, upper = grid.bounds(cells, depth)
        # Walls are rounded, so children are not quite of one size.
        sizes = np.stack((self.middles - lower, upper - self.middles))
        self.reach = (sizes * self.scale[:, None]).reshape(6, -1)
        # In units of children, nothing in the root is farther away; some roundings of it are lost.
        self.margin = 2.0 ** (depth + 1) * 2.0**-48

    def touched(self, pairs: Members, in_cell: int) -> tuple[ChildMasks, Ids]:
        """Return the children of its cell that each entry touches; the first `in_cell` lie in it.

        The second result are strays: entries that touch no child, by a rounding, and are given
        every child that their bounds overlap.
        """
        first, last = self.entries.first[pairs.entries], self.entries.last[pairs.entries]
        sides = sides_of_planes(first, last, self.walls[pairs.cells])
        overlapped = child_masks.ON_SIDES.take(sides)
        count = child_masks.POPCOUNT.take(overlapped)
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        count[:in_cell] -= 1
        doubtful = np.flatnonzero(count > 1)
        some = pairs[doubtful]
        middle = gather(self.middles, some.cells)
        reach = gather(self.reach, some.cells).reshape(2, 3, -1)
        touched = child_masks.touched_children(
            self.entries.arranged, some.entries, middle, self.scale, self.margin, reach
        )
        return overlapped, some.entries[child_masks.drop_untouched(overlapped, doubtful, touched)]


def _children(
    entries: Entries,
    grid: Grid,
    level: Level,
    overfull: Ids,
    pairs: Members,
    masks: ChildMasks,
    depth: int,
) -> Steps[Level]:
    """Return the children of the overfull cells, with copies of the pairs in those they touch."""
    cells = (2 * level.cells[:, overfull, None] + UPPER_SIDES[:, None]).reshape(3, -1)
    codes = morton_codes(cells, depth + 1).reshape(-1, 8) << 3 * (grid.depth - depth - 1)
    bounds = np.empty((len(overfull), 9), np.intp)
    bounds[:, 0], bounds[:, 8] = level.slices[:, overfull]
    for some in blocks(len(overfull), tuning.current.piece // 8):
        bounds[some, 1:8] = np.searchsorted(entries.codes, codes[some, 1:])
        yield 0.25 * some.stop / len(overfull)
    slices = np.stack((bounds[:, :-1].ravel(), bounds[:, 1:].ravel()))
    yield 0.3
    handing = handed_down_steps(pairs.entries, pairs.cells, masks)
    copies = yield from between(0.3, 1.0, handing)
    spread, allowance = level.spread[overfull], level.allowance[overfull]
    return Level.of_leaves(cells, slices, copies, np.repeat(spread, 8), np.repeat(allowance, 8))
