"""The walk down the tree towards points: the cells that may hold what is nearest to each.

All points of a group go down together, level by level, as a front of (point, cell) pairs. Some
item of a cell is no farther than a corner of its first triangle, so each cell that is looked at
may tell its point to look less far. Where to begin is known from the items of one cell near by.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import BLOCK, Floats, Ids, blocks, gather
from ..child_masks import packed
from ..descend import Found
from ..octree import Octree
from ..query.candidates import expanded, portions
from ..query.mailboxing import Mailboxes, once
from .closest import upper_bounds

# Slots looked at together, a few megabytes.
PIECE = 262_144
# A key holds the number of a question above these bits, and all but so many bits of a value.
_LOW, _CUT = np.uint64(48), np.uint64(16)


@dataclass
class Search:
    """Some points, and how far each still has to look for its nearest items.

    `points` are (3, q). The `count` nearest items of each are known to be no farther than
    `limits` (q,), as far as they are to be found at all; what is up to `stretch` times as far is
    wanted, too. So many pairs of point and cell were
    `looked` at.
    """

    tree: Octree
    points: Floats
    count: int
    limits: Floats
    looked: int = 0
    stretch: Floats | float = 1.0

    @property
    def reach(self) -> Floats:
        """How far from each point to look, roundings included, (q,)."""
        _, slacks = self.tree._roots_for(len(self.limits))
        return self.limits * (self.stretch * (1 + 2.0**-44)) + 2 * slacks

    def tighten(self, numbers: Ids, distances: Floats) -> None:
        """Take notice of different items no farther than this from points `numbers`."""
        known = np.flatnonzero(distances < np.inf)
        nearest = kth_least(numbers[known], distances[known], self.count, len(self.limits))
        np.minimum(self.limits, nearest, out=self.limits)


def kth_least(numbers: Ids, values: Floats, count: int, questions: int) -> Floats:
    """Return for each question the `count`-th of its values; infinite where it has fewer.

    `numbers`, ascending and below 2**16, say whose the values are, which are finite and not
    negative. Beyond the first, the answer may be a little too large.
    """
    found = np.full(questions, np.inf)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    if count == 1 and len(starts):
        found[numbers[starts]] = np.minimum.reduceat(values, starts)
    elif count > 1:
        # The bits of numbers that are not negative sort like the numbers: one sort does it all.
        keys = numbers.astype(np.uint64) << _LOW | values.view(np.uint64) >> _CUT
        keys.sort()
        last = starts + count - 1
        last = last[last < np.append(starts[1:], len(numbers))]
        rounded_up = (keys[last] + np.uint64(1)) << _CUT
        found[numbers[last]] = rounded_up.view(np.float64)
    return found


def approach(search: Search, most: int | None) -> Found | None:
    """Walk down from the root with all points; tightens the limits of the search.

    Returns the runs of slots within reach, ascending by point; nothing if the walk would look at
    more than `most` pairs of point and cell.
    """
    tree, everyone = search.tree, np.arange(len(search.limits))
    runs = [_outsiders(tree, everyone)]
    roots, _ = tree._roots_for(len(everyone))
    numbers = np.flatnonzero(tree.end[roots] > tree.begin[roots])
    cells, squares = roots[numbers], np.zeros(len(numbers))
    while len(numbers):
        _tighten(search, numbers, cells)
        near = np.flatnonzero(squares <= search.reach[numbers] ** 2)
        numbers, cells, squares = numbers[near], cells[near], squares[near]
        search.looked += len(numbers)
        if most is not None and search.looked > most:
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
    entries = tree.references[tree.begin[cells]]
    if search.count > 1:
        # One item may be the first of several cells, unless it stands in no other.
        single = np.flatnonzero(~tree.copied[entries])
        numbers, entries = numbers[single], entries[single]
    search.tighten(numbers, upper_bounds(tree.arranged, entries, search.points, numbers))


def _children(search: Search, numbers: Ids, cells: Ids) -> tuple[Ids, Ids, Floats]:
    """Return the occupied children within reach, and their squared distances."""
    inner = np.flatnonzero(search.tree.child_masks[cells])
    numbers, cells = numbers[inner], cells[inner]
    reach = search.reach**2
    parts = [(numbers[:0], cells[:0], reach[:0])]
    for some in blocks(len(numbers), BLOCK):
        parts.append(_children_of_few(search, reach, numbers[some], cells[some]))
    numbers, cells, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    return numbers, cells, squares


def _children_of_few(
    search: Search, reach: Floats, numbers: Ids, cells: Ids
) -> tuple[Ids, Ids, Floats]:
    tree = search.tree
    first = tree.first_child[cells]
    squares = _to_parts(tree, gather(search.points, numbers), first)
    parts = packed(squares <= reach[numbers]) & tree.child_masks[cells]
    chosen = np.flatnonzero(np.unpackbits(parts, bitorder="little").view(bool))
    parents, part = chosen >> 3, chosen & 7
    return numbers[parents], first[parents] + part, squares.take(part * len(cells) + parents)


def _to_parts(tree: Octree, points: Floats, first: Ids) -> Floats:
    """Return the squared distances to the eight enlarged cells from `first` on, (8, k)."""
    # Of the eight, the first is lowest and the last is uppermost on every axis.
    lower, upper = (_gaps(tree, points, first + part) for part in (0, 7))
    x, y, z = np.stack((lower, upper), axis=1)
    return (z[:, None, None] + (y[:, None] + x)).reshape(8, -1)


def _gaps(tree: Octree, points: Floats, cells: Ids) -> Floats:
    """Return the squared gaps between points and enlarged cells along each axis, (3, k)."""
    gaps = np.maximum(
        gather(tree.loose_rows[:3], cells) - points, points - gather(tree.loose_rows[3:], cells)
    )
    np.maximum(gaps, 0.0, out=gaps)
    gaps *= gaps
    return gaps


def seed(search: Search, boxes: Mailboxes) -> None:
    """Tighten the limits by the items of one cell near each point that holds enough of them."""
    everyone, tree = np.arange(len(search.limits)), search.tree
    cells = _seed_cells(search, 2 * search.count)
    found = Found(everyone, tree.begin[cells], tree.end[cells], certain=False)
    for (some,) in portions([found], len(everyone), PIECE):
        pairs = expanded(tree, some)
        chosen = once(*pairs, boxes)
        numbers, entries = (each[chosen] for each in pairs)
        search.tighten(numbers, upper_bounds(tree.arranged, entries, search.points, numbers))


def _seed_cells(search: Search, slots: int) -> Ids:
    """Go down to the nearest part, as long as one has so many slots; return the last cell."""
    tree = search.tree
    cells, _ = tree._roots_for(len(search.limits))
    cells, going = cells.copy(), np.arange(len(search.limits))
    while len(going):
        going = going[tree.first_child[cells[going]] >= 0]
        first = tree.first_child[cells[going]]
        squares = _to_parts(tree, search.points[:, going], first)
        parts = first + np.arange(8)[:, None]
        squares[tree.end[parts] - tree.begin[parts] < slots] = np.inf
        nearest = squares.argmin(axis=0)
        some = np.flatnonzero(squares.min(axis=0) < np.inf)
        going = going[some]
        cells[going] = first[some] + nearest[some]
    return cells
