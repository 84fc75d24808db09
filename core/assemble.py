"""From levels of cells to the frozen arrays of an Octree."""

import numpy as np

from .arrays import Ids, runs
from .divide import Level, Pairs
from .entries import Entries
from .grid import Grid, enlarged
from .octree import Octree, Options
from .shapes import Shapes
from .words import sorted_order


def assemble(
    items: Shapes,
    entries: Entries,
    grid: Grid,
    options: Options,
    levels: list[Level],
    invalid: Ids,
    beyond: Ids,
    strays: Ids,
) -> Octree:
    """Return the octree of these levels; items `beyond` the root come first in its slots."""
    levels = _without_idle_divisions(levels)
    first = np.cumsum([0, *(level.slices.shape[1] for level in levels)])
    depths = np.repeat(np.arange(len(levels)), np.diff(first))
    parent, child = np.full((2, len(depths)), -1)
    for level, start, below in zip(levels[:-1], first, first[1:], strict=False):
        divided = start + level.divided
        child[divided] = below + 8 * np.arange(len(divided))
        parent[below : below + 8 * len(divided)] = np.repeat(divided, 8)
    lower, upper = np.concatenate(
        [grid.bounds(level.cells, depth) for depth, level in enumerate(levels)], axis=2
    )
    loose = options.loose_factor if options.straddlers == "keep" else 1.0
    tight_rows = np.concatenate((lower, upper))
    # The first of the eight parts ends where its cell is divided.
    middle = np.where(child < 0, np.nan, upper[:, child])
    slots, begin, own_end, end = _slots(entries, levels, first, depths, child, beyond)
    occupied = np.zeros(len(child), np.uint8)
    inner = np.flatnonzero(child >= 0)
    below = child[inner, None] + np.arange(8)
    occupied[inner] = np.packbits(end[below] > begin[below], axis=1, bitorder="little")[:, 0]
    cell = float((grid.upper - grid.lower).max()) / 2**grid.depth
    copied = np.bincount(slots, minlength=len(items)) > 1
    copied[beyond] = True
    return Octree(
        **vars(options),
        items=items,
        invalid_items=invalid,
        cell_rows=tight_rows,
        loose_rows=tight_rows if loose == 1 else np.concatenate(enlarged(lower, upper, loose)),
        middle_rows=middle,
        node_depth=depths,
        node_parent=parent,
        first_child=child,
        begin=begin,
        own_end=own_end,
        end=end,
        occupied_parts=occupied,
        slots=slots,
        outside=len(beyond),
        copied=copied,
        strays=np.unique(entries.order[strays]),
        slack=2 * entries.margin * cell + 4 * grid.rounding,
    )


def _without_idle_divisions(levels: list[Level]) -> list[Level]:
    """Take back divisions that separated nothing, unless one below them did.

    All the items of such a cell are in every part of it that is not empty, so a cell that gets
    them back holds its copies as before.
    """
    useful = [level.separated for level in levels]
    for above, below, level in zip(useful[-2::-1], useful[:0:-1], levels[:0:-1], strict=True):
        is_useful = np.zeros(level.slices.shape[1], bool)
        is_useful[level.divided] = below
        above |= is_useful.reshape(-1, 8).any(axis=1)
    if all(flags.all() for flags in useful):
        return levels
    kept, exists = [], np.ones(1, bool)
    for level, flags in zip(levels, useful, strict=True):
        idle = np.zeros(len(exists), bool)
        idle[level.divided] = ~flags
        own = level.own + level.copies[idle[level.copies.cells]]
        remain = exists[level.divided] & flags
        rank = np.cumsum(exists) - 1
        own = own[exists[own.cells]]
        kept.append(
            Level(
                level.cells[:, exists],
                level.slices[:, exists],
                level.copies,
                level.spread,
                rank[level.divided[remain]],
                level.separated,
                Pairs(own.entries, rank[own.cells]),
            )
        )
        exists = np.repeat(remain, 8)
        if not remain.any():
            break
    return kept


def _slots(
    entries: Entries, levels: list[Level], first: Ids, depths: Ids, child: Ids, beyond: Ids
) -> tuple[Ids, Ids, Ids, Ids]:
    """The slots in preorder, and where each cell's begin, its own end, and its subtree's end."""
    leaf, single_entries = _members(entries, levels, first, depths, child)
    single = np.bincount(leaf, minlength=len(depths))
    copies = [np.bincount(level.own.cells, minlength=level.slices.shape[1]) for level in levels]
    own = single + np.concatenate(copies)
    begin, end = _extents(own, levels, first, child, len(beyond))
    slots = np.empty(end[0], np.intp)
    groups = leaf[np.flatnonzero(np.diff(leaf, prepend=-1))]
    slots[runs(begin[groups], single[groups])] = single_entries
    for level, start, stop, counts in zip(levels, first, first[1:], copies, strict=False):
        order = sorted_order(level.own.cells, int(stop - start).bit_length())
        free = begin[start:stop] + single[start:stop]
        slots[runs(free, counts)] = level.own.entries[order]
    slots[len(beyond) :] = entries.order[slots[len(beyond) :]]
    slots[: len(beyond)] = beyond
    return slots, begin, begin + own, end


def _members(
    entries: Entries, levels: list[Level], first: Ids, depths: Ids, child: Ids
) -> tuple[Ids, Ids]:
    """The leaves and items of all that was never handed down, in the order of the leaves."""
    begin, end = np.concatenate([level.slices for level in levels], axis=1)
    holding = np.flatnonzero((child < 0) & (end > begin))
    leaf_at = np.full(len(entries.order), -1)
    leaf_at[begin[holding]] = holding
    leaves = leaf_at[leaf_at >= 0]
    leaf = np.repeat(leaves, end[leaves] - begin[leaves])
    alone = np.flatnonzero(entries.depths >= depths.astype(np.uint8)[leaf])
    return leaf[alone], alone


def _extents(
    own: Ids, levels: list[Level], first: Ids, child: Ids, outside: int
) -> tuple[Ids, Ids]:
    """Where each cell's slots begin and where its subtree's end, from its own counts."""
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
