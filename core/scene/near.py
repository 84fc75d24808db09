"""Triangles of two placements that come near each other: nodes, a coarse grid, then a sweep.

A loop keeps the nodes of each side that come near the other side, and replaces them by their
children, until triangles are left. These are placed in the world and swept against the other side;
two large sides are sorted into cells instead. A coarse grid over the common region tells what is
near: each node has a bit for each cell that it stands in, and is dropped if the other side stands
in none of these cells.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids, blocks, starts_of_runs
from ..boxes import bounds_by_owner, boxes_grown, boxes_shared
from ..pairs.broad_phase import pairs_in_cells
from ..pairs.sweep import PairBatch, comparisons, grid_around, quantize
from ..shapes import Boxes
from ..steps import Steps
from .moment import Moment
from .pool import Pool

# How often triangles are dropped that stand in no cell of the other side.
_ROUNDS = 2
# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-46
# The grid over the region that two placements have in common: cells along each axis, and a bit for
# each cell; all bits; and the bits of its two halves.
_GRID = 4
_ALL = np.uint64(2**64 - 1)
_HALVES = np.array([2**32 - 1, 2**64 - 2**32], np.uint64)


def _spans() -> NDArray[np.uint64]:
    """Return for each axis the cells from a first to a last one along it, as bits, (3, 16)."""
    places = np.indices((_GRID,) * 3).reshape(3, 1, 1, -1)
    ends = np.arange(_GRID)
    inside = (places >= ends[:, None, None]) & (places <= ends[:, None])
    bits = np.uint64(1) << np.arange(_GRID**3, dtype=np.uint64)
    return np.where(inside, bits, np.uint64(0)).sum(axis=-1).reshape(3, -1)


_SPANS = _spans()


@dataclass(frozen=True)
class Near:
    """Triangles that may touch a triangle of the other side.

    Attributes
    ----------
    entries : ndarray of intp, shape (t,)
        The triangles, as entries of the pool.
    sides : ndarray of intp, shape (t,)
        The side that each is on, ascending. Pair i of placements has the sides 2 i and 2 i + 1.
    bounds : ndarray of float64, shape (6, t)
        Their boxes in the world.
    found : int
        How many triangles were placed to find them.
    """

    entries: Ids
    sides: Ids
    bounds: Floats
    found: int


def near_each_other(
    moment: Moment, pool: Pool, met: Ids, margin: float, *, glance: bool = False
) -> Steps[Near]:
    """Return the triangles that may touch the other side: by nodes first, then one by one.

    A glance looks at two of the cells that each pair of placements shares, no others.
    """
    count, rows, nodes = met.shape[1], met.T.ravel(), pool.nodes
    sides, found = np.arange(2 * count), nodes.roots[moment.placements.meshes[rows]]
    while True:
        bounds = np.empty((6, len(found)))
        for some in blocks(len(found), tuning.current.triangles_placed):
            here = nodes.boxes.take(found[some], axis=1)
            bounds[:, some] = moment.placements.boxes_around(rows[sides[some]], here)
            yield 0.0
        cells, shared = _cells(sides, bounds, count, margin)
        is_last = nodes.are_leaves(found)
        if is_last and glance:
            shared = _one_of_each_half(shared)
        (left,) = (cells & shared[sides >> 1]).nonzero()
        sides, found = sides[left], found[left]
        if is_last:
            break
        of_which, found = nodes.children(found)
        sides = sides[of_which]
    of_which, entries = nodes.entries(found)
    sides = sides[of_which]
    bounds, looked = np.empty((6, len(entries))), len(entries)
    for some in blocks(len(entries), tuning.current.triangles_placed):
        limits = moment.placed(pool, entries[some], rows[sides[some]]).limits()
        bounds[:3, some], bounds[3:, some] = limits
        yield 0.5
    for _ in range(_ROUNDS):
        cells, shared = _cells(sides, bounds, count, margin)
        (left,) = (cells & shared[sides >> 1]).nonzero()
        sides, entries, bounds = sides[left], entries[left], bounds[:, left]
        yield 0.9
    return Near(entries, sides, bounds, looked)


def compared(near: Near, margin: float, touched: Callable[[int], bool]) -> Iterator[PairBatch]:
    """Yield pairs of places with bounds that come near: one on side 2 i, one on side 2 i + 1.

    A large pair of placements is left as soon as it is known to touch.
    """
    if len(near.sides) == 0:
        return
    grown = boxes_grown(near.bounds, _reach(near.bounds, margin))
    pairs = near.sides >> 1
    (large,) = (np.bincount(pairs) > tuning.current.triangles_in_cells).nonzero()
    places = np.arange(len(pairs)) if len(large) == 0 else (~np.isin(pairs, large)).nonzero()[0]
    for done, ones, others in _swept(near.sides[places], grown[:, places]):
        yield PairBatch(done / (1 + len(large)), places[ones], places[others])
    for number, pair in enumerate(large.tolist(), 1):
        start, own, stop = np.searchsorted(near.sides, [2 * pair, 2 * pair + 1, 2 * pair + 2])
        for share, ones, others in pairs_in_cells(grown[:, start:stop], own=int(own - start)):
            done = (number + share) / (1 + len(large))
            first, last = np.minimum(ones, others), np.maximum(ones, others)
            yield PairBatch(done, start + first, start + last)
            if touched(pair):
                break


def _swept(sides: Ids, bounds: Floats) -> Iterator[PairBatch]:
    """Yield such pairs of places by sweep and prune, all pairs of placements in one sweep."""
    if len(sides) == 0:
        return
    boxes = Boxes.from_rows(bounds)
    quantized = quantize(boxes, grid_around(boxes))
    line = comparisons(sides >> 1, (sides & 1).astype(np.uint8), quantized, 2)
    ordered = quantized[line.order]
    for done, ones, others in line.batches():
        met = ordered.meeting(ones, ordered, others)
        here, there = line.order[ones[met]], line.order[others[met]]
        (apart,) = (sides[here] != sides[there]).nonzero()
        here, there = here[apart], there[apart]
        swapped = sides[here] & 1 == 1
        first = np.where(swapped, there, here)
        yield PairBatch(done, first, np.where(swapped, here, there))


def _one_of_each_half(cells: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the first cell in each half of the grid, as bits."""
    halves = cells & _HALVES[:, None]
    first: NDArray[np.uint64] = np.bitwise_or.reduce(halves & (~halves + np.uint64(1)), axis=0)
    return first


