"""Building a static octree, whole or in steps."""

from collections.abc import Callable, Generator
from typing import TypeVar

import numpy as np

from . import checks
from .arrays import Flags, Floats
from .assemble import assemble
from .divide import divide
from .entries import enter, root_grid
from .octree import Octree, Options
from .shapes import Boxes, Shapes, Spheres, Triangles

ITEM_KINDS = (Triangles, Boxes, Spheres)


T = TypeVar("T")


class BuildCancelled(Exception):  # noqa: N818 - the name is part of the public contract
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
    """TODO."""
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
        if progress is not None and progress(fraction) is False:
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
    """TODO."""
    checks.kind("items", items, ITEM_KINDS)
    options = Options(
        capacity=checks.whole_number("capacity", capacity, 1),
        max_depth=checks.whole_number("max_depth", max_depth, 0),
        min_size=checks.number("min_size", min_size, 0.0),
        split=checks.choice("split", split, ("middle",)),
        straddlers=checks.choice("straddlers", straddlers, ("copy", "keep", "hybrid")),
        hybrid_limit=checks.whole_number("hybrid_limit", hybrid_limit, 1),
        loose_factor=checks.number("loose_factor", loose_factor, 1.0),
        bounds=_root_box(bounds),
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
    entries = yield from _between(0.1, 0.35, entering)
    levels, strays = yield from _between(0.35, 0.9, divide(entries, grid, options))
    return assemble(entries, grid, options, levels, strays)


def _between(
    start: float, stop: float, steps: Generator[float, None, T]
) -> Generator[float, None, T]:
    """The same steps, their fractions scaled to lie between `start` and `stop`."""
    while True:
        try:
            yield start + (stop - start) * next(steps)
        except StopIteration as finished:
            return finished.value  # type: ignore[no-any-return]


def _finite(rows: Floats) -> Flags:
    x, y, z = np.isfinite(rows)
    return x & y & z


def _root_box(bounds: Boxes | None) -> Boxes | None:
    if bounds is None:
        return None
    checks.kind("bounds", bounds, (Boxes,))
    if len(bounds) != 1:
        raise ValueError(f"bounds must be one box, got {len(bounds)}")
    checks.every_row("bounds", "be finite", np.isfinite(bounds.rows).all(axis=0), bounds.rows.T)
    return bounds
