"""Occupancy grids: a filter for bounds that share a cell of a coarse grid with another side.

A cell with bounds of one side only holds no pair. Surfaces that cross share few of their cells,
and the bounds that pass the filter share even fewer cells of the next, finer grid.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, concatenated_ranges
from ..boxes import boxes_meet

# The most cells along an axis; the width of a cell, in average extents of bounds; the most cells
# that bounds overlap on average; the most grids that are tried.
_MOST, _WIDE, _COPIES, _ROUNDS = 128, 2.0, 8, 3
# A grid does not pay for fewer bounds than this; another grid does not pay if the last one has
# kept more than this part of the bounds.
_FEW, _REMAIN = 1_024, 0.75


def sharing_cells(ones: Floats, others: Floats) -> tuple[Ids, Ids]:
    """Return the numbers of bounds, (6, n) and (6, m), that may overlap the other side, ascending.

    The filter is conservative: all bounds that overlap the other side pass.
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
    """Flag the bounds of each side that share a cell with the other side, (n,) and (m,)."""
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
    """Return the first and the last cell along each axis that bounds overlap, (6, n)."""
    scale = np.divide(shape, size, out=np.zeros(3), where=size > 0)
    places = (bounds.reshape(2, 3, -1) - lower[:, None]) * scale[:, None]
    return places.clip(0, (shape - 1)[:, None]).astype(np.intp).reshape(6, -1)


def _count(spans: Ids) -> int:
    """Return the number of cells that bounds overlap, summed over all bounds."""
    return int((spans[3:] - spans[:3] + 1).prod(axis=0).sum())


def _cells(spans: Ids, shape: Ids) -> tuple[Ids, Ids]:
    """Return pairs of bounds and cells that they overlap: numbers of both, (c,) and (c,)."""
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
