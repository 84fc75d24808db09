"""Entering items: their Morton order, and the depth to which each sinks whole."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, radix_argsort
from ..cells import smallest_cube
from ..grid import DEEPEST, Depths, Grid, enlarged
from ..morton import Words, differing_bits, morton_codes, packed
from ..options import Options
from ..shapes import Shapes

# Large enough that NumPy's own overhead vanishes, small enough to report progress in time.
_STEP = 32_768


@dataclass(frozen=True)
class Entries:
    """The items that the root holds, sorted by code; entry e is item `order[e]`.

    Behind them, `order` names the items beyond the root, in no order of codes, and `arranged` are
    all these items in the same order. `depths` tell how deep an item sinks whole; `first` and
    `last` are the finest cells that its bounds touch, packed. `by_depth` are the entries sorted by
    depth, each depth up to its end.
    """

    items: Shapes
    invalid: Ids
    order: Ids
    arranged: Shapes
    codes: Words
    depths: Depths
    first: Words
    last: Words
    by_depth: Ids
    depth_ends: Ids

    def __len__(self) -> int:
        return len(self.codes)

    def straddling(self, depth: int) -> Ids:
        """Return the entries that sink to just this depth, ascending."""
        return self.by_depth[self.depth_ends[depth] : self.depth_ends[depth + 1]]


def root_grid(lower: Floats, upper: Floats, options: Options) -> Grid:
    """Return the grid over `options.bounds`, or over the smallest cube around these bounds."""
    walls = options.bounds.rows[:, 0] if options.bounds else smallest_cube(lower, upper)
    low, high = walls[:3], walls[3:]
    depth = min(options.max_depth, DEEPEST)
    while depth and (high - low).max() / 2**depth < options.min_size:
        depth -= 1
    return Grid(low, high, depth)


def enter(
    items: Shapes, lower: Floats, upper: Floats, finite: Flags, grid: Grid, options: Options
) -> Generator[float, None, Entries]:
    """Sort the finite items, whose bounds are (3, n) over all items; yields the fraction done."""
    count = lower.shape[1]
    codes, first, last = np.empty((3, count), np.int64)
    depths = np.empty(count, np.uint8)
    for some in blocks(count, _STEP):
        low, high = lower[:, some], upper[:, some]
        cells, ends = grid.overlapped(low, high)
        first[some], last[some] = packed(cells), packed(ends)
        if options.straddlers == "keep" and options.split == "middle":
            cells = grid.holding((low + high) / 2)
            depths[some] = grid.held_depth(low, high, cells, options.loose_factor)
        else:
            depths[some] = grid.depth - differing_bits(first[some], last[some])
        codes[some] = morton_codes(cells, grid.depth)
        yield some.stop / count / 2
    held = finite & _held_by_root(lower, upper, grid, options)
    entering = np.flatnonzero(held)
    order = entering[radix_argsort(codes[entering], 3 * grid.depth)]
    yield 0.6
    arranged_order = np.concatenate((order, np.flatnonzero(finite & ~held)))
    arranged = items[arranged_order]
    yield 0.8
    depths = depths[order]
    by_depth = np.argsort(depths, kind="stable")
    ends = np.searchsorted(depths[by_depth], np.arange(grid.depth + 2))
    return Entries(
        items=items,
        invalid=np.flatnonzero(~finite),
        order=arranged_order,
        arranged=arranged,
        codes=codes[order],
        depths=depths,
        first=first[order],
        last=last[order],
        by_depth=by_depth,
        depth_ends=ends,
    )


def _held_by_root(lower: Floats, upper: Floats, grid: Grid, options: Options) -> Flags:
    """Return which items the root holds whole, enlarged if cells are."""
    if options.bounds is None:
        return np.ones(lower.shape[1], bool)
    low, high = enlarged(grid.lower[:, None], grid.upper[:, None], options.enlargement)
    return (lower >= low).all(axis=0) & (upper <= high).all(axis=0)
