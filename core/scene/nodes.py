"""Octree along a Morton curve: nodes with tight boxes over sorted triangles, a root for each mesh.

The key of a triangle names the cell that contains its middle, level by level. At each level, a
marker bit comes first: it is 1 as long as the cell is larger than half of the triangle. In the
order of these keys, large triangles stay in large cells, before the smaller triangles (M. Vinkler,
J. Bittner and V. Havran, "Extended Morton Codes for High Performance Bounding Volume Hierarchy
Construction", 2017).

A node is divided at the first level at which its keys differ, so no node has a single child. Nodes
of up to `CELL` triangles are divided at medians into full leaves of `LEAF` triangles. An entry is
the position of a triangle in the final order; each node has a range of entries.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import (
    Flags,
    Floats,
    Ids,
    column_major,
    concatenated_ranges,
    cross,
    dot,
    power_of_two_scale,
    ranks_of,
)
from ..boxes import bounds_of_runs
from ..grid import Words, morton_codes
from ..shapes import Triangles
from ..steps import Steps

# Triangles in a leaf, and in a node that is divided at medians.
LEAF, CELL = 8, 64
# Levels of a key, and its bits: a marker bit and three position bits at each level.
LEVELS, KEY_BITS = 10, 40
# The level assigned to equal keys. Smaller levels alternate between markers and positions.
_EQUAL = 2 * LEVELS
# Rounds of median splits that divide a node of `CELL` triangles into leaves.
_ROUNDS = 3
# The level at which two keys differ, indexed by the bit length of their difference (XOR).
_LEVEL_OF_BIT = np.array(
    [_EQUAL, *(2 * (LEVELS - 1 - bit // 4) + (bit % 4 < 3) for bit in range(KEY_BITS))], np.uint8
)
# The marker bits of a triangle, by the binary logarithm, rounded down, of its extent in cells of
# the last level.
_MARKERS = np.array([0x8888888888 >> 4 * kept << 4 * kept for kept in range(LEVELS + 1)])
Levels = NDArray[np.uint8]


@dataclass(frozen=True)
class Nodes:
    """The nodes of all meshes, parents before their children.

    Attributes
    ----------
    boxes : ndarray of float64, shape (6, m)
        The exact bounds of the triangles of each node.
    first_child, child_count : ndarray of intp, shape (m,)
        The two to eight children are neighbors in the arrays; -1 and 0 for a leaf.
    begin, end : ndarray of intp, shape (m,)
        The range of entries of each node. Children split the range of their parent in order.
    least_altitude : ndarray of float64, shape (m,)
        The smallest altitude of the triangles of each node; 0 if one may have no area.
    lowest_item : ndarray of intp, shape (m,)
        The lowest triangle number of each node, as numbered in its mesh.
    roots : ndarray of intp, shape (meshes,)
        The root of each mesh; -1 for a mesh without triangles, or not indexed.
    """

    boxes: Floats
    first_child: Ids
    child_count: Ids
    begin: Ids
    end: Ids
    least_altitude: Floats
    lowest_item: Ids
    roots: Ids

    @classmethod
    def none(cls, meshes: int) -> "Nodes":
        """Return an empty set of nodes, for this many meshes that are not indexed."""
        none, no_ids = np.empty(0), np.empty(0, np.intp)
        roots = np.full(meshes, -1)
        return cls(np.empty((6, 0)), no_ids, no_ids, no_ids, no_ids, none, no_ids, roots)

    @cached_property
    def child_masks(self) -> NDArray[np.uint8]:
        """Masks with one bit for each child, (m,)."""
        return ((1 << self.child_count) - 1).astype(np.uint8)

    @cached_property
    def own_end(self) -> Ids:
        """The ends of the nodes' own entries, (m,): a leaf owns all, an inner node owns none."""
        return np.where(self.first_child < 0, self.end, self.begin)

    @cached_property
    def columns(self) -> Floats:
        """The boxes in column-major order, (6, m)."""
        return column_major(self.boxes)

    @cached_property
    def cells(self) -> Ids:
        """The largest nodes with up to `CELL` entries, sorted by their entries, (c,)."""
        sizes = self.end - self.begin
        _, below = self.children((sizes > CELL).nonzero()[0])
        tops = np.concatenate((self.roots[self.roots >= 0], below))
        cells = tops[sizes[tops] <= CELL]
        return cells[np.argsort(self.begin[cells])]

    def are_leaves(self, nodes: Ids) -> bool:
        """Return whether all of these nodes are leaves."""
        return bool((self.first_child[nodes] < 0).all())

    def children(self, nodes: Ids) -> tuple[Ids, Ids]:
        """Return the children of nodes, as pairs: the index into `nodes`, and the child.

        A leaf counts as its own child.
        """
        counts = np.maximum(self.child_count[nodes], 1)
        first = self.first_child[nodes]
        firsts = np.where(first < 0, nodes, first)
        return np.repeat(np.arange(len(nodes)), counts), concatenated_ranges(firsts, counts)

    def entries(self, nodes: Ids) -> tuple[Ids, Ids]:
        """Return the entries of nodes, as pairs: the index into `nodes`, and the entry."""
        begin = self.begin[nodes]
        counts = self.end[nodes] - begin
        return np.repeat(np.arange(len(nodes)), counts), concatenated_ranges(begin, counts)

    def of(self, root: int) -> "Nodes":
        """Return the nodes below a root, with nodes and entries numbered from 0."""
        some, level = [np.array([root])], np.array([root])
        while not self.are_leaves(level):
            _, level = self.children(level[self.first_child[level] >= 0])
            some.append(level)
        nodes, first = np.concatenate(some), self.begin[root]
        child = self.first_child[nodes]
        return Nodes(
            self.boxes[:, nodes],
            np.where(child < 0, -1, ranks_of(len(self.begin), nodes)[child]),
            self.child_count[nodes],
            self.begin[nodes] - first,
            self.end[nodes] - first,
            self.least_altitude[nodes],
            self.lowest_item[nodes],
            np.zeros(1, np.intp),
        )

    def check(self, triangles: Triangles, order: Ids) -> None:
        """Assert all invariants of nodes over `triangles`: entry e is triangle `order[e]`."""
        inner, leaves = (np.flatnonzero(flags) for flags in (self.first_child >= 0, self.is_leaf))
        sizes = self.end - self.begin
        assert (sizes[leaves] >= 1).all() and (sizes[leaves] <= LEAF).all(), "size of a leaf"
        counts, first = self.child_count[inner], self.first_child[inner]
        assert (counts >= 2).all() and (counts <= 8).all(), "number of children"
        assert (self.child_count[leaves] == 0).all(), "children of a leaf"
        assert (first > inner).all(), "a child stands before its parent"
        children, begins = concatenated_ranges(first, counts), np.cumsum(counts) - counts
        roots = self.roots[self.roots >= 0]
        once = np.bincount(np.concatenate((children, roots)), minlength=len(sizes))
        assert (once == 1).all(), "each node but a root has one parent"
        assert np.array_equal(self.begin[children[begins]], self.begin[inner]), "first child"
        assert np.array_equal(self.end[children[begins + counts - 1]], self.end[inner]), "last"
        is_first = np.zeros(len(children), bool)
        is_first[begins] = True
        later = np.flatnonzero(~is_first)
        assert np.array_equal(self.begin[children[later]], self.end[children[later - 1]]), "a gap"
        lower, upper = triangles.limits()
        ends = np.stack((self.begin, self.end), axis=1).ravel()
        around = np.concatenate(
            (
                np.minimum.reduceat(np.append(lower, lower[:, -1:], 1), ends, axis=1)[:, ::2],
                np.maximum.reduceat(np.append(upper, upper[:, -1:], 1), ends, axis=1)[:, ::2],
            )
        )
        assert np.array_equal(around, self.boxes), "box of a node"
        altitudes = np.append(altitudes_of(triangles), np.inf)
        least = np.minimum.reduceat(altitudes, ends)[::2]
        assert np.array_equal(least, self.least_altitude), "altitude of a node"
        lowest = np.minimum.reduceat(np.append(order, order.max(initial=0)), ends)[::2]
        assert np.array_equal(lowest, self.lowest_item), "lowest triangle of a node"

    @property
    def is_leaf(self) -> Flags:
        """Flags of the nodes without children, (m,)."""
        flags: Flags = self.first_child < 0
        return flags


