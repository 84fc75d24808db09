"""From levels of cells to the frozen arrays of an Octree."""

from collections.abc import Generator
from dataclasses import replace

import numpy as np

from ..arrays import Flags, Ids, concatenated_ranges, radix_argsort
from ..child_masks import child_masks_of
from ..grid import Grid, enlarged
from ..octree import Octree
from ..options import Options
from .entries import Entries
from .levels import Level, Pairs

# The normal of a sliver is known to a rounding of the product of its edges: where its plane alone
# parts it from a cell, it can be this much of the root's size away and still count as touching.
_SLIVER = 2.0**-24


def assemble(
    entries: Entries, grid: Grid, options: Options, levels: list[Level], strays: Ids
) -> Generator[float, None, Octree]:
    """Make the octree of these levels; items beyond the root come first in its slots.

    Yields the fraction done.
    """
    levels = _without_idle_divisions(levels)
    yield 0.2
    first = np.cumsum([0, *(level.slices.shape[1] for level in levels)])
    depths = np.repeat(np.arange(len(levels)), np.diff(first))
    parent, child = np.full((2, len(depths)), -1)
    for level, start, below in zip(levels[:-1], first, first[1:], strict=False):
        divided = start + level.divided
        child[divided] = below + 8 * np.arange(len(divided))
        parent[below : below + 8 * len(divided)] = np.repeat(divided, 8)
    lower, upper = np.concatenate(
        [level.bounds(grid, depth) for depth, level in enumerate(levels)], axis=2
    )
    rows = np.concatenate((lower, upper))
    loose_lower, loose_upper = enlarged(lower, upper, options.enlargement)
    # The first of the eight parts ends where its cell is divided.
    middle = np.ascontiguousarray(np.where(child < 0, np.nan, upper[:, child]))
    yield 0.4
    members = _members(entries, levels, first, depths, child)
    yield 0.5
    slots, begin, own_end, end = yield from _slots(entries, levels, first, members)
    size = float((grid.upper - grid.lower).max())
    copied = np.bincount(slots, minlength=len(entries.order)) > 1
    return Octree(
        **vars(options),
        items=entries.items,
        invalid_items=entries.invalid,
        order=entries.order,
        arranged=entries.arranged,
        cell_rows=rows,
        loose_rows=rows if loose_lower is lower else np.concatenate((loose_lower, loose_upper)),
        middle_rows=middle,
        node_depth=depths,
        node_parent=parent,
        first_child=child,
        begin=begin,
        own_end=own_end,
        end=end,
        child_masks=child_masks_of(child, end > begin),
        references=slots,
        outside=len(entries.order) - len(entries),
        copied=copied,
        strays=np.unique(strays),
        slack=_SLIVER * size + 16 * grid.rounding,
        ids=None,
        groups=None,
    )


def _without_idle_divisions(levels: list[Level]) -> list[Level]:
    """Take back divisions that separated nothing, unless one below them did."""
    kept, exists = [], np.ones(1, bool)
    for level, useful in zip(levels, _useful_divisions(levels), strict=True):
        if not exists.any():
            break
        all_stay = exists.all() and useful.all()
        kept.append(level if all_stay else _pruned(level, useful, exists))
        exists = np.repeat(useful & exists[level.divided], 8)
    return kept


def _useful_divisions(levels: list[Level]) -> list[Flags]:
    """Return which divisions of each level separated items, or have one below them that did."""
    useful = [levels[-1].separated]
    for level, deeper in zip(levels[-2::-1], levels[:0:-1], strict=True):
        below = np.zeros(deeper.slices.shape[1], bool)
        below[deeper.divided] = useful[0]
        useful.insert(0, level.separated | below.reshape(-1, 8).any(axis=1))
    return useful


