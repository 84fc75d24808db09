"""Building a static octree, whole or in steps."""

from collections.abc import Callable, Generator

import numpy as np

from .. import checks
from ..arrays import Flags, Floats
from ..octree import Octree
from ..options import Options
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles
from .assemble import assemble
from .divide import divide
from .entries import enter, root_grid
from .medians import divide_at_medians
from .progress import between

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
        A cell at this depth stays a leaf; the root has depth 0. No cell is deeper than 20, where
        its edge is a millionth of the root's.
    min_size : float
        A cell whose parts would have a longest edge below this stays a leaf; scene units.
    split : {"middle", "median"}
        Where a cell is divided. "middle": at its centre. "median": on each axis at the median of
        the centres of the items that it holds, so that its parts hold about equally many.
    straddlers : {"copy", "keep", "hybrid"}
        What becomes of an item that touches several parts of a cell. "copy": it goes to each part
        that it truly touches. "keep": it stays in the deepest cell that holds it whole. "hybrid":
        it is copied while it touches at most `hybrid_limit` parts, else it stays.
    hybrid_limit : int
        See `straddlers`.
    loose_factor : float
        With "keep", each cell is enlarged so many times about its centre, so that small straddlers
        sink: 1.0 not at all, 2.0 the classical loose octree.
    bounds : Boxes, optional
        One box, the root. By default the cube around the items. Items that reach beyond it are
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
        If an option is unknown or out of range, or makes copies without end.
    BuildCancelled
        If `progress` returned False.

    Notes
    -----
    A division makes eight parts, empty ones too. It is not kept if it separates nothing, that is
    if every part that is not empty would hold all of the items and so on below; nor if its parts
    together would hold more than four times the cell's items. While divisions separate nothing,
    they may spread the items over four cells at most. A median gives way to the middle of the cell
    where it falls on a wall, or would make a part smaller than `min_size` or too many copies.

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
        if progress is not None and _says_stop(progress(fraction)):
            raise BuildCancelled(f"building was cancelled at {fraction:.0%}")


def _says_stop(answer: object) -> bool:
    """Only False stops, NumPy's too; nothing and 0 do not."""
    return isinstance(answer, bool | np.bool_) and not answer


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
        This and the rest as for `build_octree`.
    capacity, max_depth : int
        See there.
    min_size : float
        See there.
    split, straddlers : str
        See there.
    hybrid_limit : int
        See there.
    loose_factor : float
        See there.
    bounds : Boxes, optional
        See there.

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
    options = Options.checked(
        capacity=capacity,
        max_depth=max_depth,
        min_size=min_size,
        split=split,
        straddlers=straddlers,
        hybrid_limit=hybrid_limit,
        loose_factor=loose_factor,
        bounds=bounds,
    )
    return _steps(items, options)


def _steps(items: Shapes, options: Options) -> Generator[float, None, Octree]:
    lower, upper = items.limits()
    yield 0.05
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
    assembling = assemble(entries, grid, options, levels, strays)
    return (yield from between(0.9, 1.0, assembling))


def _finite(rows: Floats) -> Flags:
    x, y, z = np.isfinite(rows)
    return x & y & z