def keys_of(triangles: Triangles, frames: Floats) -> Words:
    """Return the keys of triangles, (n,), each in the frame of its mesh, (5, n) or (5, 1).

    A frame has the lower corner of a cube in scaled coordinates, the scale of coordinates, and the
    number of cells of the last level in a scaled unit.
    """
    low, high = (limits * frames[3] for limits in triangles.limits())
    places = ((low + high) / 2 - frames[:3]) * frames[4]
    extent = ((high - low) * frames[4]).max(axis=0)
    bits = np.frexp(np.floor(extent.clip(1, 2**LEVELS)))[1] - 1
    return _spread(places.clip(0, 2**LEVELS - 1).astype(np.int64)) | _MARKERS.take(bits)


def _spread(places: Words) -> Words:
    """Return Morton codes of grid positions (3, n), with a free bit above each three bits."""
    codes = morton_codes(places, LEVELS)
    keys = np.zeros(len(codes), np.int64)
    for level in range(LEVELS):
        keys |= (codes >> 3 * level & 7) << 4 * level
    return keys


def frames_of(bounds: Floats) -> Floats:
    """Return the frames (5, m), as for `keys_of`, of meshes with these bounds, (6, m)."""
    units = power_of_two_scale(bounds)
    bounds = bounds * units
    size = (bounds[3:] - bounds[:3]).max(axis=0)
    scale = np.divide(2**LEVELS, size, out=np.zeros(size.shape), where=size > 0)
    return np.stack((*bounds[:3], units, np.where(np.isfinite(scale), scale, 0.0)))


