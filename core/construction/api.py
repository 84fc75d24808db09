"""Building a static octree: items enter, cells are divided top down, levels are assembled."""

from collections.abc import Callable, Generator
from functools import partial

import numpy as np

from .. import checks, tuning
from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    distinct,
    radix_argsort,
    starts_of_runs,
)
from ..cells import Cells, Slices
from ..child_masks import SLIVER
from ..compiled import builder
from ..grid import DEEPEST, Grid, Words
from ..octree import Octree, copied_of, octree_of
from ..options import Options
from ..passes import taken_steps
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles
from ..steps import Steps, between, repeated, run
from .divide import Entries, divide, enter, root_grid
from .kernel_levels import KernelDivision, may_divide
from .levels import AnyLevel, Filing, Level, Members, without_idle_divisions
from .medians import divide_at_medians

ITEM_KINDS = (Triangles, Boxes, Spheres, Regions)

DIVIDING = {"middle": divide, "median": divide_at_medians}


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
        A cell at this depth stays a leaf; the root has depth 0. At most 20, where the edge of a
        cell is a millionth of the root's.
    min_size : float
        A cell whose children would have a longest edge below this stays a leaf; scene units.
    split : {"middle", "median"}
        Where a cell is divided. "middle": at its center. "median": on each axis at the median of
        the centers of the items that it holds, so that its children hold about equally many.
    straddlers : {"copy", "keep", "hybrid", "clip"}
        What becomes of an item that touches several children of a cell. "copy": it goes to each
        child that it truly touches. "keep": it stays in the deepest cell that holds it whole.
        "hybrid": it is copied while it touches at most `hybrid_limit` children and that is cheap,
        else it stays. "clip", of triangles: as "copy", but what a cell holds are its pieces,
        those of `clip`; `statistics` counts them. Questions are answered by the triangles
        themselves.
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
    ones: fans and cones are divided as long as that is worth their copies. With "hybrid" it is 8,
    whatever the leaves. A median gives way to
    the middle of the cell where it falls on a wall, or would make a child smaller than `min_size`
    or too many copies.

    The octree of K. Miller, "Octrees for Potential Colliders", 2003; the loose cells of T. Ulrich,
    "Loose Octrees", Game Programming Gems, 2000.
    """
    checks.called("progress", progress)
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
    return run(steps if progress is None else _telling(steps, progress))


def _telling(
    steps: Steps[Octree], progress: Callable[[float], object]
) -> Generator[None, None, Octree]:
    """Repeat the steps, and tell the fraction of each."""

    def tell(fraction: float) -> None:
        answer = progress(fraction)
        # Only False stops, NumPy's too; nothing and 0 do not.
        if isinstance(answer, bool | np.bool_) and not answer:
            raise BuildCancelled(f"building was cancelled at {fraction:.0%}")

    return repeated(steps, tell)


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
) -> Steps[Octree]:
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
    ).checked(DEEPEST)
    if options.straddlers == "clip" and not isinstance(items, Triangles):
        raise ValueError(f"straddlers must not be 'clip' with {type(items).__name__}")
    return _steps(items, options)


def _steps(items: Shapes, options: Options) -> Steps[Octree]:
    lower, upper = yield from between(0.0, 0.08, _limits(items))
    finite = np.ones(len(items), bool)
    ends = lower, upper
    # The bounds of all tell whether each is finite, and where the root is.
    with np.errstate(invalid="ignore"):
        around = lower.min(axis=1, initial=np.inf), upper.max(axis=1, initial=-np.inf)
    if np.isfinite(around).all():
        ends = around[0][:, None], around[1][:, None]
    elif len(items):
        finite = _finite(lower) & _finite(upper)
        # Items that are set aside stand, for now, where the first good one does.
        good = np.argmax(finite)
        lower, upper = (
            np.where(finite, side, side[:, good, None] if finite[good] else 0.0)
            for side in (lower, upper)
        )
        ends = lower, upper
    grid = root_grid(*ends, options)
    yield 0.1
    entering = enter(items, lower, upper, finite, grid, options)
    entries = yield from between(0.1, 0.35, entering)
    if builder() is not None and may_divide(entries.arranged, options):
        division = KernelDivision(entries, grid, options)
        levels, strays = yield from between(0.35, 0.9, division.divide())
        walls, file = division.walls, division.file
        assembling = _assemble(entries, grid, options, levels, strays, walls, file)
    else:
        dividing = DIVIDING[options.split](entries, grid, options)
        plain, strays = yield from between(0.35, 0.9, dividing)
        file = partial(_filed, entries, options)
        walls = grid.bounds_steps
        assembling = _assemble(entries, grid, options, plain, strays, walls, file)
    return (yield from between(0.9, 1.0, assembling))


def _limits(items: Shapes) -> Steps[tuple[Floats, Floats]]:
    """Return the bounds of items, (3, n) twice; yields the fraction done."""
    lower, upper = np.empty((2, 3, len(items)))
    kernel = builder() if isinstance(items, Triangles) and len(items.vertices) else None
    for some in blocks(len(items), tuning.current.piece):
        if kernel is not None and isinstance(items, Triangles):
            kernel.limits(items, some, lower, upper)
        else:
            lower[:, some], upper[:, some] = items[some].limits()
        yield some.stop / len(items)
    return lower, upper


def _finite(rows: Floats) -> Flags:
    x, y, z = np.isfinite(rows)
    return x & y & z


def _assemble(
    entries: Entries,
    grid: Grid,
    options: Options,
    levels: list[AnyLevel],
    strays: Ids,
    walls: Callable[[Words, Ids], Steps[Floats]],
    file: Callable[[list[AnyLevel], Ids, Cells], Filing],
) -> Steps[Octree]:
    """Make the octree of these levels; items beyond the root come first in its references.

    Yields the fraction done.
    """
    levels = yield from between(0.0, 0.1, without_idle_divisions(levels))
    first = np.cumsum([0, *(level.slices.shape[1] for level in levels)])
    divided = [start + level.divided for level, start in zip(levels, first, strict=False)]
    depths = np.repeat(np.arange(len(levels)), np.diff(first))
    parent = np.append(-1, np.repeat(np.concatenate(divided), 8))
    rows = np.concatenate([level.cells for level in levels], axis=1)
    if len(rows) == 3:
        rows = yield from between(0.1, 0.2, walls(rows, depths))
    cells = Cells.of(rows, parent, options.enlargement, depths)
    yield 0.4
    slices, references, copied = yield from between(0.4, 0.99, file(levels, first, cells))
    yield 1.0
    return octree_of(
        options,
        cells,
        slices,
        references,
        copied=copied,
        items=entries.items,
        invalid_items=entries.invalid,
        order=entries.order,
        arranged=entries.arranged,
        strays=distinct(strays),
        slack=SLIVER * cells.size + 16 * grid.rounding,
    )


def _filed(
    entries: Entries, options: Options, levels: list[Level], first: Ids, cells: Cells
) -> Filing:
    """Return the cells' slices of the references, these, in preorder, and what is copied."""
    members = yield from between(0.0, 0.2, _members(entries, levels, cells))
    filing = _references(entries, levels, first, members, cells)
    slices, references = yield from between(0.2, 1.0, filing)
    return slices, references, copied_of(references, len(entries.order), options)


