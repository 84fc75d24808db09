"""Branch and bound: the cells and items that may be nearest to each point.

All points of a group descend together, level by level, as a front of (point, cell) pairs. Some
item of a cell is no farther than a corner of its first triangle, so each cell that is visited may
lower the bound of its point. Where to begin is known from the items of one cell near by.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import BLOCK, Floats, Ids, blocks, gather, joined
from ..descend import Found, expanded, nearest_cells, portions, squared_gaps
from ..mailboxing import Latest, unique_pairs
from ..touch.points import upper_bounds
from ..walkable import Walkable

# References expanded together, a few megabytes.
PIECE = 262_144
# A key holds the number of a point above _LOW bits, and a value without its last _CUT bits.
_LOW, _CUT = np.uint64(48), np.uint64(16)


@dataclass
class Search:
    """Some points, and how far each still has to look for its nearest items.

    `points` are (3, q). The `count` nearest items of each are known to be no farther than
    `limits` (q,), as far as they are to be found at all. `looked` counts the pairs of point and
    cell that were visited. What is up to `stretch` times as far as the limits is wanted, too.
    """

    tree: Walkable
    points: Floats
    count: int
    limits: Floats
    looked: int = 0
    stretch: Floats | float = 1.0

    @property
    def reach(self) -> Floats:
        """How far from each point to look, roundings included, (q,)."""
        return self.limits * (self.stretch * (1 + 2.0**-44)) + 2 * self.tree.slacks

    def tighten(self, queries: Ids, distances: Floats) -> None:
        """Lower the limits, knowing different items no farther than this from points `queries`."""
        known = np.flatnonzero(distances < np.inf)
        nearest = kth_least(queries[known], distances[known], self.count, len(self.limits))
        np.minimum(self.limits, nearest, out=self.limits)


def kth_least(queries: Ids, values: Floats, count: int, total: int) -> Floats:
    """Return for each of `total` queries the `count`-th of its values; infinite if it has fewer.

    `queries`, ascending and below 2**16, are the queries that the values belong to. Values are
    finite and not negative. Beyond the first, the answer may be a little too large.
    """
    found = np.full(total, np.inf)
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    if count == 1 and len(starts):
        found[queries[starts]] = np.minimum.reduceat(values, starts)
    elif count > 1:
        # The bits of values that are not negative sort like the values: one sort does it all.
        keys = queries.astype(np.uint64) << _LOW | values.view(np.uint64) >> _CUT
        keys.sort()
        last = starts + count - 1
        last = last[last < np.append(starts[1:], len(queries))]
        rounded_up = (keys[last] + np.uint64(1)) << _CUT
        found[queries[last]] = rounded_up.view(np.float64)
    return found


def branch_and_bound(search: Search, most: int | None) -> Found | None:
    """Walk down from the root with all points; tightens the limits of the search.

    Returns the runs of references within reach, ascending by point; nothing if the walk would
    visit more than `most` pairs of point and cell.
    """
    tree, everyone = search.tree, np.arange(len(search.limits))
    beyond = everyone if tree.outside else everyone[:0]
    runs = [(beyond, 0 * beyond, 0 * beyond + tree.outside, np.zeros(len(beyond)))]
    roots = tree.roots + 0 * everyone
    queries = np.flatnonzero(tree.end[roots] > tree.begin[roots])
    cells, squares = roots[queries], np.zeros(len(queries))
    while len(queries):
        _tighten(search, queries, cells)
        near = np.flatnonzero(squares <= search.reach[queries] ** 2)
        queries, cells, squares = queries[near], cells[near], squares[near]
        search.looked += len(queries)
        if most is not None and search.looked > most:
            return None
        own = np.flatnonzero(tree.begin[cells] < tree.own_end[cells])
        runs.append((queries[own], tree.begin[cells[own]], tree.own_end[cells[own]], squares[own]))
        queries, cells, squares = _children(search, queries, cells)
    queries, begin, end, squares = joined(runs)
    near = np.flatnonzero(squares <= search.reach[queries] ** 2)
    order = near[np.argsort(queries[near].astype(np.uint16), kind="stable")]
    return Found(queries[order], begin[order], end[order], certain=False)


def _tighten(search: Search, queries: Ids, cells: Ids) -> None:
    """Tighten the limits by the first item of each cell."""
    tree = search.tree
    entries = tree.entries_at(tree.begin[cells])
    if search.count > 1:
        # One item may be the first of several cells, unless it stands in no other.
        single = np.flatnonzero(~tree.copied[entries])
        queries, entries = queries[single], entries[single]
    search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))


def _children(search: Search, queries: Ids, cells: Ids) -> tuple[Ids, Ids, Floats]:
    """Return the occupied children within reach, and their squared distances."""
    inner = np.flatnonzero(search.tree.child_masks[cells])
    queries, cells = queries[inner], cells[inner]
    reach = search.reach**2
    parts = [(queries[:0], cells[:0], reach[:0])]
    for some in blocks(len(queries), BLOCK):
        parts.append(_children_of_few(search, reach, queries[some], cells[some]))
    return joined(parts)


def _children_of_few(
    search: Search, reach: Floats, queries: Ids, cells: Ids
) -> tuple[Ids, Ids, Floats]:
    parents, children = search.tree.children(cells)
    asked = queries[parents]
    boxes = search.tree.boxes_for(len(search.limits))
    squares = squared_gaps(boxes, children, gather(search.points, asked))
    (near,) = (squares <= reach[asked]).nonzero()
    return asked[near], children[near], squares[near]


def seed(search: Search, mailboxes: Latest) -> None:
    """Tighten the limits by the items of one cell near each point that holds enough of them."""
    everyone, tree = np.arange(len(search.limits)), search.tree
    cells = nearest_cells(tree, search.points, 2 * search.count)
    found = Found(everyone, tree.begin[cells], tree.end[cells], certain=False)
    for (some,) in portions([found], len(everyone), PIECE):
        pairs = expanded(tree, some)
        chosen = unique_pairs(*pairs, mailboxes)
        queries, entries = (each[chosen] for each in pairs)
        search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))
