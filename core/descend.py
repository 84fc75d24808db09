"""The one walk down the tree.

All questions of a batch go down together: a front of (volume, cell) pairs, one level at a time.
What comes out are runs of slots: whole subtrees of cells that lie inside a volume, and the own
items of cells that a volume's surface crosses. A front that grows too long is cut in pieces, and
the walk finishes one before it takes the next, so memory does not grow with the questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays import Flags, Floats, Ids, blocks, gather
from .child_masks import LOWEST_BIT, ON_SIDES, POPCOUNT, ChildMasks
from .classify import CROSSING, INSIDE, OUTSIDE, States, classifier
from .octree import Octree
from .shapes import Shapes

# The longest front that is walked in one piece.
_FRONT = 65_536
# The only part of some, or 8 if there are more or none.
_ONLY = np.where(POPCOUNT == 1, LOWEST_BIT, 8)
# The parts on these sides of the three planes: lower x, y, z, upper x, y, z as six bits.
_SIDES = np.arange(64)
_BITS = np.array([[1], [2], [4], [8], [16], [32]], np.uint8)
_OVERLAPPED = ON_SIDES[sum((_SIDES >> i & 1) << 2 * (i % 3) + i // 3 for i in range(6))]


@dataclass(frozen=True)
class Found:
    """Runs of slots, one for each (volume, cell): `begin` to `end`, for volume `numbers`.

    `certain` runs belong to cells that lie inside their volume.
    """

    numbers: Ids
    begin: Ids
    end: Ids
    certain: bool

    def __getitem__(self, some: slice) -> "Found":
        return Found(self.numbers[some], self.begin[some], self.end[some], self.certain)

    @property
    def references(self) -> int:
        """How many references all runs have."""
        return int((self.end - self.begin).sum())


_NONE = np.empty(0, np.intp)
NOTHING = Found(_NONE, _NONE, _NONE, certain=False)


def descend(tree: Octree, volumes: Shapes, states: States | None = None) -> Iterator[Found]:
    """Walk down from the root with all volumes.

    Parameters
    ----------
    tree : Octree
        The tree.
    volumes : any batch but Triangles
        The questions, q of them, finite.
    states : ndarray of uint8, shape (m,), optional
        Filled with what the walk takes each cell for that it looks at. Means little unless there
        is one question.

    Yields
    ------
    Found
        Each cell's items once for each volume that touches the cell.
    """
    if tree.outside:
        for some in blocks(len(volumes), _FRONT):
            numbers = np.arange(some.start, some.stop)
            yield Found(numbers, 0 * numbers, 0 * numbers + tree.outside, certain=False)
    lower, upper = volumes.limits()
    reach = np.maximum(np.abs(lower), np.abs(upper))
    reach[reach == np.inf] = 0.0  # of half-spaces, whose bounds need no slack
    roots, slack = tree._roots_for(len(volumes))
    slack = slack + reach.max(axis=0) * 2.0**-46
    bounds = np.concatenate((lower - slack, upper + slack))
    classify = classifier(volumes, slack)
    # A trace wants to see the first steps, too.
    starts = _starts(tree, bounds, roots) if states is None else roots
    fronts = _pieces(np.arange(len(volumes)), starts)
    while fronts:
        numbers, cells = fronts.pop()
        taken_for = classify(numbers, gather(tree.loose_rows, cells))
        if states is not None:
            states[cells] = taken_for
        (whole,) = (taken_for == INSIDE).nonzero()
        if len(whole):
            subtrees = cells[whole]
            yield Found(numbers[whole], tree.begin[subtrees], tree.end[subtrees], certain=True)
        (crossing,) = (taken_for == CROSSING).nonzero()
        numbers, cells = numbers[crossing], cells[crossing]
        if states is not None:
            # Those that the volume's bounds overlap are looked at again, in the next front.
            states[occupied_children(tree, cells)] = OUTSIDE
        begin, end = tree.begin[cells], tree.own_end[cells]
        (holding,) = (begin < end).nonzero()
        if len(holding):
            yield Found(numbers[holding], begin[holding], end[holding], certain=False)
        fronts += _pieces(*_children(tree, bounds, numbers, cells))


def _starts(tree: Octree, bounds: Floats, roots: Ids) -> Ids:
    """Return for each volume the deepest cell beside which there is nothing that it may touch.

    Small volumes need no more than a comparison with the dividing planes down to there.
    """
    cells = roots
    if tree.straddlers != "copy":
        return cells  # items may stand in any cell on the way
    sides = np.empty(bounds.shape, bool)
    while True:
        middle = gather(tree.middle_rows, cells)
        np.less_equal(bounds[:3], middle, out=sides[:3])
        np.greater_equal(bounds[3:], middle, out=sides[3:])
        part = _ONLY.take(_overlapped(sides) & tree.child_masks[cells])
        alone = part < 8
        if not alone.any():
            return cells
        cells = np.where(alone, tree.first_child[cells] + part, cells)


def _overlapped(sides: Flags) -> ChildMasks:
    """Return the parts on the marked sides of a cell: lower x, y, z, upper x, y, z."""
    return _OVERLAPPED.take(np.bitwise_or.reduce(sides.view(np.uint8) * _BITS, axis=0))


def _pieces(numbers: Ids, cells: Ids) -> list[tuple[Ids, Ids]]:
    """Return the front in pieces of bounded length, the first piece last."""
    return [(numbers[some], cells[some]) for some in blocks(len(numbers), _FRONT)][::-1]


def occupied_children(tree: Octree, cells: Ids) -> Ids:
    """Return the children of these cells that hold items."""
    bits = np.unpackbits(tree.child_masks[cells, None], axis=1, bitorder="little")
    parents, parts = bits.nonzero()
    return tree.first_child[cells[parents]] + parts


def _children(tree: Octree, bounds: Floats, numbers: Ids, cells: Ids) -> tuple[Ids, Ids]:
    """Return the occupied children that the volumes' bounds overlap."""
    parts = tree.child_masks[cells]
    (inner,) = parts.nonzero()
    if len(inner) == 0:
        return inner, inner
    numbers, first = numbers[inner], tree.first_child[cells[inner]]
    reach, sides = gather(bounds, numbers), np.empty((6, len(inner)), bool)
    # Of the eight, the first is lowest and the last is uppermost on every axis.
    np.less_equal(reach[:3], gather(tree.loose_rows[3:], first), out=sides[:3])
    np.greater_equal(reach[3:], gather(tree.loose_rows[:3], first + 7), out=sides[3:])
    parts = _overlapped(sides) & parts[inner]
    (chosen,) = np.unpackbits(parts, bitorder="little").view(bool).nonzero()
    parents = chosen >> 3
    return numbers[parents], first[parents] + (chosen & 7)
