"""The early out: which volumes touch anything at all, with as few looks as possible.

First every volume looks at some items of the one leaf around its middle. Who finds none goes down
the tree like any question, and looks at more and more of what it finds there.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, gather
from ..child_masks import POPCOUNT
from ..descend import Found
from ..octree import Octree
from ..shapes import Shapes
from .candidates import Candidates, candidates, expanded
from .confirm import chosen, holding, vouched

# So many items of the leaf are looked at, by so many volumes at a time.
_LOOK, _BLOCK = 32, 8_192
# How many items of all others a volume looks at first, and how many times as many the next time.
_FEW, _MORE = 64, 8


def _likeliest() -> Ids:
    """Return for eight bits and a part the part whose bit is set and which is nearest to it."""
    parts = np.arange(8)
    apart = POPCOUNT[parts[:, None] ^ parts]
    is_set = np.arange(256)[:, None] >> parts & 1 == 1
    return np.where(is_set[:, None], apart, 8).argmin(axis=2)


_LIKELIEST = _likeliest()


def any_touched(tree: Octree, volumes: Shapes) -> Flags:
    """Return which volumes touch any item; no pair is tested twice."""
    touched = np.zeros(len(volumes), bool)
    begin, end = _first_looks(tree, volumes)
    for some in blocks(len(volumes), _BLOCK):
        numbers = np.arange(some.start, some.stop)
        look = Found(numbers, begin[some], end[some], certain=False)
        touched[holding(tree, volumes, expanded(tree, look))[0]] = True
    still = np.flatnonzero(~touched)
    for found in candidates(tree, volumes[still], seen=(begin[still], end[still])):
        touched[still[found.asked[_hits(tree, found)]]] = True
    return touched


def _first_looks(tree: Octree, volumes: Shapes) -> tuple[Ids, Ids]:
    """Return where each volume looks first: a run of slots."""
    root = tree.cell_rows[:, :1]
    lower, upper = (np.clip(side, root[:3], root[3:]) for side in volumes.limits())
    cells = _leaves_at(tree, (lower + upper) / 2)
    begin = tree.begin[cells]
    return begin, np.minimum(tree.own_end[cells], begin + _LOOK)


def _leaves_at(tree: Octree, places: Floats) -> Ids:
    """Return for each place (3, n) the cell that it lies in, or one beside it that holds items."""
    cells = np.zeros(places.shape[1], np.intp)
    while True:
        occupied = tree.child_masks[cells]
        if not occupied.any():
            return cells
        above = places >= gather(tree.middle_rows, cells)
        part = np.packbits(above, axis=0, bitorder="little")[0]
        below = tree.first_child[cells] + _LIKELIEST[occupied, part]
        cells = np.where(occupied > 0, below, cells)


def _hits(tree: Octree, found: Candidates) -> Ids:
    """Return the volumes that touch an item, having looked at more and more of them."""
    touched = np.zeros(len(found.asked), bool)
    sure, unsure = vouched(tree, found.certain, "touching")
    touched[sure[0]] = True
    touched[holding(tree, found.volumes, unsure)[0]] = True
    pairs, few = found.doubtful, _FEW
    while True:
        pairs = chosen(pairs, np.flatnonzero(~touched[pairs[0]]))
        numbers = pairs[0]
        if len(numbers) == 0:
            return np.flatnonzero(touched)
        is_early = np.arange(len(numbers)) - np.searchsorted(numbers, numbers) < few
        early, late = (chosen(pairs, np.flatnonzero(some)) for some in (is_early, ~is_early))
        touched[holding(tree, found.volumes, early)[0]] = True
        pairs, few = late, few * _MORE
