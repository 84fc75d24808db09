"""Splitting rules: levels of cells, what descends and what stays, which divisions are kept.

The same for cells on a grid and off it, in a tree that is built and in one that changes. Work is
done in steps: generators that yield the fraction done and return what they made.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, flagged
from ..cells import Slices
from ..child_masks import LOWEST_BIT, POPCOUNT, ChildMasks
from ..options import COPYING, Options
from ..passes import taken_steps
from ..records import Columns
from ..steps import Steps, between, run

T = TypeVar("T")
AnyLevel = TypeVar("AnyLevel", bound="Level")

# A division whose children together hold more than this many times the cell's items is not kept.
MOST_COPIES = 4
# The leaves for which `copies_on_the_way` holds.
_IN_LEAVES_OF = 32
# Copies of an item at one depth that no tree is worth, unless it is small.
MOST_FOR_AN_ITEM = 8
# A build is tried on about this many cells of each depth. A fraction that no step repeats.
_SAMPLE, _GOLDEN = 2048, 0.6180339887498949


@dataclass(frozen=True)
class Members(Columns):
    """Entries and the cells that they are in: two arrays of one length."""

    entries: Ids
    cells: Ids

    def __add__(self, other: "Members") -> "Members":
        if len(other) == 0:
            return self  # fresh memory for millions costs more than all else here
        return Members.joined((self, other))


NO_MEMBERS = Members(np.empty(0, np.intp), np.empty(0, np.intp))


# Slices of the references of each cell; these; and which entries stand there more than once.
Filing: TypeAlias = Steps[tuple[Slices, Ids, Flags]]
# Raises if at this depth this many copies are beyond all use.
Check = Callable[[int, int], None]
# Divides cells of a level, of a depth, and returns their children, and strays.
Division = Callable[["Level", Ids, int, Ids, Check], Steps[tuple["Level", Ids]]]


@dataclass
class Level:
    """All cells of one depth, numbered from 0.

    `cells` say where they are: their numbers on the grid (3, c), or their walls (6, c). `slices`
    (2, c) bound each cell's slice of the sorted items; of those the cell holds the items that no
    cell above it handed down or kept. `copies` are what it holds besides. `spread` tells over how
    many cells divisions that separated nothing have spread a cell's items, `allowance` how many
    references of each, on average, divisions of the cell and below may make.

    After the division: `divided` are the cells that have children, `separated` says which of
    these divisions set items apart, and `own` are the pairs that stay at this depth.
    """

    cells: NDArray[Any]
    slices: Ids
    copies: Members
    spread: Ids
    allowance: Floats
    divided: Ids
    separated: Flags
    own: Members

    @classmethod
    def of_leaves(
        cls, cells: NDArray[Any], slices: Ids, copies: Members, spread: Ids, allowance: Floats
    ) -> "Level":
        """Return a level whose cells have no children."""
        nothing = np.empty(0, np.intp)
        return cls(cells, slices, copies, spread, allowance, nothing, nothing > 0, copies)

    def counts(self, gone: Ids) -> Ids:
        """Count the items of each cell, where `gone[i]` of the first i sorted items are not.

        Those have been handed down, and count as copies, or stayed further up.
        """
        begin, end = self.slices
        copies = np.bincount(self.copies.cells, minlength=len(begin))
        return end - begin - gone[end] + gone[begin] + copies

    def pruned(self, useful: Flags, exists: Flags) -> Steps[Self]:
        """Return the level with only the cells that still exist and the divisions that are useful.

        All the items of a cell whose division was idle are in every child of it that is not empty,
        so the cell gets them back by holding its copies as before. Yields the fraction done.
        """
        own = self.own
        if not useful.all():
            idle = flagged(len(exists), self.divided, ~useful)
            own = own + (yield from between(0.0, 0.4, _kept(self.copies, idle)))
        if not exists.all():
            own = yield from between(0.4, 0.7, _kept(own, exists))
        rank = np.cumsum(exists) - 1
        ranks = yield from between(0.7, 1.0, taken_steps(rank, own.cells))
        divided = self.divided[useful & exists[self.divided]]
        return replace(
            self,
            cells=self.cells[:, exists],
            slices=self.slices[:, exists],
            divided=rank[divided],
            own=Members(own.entries, ranks),
        )


def handed_down(entries: Ids, first_children: Ids, masks: ChildMasks) -> Members:
    """Return a pair for each child that takes an entry, at least one each, entry by entry."""
    copies = Members(*np.empty((2, int(POPCOUNT.take(masks).sum(dtype=np.intp))), np.intp))
    _hand_down(entries, first_children, masks, copies)
    return copies


def handed_down_steps(entries: Ids, ranks: Ids, masks: ChildMasks) -> Steps[Members]:
    """Do the same, where the first child of a cell is eight times its rank; yields fractions."""
    pieces, ends = list(blocks(len(masks), tuning.current.piece)), [0]
    for some in pieces:
        ends.append(ends[-1] + int(POPCOUNT.take(masks[some]).sum(dtype=np.intp)))
        yield 0.1 * some.stop / len(masks)
    copies = Members(*np.empty((2, ends[-1]), np.intp))
    for some, start, end in zip(pieces, ends, ends[1:], strict=False):
        _hand_down(entries[some], 8 * ranks[some], masks[some], copies[start:end])
        yield 0.1 + 0.89 * some.stop / len(masks)
    return copies


def _hand_down(entries: Ids, first_children: Ids, masks: ChildMasks, copies: Members) -> None:
    """Fill `copies` with these pairs."""
    counts = POPCOUNT.take(masks)
    at = np.cumsum(counts, dtype=np.intp) - counts
    while len(masks):
        # The lowest child of every entry, then the next of those that have more, and so on.
        copies.entries[at] = entries
        copies.cells[at] = first_children + LOWEST_BIT.take(masks)
        masks = masks & (masks - np.uint8(1))
        more = np.flatnonzero(masks)
        entries, first_children, masks = entries[more], first_children[more], masks[more]
        at = at[more] + 1


def moving(masks: ChildMasks, options: Options) -> tuple[slice | Ids, slice | Ids]:
    """Return which pairs go to the children found for them, and which stay in their cell."""
    if options.straddlers in COPYING:
        return slice(None), slice(0, 0)
    most = options.hybrid_limit if options.straddlers == "hybrid" else 1
    few = (masks > 0) & (POPCOUNT.take(masks) <= most)
    return np.flatnonzero(few), np.flatnonzero(~few)


class Verdict(NamedTuple):
    """Of divided cells (c,), whether that is worth it, and what their children get.

    It may separate items, and make as many copies as are allowed. `spread` and `allowance` are
    those of a `Level`.
    """

    worth: Flags
    separated: Flags
    spread: Ids
    allowance: Floats
    allowed: Flags


def judged(held: Ids, counts: Ids, spread: Ids, allowance: Floats) -> Verdict:
    """Judge divisions of cells of so many items (c,), given how many children hold (c, 8)."""
    occupied = (held > 0).sum(axis=1)
    separated = ((held > 0) & (held < counts[:, None])).any(axis=1)
    spread = np.where(separated, 1, spread * occupied)
    together = held.sum(axis=1)
    allowance = allowance * counts / np.maximum(together, 1)
    allowed = allowance >= 1
    worth = (together <= MOST_COPIES * counts) & (spread <= MOST_COPIES) & (occupied > 0) & allowed
    return Verdict(worth, separated, spread, allowance, allowed)


def settle(
    level: Level,
    overfull: Ids,
    counts: Ids,
    stay: Members,
    children: Level,
    gone: Ids,
    check: Callable[[int], None],
) -> Steps[Level]:
    """Keep the divisions that are worth it: note them in `level`, return their children.

    Those that would make more copies than they are allowed do not count for `check`. Yields the
    fraction done.
    """
    held = children.counts(gone).reshape(-1, 8)
    verdict = judged(held, counts, level.spread[overfull], level.allowance[overfull])
    worth, separated, spread, allowance, allowed = verdict
    yield 0.2
    check(_copies_in(children, allowed))
    level.divided, level.separated = overfull[worth], separated[worth]
    is_leaf = ~flagged(level.slices.shape[1], level.divided)
    stay = stay[worth[stay.cells]]
    staying = Members(stay.entries, overfull[stay.cells])
    yield 0.3
    level.own = (yield from between(0.3, 0.5, _kept(level.copies, is_leaf))) + staying
    yield 0.51
    # All that may be asked for again are the copies of cells whose division may be taken back.
    may_go_back = flagged(len(is_leaf), level.divided, ~level.separated)
    level.copies = yield from between(0.51, 0.7, _kept(level.copies, may_go_back))
    children.spread, children.allowance = np.repeat(spread, 8), np.repeat(allowance, 8)
    if worth.all():
        return children
    return (yield from between(0.7, 1.0, _some_of(children, np.repeat(worth, 8))))


def _copies_in(children: Level, some: Flags) -> int:
    """Count the copies in the children of some cells."""
    if some.all():
        return len(children.copies)
    return int(np.count_nonzero(np.repeat(some, 8)[children.copies.cells]))


def _kept(pairs: Members, some: Flags) -> Steps[Members]:
    """Return the pairs of some of the cells; yields the fraction done."""
    flags = yield from between(0.0, 0.3, taken_steps(some, pairs.cells))
    kept, end = Members(*np.empty((2, np.count_nonzero(flags)), np.intp)), 0
    if len(kept) == len(pairs):
        return pairs
    for piece in blocks(len(pairs), tuning.current.piece):
        these = pairs[piece][flags[piece]]
        start, end = end, end + len(these)
        kept.entries[start:end], kept.cells[start:end] = these.entries, these.cells
        yield 0.3 + 0.7 * piece.stop / len(pairs)
    return kept


def _some_of(level: Level, some: Flags) -> Steps[Level]:
    """Return some of the cells, none of which has been divided yet; yields the fraction done."""
    rank = np.cumsum(some) - 1
    copies = yield from between(0.0, 0.7, _kept(level.copies, some))
    ranks = yield from between(0.7, 1.0, taken_steps(rank, copies.cells))
    return Level.of_leaves(
        level.cells[:, some],
        level.slices[:, some],
        Members(copies.entries, ranks),
        level.spread[some],
        level.allowance[some],
    )


def without_idle_divisions(levels: Sequence[AnyLevel]) -> Steps[list[AnyLevel]]:
    """Take back divisions that separated nothing, unless one below them did.

    Yields the fraction done.
    """
    kept: list[AnyLevel] = []
    all_useful = _useful_divisions(levels)
    if all(useful.all() for useful in all_useful):
        return list(levels)
    exists = np.ones(levels[0].slices.shape[1], bool)
    for level, useful in zip(levels, all_useful, strict=True):
        if not exists.any():
            break
        all_stay = exists.all() and useful.all()
        done = len(kept) / len(levels), (len(kept) + 1) / len(levels)
        pruning = between(*done, level.pruned(useful, exists))
        kept.append(level if all_stay else (yield from pruning))
        exists = np.repeat(useful & exists[level.divided], 8)
    return kept


def _useful_divisions(levels: Sequence[Level]) -> list[Flags]:
    """Return which divisions of each level separated items, or have one below them that did."""
    useful = [levels[-1].separated]
    for level, deeper in zip(levels[-2::-1], levels[:0:-1], strict=True):
        below = flagged(deeper.slices.shape[1], deeper.divided, useful[0])
        useful.insert(0, level.separated | below.reshape(-1, 8).any(axis=1))
    return useful


def most_references(entries: int, options: Options) -> float:
    """Return how many references of an item, on average, all divisions together may make.

    With leaves of 32 or more, no more than `check_copies` allows. With "hybrid" as many as are
    cheap, however many items that leaves in a cell.
    """
    if options.straddlers == "hybrid":
        return tuning.current.copies_while_cheap
    most = min(tuning.current.copies_on_the_way, most_copies(entries) / max(entries, 1))
    return most * _IN_LEAVES_OF / min(options.capacity, _IN_LEAVES_OF)


def check_copies(
    entries: int, options: Options, depth: int, count: int, weight: float = 1.0
) -> None:
    """Raise if this many copies of this many entries at one depth are beyond all use.

    Of a sample that stands for `weight` times as many cells they have to be so for certain.
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