def levels_of(keys: Words) -> Levels:
    """Return the level at which each sorted key differs from its predecessor, (n,)."""
    differing = np.zeros(len(keys), np.int64)
    np.bitwise_xor(keys[1:], keys[:-1], out=differing[1:])
    differing &= 2**KEY_BITS - 1
    return _LEVEL_OF_BIT.take(np.frexp(differing.astype(np.float64))[1])


def divided(levels: Levels, begin: Ids, end: Ids) -> Steps[Ids]:
    """Divide roots over the entries from `begin` to `end`; yield fractions, return all nodes.

    Nodes are (4, m): begin, end, first child, and number of children. `levels` (n,) are the levels
    at which each key differs from its predecessor.
    """
    parts, count = [np.empty((4, 0), np.intp)], len(begin)
    while len(begin):
        (inner,) = (end - begin > LEAF).nonzero()
        parents, starts = _cuts(levels, begin[inner], end[inner])
        starts = np.sort(np.concatenate((begin[inner], starts)))
        counts = np.bincount(parents, minlength=len(inner)) + 1
        firsts = np.cumsum(counts) - counts
        first_child, child_count = np.full((2, len(begin)), [[-1], [0]])
        first_child[inner], child_count[inner] = count + firsts, counts
        parts.append(np.stack((begin, end, first_child, child_count)))
        stops = np.append(starts[1:], 0)
        stops[firsts + counts - 1] = end[inner]
        begin, end, count = starts, stops, count + len(starts)
        yield 1 - 1 / len(parts)
    return np.concatenate(parts, axis=1)


