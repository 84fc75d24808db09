"""The walk down the tree towards points: the cells that may hold what is nearest to each.

All points of a group go down together, level by level, as a front of (point, cell) pairs. Some
item of each cell is at most as far as one corner of its first triangle: that many cells, and no
point need look any farther.
"""

from dataclasses import dataclass

import numpy as np

from .arrays import BLOCK, Floats, Ids, blocks, gather
from .closest import at_most
from .descend import Found
from .octree import Octree


@dataclass
class Search:
    """Some points, and how far each still has to look for its nearest items.

    `points` are (3, q). The `count` nearest items of each are known to be no farther than
    `limits` (q,), as far as they are to be found at all.
    """

    tree: Octree
    points: Floats
    count: int
    limits: Floats

    @property
    def reach(self) -> Floats:
        """How far from each point to look, roundings included, (q,)."""
        return self.limits * (1 + 2.0**-44) + 2 * self.tree.slack

    def tighten(self, numbers: Ids, distances: Floats) -> None:
        """Take notice of different items, for points `numbers`, no farther than these."""
        nearest = kth_least(numbers, distances, self.count, len(self.limits))
        np.minimum(self.limits, nearest, out=self.limits)


def kth_least(numbers: Ids, values: Floats, count: int, questions: int) -> Floats:
    """Return for each question the `count`-th of its values; infinite where it has fewer.

    `numbers`, ascending, say whose the values are.
    """
    found = np.full(questions, np.inf)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(starts[1:], len(numbers))
    if count > 1:
        values = values[np.lexsort((values, numbers))]
        enough = starts + count <= ends
        starts = starts[enough]
        found[numbers[starts]] = values[starts + count - 1]
    elif len(starts):
        found[numbers[starts]] = np.minimum.reduceat(values, starts)
    return found


def approach(search: Search, most: int | None) -> Found | None:
    """Walk down from the root with all points; tightens the limits of the search.

    Returns the runs of slots within reach, ascending by point; nothing if the walk would look at
    more than `most` pairs of point and cell.
    """
    tree, everyone = search.tree, np.arange(len(search.limits))
    runs, looked = [_outsiders(tree, everyone)], 0
    numbers = everyone if tree.end[0] > tree.begin[0] else everyone[:0]
    cells, squares = np.zeros_like(numbers), np.zeros(len(numbers))
    while len(numbers):
        _tighten(search, numbers, cells)
        near = np.flatnonzero(squares <= search.reach[numbers] ** 2)
        numbers, cells, squares = numbers[near], cells[near], squares[near]
        looked += len(numbers)
        if most is not None and looked > most:
            return None
        own = np.flatnonzero(tree.begin[cells] < tree.own_end[cells])
        runs.append((numbers[own], tree.begin[cells[own]], tree.own_end[cells[own]], squares[own]))
        numbers, cells, squares = _children(search, numbers, cells)
    numbers, begin, end, squares = (np.concatenate(parts) for parts in zip(*runs, strict=True))
    near = np.flatnonzero(squares <= search.reach[numbers] ** 2)
    order = near[np.argsort(numbers[near].astype(np.uint16), kind="stable")]
    return Found(numbers[order], begin[order], end[order], certain=False)


def _outsiders(tree: Octree, numbers: Ids) -> tuple[Ids, Ids, Ids, Floats]:
    """Return the run of items beyond the root, for every point."""
    some = numbers if tree.outside else numbers[:0]
    return some, 0 * some, 0 * some + tree.outside, np.zeros(len(some))


def _tighten(search: Search, numbers: Ids, cells: Ids) -> None:
    """Tighten the limits by the first item of each cell."""
    tree = search.tree
    entries = tree.slots[tree.begin[cells]]
    if search.count > 1:
        # One item may be the first of several cells, unless it stands in no other.
        single = np.flatnonzero(~tree.copied[entries])
        numbers, entries = numbers[single], entries[single]
    search.tighten(numbers, at_most(tree.arranged, entries, search.points, numbers))


def _children(search: Search, numbers: Ids, cells: Ids) -> tuple[Ids, Ids, Floats]:
    """Return the occupied children within reach, and their squared distances."""
    inner = np.flatnonzero(search.tree.occupied_parts[cells])
    numbers, cells = numbers[inner], cells[inner]
    reach = search.reach**2
    parts = [_children_of_few(search, reach, numbers[:0], cells[:0])]
    for some in blocks(len(numbers), BLOCK):
        parts.append(_children_of_few(search, reach, numbers[some], cells[some]))
    numbers, cells, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    return numbers, cells, squares


def _children_of_few(
    search: Search, reach: Floats, numbers: Ids, cells: Ids
) -> tuple[Ids, Ids, Floats]:
    tree = search.tree
    first = tree.first_child[cells]
    there = gather(search.points, numbers)
    lower, upper = (_gaps(tree, there, first + part) for part in (0, 7))
    x, y, z = np.stack((lower, upper), axis=1)
    squares = z[:, None, None] + (y[:, None] + x)
    squares = squares.reshape(8, -1)
    parts = np.packbits(squares <= reach[numbers], axis=0, bitorder="little")[0]
    parts &= tree.occupied_parts[cells]
    chosen = np.flatnonzero(np.unpackbits(parts, bitorder="little"))
    parents, part = chosen >> 3, chosen & 7
    return numbers[parents], first[parents] + part, squares[part, parents]


def _gaps(tree: Octree, points: Floats, cells: Ids) -> Floats:
    """Return the squared gaps between points and enlarged cells along each axis, (3, k)."""
    gaps = np.maximum(
        gather(tree.loose_rows[:3], cells) - points, points - gather(tree.loose_rows[3:], cells)
    )
    np.maximum(gaps, 0.0, out=gaps)
    gaps *= gaps
    return gaps