def _references(
    entries: Entries, levels: list[Level], first: Ids, members: Members, cells: Cells
) -> Steps[tuple[Slices, Ids]]:
    """Return the cells' slices of the references, and these, in preorder."""
    own = np.bincount(members.cells, minlength=len(cells))
    for number, (level, start, stop) in enumerate(zip(levels, first, first[1:], strict=False)):
        own[start:stop] += np.bincount(level.own.cells, minlength=stop - start)
        yield 0.03 * (number + 1) / len(levels)
    beyond = np.arange(len(entries), len(entries.order))
    slices = cells.slices(own, len(beyond))
    yield 0.1
    references, free = np.empty(slices.end[0], np.intp), slices.begin.copy()
    yield from between(0.1, 0.2, _fill(references, free, members))
    for level, start, stop in zip(levels, first, first[1:], strict=False):
        filling = _fill(references, free[start:stop], level.own)
        at, then = (0.2 + 0.8 * number / len(cells) for number in (start, stop))
        yield from between(at, then, filling)
    references[: len(beyond)] = beyond
    return slices, references


def _fill(references: Ids, free: Ids, pairs: Members) -> Steps[None]:
    """Write entries where their cells have free places, which move on; yields the fraction done.

    A stable counting sort of pieces: in each there are neighbors, in few cells.
    """
    for some in blocks(len(pairs), tuning.current.piece):
        cells, entries = pairs.cells[some], pairs.entries[some]
        first = cells.min()
        order = radix_argsort(cells - first, int(cells.max() - first).bit_length())
        cells = cells[order]
        starts = starts_of_runs(cells)
        cells, counts = cells[starts], np.diff(starts, append=len(order))
        references[concatenated_ranges(free[cells], counts)] = entries[order]
        free[cells] += counts
        yield some.stop / len(pairs)


def _members(entries: Entries, levels: list[Level], cells: Cells) -> Steps[Members]:
    """Return the entries that were never handed down, with their leaves, leaf by leaf."""
    begin, end = np.concatenate([level.slices for level in levels], axis=1)
    holding = np.flatnonzero((cells.first_child < 0) & (end > begin))
    leaf_at = np.full(len(entries), -1)
    leaf_at[begin[holding]] = holding
    yield 0.2
    leaves = leaf_at[leaf_at >= 0]
    yield 0.3
    leaf = np.repeat(leaves, end[leaves] - begin[leaves])
    yield 0.5
    # Where the walls lie freely there are no slices: everything was handed down.
    depths = yield from between(0.5, 0.7, taken_steps(cells.depth.astype(np.uint8), leaf))
    alone = np.flatnonzero(entries.depths[: len(leaf)] >= depths)
    yield 0.8
    return Members(alone, (yield from between(0.8, 1.0, taken_steps(leaf, alone))))
