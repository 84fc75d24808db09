"""Dual walk: simultaneous descent of the trees of pairs of placed surfaces (branch and bound).

A frontier holds pairs of nodes, one of each surface, for many pairs of surfaces. If a pair of
nodes may count, its larger node is divided, down to leaves, whose triangles are compared.

A greedy descent of the few best pairs of nodes gives a first bound, unless every surface is a
single cell. Then all pairs of nodes are refined to cells, and the cells of each pair of surfaces
are searched in rounds of growing size, the best first (A. H. Land and A. G. Doig, "An Automatic
Method of Solving Discrete Programming Problems", 1960).

A subclass defines the bounds and the tests, under the same names as in `kernel/dual.h`. A row is
the position of a placement in the snapshot, an entry is the position of a triangle in the pool.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, dot, starts_of_runs
from ..boxes import bounds_of_points, bounds_of_runs
from ..records import Columns
from ..rounds import first_of_each, in_rounds
from ..steps import Steps
from .moment import Moment
from .nodes import CELL, LEAF
from .placed import PlacedTriangles
from .placements import GAP_ROUNDING, gap_slacks
from .pool import Pool

# Pairs of nodes of each pair of surfaces that the greedy descent keeps at each level.
_BEAM = 2
# Pairs of nodes, or of triangles, in the first round, and the factor by which rounds grow.
_FEW, _MORE = 4, 4
# A first round that holds all pairs.
EVERY = 2**40
# An estimate of the pairs of nodes that a pair of surfaces has in the frontier.
_PARTS = 64
# Pairs of leaves whose triangles are compared together.
_LEAVES = 8_192
# A table of bounds, one column for each placed node or triangle, and the column of each pair.
Bounded = tuple[Floats, Ids]


@dataclass(frozen=True)
class Surfaces:
    """One side of pairs of surfaces: a scene snapshot, and the pool with its meshes."""

    moment: Moment
    pool: Pool

    @property
    def walked(self) -> tuple[Pool, Ids, Floats]:
        """The pool, and the mesh and the matrix of each row: arguments of the compiled kernel."""
        return self.moment.side(self.pool)

    def placed(self, entries: Ids, rows: Ids) -> PlacedTriangles:
        """Return the triangles of entries placed in these rows, pair by pair."""
        return self.moment.placed(self.pool, entries, rows)

    def corners(self, entries: Ids, rows: Ids) -> Floats:
        """Return the corners of entries placed in these rows, (9, h)."""
        return self.placed(entries, rows).rows

    def boxes(self, rows: Ids) -> Floats:
        """Return the bounding boxes of the meshes placed in these rows, (6, h)."""
        return self.moment.placements.boxes[:, rows]

    def roots(self, rows: Ids) -> Ids:
        """Return the roots of the meshes placed in these rows."""
        return self.pool.nodes.roots[self.moment.placements.meshes[rows]]


@dataclass(frozen=True)
class NodePairs(Columns):
    """Pairs of nodes, or of triangles, one of each side; `pairs` (f,) are their pairs of surfaces.

    `nodes` are (2, f). `entries` (2, f) select single triangles of these nodes; -1 selects all.
    `boxes` (2, 2 k, f) are bounds along k axes, lower ones, then upper ones. `least` (f,) are
    lower bounds of the searched quantity, a gap or a distance.
    """

    pairs: Ids
    nodes: Ids
    entries: Ids
    boxes: Floats
    least: Floats


class DualWalk(ABC):
    """A search in pairs of surfaces, placed in rows (2, p), one of each side.

    The first round takes `few` pairs of nodes, or of triangles, of each pair of surfaces.
    """

    few = _FEW

    def __init__(self, sides: tuple[Surfaces, Surfaces], rows: Ids) -> None:
        self.sides, self.rows = sides, rows

    @abstractmethod
    def box_of(self, side: int, nodes: Ids, rows: Ids) -> Floats:
        """Return the bounds of nodes placed in rows, (2 k, h)."""

    @abstractmethod
    def around(self, side: int, entries: Ids, rows: Ids) -> Floats:
        """Return the bounds of entries placed in rows, (2 k, h)."""

    @abstractmethod
    def near(self, pairs: Ids, ones: Bounded, others: Bounded) -> tuple[Ids, Floats]:
        """Return the pairs that may count, judged by their bounds, and lower bounds of these."""

    @abstractmethod
    def may_count(self, front: NodePairs) -> Flags:
        """Flag the pairs of nodes, or of triangles, that may still change the result."""

    @abstractmethod
    def look(self, trials: NodePairs) -> None:
        """Compare pairs of triangles, and record the results."""

    def owners(self, pairs: Ids) -> Ids:
        """Return the group with which each pair of surfaces shares its upper bound, (n,)."""
        return pairs

    def rank_of(self, front: NodePairs) -> tuple[Floats | Ids, ...]:
        """Return the sort keys of a frontier, the primary key last."""
        return (front.least,)

    def walk(self, some: Ids) -> Steps[None]:
        """Search these pairs of surfaces, in steps."""
        for part in blocks(len(some), 1 + tuning.current.nodes_paired // _PARTS):
            for _ in self._walked(self._roots(some[part])):
                yield part.start / len(some)

    def _walked(self, roots: NodePairs) -> Iterator[None]:
        if self.few < EVERY and (self._sizes(roots, CELL) >= 0).any():
            yield from self._dived(roots)
        for cells in self._taken(roots, CELL):
            yield
            for few in self._rounds(cells, tuning.current.nodes_paired // _PARTS):
                for leaves in self._taken(few, LEAF):
                    yield
                    yield from self._looked(leaves)

    def _roots(self, pairs: Ids) -> NodePairs:
        rows, each = self.rows[:, pairs], np.arange(len(pairs))
        nodes = np.stack([side.roots(some) for side, some in zip(self.sides, rows, strict=True)])
        boxes = np.stack([self.box_of(side, nodes[side], rows[side]) for side in (0, 1)])
        some, least = self.near(pairs, (boxes[0], each), (boxes[1], each))
        entries = np.full((2, len(some)), -1)
        return NodePairs(pairs[some], nodes[:, some], entries, boxes[..., some], least)

    def _sorted(self, front: NodePairs) -> tuple[NodePairs, Ids]:
        """Return a frontier sorted by owner, then by rank, and the owners.

        If a single round takes all pairs, the frontier keeps its order, with owner 0 for all.
        """
        if self.few == EVERY:
            return front, np.zeros(len(front), np.intp)
        owners = self.owners(front.pairs)
        order = np.lexsort((*self.rank_of(front), owners))
        return front[order], owners[order]

    def _rounds(self, front: NodePairs, size: int) -> Iterator[NodePairs]:
        """Yield the pairs that may count, in rounds: the best few of each owner, then more."""
        front, owners = self._sorted(front)

        def are_open(_: Ids, left: Ids) -> Flags:
            return self.may_count(front[left])

        for early in in_rounds(owners, self.few, _MORE, are_open):
            for some in blocks(len(early), 1 + size):
                yield front[early[some]]

    def _dived(self, front: NodePairs) -> Iterator[None]:
        """Descend greedily to the triangles of a few pairs of nodes, the best at each level."""
        while len(front):
            front, owners = self._sorted(front)
            front = front[first_of_each(owners, _BEAM)]
            sizes = self._sizes(front, LEAF)
            if (sizes < 0).all():
                yield from self._looked(front)
                break
            front = self._divided(front, sizes)

    def _taken(self, front: NodePairs, most: int) -> Iterator[NodePairs]:
        """Yield parts of a frontier, refined to nodes of up to `most` triangles.

        Empty parts are yielded in between, so that the caller can report progress.
        """
        waiting, room = [front], 1 + tuning.current.nodes_paired
        while waiting:
            front = waiting.pop()
            front = front[self.may_count(front)]
            sizes = self._sizes(front, most)
            if len(front) > room:
                waiting += [front[room // 2 :], front[: room // 2]]
            elif (sizes >= 0).any():
                waiting.append(self._divided(front, sizes))
                yield front[:0]
            else:
                yield front

    def _sizes(self, front: NodePairs, most: int) -> Floats:
        """Return the sizes of both nodes, (2, f); -1 for nodes of up to `most` triangles."""
        half = front.boxes.shape[1] // 2
        sizes = (front.boxes[:, half : half + 3] - front.boxes[:, :3]).sum(axis=1)
        for side, nodes, row in zip(self.sides, front.nodes, sizes, strict=True):
            ends = side.pool.nodes.end.take(nodes), side.pool.nodes.begin.take(nodes)
            row[ends[0] - ends[1] <= most] = -1.0
        return sizes

    def _divided(self, front: NodePairs, sizes: Floats) -> NodePairs:
        """Divide the larger node of each pair, unless both sizes are negative."""
        small = (sizes < 0).all(axis=0)
        which = (sizes[0] < 0) | (sizes[1] > sizes[0])
        parts = [front[small]]
        for side, some in ((0, ~which), (1, which & ~small)):
            if some.any():
                parts.append(self._children(front[some], side))
        return NodePairs.joined(parts)

    def _children(self, front: NodePairs, side: int, of_leaves: bool = False) -> NodePairs:
        """Divide the nodes of one side, into triangles if `of_leaves`; return the near pairs."""
        all_nodes, (nodes, rows, which) = self.sides[side].pool.nodes, self._once(front, side)
        owners, children = (all_nodes.entries if of_leaves else all_nodes.children)(nodes)
        bounds_of = self.around if of_leaves else self.box_of
        bounds = bounds_of(side, children, rows[owners])
        counts = np.bincount(owners, minlength=len(nodes))
        parents = np.repeat(np.arange(len(front)), counts[which])
        made = concatenated_ranges((np.cumsum(counts) - counts)[which], counts[which])
        both = (bounds, made), (front.boxes[1 - side], parents)
        some, least = self.near(front.pairs[parents], *both[:: 1 - 2 * side])
        found, made = front[parents[some]], made[some]
        (found.entries if of_leaves else found.nodes)[side] = children[made]
        found.boxes[side] = bounds.take(made, axis=1)
        return replace(found, least=least)

    def _once(self, front: NodePairs, side: int) -> tuple[Ids, Ids, Ids]:
        """Return the distinct placed nodes of one side, their rows, and the index of each pair."""
        rows, nodes = self.rows[side, front.pairs], front.nodes[side]
        keys = rows * len(self.sides[side].pool.nodes.begin) + nodes
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        return nodes[first], rows[first], which

    def _looked(self, front: NodePairs) -> Iterator[None]:
        """Compare the triangles of pairs of leaves that may count."""
        for some in blocks(len(front), _LEAVES):
            leaves = self._tight(front[some])
            halfway = self._children(leaves, 0, of_leaves=True)
            trials = self._children(halfway, 1, of_leaves=True)
            for few in self._rounds(trials, tuning.current.triangles_tested):
                self.look(few)
                yield

    def _tight(self, front: NodePairs) -> NodePairs:
        """Return the near pairs of leaves, with boxes that are the bounds of placed triangles."""
        boxes, each = [self._around_leaves(front, side) for side in (0, 1)], np.arange(len(front))
        some, least = self.near(front.pairs, (boxes[0], each), (boxes[1], each))
        return replace(front[some], boxes=np.stack(boxes)[..., some], least=least)

    def _around_leaves(self, front: NodePairs, side: int) -> Floats:
        leaves, rows, which = self._once(front, side)
        owners, entries = self.sides[side].pool.nodes.entries(leaves)
        bounds = self.around(side, entries, rows[owners])
        half = len(bounds) // 2
        around = bounds_of_runs(bounds[:half], bounds[half:], starts_of_runs(owners))
        return around.take(which, axis=1)

    def placed(self, trials: NodePairs) -> tuple[PlacedTriangles, PlacedTriangles]:
        """Return the placed triangles of both sides."""
        rows = self.rows[:, trials.pairs]
        one, other = (
            side.placed(*each)
            for side, *each in zip(self.sides, trials.entries, rows, strict=True)
        )
        return one, other


class BoxWalk(DualWalk):
    """A search by axis-aligned boxes: triangles count up to the distance `limits` (p,).

    A negative limit ends the search of a pair of surfaces.
    """

    def __init__(self, sides: tuple[Surfaces, Surfaces], rows: Ids, limits: Floats) -> None:
        super().__init__(sides, rows)
        self.limits = limits
        self.slacks = gap_slacks(
            *(side.boxes(some) for side, some in zip(sides, rows, strict=True))
        )

    def box_of(self, side: int, nodes: Ids, rows: Ids) -> Floats:
        """Return the bounding boxes of nodes placed in rows, (6, h)."""
        own = self.sides[side]
        return own.moment.placements.boxes_around(rows, own.pool.nodes.boxes.take(nodes, axis=1))

    def around(self, side: int, entries: Ids, rows: Ids) -> Floats:
        """Return the bounding boxes of entries placed in rows, (6, h)."""
        return bounds_of_points(self.sides[side].corners(entries, rows).reshape(3, 3, -1))

    def near(self, pairs: Ids, ones: Bounded, others: Bounded) -> tuple[Ids, Floats]:
        """Return the pairs of boxes within the limits, and lower bounds of their distances."""
        (one, here), (other, there) = ones, others
        (some,) = (self.limits.take(pairs) >= 0).nonzero()
        squares = np.zeros(len(some))
        for axis in range(3):
            at, by, which = here.take(some), there.take(some), pairs.take(some)
            gaps = one[axis].take(at) - other[3 + axis].take(by)
            np.maximum(gaps, other[axis].take(by) - one[3 + axis].take(at), out=gaps)
            gaps -= self.slacks.take(which)
            np.maximum(gaps, 0.0, out=gaps)
            squares += gaps * gaps
            (met,) = (gaps * (1 - 2 * GAP_ROUNDING) <= self.limits.take(which)).nonzero()
            some, squares = some.take(met), squares.take(met)
        least = np.sqrt(squares) * (1 - GAP_ROUNDING)
        (close,) = (least <= self.limits.take(pairs.take(some))).nonzero()
        return some[close], least[close]

    def rank_of(self, front: NodePairs) -> tuple[Floats | Ids, ...]:
        """Return four times the squared distances between the centers of boxes."""
        one, other = front.boxes
        apart = (one[:3] + one[3:]) - (other[:3] + other[3:])
        return (dot(apart, apart),)

    def may_count(self, front: NodePairs) -> Flags:
        """Flag the pairs that are still within the limit of their surfaces."""
        flags: Flags = front.least <= self.limits.take(front.pairs)
        return flags