def _cells(
    sides: Ids, bounds: Floats, count: int, margin: float
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the cells that bounds stand in, and the cells that both sides of a pair stand in.

    Both as bits. The grid covers the region that the two sides have in common. `sides` ascend.
    """
    lower, upper = boxes_grown(bounds, _reach(bounds, margin)).reshape(2, 3, -1)
    region = bounds_by_owner(lower, upper, sides, 2 * count)
    region = boxes_shared(region[:, ::2], region[:, 1::2])
    size = region[3:] - region[:3]
    is_shared = (size >= 0).all(axis=0)
    region, size = np.where(is_shared, region, 0.0), np.where(is_shared, size, 0.0)
    scale = np.divide(_GRID, size, out=np.zeros((3, count)), where=size > 0)
    cells = np.full(len(sides), _ALL)
    pairs = sides >> 1
    flags = is_shared[pairs]
    for axis in range(3):
        low, factor = region[axis].take(pairs), scale[axis].take(pairs)
        first, last = ((side[axis] - low) * factor for side in (lower, upper))
        flags &= (last >= 0) & (first <= _GRID)
        first, last = first.clip(0, _GRID - 1), last.clip(0, _GRID - 1)
        cells &= _SPANS[axis].take(first.astype(np.uint8) * _GRID + last.astype(np.uint8))
    cells[~flags] = 0
    held = np.zeros(2 * count, np.uint64)
    starts = starts_of_runs(sides)
    held[sides[starts]] = np.bitwise_or.reduceat(cells, starts)
    return cells, held[::2] & held[1::2]


def _reach(bounds: Floats, margin: float) -> Floats | float:
    """Return by how much bounds grow for a margin, rounding included."""
    return margin + _ROUNDING * (np.abs(bounds).max(axis=0) + margin) if margin else 0.0
