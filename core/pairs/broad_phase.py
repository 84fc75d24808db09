"""Broad phase: pairs of entries whose bounds overlap, or are within a margin, each pair once.

Cells are used as they are if items are copied to all leaves they touch: a tree is joined with
itself cell by cell, and two trees leaf by leaf, by the compiled kernel if possible. A join of two
trees may yield a pair in several batches.

Other bounds are sorted anew: if items are kept in large cells, or if a margin within one tree
reaches across the borders of cells. The bounds of one tree are sorted into strips, if their sizes
and places are even enough, else into a new octree. The bounds of two trees are sorted into one new
octree, but only bounds near the other tree: groups of neighbors descend the other tree first.
"""

from collections.abc import Generator, Iterator

import numpy as np

from ..arrays import Floats, Ids, flagged
from ..boxes import bounds_of_runs
from ..construction import build_steps
from ..descend import descend
from ..grid import DEEPEST
from ..octree import Octree
from ..options import COPYING
from ..shapes import Boxes, Shapes, Triangles
from ..steps import repeated
from .cell_join import joined_cells
from .occupancy import sharing_cells
from .sweep import PairBatch, grid_sweep_pairs, grown_bounds, no_pairs
from .tree_join import tree_join, walked_join

# Neighbors in one group that descends the other tree.
_GROUP = 16
# Runs of references that are collected before they are counted.
_RUNS = 1_048_576
# Cells are not divided further if an average item would be in more than this many cells; and about
# how many of the bounds are sampled for the average.
_COPIES, _SAMPLE = 8.0, 16_384
# The fractions of the work that are done after a tree is searched, and after one is built.
_SEARCHED, _BUILT = 0.2, 0.5


def candidate_pairs(
    tree: Octree, other: Octree | None, margin: float, owners: Ids | None = None
) -> Iterator[PairBatch]:
    """Yield pairs of an entry of the tree and an entry of the other tree that may be near it.

    Without another tree, yields pairs of two different entries of the tree, in either order; with
    `owners` of the entries, (k,), only pairs of different owners.
    """
    if other is not None:
        return _between(tree, other, margin)
    if tree.straddlers in COPYING and margin == 0 and not tree.outside:
        return joined_cells(tree, owners=owners)
    return _within(tree.arranged, margin / 2, owners)


def _within(shapes: Shapes, margin: float, owners: Ids | None) -> Iterator[PairBatch]:
    """Yield pairs of shapes that may be near each other, found in strips or in cells.

    Triangles are always sorted into cells: they form surfaces, which leave most strips empty and
    crowd the others.
    """
    yield no_pairs(0.0)
    bounds = grown_bounds(shapes, margin)
    swept = None
    if not isinstance(shapes, Triangles):
        swept = grid_sweep_pairs(Boxes.from_rows(bounds), owners)
    yield from pairs_in_cells(bounds, owners=owners) if swept is None else swept


def _between(tree: Octree, other: Octree, margin: float) -> Iterator[PairBatch]:
    """Yield pairs of entries of two trees that may be near each other."""
    if margin == 0 and (yield from walked_join(tree, other)):
        return
    joined = yield from tree_join(tree, other, margin)
    if joined is not None:
        yield from joined
        return
    ours = yield from _near(tree, grown_bounds(other.arranged, margin))
    theirs = yield from _near(other, grown_bounds(tree.arranged[ours], margin))
    ones = grown_bounds(tree.arranged[ours], margin / 2)
    others = grown_bounds(other.arranged[theirs], margin / 2)
    yield no_pairs(_SEARCHED / 2)
    here, there = sharing_cells(ones, others)
    ours, theirs, ones, others = ours[here], theirs[there], ones[:, here], others[:, there]
    both = np.concatenate((ones, others), axis=1)
    for done, firsts, seconds in pairs_in_cells(both, _SEARCHED, own=len(ours)):
        first, second = np.minimum(firsts, seconds), np.maximum(firsts, seconds)
        yield PairBatch(done, ours[first], theirs[second - len(ours)])


def _near(tree: Octree, bounds: Floats) -> Generator[PairBatch, None, Ids]:
    """Return the entries, ascending, in cells that groups of neighboring bounds (6, h) overlap."""
    starts = np.arange(0, bounds.shape[1], _GROUP)
    around = Boxes.from_rows(bounds_of_runs(bounds[:3], bounds[3:], starts))
    covered = np.zeros(len(tree.references) + 1, np.intp)
    waiting: list[tuple[Ids, Ids]] = []
    for found in descend(tree, around):
        yield no_pairs(0.0)
        waiting.append((found.begin, found.end))
        if sum(len(begin) for begin, _ in waiting) > _RUNS:
            _cover(covered, waiting)
    _cover(covered, waiting)
    found = tree.references[np.cumsum(covered[:-1]) > 0]
    return np.flatnonzero(flagged(len(tree.order), found))


def _cover(covered: Ids, waiting: list[tuple[Ids, Ids]]) -> None:
    """Add 1 where runs of references begin, subtract 1 where they end; empties `waiting`.

    Cumulative sums of `covered` are the numbers of runs over each reference.
    """
    for sign, ends in zip((1, -1), zip(*waiting, strict=True), strict=False):
        covered += sign * np.bincount(np.concatenate(ends), minlength=len(covered))
    waiting.clear()


def pairs_in_cells(
    bounds: Floats, done: float = 0.0, *, own: int | None = None, owners: Ids | None = None
) -> Iterator[PairBatch]:
    """Yield pairs of bounds (6, h) that may overlap, as numbers of bounds, each pair once.

    For `own` and `owners` see `joined_cells`. `done` is the fraction of the work that precedes.
    """
    steps = build_steps(Boxes.from_rows(bounds), max_depth=_useful_depth(bounds))
    built = yield from repeated(steps, lambda part: no_pairs(done + (_BUILT - done) * part))
    if owners is not None:
        owners = owners[built.order]
    for share, ones, others in joined_cells(built, own, owners):
        done = _BUILT + (1 - _BUILT) * share
        yield PairBatch(done, built.order[ones], built.order[others])


def _useful_depth(bounds: Floats) -> int:
    """Return the largest depth at which bounds are in at most `_COPIES` cells on average."""
    size = (bounds[3:].max(axis=1, initial=0) - bounds[:3].min(axis=1, initial=0)).max()
    some = bounds[:, :: bounds.shape[1] // _SAMPLE + 1]
    extents = (some[3:] - some[:3]) / (size or 1.0)
    for depth in range(DEEPEST if extents.size else 0):
        # The average number of cells that bounds would overlap at the next depth.
        if not (1 + extents * 2.0 ** (depth + 1)).prod(axis=0).mean() <= _COPIES:
            return depth
    return DEEPEST if extents.size else 0
