"""Rules of division: where cells are divided, and which children items go to; the build loop.

Cells are divided level by level, unless that makes too many copies.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .. import child_masks, tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, gather
from ..cells import Cells, Slices
from ..child_masks import POPCOUNT, ChildMasks
from ..octree import copied_of
from ..options import COPYING, Options
from ..passes import pieces
from ..shapes import Shapes
from ..steps import Ticks
from .entries import Entries
from .levels import Leaves, Level, Members, Verdict, judged

# Raises if, at a depth, a number of copies exceeds the limit; called with (depth, count).
Check = Callable[[int, int], None]
# Slices of the references of each cell; the references; a flag for entries referenced repeatedly.
Filing: TypeAlias = Ticks[tuple[Slices, Ids, Flags]]
# The leaf capacity that `copies_on_the_way` is measured for.
_IN_LEAVES_OF = 32
# Average copies per item at one depth above which a build is refused, unless the tree is small.
MOST_FOR_AN_ITEM = 8
# Cells per depth in a trial build, about; and an irrational step that never repeats a pattern.
_SAMPLE, _GOLDEN = 2048, 0.6180339887498949


@dataclass(frozen=True)
class Cut:
    """Cells with these walls, (6, c), that are divided at `middles`, (3, c).

    `scale`, (3,), is one by the unit of length of each axis: children count as `margin` units
    larger than they are.
    """

    walls: Floats
    middles: Floats
    scale: Floats
    margin: float

    @cached_property
    def _reach(self) -> Floats:
        """The extents of the children below and above the middles, in units, (6, c)."""
        # Walls are rounded, so children are not quite of one size.
        sizes = np.stack((self.middles - self.walls[:3], self.walls[3:] - self.middles))
        return (sizes * self.scale[:, None]).reshape(6, -1)

    def touched(
        self, items: Shapes, pairs: Members, overlapped: ChildMasks, is_whole: Flags
    ) -> tuple[ChildMasks, Ids]:
        """Return the children that the entry of each pair touches, of those its bounds overlap.

        `is_whole` flags entries that lie in their cell. `overlapped` is written to. The second
        result are strays: entries that touch no child, by a rounding, and are given every child
        that their bounds overlap.
        """
        # An item that lies in the cell and crosses one dividing plane touches both sides of it.
        certain = 1 + is_whole.view(np.uint8)
        doubtful = np.flatnonzero(POPCOUNT.take(overlapped) > certain)
        some = pairs[doubtful]
        touched = child_masks.touched_children(
            items,
            some.entries,
            gather(self.middles, some.cells),
            self.scale,
            self.margin,
            gather(self._reach, some.cells).reshape(2, 3, -1),
        )
        kept = overlapped[doubtful] & touched
        overlapped[doubtful] = np.where(kept, kept, overlapped[doubtful])
        return overlapped, some.entries[np.flatnonzero(kept == 0)]


@dataclass(frozen=True)
class CellPairs(Members):
    """Entries and the cells that hold them, cell by cell.

    `is_whole` flags entries that lie whole in their cell, as far as they lie in the root.
    """

    is_whole: Flags


class Rule(ABC):
    """A rule of division: finds the children of cells, and the children that take each entry.

    `strays` are entries placed in cells although, because of rounding, they seem to touch no
    child. A copy of a rule divides cells on trial.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.strays = np.empty(0, np.intp)

    @abstractmethod
    def divisible(self, leaves: Leaves, some: Ids) -> Flags:
        """Flag the given cells that are neither too deep nor too small to have children."""

    @abstractmethod
    def children(self, leaves: Leaves, pairs: CellPairs) -> Ticks[tuple[NDArray[Any], ChildMasks]]:
        """Return where the children are, (k, 8 c), and which of them take the entry of each pair.

        No child takes an entry that stays.
        """

    @abstractmethod
    def leaving(self, level: Level, leaves: Leaves) -> Ticks[CellPairs]:
        """Return the entries that a child may take from cells of a level, or that stay there."""

    def sliced(self, leaves: Leaves, where: NDArray[Any]) -> Ticks[tuple[Ids, Ids]]:
        """Return the children's slices of the entries, (2, c, 8), and how many they hold."""
        yield
        slices, held = np.split(np.zeros((3, len(leaves), 8), np.intp), [2])
        return slices, held[0]

    def walls(self, where: NDArray[Any], depths: Ids) -> Floats:
        """Return the walls (6, c) of cells of these depths, given where they are."""
        return where

    def divide(self, level: Level, overfull: Ids, check: Check) -> Ticks[Level]:
        """Divide the overfull cells of a level where this pays off; return the children."""
        leaves = level.cells[overfull]
        pairs = yield from self.leaving(level, leaves)
        where, masks = yield from self.children(leaves, pairs)
        masks = _moving(masks, self.options)
        going, copied = yield from _going(pairs, masks, len(leaves))
        slices, held = yield from self.sliced(leaves, where)
        held += copied
        verdict = judged(held, leaves.held, leaves.spread, leaves.allowance)
        check(int(leaves.depths[0]) + 1, int(copied[verdict.allowance >= 1].sum()))
        level.settle(overfull, verdict.worth, verdict.separated)
        if self.options.straddlers not in COPYING:
            stay = pairs[(masks == 0) & verdict.worth[pairs.cells]]
            level.stay = Members(stay.entries, overfull[stay.cells])
        yield
        going, copied = _of_some(going, copied, verdict.worth)
        ends = np.cumsum(copied).reshape(-1, 8)
        children = _children(leaves, where, (*slices, ends - copied, ends, held), verdict)
        copies = yield from _handed_down(pairs.entries, going, ends - copied, copied)
        return Level(children, copies)

    def file(self, entries: Entries, levels: Sequence[Level], cells: Cells) -> Filing:
        """Return the slices of all cells, the references in preorder, and what is copied."""
        slices = cells.slices(np.concatenate([each.own_counts for each in levels]), entries.beyond)
        references = np.empty(slices.end[0], np.intp)
        references[: entries.beyond] = np.arange(len(entries), len(entries.order))
        begins = np.split(slices.begin, np.cumsum([len(each.cells) for each in levels])[:-1])
        for depth, (level, begin) in enumerate(zip(levels, begins, strict=True)):
            yield
            stay = np.bincount(level.stay.cells, minlength=len(begin))
            references[concatenated_ranges(begin, stay)] = level.stay.entries
            yield from _fill(references, begin, level, entries.depths >= depth)
        return slices, references, copied_of(references, len(entries.order), self.options)

    def taking(
        self, take: Callable[[CellPairs], tuple[ChildMasks, Ids]], pairs: CellPairs
    ) -> Ticks[ChildMasks]:
        """Return the children that take the entry of each pair, some at a time; note strays."""
        masks, strays = np.empty(len(pairs), np.uint8), [self.strays]
        for some in blocks(len(pairs), tuning.current.divided):
            masks[some], lost = take(pairs[some])
            strays.append(lost)
            yield
        self.strays = np.concatenate(strays)
        return masks