def _pruned(level: Level, useful: Flags, exists: Flags) -> Level:
    """Return the level with only the cells that still exist and the divisions that are useful.

    All the items of a cell whose division was idle are in every part of it that is not empty, so
    the cell gets them back by holding its copies as before.
    """
    own = level.own
    if not useful.all():
        idle = np.zeros(len(exists), bool)
        idle[level.divided] = ~useful
        own = own + level.copies[idle[level.copies.cells]]
    if not exists.all():
        own = own[exists[own.cells]]
    rank = np.cumsum(exists) - 1
    divided = level.divided[useful & exists[level.divided]]
    return replace(
        level,
        cells=level.cells[:, exists],
        slices=level.slices[:, exists],
        divided=rank[divided],
        own=Pairs(own.entries, rank[own.cells]),
    )


def _slots(
    entries: Entries, levels: list[Level], first: Ids, members: Pairs
) -> Generator[float, None, tuple[Ids, Ids, Ids, Ids]]:
    """Make the slots in preorder, and where each cell's own and its subtree's begin and end."""
    single = np.bincount(members.cells, minlength=first[-1])
    copies = [np.bincount(level.own.cells, minlength=level.slices.shape[1]) for level in levels]
    own = single + np.concatenate(copies)
    beyond = np.arange(len(entries), len(entries.order))
    begin, end = _extents(own, levels, first, len(beyond))
    slots = np.empty(end[0], np.intp)
    groups = members.cells[np.flatnonzero(np.diff(members.cells, prepend=-1))]
    slots[concatenated_ranges(begin[groups], single[groups])] = members.entries
    yield 0.6
    for level, start, counts in zip(levels, first, copies, strict=False):
        free = begin[start : start + len(counts)] + single[start : start + len(counts)]
        order = _by_cell(level.own.cells, counts)
        yield 0.6 + 0.4 * (start + 0.5 * len(counts)) / first[-1]
        slots[concatenated_ranges(free, counts)] = level.own.entries[order]
        yield 0.6 + 0.4 * (start + len(counts)) / first[-1]
    slots[: len(beyond)] = beyond
    return slots, begin, begin + own, end


def _by_cell(cells: Ids, counts: Ids) -> Ids:
    """Return the stable order that sorts by cell, where each cell occurs so many times."""
    rank = np.cumsum(counts > 0) - 1
    return radix_argsort(rank[cells], int(rank[-1] + 1).bit_length())


def _members(entries: Entries, levels: list[Level], first: Ids, depths: Ids, child: Ids) -> Pairs:
    """Return the entries that were never handed down, with their leaves, leaf by leaf."""
    begin, end = np.concatenate([level.slices for level in levels], axis=1)
    holding = np.flatnonzero((child < 0) & (end > begin))
    leaf_at = np.full(len(entries), -1)
    leaf_at[begin[holding]] = holding
    leaves = leaf_at[leaf_at >= 0]
    leaf = np.repeat(leaves, end[leaves] - begin[leaves])
    # Where the walls lie freely there are no slices: everything was handed down.
    alone = np.flatnonzero(entries.depths[: len(leaf)] >= depths.astype(np.uint8)[leaf])
    return Pairs(alone, leaf[alone])


def _extents(own: Ids, levels: list[Level], first: Ids, outside: int) -> tuple[Ids, Ids]:
    """Return where each cell's slots begin and where its subtree's end, from its own counts."""
    total = own.copy()
    for level, start, below in zip(levels[-2::-1], first[-3::-1], first[-2:0:-1], strict=True):
        parts = total[below : below + 8 * len(level.divided)].reshape(-1, 8)
        total[start + level.divided] += parts.sum(axis=1)
    begin = np.full(len(own), outside)
    for level, start, below in zip(levels[:-1], first, first[1:], strict=False):
        divided = start + level.divided
        parts = total[below : below + 8 * len(divided)].reshape(-1, 8)
        offsets = (begin + own)[divided, None] + np.cumsum(parts, axis=1) - parts
        begin[below : below + 8 * len(divided)] = offsets.ravel()
    return begin, begin + total
