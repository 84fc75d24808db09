"""Building a static octree: items enter, cells are divided top down, levels are assembled."""

from collections.abc import Callable, Generator

import numpy as np

from .. import checks
from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    radix_argsort_steps,
    starts_of_runs,
)
from ..cells import Cells
from ..grid import Grid
from ..octree import Octree, octree_of
from ..options import Options
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles
from .divide import Entries, divide, enter, root_grid
from .levels import Level, Pairs, between, without_idle_divisions
from .medians import divide_at_medians

ITEM_KINDS = (Triangles, Boxes, Spheres, Regions)

DIVIDING = {"middle": divide, "median": divide_at_medians}

# The normal of a sliver is known to a rounding of the product of its edges: where its plane alone
# separates it from a cell, it can be this much of the root's size away and still count as near.
_SLIVER = 2.0**-24

# Items that are bounded, and references that are sorted, in a step.
_BOUNDED = 2**18


class BuildCancelled(Exception):  # noqa: N818 - no error
    """Raised by `build_octree` when `progress` returns False."""


def build_octree(
    items: Shapes,
    /,
    *,
    capacity: int = 32,
    max_depth: int = 10,
    min_size: float = 0.0,
    split: str = "middle",
    straddlers: str = "copy",
    hybrid_limit: int = 4,
    loose_factor: float = 1.0,
    bounds: Boxes | None = None,
    progress: Callable[[float], object] | None = None,
) -> Octree:
    """Build an octree over a batch of items.

    Parameters
    ----------
    items : Triangles, Boxes, Spheres or Regions
        n items. Those with a coordinate that is not finite are set aside, in `invalid_items`.
    capacity : int
        A leaf holds at most this many items, unless depth, size or an idle division stops it.
    max_depth : int
        A cell at this depth stays a leaf; the root has depth 0. No cell is deeper than 20, where
        its edge is a millionth of the root's.
    min_size : float
        A cell whose children would have a longest edge below this stays a leaf; scene units.
    split : {"middle", "median"}
        Where a cell is divided. "middle": at its center. "median": on each axis at the median of
        the centers of the items that it holds, so that its children hold about equally many.
    straddlers : {"copy", "keep", "hybrid"}
        What becomes of an item that touches several children of a cell. "copy": it goes to each
        child that it truly touches. "keep": it stays in the deepest cell that holds it whole.
        "hybrid": it is copied while it touches at most `hybrid_limit` children, else it stays.
    hybrid_limit : int
        See `straddlers`.
    loose_factor : float
        With "keep", each cell is enlarged by this factor about its center, so that small
        straddlers sink: 1.0 not at all, 2.0 the classical loose octree.
    bounds : Boxes, optional
        One box, the root. By default a cube a little larger than the items need, and not centered
        on them, so that its walls miss what is symmetric. Items that reach beyond it are
        held by the root and looked at by every question.
    progress : callable, optional
        Called with the fraction done, 0 to 1; if it returns False, building stops.

    Returns
    -------
    Octree
        Frozen. O(n log n); a million triangles take about half a second.

    Raises
    ------
    ValueError
        If an option is unknown or out of range, or makes copies without end, which a sample of the
        cells mostly tells before they are made.
    BuildCancelled
        If `progress` returned False.

    Notes
    -----
    A division makes eight children, empty ones too. It is not kept if it separates nothing, that
    is if every child that is not empty would hold all of the items and so on below; nor if its
    children together would hold more than four times the cell's items. While divisions separate
    nothing, they may spread the items over four cells at most. All divisions on the way to a cell
    may make 128 references of an item, on average, with leaves of 32 items, and more with smaller
    ones: fans and cones are divided as long as that is worth their copies. A median gives way to
    the middle of the cell where it falls on a wall, or would make a child smaller than `min_size`
    or too many copies.

    The octree of K. Miller, "Octrees for Potential Colliders", 2003; the loose cells of T. Ulrich,
    "Loose Octrees", Game Programming Gems, 2000.
    """
    steps = build_steps(
        items,
        capacity=capacity,
        max_depth=max_depth,
        min_size=min_size,
        split=split,
        straddlers=straddlers,
        hybrid_limit=hybrid_limit,
        loose_factor=loose_factor,
        bounds=bounds,
    )
    while True:
        try:
            fraction = next(steps)
        except StopIteration as finished:
            return finished.value
        answer = True if progress is None else progress(fraction)
        # Only False stops, NumPy's too; nothing and 0 do not.
        if isinstance(answer, bool | np.bool_) and not answer:
            raise BuildCancelled(f"building was cancelled at {fraction:.0%}")


