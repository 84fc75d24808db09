"""Early out: which volumes touch anything at all, with as few tests as possible.

First every volume tests some items of the one leaf around its middle. Volumes that find none
descend the tree like any query, and test more and more of what they find there.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, gather
from ..child_masks import POPCOUNT
from ..descend import Found, expanded
from ..octree import Octree
from ..shapes import Shapes
from .candidates import Candidates, candidates, chosen, holding, vouched

# Items of the leaf that are tested, and volumes that test them at a time.
_LOOK, _BLOCK = 32, 8_192
# How many items of all others a volume tests first, and how many times as many the next time.
_FEW, _MORE = 64, 8


def _likeliest() -> Ids:
    """Return for a child mask and a child the one that is set and nearest to it."""
    children = np.arange(8)
    apart = POPCOUNT[children[:, None] ^ children]
    is_set = np.arange(256)[:, None] >> children & 1 == 1
    return np.where(is_set[:, None], apart, 8).argmin(axis=2)


_LIKELIEST = _likeliest()


def any_touched(tree: Octree, volumes: Shapes) -> Flags:
    """Return which volumes touch any item; no pair is tested twice."""
    touched = np.zeros(len(volumes), bool)
    begin, end = _first_looks(tree, volumes)
    for some in blocks(len(volumes), _BLOCK):
        queries = np.arange(some.start, some.stop)
        look = Found(queries, begin[some], end[some], certain=False)
        touched[holding(tree, volumes, expanded(tree, look))[0]] = True
    still = np.flatnonzero(~touched)
    for found in candidates(tree, volumes[still], seen=(begin[still], end[still])):
        touched[still[found.asked[_hits(tree, found)]]] = True
    return touched


def _first_looks(tree: Octree, volumes: Shapes) -> tuple[Ids, Ids]:
    """Return where each volume looks first: a run of references."""
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
        child = np.packbits(above, axis=0, bitorder="little")[0]
        below = tree.first_child[cells] + _LIKELIEST[occupied, child]
        cells = np.where(occupied > 0, below, cells)


def _hits(tree: Octree, found: Candidates) -> Ids:
    """Return the volumes that touch an item, having tested more and more of them."""
    touched = np.zeros(len(found.asked), bool)
    sure, unsure = vouched(tree, found.certain, "touching")
    touched[sure[0]] = True
    touched[holding(tree, found.volumes, unsure)[0]] = True
    pairs, few = found.doubtful, _FEW
    while True:
        pairs = chosen(pairs, np.flatnonzero(~touched[pairs[0]]))
        queries = pairs[0]
        if len(queries) == 0:
            return np.flatnonzero(touched)
        is_early = np.arange(len(queries)) - np.searchsorted(queries, queries) < few
        early, late = (chosen(pairs, np.flatnonzero(some)) for some in (is_early, ~is_early))
        touched[holding(tree, found.volumes, early)[0]] = True
        pairs, few = late, few * _MORE
