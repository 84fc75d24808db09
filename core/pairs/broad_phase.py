"""Broad phase: pairs of bounds (AABBs) that may overlap, by a dual walk of hierarchies of boxes.

Bounds are sorted along a Morton curve. Every few neighbors make a box, every few of these make a
larger box, up to a single one. Two hierarchies, or one and itself, are walked together, down to
pairs of bounds (T. Brinkhoff, H.-P. Kriegel and B. Seeger, "Efficient Processing of Spatial Joins
Using R-trees", 1993, with the search space restricted). On a fine grid, bounds take two words, so
that two subtractions compare two of them. The compiled kernel walks pair by pair, NumPy many pairs
at a time, both in the same order.

Triangles of two trees with copies are joined leaf by leaf instead, by the compiled kernel.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges
from ..boxes import bounds_of_runs, boxes_grown, boxes_meet, magnitudes
from ..compiled import joined_triangles, pairs_below
from ..grid import BITS, GUARD_BITS, Grid, Words, morton_codes, pack, unpack
from ..octree import Octree
from ..options import COPYING
from ..passes import radix_argsort_steps
from ..shapes import Boxes, Shapes
from ..steps import Steps, between, repeated

# Boxes in one box of the next level.
_RUN = 6
# The approximate size of a sample of bounds; one of them in `_FEW` may be far away on either side:
# farther than `_WIDE` times the extent of all others.
_SAMPLE, _FEW, _WIDE = 512, 16, 8
# The fraction of the work that is done before the first comparison.
_PREPARED = 0.1
# Up to this many pairs of boxes, a hierarchy is not faster than comparing all pairs.
_PLAIN = 16_384
# Rounding error of bounds that are moved by a margin, and of the borders of cells, as a part of
# the largest coordinate.
_ROUNDING, _BORDERS = 2.0**-50, 2.0**-46
# A join by the kernel does not pay if it compares more pairs than the tunable `joined_pairs`, plus
# this many for each reference of both trees.
_COMPARED = 32


class PairBatch(NamedTuple):
    """Batch of pairs, (h,) and (h,), and the fraction of the work that is done after it."""

    done: float
    ones: Ids
    others: Ids


def no_pairs(done: float) -> PairBatch:
    """Return a batch without pairs, which reports the progress of preparations."""
    return PairBatch(done, np.empty(0, np.intp), np.empty(0, np.intp))


def candidate_pairs(
    tree: Octree, other: Octree | None, margin: float, owners: Ids | None = None
) -> Iterator[PairBatch]:
    """Yield pairs of an entry of the tree and an entry of the other tree that may be near it.

    Without another tree, yields pairs of two different entries of the tree, each once, in either
    order; with `owners` of the entries, (k,), only pairs of different owners. A pair of two trees
    may come in several batches.
    """
    if other is not None and margin == 0 and (yield from _kernel_join(tree, other)):
        return
    ones = grown_bounds(tree.arranged, margin / 2)
    others = None if other is None else grown_bounds(other.arranged, margin / 2)
    yield from near_bounds(ones, others, owners)


def _kernel_join(tree: Octree, other: Octree) -> Generator[PairBatch, None, bool]:
    """Yield pairs of entries of two trees that touch, by the kernel; return whether all are found.

    Returns False if the join does not pay, if the kernel cannot take the trees, or without the
    compiled kernel. A pair may come in several batches.
    """
    # A common point of two items must be in a leaf of each that overlaps a leaf of the other.
    if not all(each.straddlers in COPYING and not each.outside for each in (tree, other)):
        return False
    largest = max(float(np.abs(each.cell_rows[:, 0]).max()) for each in (tree, other))
    references = len(tree.references) + len(other.references)
    batches = joined_triangles(
        tree,
        other,
        tree.slack + other.slack + largest * _BORDERS,
        tuning.current.joined_pairs + _COMPARED * references,
    )
    for ones, others in batches or ():
        if len(ones) and ones[-1] < 0:
            return False
        yield PairBatch(0.0, ones, others)
    if batches is None:
        return False
    yield no_pairs(1.0)
    return True


def grown_bounds(shapes: Shapes, margin: float) -> Floats:
    """Return the bounds of shapes, enlarged by a margin on all sides, (6, h)."""
    if isinstance(shapes, Boxes) and margin == 0:
        return shapes.rows
    bounds = np.concatenate(shapes.limits())
    if margin > 0:
        bounds = boxes_grown(bounds, margin + _ROUNDING * (magnitudes(bounds) + margin))
    return bounds


def meeting_boxes(
    ones: Floats, others: Floats | None = None, owners: Ids | None = None
) -> Steps[Ids]:
    """Return the overlapping pairs of boxes (6, n) and others (6, m), as numbers (2, p), sorted.

    Without other boxes, returns pairs of two boxes, the lower number first; with `owners`, (n,),
    only pairs of different owners. Yields the fraction done.
    """
    partners = ones if others is None else others
    if others is not None and ones.shape[1] * others.shape[1] <= _PLAIN:
        return np.stack(boxes_meet(ones[:, :, None], others[:, None]).nonzero())
    found = [np.empty((2, 0), np.intp)]
    for done, here, there in near_bounds(ones, others, owners):
        met = boxes_meet(ones[:, here], partners[:, there])
        found.append(np.stack((here[met], there[met])))
        yield done
    pairs = np.concatenate(found, axis=1)
    if others is None:
        pairs.sort(axis=0)
    return pairs[:, np.lexsort(pairs[::-1])]


def near_bounds(
    ones: Floats, others: Floats | None = None, owners: Ids | None = None
) -> Iterator[PairBatch]:
    """Yield pairs of bounds (6, n) and others (6, m) that may overlap, each pair once.

    All pairs that overlap are among them, and very few others. Without other bounds, yields pairs
    of two different bounds, in either order; with `owners`, (n,), only pairs of different owners.
    """
    both = ones if others is None else np.concatenate((ones, others), axis=1)
    counts = ones.shape[1], both.shape[1] - (0 if others is None else ones.shape[1])
    if min(counts) == 0:
        yield no_pairs(1.0)
        return
    grid, height, half = _grid_around(both), 1, _PREPARED / 2
    while _RUN**height < max(counts):
        height += 1
    here = there = yield from repeated(
        _hierarchy(ones, owners, grid, height), lambda part: no_pairs(half * part)
    )
    if others is not None:
        there = yield from repeated(
            _hierarchy(others, None, grid, height), lambda part: no_pairs(half + half * part)
        )
    batches = pairs_below(here, there)
    if batches is None:
        batches = _walked(here, there)
    for done, firsts, seconds in batches:
        yield PairBatch(_PREPARED + (1.0 - _PREPARED) * done, firsts, seconds)
    yield no_pairs(1.0)


def _grid_around(bounds: Floats) -> Grid:
    """Return the finest grid that words can hold, over these bounds.

    The grid does not grow for a few bounds that are far away or huge: these are clamped to its
    border.
    """
    some = bounds[:, :: bounds.shape[1] // _SAMPLE + 1]
    low, high = np.sort(some[:3]), np.sort(some[3:])
    few = low.shape[1] // _FEW
    low, high = low[:, few], high[:, -1 - few]
    reach = np.where(high > low, _WIDE * (high - low), np.inf)
    return Grid(
        np.maximum(bounds[:3].min(axis=1), low - reach),
        np.minimum(bounds[3:].max(axis=1), high + reach),
        BITS,
    )


class _Level(NamedTuple):
    """Boxes of one level: first and last grid cells, packed, (n,); the last with guard bits.

    `owners` (2, n) are the lowest and the highest owner in each box; (0, n) if none matter.
    """

    first: Words
    last: Words
    owners: Ids

    def meeting(self, boxes: Ids, others: "_Level", numbers: Ids) -> Ids:
        """Return the pairs that may overlap, ascending: all that do, and very few others.

        Boxes beyond the last one meet nothing.
        """
        above = self.last.take(boxes, mode="clip")
        above -= others.first.take(numbers)
        below = others.last.take(numbers)
        below -= self.first.take(boxes, mode="clip")
        above &= below
        above &= GUARD_BITS
        met = np.flatnonzero(above == GUARD_BITS)
        return met[boxes[met] < len(self.first)]

    def enclosed(self) -> "_Level":
        """Return the boxes of the next level, around `_RUN` of these each."""
        starts = np.arange(0, len(self.first), _RUN)
        first = np.minimum.reduceat(unpack(self.first), starts, axis=1)
        last = np.maximum.reduceat(unpack(self.last), starts, axis=1)
        owners = self.owners
        if len(owners):
            owners = bounds_of_runs(owners[:1], owners[1:], starts)
        return _Level(pack(first), pack(last) | GUARD_BITS, owners)

    def apart(self, ones: Ids, others: Ids) -> Flags:
        """Flag the pairs of boxes that hold several owners."""
        lowest, highest = self.owners
        flags: Flags = lowest.take(ones) != highest.take(others)
        return flags | (highest.take(ones) != lowest.take(others))


class _Hierarchy(NamedTuple):
    """Levels of boxes, the bounds themselves first; bounds p of the first are `order[p]`.

    Box b of a level is around the boxes from `_RUN * b` on of the level before.
    """

    order: Ids
    levels: list[_Level]


def _hierarchy(bounds: Floats, owners: Ids | None, grid: Grid, height: int) -> Steps[_Hierarchy]:
    """Return the hierarchy of bounds (6, n), with a single box at this height, in steps."""
    first, last, codes = np.empty((3, bounds.shape[1]), np.int64)
    for some in blocks(len(codes), tuning.current.piece):
        lower, upper = grid.overlapped(bounds[:3, some], bounds[3:, some])
        first[some], last[some] = pack(lower), pack(upper) | GUARD_BITS
        codes[some] = morton_codes((lower + upper) >> 1, BITS)
        yield 0.3 * some.stop / len(codes)
    order = yield from between(0.3, 0.8, radix_argsort_steps(codes, 3 * BITS))
    both = np.empty((0 if owners is None else 2, len(order)), np.int64)
    if owners is not None:
        both[:] = owners[order]
    levels = [_Level(first[order], last[order], both)]
    while len(levels) <= height:
        levels.append(levels[-1].enclosed())
        yield 1.0
    return _Hierarchy(order, levels)


def _walked(one: _Hierarchy, other: _Hierarchy) -> Iterator[PairBatch]:
    """Yield the pairs of bounds that may overlap, by a walk from the roots, a part at a time."""
    root = np.zeros(1, np.intp)
    waiting = [(0.0, 1.0, len(one.levels) - 1, root, root)]
    while waiting:
        start, stop, height, ones, others = waiting.pop()
        if height == 0:
            yield PairBatch(stop, one.order[ones], other.order[others])
            continue
        yield no_pairs(start)
        ones, others = _below(one, other, height, ones, others)
        parts = list(blocks(len(ones), tuning.current.boxes_paired))
        ends = np.linspace(start, stop, len(parts) + 1).tolist()
        waiting += [
            (*done, height - 1, ones[some], others[some])
            for *done, some in zip(ends, ends[1:], parts, strict=False)
        ][::-1]


def _below(
    one: _Hierarchy, other: _Hierarchy, height: int, ones: Ids, others: Ids
) -> tuple[Ids, Ids]:
    """Return the pairs of boxes in these pairs of boxes that may overlap, one level below.

    Within one hierarchy, the first box of a pair is not behind the second.
    """
    here, above = one.levels[height - 1], one.levels[height]
    there, beyond = other.levels[height - 1], other.levels[height]
    parents, first = _children(here, ones, beyond, others)
    partners, second = _children(there, others, above, ones)
    counts = np.bincount(partners, minlength=len(ones))
    starts = (np.cumsum(counts) - counts)[parents]
    first = np.repeat(first, counts[parents])
    second = second[concatenated_ranges(starts, counts[parents])]
    if one is other:
        kept = np.flatnonzero(first < second if height == 1 else first <= second)
        first, second = first[kept], second[kept]
    met = here.meeting(first, there, second)
    first, second = first[met], second[met]
    if len(here.owners):
        apart = here.apart(first, second)
        first, second = first[apart], second[apart]
    return first, second


def _children(level: _Level, boxes: Ids, beyond: _Level, others: Ids) -> tuple[Ids, Ids]:
    """Return the boxes of a level in `boxes` that may overlap `others`, one for each of these.

    Returns pairs of a position in `boxes` and a box of the level.
    """
    children = (_RUN * boxes[:, None] + np.arange(_RUN)).ravel()
    met = level.meeting(children, beyond, np.repeat(others, _RUN))
    return met // _RUN, children[met]
