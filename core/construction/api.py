"""Building a static octree: items enter, cells are divided top down, levels are assembled."""

from collections.abc import Callable, Generator

import numpy as np

from .. import checks
from ..arrays import distinct
from ..cells import Cells
from ..child_masks import SLIVER
from ..compiled import builder
from ..grid import DEEPEST, Grid
from ..octree import Octree, octree_of
from ..options import Options
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles
from ..steps import Steps, Ticks, counted, repeated, run
from .entries import Entries, enter, limits_of, root_grid
from .grid_rule import GridRule, KernelRule, may_divide
from .levels import Level, without_idle_divisions
from .medians import MedianRule
from .rules import Rule, divide

ITEM_KINDS = (Triangles, Boxes, Spheres, Regions)


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
        n items. Items with a coordinate that is not finite are set aside, in `invalid_items`.
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
        The treatment of an item that touches several children of a cell. "copy": it goes to each
        child that it truly touches. "keep": it stays in the deepest cell that holds it whole.
        "hybrid": it is copied while it touches at most `hybrid_limit` children and that is cheap,
        else it stays. "clip", of triangles: as "copy", but what a cell holds are its pieces,
        those of `clip`; `statistics` counts them. Queries test the triangles
        themselves.
    hybrid_limit : int
        See `straddlers`.
    loose_factor : float
        With "keep", each cell is enlarged by this factor about its center, so that small
        straddlers sink: 1.0 for no enlargement, 2.0 for the classical loose octree.
    bounds : Boxes, optional
        One box, the root. By default a cube a little larger than the items need, and not centered
        on them, so that its walls miss symmetry planes. Items that reach beyond it are held by
        the root and tested by every query.
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
    ones: fans and cones are divided as long as the division pays for their copies.
    With "hybrid" the limit is 8 references, whatever the leaves. A median gives way to
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
    """Build an octree in steps, for callers that show progress or must not block.

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
    return counted(_built(items, options), _expected_steps(items, options))


def _expected_steps(items: Shapes, options: Options) -> float:
    """Return about how many steps a build takes, each of a few thousand items or fewer."""
    expected = 40 + len(items) / 3_000
    if builder() is not None and may_divide(items, options):
        return expected
    # A level of triangles has four times as many cells as the one above, and some twenty steps.
    levels = np.log2(1 + len(items) / options.capacity) / 2
    return 2 * expected + 20 * min(float(levels), options.max_depth)


def _built(items: Shapes, options: Options) -> Ticks[Octree]:
    lower, upper = yield from limits_of(items, builder())
    finite = np.ones(len(items), bool)
    ends = lower, upper
    # The bounds of all tell whether each is finite, and where the root is.
    with np.errstate(invalid="ignore"):
        around = lower.min(axis=1, initial=np.inf), upper.max(axis=1, initial=-np.inf)
    if np.isfinite(around).all():
        ends = around[0][:, None], around[1][:, None]
    elif len(items):
        finite = (np.isfinite(lower) & np.isfinite(upper)).all(axis=0)
        # Invalid items temporarily take the position of the first valid one.
        good = np.argmax(finite)
        lower, upper = (
            np.where(finite, side, side[:, good, None] if finite[good] else 0.0)
            for side in (lower, upper)
        )
        ends = lower, upper
    grid = root_grid(*ends, options)
    yield
    entries = yield from enter(items, lower, upper, finite, grid, options)
    rule: GridRule | MedianRule
    if options.split == "median":
        rule = yield from MedianRule.of(entries, grid, options)
    elif builder() is not None and may_divide(entries.arranged, options):
        rule = KernelRule(entries, grid, options)
    else:
        rule = GridRule(entries, grid, options)
    levels = yield from divide(rule.root(), rule, len(entries))
    return (yield from _assemble(entries, grid, without_idle_divisions(levels), rule))


def _assemble(entries: Entries, grid: Grid, levels: list[Level], rule: Rule) -> Ticks[Octree]:
    """Make the octree of these levels; items beyond the root come first in its references."""
    first = np.cumsum([0, *(len(level.cells) for level in levels)])
    divided = [start + level.divided for level, start in zip(levels, first, strict=False)]
    parent = np.append(-1, np.repeat(np.concatenate(divided), 8))
    depths = np.concatenate([level.cells.depths for level in levels])
    yield
    walls = rule.walls(np.concatenate([level.cells.where for level in levels], axis=1), depths)
    yield
    cells = Cells.of(walls, parent, rule.options.enlargement, depths)
    yield
    slices, references, copied = yield from rule.file(entries, levels, cells)
    return octree_of(
        rule.options,
        cells,
        slices,
        references,
        copied=copied,
        items=entries.items,
        invalid_items=entries.invalid,
        order=entries.order,
        arranged=entries.arranged,
        strays=distinct(rule.strays),
        slack=SLIVER * cells.size + 16 * grid.rounding,
    )