def _cuts(levels: Levels, begin: Ids, end: Ids) -> tuple[Ids, Ids]:
    """Return the cuts of nodes, as pairs: the node, and the first entry after the cut."""
    sizes = end - begin
    steps = np.where(sizes <= CELL, LEAF, 0)
    (large,) = (sizes > CELL).nonzero()
    parents, starts = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
    if len(large):
        inside = concatenated_ranges(begin[large] + 1, sizes[large] - 1)
        runs = np.cumsum(sizes[large] - 1)
        here = levels.take(inside)
        least = np.minimum.reduceat(here, runs - sizes[large] + 1)
        # Nodes with equal keys are cut into parts of equal size, like cells.
        steps[large[least == _EQUAL]] = -(-sizes[large[least == _EQUAL]] // CELL) * LEAF
        (found,) = ((here == np.repeat(least, sizes[large] - 1)) & (here < _EQUAL)).nonzero()
        owners, places = np.searchsorted(runs, found, "right"), inside[found]
        kept = _apart(places, owners, begin[large], end[large])
        parents.append(large[owners[kept]])
        starts.append(places[kept])
    (even,) = steps.nonzero()
    numbers = -(-sizes[even] // steps[even]) - 1
    owners = np.repeat(even, numbers)
    parents.append(owners)
    starts.append(begin[owners] + steps[owners] * (concatenated_ranges(0 * numbers, numbers) + 1))
    return np.concatenate(parents), np.concatenate(starts)


def _apart(places: Ids, owners: Ids, begin: Ids, end: Ids) -> Flags:
    """Flag the cuts to keep: neighbors are merged while they have up to `CELL` entries together.

    Each node has one to seven cuts; `owners`, the nodes of the cuts, ascend.
    """
    counts = np.bincount(owners, minlength=len(begin))
    firsts = np.cumsum(counts) - counts
    kept = np.zeros(len(places), bool)
    start = begin.copy()
    for number in range(int(counts.max())):
        (some,) = (counts > number).nonzero()
        cut, next_cut = firsts[some] + number, firsts[some] + number + 1
        is_last = counts[some] == number + 1
        stop = np.where(is_last, end[some], places.take(next_cut, mode="clip"))
        here = places[cut]
        stays = stop - start[some] > CELL
        kept[cut] = stays
        start[some] = np.where(stays, here, start[some])
    return kept


def medians_order(middles: Floats, sizes: Ids) -> Ids:
    """Return the order of triangles with middles (3, n) that divides cells into leaves.

    The triangles of each cell are neighbors; `sizes` (c,) are their numbers, up to `CELL`. Cells
    are halved, up to three times, along the axis of the largest extent of the middles. The first
    half consists of full leaves.
    """
    order = np.arange(middles.shape[1])
    for _ in range(_ROUNDS):
        starts, owners = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(sizes)), sizes)
        here = middles[:, order]
        spans = np.maximum.reduceat(here, starts, axis=1) - np.minimum.reduceat(
            here, starts, axis=1
        )
        axes = np.where(sizes > LEAF, spans.argmax(axis=0), 3)
        keys = np.concatenate((here, np.zeros((1, len(order)))))
        along = keys[axes[owners], np.arange(len(order))]
        order = order[np.lexsort((along, owners))]
        left = np.where(sizes > LEAF, -(-(sizes // 2) // LEAF) * LEAF, sizes)
        sizes = np.stack((left, sizes - left), axis=1).ravel()
        sizes = sizes[sizes > 0]
    return order


def altitudes_of(triangles: Triangles) -> Floats:
    """Return the altitudes of triangles over their longest edges, (n,); 0 if not computable."""
    first, second, third = triangles.rows.reshape(3, 3, -1)
    with np.errstate(all="ignore"):
        edges = second - first, third - first, third - second
        normals = cross(edges[0], edges[1])
        longest = np.maximum(np.maximum(*(dot(e, e) for e in edges[:2])), dot(edges[2], edges[2]))
        altitudes = np.sqrt(dot(normals, normals) / longest)
        return np.where(altitudes < np.inf, altitudes, 0.0)


def inner_radii_of(triangles: Triangles) -> Floats:
    """Return the radii of the inscribed circles of triangles, (n,)."""
    corners = triangles.rows.reshape(3, 3, -1)
    edges = corners[[1, 2, 0]] - corners
    with np.errstate(all="ignore"):
        around = np.sqrt((edges * edges).sum(axis=1)).sum(axis=0)
        normals = np.cross(edges[0], edges[1], axis=0)
        radii: Floats = np.sqrt((normals * normals).sum(axis=0)) / around
    return np.where(around > 0, radii, 0.0)


def bounds_above(
    nodes: Ids, leaves: Ids, boxes: Floats, altitudes: Floats, items: Ids
) -> tuple[Floats, Floats, Ids]:
    """Return boxes (6, m), least altitudes and lowest items (m,) of nodes (4, m).

    `boxes`, `altitudes` and `items` are those of `leaves`, in the order of their entries.
    """
    begin, end, first_child, _ = nodes
    (inner,) = (first_child >= 0).nonzero()
    runs = np.searchsorted(begin[leaves], np.stack((begin[inner], end[inner]), axis=1)).ravel()
    around = np.empty((6, len(begin)))
    around[:, leaves] = boxes
    boxes = np.append(boxes, boxes[:, -1:], axis=1)  # as the end of a run may be len(leaves)
    around[:, inner] = bounds_of_runs(boxes[:3], boxes[3:], runs)[:, ::2]
    least, lowest = (_least_above(each, leaves, inner, runs) for each in (altitudes, items))
    return around, least, lowest


def _least_above(values: NDArray[Any], leaves: Ids, inner: Ids, runs: Ids) -> NDArray[Any]:
    """Return the smallest value of each node, from values of leaves in the order of entries."""
    least = np.empty(len(leaves) + len(inner), values.dtype)
    least[leaves] = values
    least[inner] = np.minimum.reduceat(np.append(values, values[-1:]), runs)[::2]
    return least