def _moving(masks: ChildMasks, options: Options) -> ChildMasks:
    """Return the children that entries go to: none for entries that touch too many and stay."""
    if options.straddlers in COPYING:
        return masks
    most = options.hybrid_limit if options.straddlers == "hybrid" else 1
    return np.where(POPCOUNT.take(masks) <= most, masks, np.uint8(0))


def _going(pairs: CellPairs, masks: ChildMasks, count: int) -> Ticks[tuple[list[Ids], Ids]]:
    """Return the pairs whose entry each of eight children takes, and how many, (count, 8)."""
    ends, going = np.searchsorted(pairs.cells, np.arange(count + 1)), []
    copied = np.empty((count, 8), np.intp)
    for child in range(8):
        going.append(np.flatnonzero(masks & np.uint8(1 << child) != 0))
        copied[:, child] = np.diff(np.searchsorted(going[child], ends))
        yield
    return going, copied


def _of_some(going: list[Ids], copied: Ids, some: Flags) -> tuple[list[Ids], Ids]:
    """Return the pairs and counts of the flagged cells only."""
    if some.all():
        return going, copied
    kept = [pairs[np.repeat(some, counts)] for pairs, counts in zip(going, copied.T, strict=True)]
    return kept, copied * some[:, None]


def _children(
    leaves: Leaves, where: NDArray[Any], known: tuple[Ids, ...], verdict: Verdict
) -> Leaves:
    """Return the children, (8 c), of the cells (c,) whose division pays off."""
    spread = np.broadcast_to(verdict.spread[:, None], (len(leaves), 8))
    depths = np.broadcast_to(leaves.depths[:, None] + 1, (len(leaves), 8))
    rows = np.stack((*known, spread, depths)).reshape(7, -1)
    children = Leaves(where, rows, np.repeat(verdict.allowance, 8))
    return children if verdict.worth.all() else children[np.repeat(verdict.worth, 8)]


