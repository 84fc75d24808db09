"""Pairs of entries whose bounds meet, or come within a margin: each pair once.

Where the cells of one tree cannot tell, because they keep items in large cells, because a margin
reaches across their walls, or because there are two trees, the bounds in question are sorted anew:
those of one tree into rows, if they are even enough, else, and those of two trees, into cells of
their own. Of two trees only what is near the other is: groups of neighbours go down the other tree
first.
"""

from collections.abc import Iterator

import numpy as np

from ..arrays import Floats, Ids
from ..construction import build_octree
from ..descend import descend
from ..grid import DEEPEST
from ..octree import Octree
from ..shapes import Boxes, Shapes, Triangles
from .cell_join import cellmates
from .grid_sweep import grid_sweep_pairs

# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-50
# So many neighbours go down another tree together.
_GROUP = 16
# Runs of slots that are noted before they are counted.
_RUNS = 1_048_576
# Cells are not made so small that an average item stands in more than this many.
# A sample of the bounds tells.
_COPIES, _SAMPLE = 8.0, 16_384


def candidate_pairs(
    tree: Octree, other: Octree | None, margin: float
) -> Iterator[tuple[Ids, Ids]]:
    """Yield entries of the tree, and with each an entry of the other tree that may be near it.

    Without another tree, pairs of two different entries of the one, in either order.
    """
    if other is not None:
        yield from _between(tree, other, margin)
    elif tree.straddlers == "copy" and margin == 0 and not tree.outside:
        yield from cellmates(tree)
    else:
        yield from _paired(tree.arranged, margin / 2)


def _paired(shapes: Shapes, margin: float) -> Iterator[tuple[Ids, Ids]]:
    """Return pairs of shapes that may be near each other: in rows, or in cells if no rows fit.

    Triangles come as surfaces, which leave most rows empty and crowd the others.
    """
    bounds = _reach(shapes, margin)
    in_rows = None if isinstance(shapes, Triangles) else grid_sweep_pairs(Boxes.from_rows(bounds))
    return _sorted_out(bounds, None) if in_rows is None else in_rows


def _between(tree: Octree, other: Octree, margin: float) -> Iterator[tuple[Ids, Ids]]:
    """Yield entries of two trees, after a look which of them are near the other tree."""
    ours = _near(tree, _reach(other.arranged, margin))
    theirs = _near(other, _reach(tree.arranged[ours], margin))
    ones = _reach(tree.arranged[ours], margin / 2)
    others = _reach(other.arranged[theirs], margin / 2)
    both = np.concatenate((ones, others), axis=1)
    for firsts, seconds in _sorted_out(both, len(ours)):
        yield ours[firsts], theirs[seconds - len(ours)]


def _reach(shapes: Shapes, margin: float) -> Floats:
    """Return the bounds of these shapes with the margin on all sides, (6, h)."""
    if isinstance(shapes, Boxes) and margin == 0:
        return shapes.rows
    lower, upper = shapes.limits()
    if margin > 0:
        reach = margin + _ROUNDING * (np.maximum(np.abs(lower), np.abs(upper)) + margin)
        lower, upper = lower - reach, upper + reach
    return np.concatenate((lower, upper))


def _near(tree: Octree, bounds: Floats) -> Ids:
    """Return the entries, ascending, that stand in a cell that these bounds come near."""
    starts = np.arange(0, bounds.shape[1], _GROUP)
    if len(starts) == 0:
        return starts
    lower = np.minimum.reduceat(bounds[:3], starts, axis=1)
    upper = np.maximum.reduceat(bounds[3:], starts, axis=1)
    covered = np.zeros(len(tree.references) + 1, np.intp)
    waiting: list[tuple[Ids, Ids]] = []
    for found in descend(tree, Boxes.from_rows(np.concatenate((lower, upper)))):
        waiting.append((found.begin, found.end))
        if sum(len(begin) for begin, _ in waiting) > _RUNS:
            _cover(covered, waiting)
    _cover(covered, waiting)
    flags = np.zeros(len(tree.order), bool)
    flags[tree.references[np.cumsum(covered[:-1]) > 0]] = True
    return np.flatnonzero(flags)


def _cover(covered: Ids, waiting: list[tuple[Ids, Ids]]) -> None:
    """Add one where runs of slots begin, take one where they end; none are waiting then."""
    for sign, ends in zip((1, -1), zip(*waiting, strict=True), strict=False):
        covered += sign * np.bincount(np.concatenate(ends), minlength=len(covered))
    waiting.clear()


def _sorted_out(bounds: Floats, own: int | None) -> Iterator[tuple[Ids, Ids]]:
    """Yield pairs of numbers of bounds (6, h) that may meet; see `cellmates` about `own`."""
    built = build_octree(Boxes.from_rows(bounds), max_depth=_useful_depth(bounds))
    for ones, others in cellmates(built, own):
        firsts, seconds = built.order[ones], built.order[others]
        yield np.minimum(firsts, seconds), np.maximum(firsts, seconds)


def _useful_depth(bounds: Floats) -> int:
    """Return how often space is halved before bounds stand in too many cells on average."""
    size = (bounds[3:].max(axis=1, initial=0) - bounds[:3].min(axis=1, initial=0)).max()
    some = bounds[:, :: bounds.shape[1] // _SAMPLE + 1]
    extents = (some[3:] - some[:3]) / (size or 1.0)
    depth = 0
    while depth < DEEPEST and _cells_each(extents * 2.0 ** (depth + 1)) <= _COPIES:
        depth += 1
    return depth


def _cells_each(extents: Floats) -> float:
    """Return in how many cells bounds of these extents, in cells, stand on average."""
    return float((1 + extents).prod(axis=0).mean()) if extents.size else np.inf
