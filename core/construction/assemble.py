"""Assembly: levels of cells become the flat, frozen arrays of an Octree, in preorder."""

from collections.abc import Generator

import numpy as np

from ..arrays import Ids, concatenated_ranges, radix_argsort, starts_of_runs
from ..cells import Cells
from ..grid import Grid
from ..octree import Octree, octree_of
from ..options import Options
from .entries import Entries
from .levels import Level, Pairs, without_idle_divisions

# The normal of a sliver is known to a rounding of the product of its edges: where its plane alone
# separates it from a cell, it can be this much of the root's size away and still count as near.
_SLIVER = 2.0**-24


def assemble(
    entries: Entries, grid: Grid, options: Options, levels: list[Level], strays: Ids
) -> Generator[float, None, Octree]:
    """Make the octree of these levels; items beyond the root come first in its references.

    Yields the fraction done.
    """
    levels = without_idle_divisions(levels)
    yield 0.2
    first = np.cumsum([0, *(level.slices.shape[1] for level in levels)])
    walls = [level.bounds(grid, depth) for depth, level in enumerate(levels)]
    divided = [start + level.divided for level, start in zip(levels, first, strict=False)]
    depths = np.repeat(np.arange(len(levels)), np.diff(first))
    parent = np.append(-1, np.repeat(np.concatenate(divided), 8))
    rows = np.concatenate(np.concatenate(walls, axis=2))
    cells = Cells.of(rows, parent, options.enlargement, depths)
    yield 0.4
    members = _members(entries, levels, cells)
    yield 0.5
    slices, references = yield from _references(entries, levels, first, members, cells)
    return octree_of(
        options,
        cells,
        slices,
        references,
        items=entries.items,
        invalid_items=entries.invalid,
        order=entries.order,
        arranged=entries.arranged,
        outside=len(entries.order) - len(entries),
        strays=np.unique(strays),
        slack=_SLIVER * cells.size + 16 * grid.rounding,
    )


def _references(
    entries: Entries, levels: list[Level], first: Ids, members: Pairs, cells: Cells
) -> Generator[float, None, tuple[tuple[Ids, Ids, Ids], Ids]]:
    """Return the cells' slices of the references, and these, in preorder."""
    alone = np.bincount(members.cells, minlength=len(cells))
    copies = [np.bincount(level.own.cells, minlength=level.slices.shape[1]) for level in levels]
    own = alone + np.concatenate(copies)
    beyond = np.arange(len(entries), len(entries.order))
    begin, own_end, end = cells.slices(cells.ends_in_preorder(own, len(beyond)))
    references = np.empty(end[0], np.intp)
    groups = members.cells[starts_of_runs(members.cells)]
    references[concatenated_ranges(begin[groups], alone[groups])] = members.entries
    yield 0.6
    free = begin + alone
    for level, start, counts in zip(levels, first, copies, strict=False):
        order = _by_cell(level.own.cells, counts)
        yield 0.6 + 0.4 * (start + 0.5 * len(counts)) / len(cells)
        there = concatenated_ranges(free[start : start + len(counts)], counts)
        references[there] = level.own.entries[order]
        yield 0.6 + 0.4 * (start + len(counts)) / len(cells)
    references[: len(beyond)] = beyond
    return (begin, own_end, end), references


def _by_cell(cells: Ids, counts: Ids) -> Ids:
    """Return the stable order that sorts by cell, where each cell occurs `counts` times."""
    rank = np.cumsum(counts > 0) - 1
    return radix_argsort(rank[cells], int(rank[-1] + 1).bit_length())


def _members(entries: Entries, levels: list[Level], cells: Cells) -> Pairs:
    """Return the entries that were never handed down, with their leaves, leaf by leaf."""
    begin, end = np.concatenate([level.slices for level in levels], axis=1)
    holding = np.flatnonzero((cells.first_child < 0) & (end > begin))
    leaf_at = np.full(len(entries), -1)
    leaf_at[begin[holding]] = holding
    leaves = leaf_at[leaf_at >= 0]
    leaf = np.repeat(leaves, end[leaves] - begin[leaves])
    # Where the walls lie freely there are no slices: everything was handed down.
    alone = np.flatnonzero(entries.depths[: len(leaf)] >= cells.depth.astype(np.uint8)[leaf])
    return Pairs(alone, leaf[alone])