def _handed_down(entries: Ids, going: list[Ids], starts: Ids, copied: Ids) -> Ticks[Ids]:
    """Return the copied entries, written for each child at its start, (c, 8)."""
    copies = np.empty(copied.sum(), np.intp)
    for child, pairs in enumerate(going):
        copies[concatenated_ranges(starts[:, child], copied[:, child])] = entries[pairs]
        yield
    return copies


def _fill(references: Ids, begin: Ids, level: Level, is_below: Flags) -> Ticks[None]:
    """Write the entries and the copies of each leaf into its slice of the references."""
    leaves = level.leaves
    for some in pieces(level.cells.held[leaves].cumsum()):
        cells, at = level.cells[leaves[some]], begin[leaves[some]]
        first, last = cells.slices
        held = concatenated_ranges(first, last - first)
        counts = cells.held - cells.copy_counts
        references[concatenated_ranges(at, counts)] = held[is_below[held]]
        yield
        copied = concatenated_ranges(at + counts, cells.copy_counts)
        references[copied] = level.copies_in(cells)
        yield


def divide(root: Level, rule: Rule, entries: float) -> Ticks[list[Level]]:
    """Divide cells, their children and so on; return the levels.

    `entries` is the number of items; if it is infinite, any number of copies is allowed.
    """
    levels, is_foreseen = [root], False
    while len(overfull := _overfull(levels[-1], rule)):
        copies = len(levels[-1].copies)
        if not is_foreseen and may_be_refused(copies, len(overfull), entries, rule.options):
            yield from _foresee(levels[-1], copy(rule), entries)
            is_foreseen = True
        check = partial(check_copies, entries, rule.options)
        levels.append((yield from rule.divide(levels[-1], overfull, check)))
    return levels


def _overfull(level: Level, rule: Rule) -> Ids:
    """Return the cells that hold more items than the capacity and may be divided."""
    (overfull,) = (level.cells.held > rule.options.capacity).nonzero()
    return overfull[rule.divisible(level.cells, overfull)]


def _foresee(level: Level, rule: Rule, entries: float) -> Ticks[None]:
    """Divide a sample of the cells to full depth; raise if the copies exceed the limit.

    At each depth, one of every few cells is taken and represents the others.
    """
    weight = 1.0
    while len(overfull := _overfull(level, rule)):
        some = _sample(overfull)
        weight *= len(overfull) / len(some)
        check = partial(check_copies, entries, rule.options, weight=weight)
        level = yield from rule.divide(level, some, check)


def _sample(cells: Ids) -> Ids:
    """Return one of every few cells, with a varying position among eight siblings."""
    step = -(-len(cells) // _SAMPLE)
    first = np.arange(0, len(cells) - step + 1, step)
    return cells[first + (first * _GOLDEN % 1 * step).astype(np.intp)]


def most_references(entries: float, options: Options) -> float:
    """Return the average number of references per item that all divisions together may make.

    With leaves of 32 or more, no more than `check_copies` allows. With "hybrid", as many as are
    cheap, even if cells then keep more items than the capacity.
    """
    if options.straddlers == "hybrid":
        return tuning.current.copies_while_cheap
    most = min(tuning.current.copies_on_the_way, most_copies(entries) / max(entries, 1))
    return most * _IN_LEAVES_OF / min(options.capacity, _IN_LEAVES_OF)


def check_copies(
    entries: float, options: Options, depth: int, count: int, weight: float = 1.0
) -> None:
    """Raise ValueError if `count` copies of `entries` items at one depth exceed the limit.

    A sample, which represents `weight` times as many cells, must exceed it by a safety factor.
    """
    certainly = tuning.current.certainly_too_many
    if weight == 1.0 and count > most_copies(entries):
        made = f"{count:,}"
    elif weight > 1.0 and count * weight > certainly * most_copies(entries):
        made = f"about {float(f'{count * weight:.1e}'):,.0f}"
    else:
        return
    raise ValueError(
        f"capacity must be larger, or max_depth smaller: got {options.capacity} and"
        f" {options.max_depth}, which make {made} copies at depth {depth}"
    )


def most_copies(entries: float) -> float:
    """Return the largest allowed number of copies of `entries` items at one depth."""
    return max(MOST_FOR_AN_ITEM * entries, tuning.current.copies_at_a_depth)


def may_be_refused(copies: int, overfull: int, entries: float, options: Options) -> bool:
    """Return whether a sample of the cells should be divided before all cells are.

    This requires many copies so far, and enough overfull cells for a sample. The smaller the
    leaves, the more of the copies are still to be made.
    """
    ahead = tuning.current.copies_ahead
    many = copies * ahead > most_copies(entries) * options.capacity
    return many and overfull >= _SAMPLE // 2
