"""Where each item enters the tree: a code that sorts it, and the depth to which it sinks whole."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from .arrays import Flags, Floats, Ids, blocks
from .grid import DEEPEST, Cells, Depths, Grid, morton, sorted_order
from .octree import Options
from .shapes import Shapes

# Large enough that NumPy's own overhead vanishes, small enough to report progress in time.
_STEP = 65_536


@dataclass(frozen=True)
class Entries:
    """The items that lie in the root, sorted by code, with `straddling` to look them up by depth.

    `order`, `codes` and `depths` are (n,), in the order of the codes; `first` and `last` are
    (3, items), in the order of the items: the finest cells that an item's bounds touch.
    """

    items: Shapes
    first: Cells
    last: Cells
    order: Ids
    codes: Ids
    depths: Depths
    by_depth: Ids
    depth_ends: Ids

    def straddling(self, depth: int) -> Ids:
        """Positions in `order` of the items that sink to just this depth, ascending."""
        return self.by_depth[self.depth_ends[depth] : self.depth_ends[depth + 1]]


def finite_items(lower: Floats, upper: Floats) -> Flags:
    """Which items have finite bounds, (n,)."""
    return np.isfinite(lower).all(axis=0) & np.isfinite(upper).all(axis=0)


def root_grid(lower: Floats, upper: Floats, options: Options) -> Grid:
    """The grid over `options.bounds`, or over the smallest cube around these bounds."""
    low, high = (
        _cube(lower, upper) if options.bounds is None else options.bounds.rows.reshape(2, 3)
    )
    depth = min(options.max_depth, DEEPEST)
    while depth and (high - low).max() / 2**depth < options.min_size:
        depth -= 1
    return Grid(low, high, depth)


def _cube(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    if lower.shape[1] == 0:
        return np.zeros(3), np.zeros(3)
    low, high = lower.min(axis=1), upper.max(axis=1)
    middle, half = (low + high) / 2, (high - low).max() / 2
    return np.minimum(middle - half, low), np.maximum(middle + half, high)


def enter(
    items: Shapes, lower: Floats, upper: Floats, ids: Ids, grid: Grid, options: Options
) -> Generator[float, None, Entries]:
    """Sort the items `ids`, whose bounds are (3, n) over all items; yields the fraction done."""
    count = lower.shape[1]
    first, last = np.empty((3, count), np.int32), np.empty((3, count), np.int32)
    codes, depths = np.empty(count, np.intp), np.empty(count, np.uint8)
    for some in blocks(count, _STEP):
        low, high = lower[:, some], upper[:, some]
        first[:, some], last[:, some] = grid.overlapped(low, high)
        if options.straddlers == "keep":
            cells = grid.holding((low + high) / 2)
            depths[some] = grid.held_depth(low, high, cells, options.loose_factor)
        else:
            cells = first[:, some]
            depths[some] = grid.common_depth(cells, last[:, some])
        codes[some] = morton(cells, grid.depth)
        yield some.stop / count / 2
    order = sorted_order(codes if len(ids) == count else codes[ids], 3 * grid.depth)
    yield 0.7
    order = order if len(ids) == count else ids[order]
    codes, depths = codes[order], depths[order]
    yield 0.9
    by_depth = np.argsort(depths, kind="stable")
    ends = np.searchsorted(depths[by_depth], np.arange(grid.depth + 2))
    return Entries(items, first, last, order, codes, depths, by_depth, ends)
