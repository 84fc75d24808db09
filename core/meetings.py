"""Pairs of entries whose bounds meet, or come within a margin: each pair once."""

from collections.abc import Iterator

import numpy as np

from .arrays import Ids
from .candidates import candidates
from .cellmates import cellmates
from .marks import grid_around, marks
from .octree import Octree
from .shapes import Boxes

# What rounding may take from bounds that are moved by a margin.
_ROUNDING = 2.0**-50


def meetings(tree: Octree, other: Octree | None, margin: float) -> Iterator[tuple[Ids, Ids]]:
    """Yield entries of the tree, and with each an entry of the other tree that may be near it.

    Without another tree, pairs of two different entries of the one, in either order.
    """
    if other is not None:
        yield from _met(tree, _reach(other, margin))
    elif tree.straddlers == "copy" and margin == 0:
        yield from cellmates(tree)
        yield from _met_before(tree, _reach(tree, margin), len(tree.order) - tree.outside)
    else:
        yield from _met_before(tree, _reach(tree, margin), 0)


def _reach(tree: Octree, margin: float) -> Boxes:
    """Return the bounds of the tree's entries, with the margin on all sides."""
    lower, upper = tree.arranged.limits()
    if margin > 0:
        largest = np.maximum(np.abs(lower), np.abs(upper)) + margin
        reach = margin + _ROUNDING * largest
        lower, upper = lower - reach, upper + reach
    return Boxes._of(np.concatenate((lower, upper)))


def _met_before(tree: Octree, bounds: Boxes, first: int) -> Iterator[tuple[Ids, Ids]]:
    """Yield what each entry from `first` on meets among those before it."""
    for ones, others in _met(tree, bounds[first:]):
        before = np.flatnonzero(ones < others + first)
        yield ones[before], others[before] + first


def _met(tree: Octree, bounds: Boxes) -> Iterator[tuple[Ids, Ids]]:
    """Yield the entries whose bounds meet these bounds, and the number of each."""
    if len(bounds) == 0:
        return
    grid = grid_around(tree.arranged)
    ours, theirs = marks(tree.arranged, grid), marks(bounds, grid)
    for found in candidates(tree, bounds, vouching=False):
        numbers = found.asked[found.numbers]
        some = ours.meeting(found.entries, theirs, numbers)
        yield found.entries[some], numbers[some]
