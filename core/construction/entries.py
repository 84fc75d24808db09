"""Entries: the items that the root holds, sorted once along the Morton curve.

An item that lies within one cell is a member of that cell's slice of the entries and costs
nothing. It is tested when a cell is divided and it touches several children.
"""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks
from ..cells import root_around
from ..compiled import Builder, builder
from ..grid import (
    DEEPEST,
    Depths,
    Grid,
    Words,
    differing_bits,
    enlarged_contain,
    morton_codes,
    pack,
)
from ..options import Options
from ..passes import radix_argsort_steps, taken_steps
from ..shapes import Shapes, Triangles
from ..steps import Ticks


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

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def beyond(self) -> int:
        """The number of items beyond the root."""
        return len(self.order) - len(self)


def root_grid(lower: Floats, upper: Floats, options: Options) -> Grid:
    """Return the grid over `options.bounds`, or over a cube around these bounds."""
    walls = options.bounds.rows[:, 0] if options.bounds else root_around(lower, upper)
    low, high = walls[:3], walls[3:]
    depth = min(options.max_depth, DEEPEST)
    while depth and (high - low).max() / 2**depth < options.min_size:
        depth -= 1
    return Grid(low, high, depth)


def limits_of(items: Shapes, kernel: Builder | None) -> Ticks[tuple[Floats, Floats]]:
    """Return the bounds of items, (3, n) twice; by the kernel, 0 and -0 may replace each other."""
    lower, upper = np.empty((2, 3, len(items)))
    for some in blocks(len(items), tuning.current.piece):
        if kernel is not None and isinstance(items, Triangles) and len(items.vertices):
            kernel.limits(items, some, lower, upper)
        else:
            lower[:, some], upper[:, some] = items[some].limits()
        yield
    return lower, upper


def enter(
    items: Shapes, lower: Floats, upper: Floats, finite: Flags, grid: Grid, options: Options
) -> Ticks[Entries]:
    """Sort the finite items; bounds, (3, n), are of all items."""
    count = lower.shape[1]
    codes, first, last = np.empty((3, count), np.int64)
    depths, kernel = np.empty(count, np.uint8), builder()
    is_kept = options.straddlers == "keep" and options.split == "middle"
    for some in blocks(count, tuning.current.divided):
        yield
        if kernel is not None and not is_kept:
            kernel.enter((lower, upper), some, grid, (first, last, codes), depths)
            continue
        low, high = lower[:, some], upper[:, some]
        cells, ends = grid.overlapped(low, high)
        first[some], last[some] = pack(cells), pack(ends)
        if is_kept:
            cells = grid.holding((low + high) / 2)
            sinking = grid.held_depth(low, high, cells, options.loose_factor)
            depths[some] = yield from sinking
        else:
            depths[some] = grid.depth - differing_bits(first[some], last[some])
        codes[some] = morton_codes(cells, grid.depth)
    yield
    held = finite & _held_by_root(lower, upper, grid, options)
    yield
    codes, order = yield from _by_code(codes, held, 3 * grid.depth)
    beyond = np.flatnonzero(finite & ~held)
    arranged_order = np.concatenate((order, beyond)) if len(beyond) else order
    yield
    return Entries(
        items=items,
        invalid=np.flatnonzero(~finite),
        order=arranged_order,
        arranged=(yield from items.take_steps(arranged_order)),
        codes=codes,
        depths=(yield from taken_steps(depths, order)),
        first=(yield from taken_steps(first, order)),
        last=(yield from taken_steps(last, order)),
    )


def _by_code(codes: Words, held: Flags, bits: int) -> Ticks[tuple[Words, Ids]]:
    """Return the codes of the items that are held, sorted, and the numbers of these items."""
    entering, kernel = None, builder()
    if not held.all():
        entering = np.flatnonzero(held)
        yield
        codes = yield from taken_steps(codes, entering)
    if kernel is not None:
        return (yield from kernel.sorted_steps(codes, entering, bits))
    order = yield from radix_argsort_steps(codes, bits)
    codes = yield from taken_steps(codes, order)
    if entering is not None:
        order = yield from taken_steps(entering, order)
    return codes, order


def _held_by_root(lower: Floats, upper: Floats, grid: Grid, options: Options) -> Flags:
    """Flag the items that the root holds whole; the root is enlarged if cells are."""
    if options.bounds is None:
        return np.ones(lower.shape[1], bool)
    walls = grid.lower[:, None], grid.upper[:, None]
    return enlarged_contain(*walls, options.enlargement, lower, upper)