def most_copies(entries: int) -> int:
    """Return how many copies of this many entries at one depth are not yet beyond all use."""
    return max(MOST_FOR_AN_ITEM * entries, tuning.current.copies_at_a_depth)


def may_be_refused(copies: int, overfull: int, entries: int, options: Options) -> bool:
    """Tell whether copies grow so that a sample of the cells should be divided before all are.

    There are so many copies, and overfull cells.

    The smaller the leaves, the more of the copies are still to be made.
    """
    ahead = tuning.current.copies_ahead
    many = copies * ahead > most_copies(entries) * options.capacity
    return many and overfull >= _SAMPLE // 2


def foresee(
    level: Level, depths: range, gone: Ids, divide: Division, entries: int, options: Options
) -> Steps[None]:
    """Divide a sample of the cells down to the last of these depths; raise if that is too much.

    Of the cells of each depth every second, third or so is taken, and stands for the others.
    Yields the fraction done.
    """
    weight = 1.0
    for done, depth in enumerate(depths):
        overfull = np.flatnonzero(level.counts(gone) > options.capacity)
        if len(overfull) == 0:
            return
        some = _sample(overfull)
        weight *= len(overfull) / len(some)
        level = run(_some_of(level, flagged(level.slices.shape[1], some)))
        check = partial(check_copies, entries, options, weight=weight)
        dividing = divide(level, np.arange(len(some)), depth, gone, check)
        level, _ = yield from between(done / len(depths), (done + 1) / len(depths), dividing)


def _sample(cells: Ids) -> Ids:
    """Return one of each few cells, not always the same one of eight children."""
    step = -(-len(cells) // _SAMPLE)
    first = np.arange(0, len(cells) - step + 1, step)
    return cells[first + (first * _GOLDEN % 1 * step).astype(np.intp)]