def build_steps(
    items: Shapes,
    /,
    *,
    capacity: int = 32,
    max_depth: int = 10,
    min_size: float = 0.0,
    split: str = "middle",
    straddlers: str = "copy",
    hybrid_limit: int = 4,
    loose_factor: float = 1.0,
    bounds: Boxes | None = None,
) -> Generator[float, None, Octree]:
    """Build an octree in steps, for whoever shows progress or must not block.

    Parameters
    ----------
    items : Triangles, Boxes, Spheres or Regions
        n items.
    capacity, max_depth, min_size, split, straddlers, hybrid_limit, loose_factor, bounds : optional
        As for `build_octree`.

    Returns
    -------
    generator
        Yields the fraction done, ascending from 0 to 1, at least every 50 ms at a million items;
        its StopIteration carries the Octree as `value`. Dropping it cancels the build.

    Raises
    ------
    ValueError
        At the call, if an option is unknown or out of range.
    """
    checks.kind("items", items, ITEM_KINDS)
    options = Options(
        capacity=capacity,
        max_depth=max_depth,
        min_size=min_size,
        split=split,
        straddlers=straddlers,
        hybrid_limit=hybrid_limit,
        loose_factor=loose_factor,
        bounds=bounds,
    ).checked()
    return _steps(items, options)


def _steps(items: Shapes, options: Options) -> Generator[float, None, Octree]:
    lower, upper = yield from between(0.0, 0.08, _limits(items))
    finite = _finite(lower) & _finite(upper)
    if not finite.all():
        # Items that are set aside stand, for now, where the first good one does.
        good = np.argmax(finite)
        lower, upper = (
            np.where(finite, side, side[:, good, None] if finite[good] else 0.0)
            for side in (lower, upper)
        )
    grid = root_grid(lower, upper, options)
    yield 0.1
    entering = enter(items, lower, upper, finite, grid, options)
    entries = yield from between(0.1, 0.35, entering)
    divided = DIVIDING[options.split](entries, grid, options)
    levels, strays = yield from between(0.35, 0.9, divided)
    assembling = _assemble(entries, grid, options, levels, strays)
    return (yield from between(0.9, 1.0, assembling))


def _limits(items: Shapes) -> Generator[float, None, tuple[Floats, Floats]]:
    """Return the bounds of items, (3, n) twice; yields the fraction done."""
    lower, upper = np.empty((2, 3, len(items)))
    for some in blocks(len(items), _BOUNDED):
        lower[:, some], upper[:, some] = items[some].limits()
        yield some.stop / len(items)
    return lower, upper


def _finite(rows: Floats) -> Flags:
    x, y, z = np.isfinite(rows)
    return x & y & z


def _assemble(
    entries: Entries, grid: Grid, options: Options, levels: list[Level], strays: Ids
) -> Generator[float, None, Octree]:
    """Make the octree of these levels; items beyond the root come first in its references.

    Yields the fraction done.
    """
    levels = without_idle_divisions(levels)
    yield 0.1
    first = np.cumsum([0, *(level.slices.shape[1] for level in levels)])
    walls = [level.bounds(grid, depth) for depth, level in enumerate(levels)]
    divided = [start + level.divided for level, start in zip(levels, first, strict=False)]
    depths = np.repeat(np.arange(len(levels)), np.diff(first))
    parent = np.append(-1, np.repeat(np.concatenate(divided), 8))
    rows = np.concatenate(np.concatenate(walls, axis=2))
    yield 0.2
    cells = Cells.of(rows, parent, options.enlargement, depths)
    yield 0.4
    members = yield from between(0.4, 0.5, _members(entries, levels, cells))
    yield 0.5
    slices, references = yield from _references(entries, levels, first, members, cells)
    yield 1.0
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
    yield 0.55
    references = np.empty(end[0], np.intp)
    groups = members.cells[starts_of_runs(members.cells)]
    references[concatenated_ranges(begin[groups], alone[groups])] = members.entries
    yield 0.6
    free = begin + alone
    for level, start, counts in zip(levels, first, copies, strict=False):
        ranking = _by_cell(level.own.cells, counts)
        at, share = 0.6 + 0.39 * start / len(cells), 0.39 * len(counts) / len(cells)
        order = yield from between(at, at + 0.5 * share, ranking)
        there = concatenated_ranges(free[start : start + len(counts)], counts)
        yield at + 0.7 * share
        references[there] = level.own.entries[order]
        yield at + share
    references[: len(beyond)] = beyond
    return (begin, own_end, end), references


def _by_cell(cells: Ids, counts: Ids) -> Generator[float, None, Ids]:
    """Return the stable order that sorts by cell, where each cell occurs `counts` times."""
    rank = np.cumsum(counts > 0) - 1
    ranks = rank[cells]
    yield 0.2
    return (
        yield from between(0.2, 1.0, radix_argsort_steps(ranks, int(rank[-1] + 1).bit_length()))
    )


def _members(entries: Entries, levels: list[Level], cells: Cells) -> Generator[float, None, Pairs]:
    """Return the entries that were never handed down, with their leaves, leaf by leaf."""
    begin, end = np.concatenate([level.slices for level in levels], axis=1)
    holding = np.flatnonzero((cells.first_child < 0) & (end > begin))
    leaf_at = np.full(len(entries), -1)
    leaf_at[begin[holding]] = holding
    leaves = leaf_at[leaf_at >= 0]
    yield 0.3
    leaf = np.repeat(leaves, end[leaves] - begin[leaves])
    yield 0.6
    # Where the walls lie freely there are no slices: everything was handed down.
    alone = np.flatnonzero(entries.depths[: len(leaf)] >= cells.depth.astype(np.uint8)[leaf])
    return Pairs(alone, leaf[alone])
