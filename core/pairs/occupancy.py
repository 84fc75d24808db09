"""Occupancy grids: which bounds of two sides share a cell of a coarse grid with the other side.

A cell that only one side stands in holds no pair. Surfaces that cross share few of the cells that
either stands in, and what is left shares fewer of the next, finer grid.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..boxes import boxes_meet

# Cells along an axis at most; how many average bounds one is wide; in how many cells bounds stand
# on average at most; grids that are tried.
_MOST, _WIDE, _COPIES, _ROUNDS = 128, 2.0, 8, 3
# Fewer bounds are not worth a grid; nor is another, if this part of them remains.
_FEW, _REMAIN = 1_024, 0.75


def sharing_cells(ones: Floats, others: Floats) -> tuple[Ids, Ids]:
    """Return which bounds of two sides, (6, n) and (6, m), may meet the other side, ascending.

    No bounds that meet are left out.
    """
    sides = [np.arange(each.shape[1]) for each in (ones, others)]
    for _ in range(_ROUNDS):
        before = len(sides[0]) + len(sides[1])
        if before < _FEW or not all(map(len, sides)):
            break
        here, there = ones[:, sides[0]], others[:, sides[1]]
        flags = _shared(here, there)
        sides = [side[kept] for side, kept in zip(sides, flags, strict=True)]
        if len(sides[0]) + len(sides[1]) > _REMAIN * before:
            break
    return sides[0], sides[1]


def _shared(ones: Floats, others: Floats) -> tuple[Flags, Flags]:
    """Tell which bounds of each side share a cell with the other side."""
    lower = np.maximum(ones[:3].min(axis=1), others[:3].min(axis=1))
    upper = np.minimum(ones[3:].max(axis=1), others[3:].max(axis=1))
    shared = np.concatenate((lower, upper))[:, None]
    flags = tuple(boxes_meet(each, shared) for each in (ones, others))
    near = [each[:, kept] for each, kept in zip((ones, others), flags, strict=True)]
    if not all(each.shape[1] for each in near):
        return np.zeros(ones.shape[1], bool), np.zeros(others.shape[1], bool)
    size = upper - lower
    extent = np.max([(each[3:] - each[:3]).mean(axis=1) for each in near], axis=0)
    wide = np.maximum(_WIDE * extent, size / _MOST)
    shape = np.divide(size, wide, out=np.ones(3), where=wide > 0).clip(1, _MOST).astype(np.intp)
    spans = [_spans(each, lower, size, shape) for each in near]
    while sum(_count(each) for each in spans) > _COPIES * sum(each.shape[1] for each in near):
        shape = np.maximum(shape // 2, 1)
        spans = [_spans(each, lower, size, shape) for each in near]
    held = [_cells(each, shape) for each in spans]
    found = [np.zeros(int(shape.prod()), bool) for _ in near]
    for cells, (_, numbers) in zip(found, held, strict=True):
        cells[numbers] = True
    for kept, (owners, numbers), cells in zip(flags, held, found[::-1], strict=True):
        (here,) = kept.nonzero()
        kept[here] = False
        kept[here[owners[cells[numbers]]]] = True
    return flags[0], flags[1]


def _spans(bounds: Floats, lower: Floats, size: Floats, shape: Ids) -> Ids:
    """Return the first and the last cell of bounds along each axis, (6, n)."""
    scale = np.divide(shape, size, out=np.zeros(3), where=size > 0)
    places = (bounds.reshape(2, 3, -1) - lower[:, None]) * scale[:, None]
    return places.clip(0, (shape - 1)[:, None]).astype(np.intp).reshape(6, -1)


def _count(spans: Ids) -> int:
    """Count the cells that all bounds stand in."""
    return int((spans[3:] - spans[:3] + 1).prod(axis=0).sum())


def _cells(spans: Ids, shape: Ids) -> tuple[Ids, Ids]:
    """Return the cells that bounds stand in: the bounds of each, and the number of the cell."""
    widths = spans[3:] - spans[:3] + 1
    counts = widths.prod(axis=0)
    owners = np.repeat(np.arange(len(counts)), counts)
    nth = concatenated_ranges(0 * counts, counts)
    numbers, factor = np.zeros(len(owners), np.intp), 1
    for axis in range(3):
        width = widths[axis].take(owners)
        beside = nth // width
        numbers += (spans[axis].take(owners) + nth - beside * width) * factor
        nth, factor = beside, factor * int(shape[axis])
    return owners, numbers
