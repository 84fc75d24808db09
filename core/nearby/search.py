"""Branch and bound: the cells and items that may be nearest to each point.

All points of a batch descend together, level by level, as a frontier of (point, cell) pairs. The
first item of a visited cell gives an upper bound of the nearest distance, so each visited cell may
tighten the limit of its point. The first limits come from the items of one cell near each point.
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
# A sort key has the number of a point above _LOW bits, and below a value without its last _CUT
# bits.
_LOW, _CUT = np.uint64(48), np.uint64(16)


@dataclass
class Search:
    """Points, (3, q), and their search limits.

    Each point needs its `count` nearest items, no farther away than its limit, (q,). `looked`
    counts the visited pairs of point and cell. The search radius is the limit times `stretch`: the
    item nearest in world space may be farther by this factor in the space of the tree.
    """

    tree: Walkable
    points: Floats
    count: int
    limits: Floats
    looked: int = 0
    stretch: Floats | float = 1.0

    @property
    def reach(self) -> Floats:
        """The search radius of each point, enlarged for rounding, (q,)."""
        return self.limits * (self.stretch * (1 + 2.0**-44)) + 2 * self.tree.slacks

    def tighten(self, queries: Ids, distances: Floats) -> None:
        """Lower limits by upper bounds of distances from points `queries` to distinct items."""
        known = np.flatnonzero(distances < np.inf)
        nearest = kth_least(queries[known], distances[known], self.count, len(self.limits))
        np.minimum(self.limits, nearest, out=self.limits)


def kth_least(queries: Ids, values: Floats, count: int, total: int) -> Floats:
    """Return the `count`-th smallest value of each of `total` queries; infinity if it has fewer.

    `queries`, ascending and below 2**16, are the queries of the values. Values are finite and not
    negative. If `count` is above 1, the result may be rounded up a little.
    """
    found = np.full(total, np.inf)
    starts = np.flatnonzero(np.diff(queries, prepend=-1))
    if count == 1 and len(starts):
        found[queries[starts]] = np.minimum.reduceat(values, starts)
    elif count > 1:
        # The bits of non-negative floats sort like their values, so one sort orders by query and
        # value.
        keys = queries.astype(np.uint64) << _LOW | values.view(np.uint64) >> _CUT
        keys.sort()
        last = starts + count - 1
        last = last[last < np.append(starts[1:], len(queries))]
        rounded_up = (keys[last] + np.uint64(1)) << _CUT
        found[queries[last]] = rounded_up.view(np.float64)
    return found


def branch_and_bound(search: Search, most: int | None) -> Found | None:
    """Descend from the root with all points, and tighten the limits of the search.

    Return the runs of references within the search radii, ascending by point; None if the walk
    visits more than `most` pairs of point and cell.
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
        # An item copied to several cells may be the first in each of them, and would count twice.
        single = np.flatnonzero(~tree.copied[entries])
        queries, entries = queries[single], entries[single]
    search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))


def _children(search: Search, queries: Ids, cells: Ids) -> tuple[Ids, Ids, Floats]:
    """Return pairs of point and occupied child cell within reach, and squared distances."""
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
    """Tighten the limits by the items of one cell near each point, with enough items."""
    everyone, tree = np.arange(len(search.limits)), search.tree
    cells = nearest_cells(tree, search.points, 2 * search.count)
    found = Found(everyone, tree.begin[cells], tree.end[cells], certain=False)
    for (some,) in portions([found], len(everyone), PIECE):
        pairs = expanded(tree, some)
        chosen = unique_pairs(*pairs, mailboxes)
        queries, entries = (each[chosen] for each in pairs)
        search.tighten(queries, upper_bounds(tree.arranged, entries, search.points, queries))
