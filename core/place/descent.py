"""Dual-tree traversal: pairs of surfaces, followed down the nodes of both at once.

A front holds pairs of nodes, one of either surface, of all pairs of placements together. Those
whose boxes are farther apart than what their pair still looks for are dropped, the others are
replaced by the pairs of their children (branch and bound; A. H. Land and A. G. Doig, "An Automatic
Method of Solving Discrete Programming Problems", 1960). A beam of the best few goes down first, so
that each pair has a bound before all of its front is followed.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, distinct, dot
from ..boxes import bounds_by_owner, bounds_of_points
from ..records import Columns
from ..rounds import first_of_each, in_rounds
from ..scene.moment import Moment
from ..scene.placements import GAP_ROUNDING, gap_slacks
from ..scene.pool import Pool
from ..steps import Steps

# Pairs of nodes that a pair of placements may come to at a time, about.
_PARTS = 64
# Pairs of nodes of a beam at each level.
_BEAM = 4
# Pairs of triangles of two placements that are looked at first, and the factor for the next round.
_FEW, _MORE = 4, 4


@dataclass(frozen=True)
class Surfaces:
    """One side of pairs of surfaces: placed meshes at a moment, and the pool that holds them."""

    moment: Moment
    pool: Pool

    @property
    def walked(self) -> tuple[Pool, Ids, Floats]:
        """The pool, and the mesh and the matrix of each row, as the kernel walks them."""
        return self.moment.side(self.pool)

    def corners(self, entries: Ids, rows: Ids) -> Floats:
        """Return the corners of entries placed in these rows, (9, h)."""
        return self.moment.placed(self.pool, entries, rows).rows

    def meshes(self, rows: Ids) -> Ids:
        """Return the meshes placed in these rows."""
        return self.moment.placements.meshes[rows]

    def boxes(self, rows: Ids) -> Floats:
        """Return the boxes around what is placed in these rows, (6, h)."""
        return self.moment.placements.boxes[:, rows]

    def around_nodes(self, nodes: Ids, rows: Ids, directions: Floats) -> Floats:
        """Return bounds of nodes placed in these rows, along the axes and directions (3, h).

        (8, h): four lower ones, then four upper ones.
        """
        here = self.pool.nodes.boxes.take(nodes, axis=1)
        boxes = self.moment.placements.boxes_around(rows, here)
        grid = self.moment.placements.matrices.take(rows, axis=1).reshape(3, 4, -1)
        seen = dot(directions[:, None], grid)
        middle = dot(seen[:3], here[:3] + here[3:]) / 2 + seen[3]
        half = dot(np.abs(seen[:3]), here[3:] - here[:3]) / 2
        return np.stack((*boxes[:3], middle - half, *boxes[3:], middle + half))

    def around_triangles(self, entries: Ids, rows: Ids, directions: Floats) -> Floats:
        """Return bounds of entries likewise."""
        bounds = np.empty((8, len(entries)))
        for some in blocks(len(entries)):
            points = self.corners(entries[some], rows[some]).reshape(3, 3, -1)
            along = np.stack([dot(directions[:, some], point) for point in points])
            bounds[:, some] = bounds_of_points(np.concatenate((points, along[:, None]), axis=1))
        return bounds


@dataclass(frozen=True)
class _Nodes(Columns):
    """Nodes, or entries, of one side: of which pair of placements each is, and its bounds."""

    pairs: Ids
    numbers: Ids
    bounds: Floats


@dataclass(frozen=True)
class _Children:
    """Nodes by their parents: where those of each begin, how many, (n,), and bounds (8, n)."""

    nodes: _Nodes
    firsts: Ids
    counts: Ids
    around: Floats

    @classmethod
    def of(cls, nodes: _Nodes, parents: Ids, count: int) -> "_Children":
        """Return nodes by their parents, (n,) ascending, with the bounds around those of each."""
        counts = np.bincount(parents, minlength=count)
        around = bounds_by_owner(nodes.bounds[:4], nodes.bounds[4:], parents, count)
        return cls(nodes, np.cumsum(counts) - counts, counts, around)

    def below(self, parents: Ids) -> tuple[Ids, Ids]:
        """Return the nodes of some parents: the place of the parent, and that of the node."""
        counts = self.counts[parents]
        owners = np.repeat(np.arange(len(parents)), counts)
        return owners, concatenated_ranges(self.firsts[parents], counts)


@dataclass(frozen=True)
class NodePairs(Columns):
    """Pairs of nodes of both sides, (2, f), by pairs of placements, and their least distances."""

    places: Ids
    least: Floats
    sides: tuple[_Nodes, _Nodes]

    @property
    def pairs(self) -> Ids:
        """The pair of placements that each belongs to, ascending, (f,)."""
        return self.sides[0].pairs[self.places[0]]

    @property
    def numbers(self) -> Ids:
        """The nodes or entries, (2, f)."""
        sides = zip(self.sides, self.places, strict=True)
        return np.stack([side.numbers[places] for side, places in sides])

    @property
    def farthest(self) -> Floats:
        """How far points of both boxes may be apart, (f,)."""
        here, there = self.bounds()
        beside = np.maximum(here[4:7] - there[:3], there[4:7] - here[:3])
        return np.sqrt(dot(beside, beside))

    def bounds(self) -> tuple[Floats, Floats]:
        """Return the bounds of both, (8, f)."""
        here, there = (
            side.bounds.take(places, axis=1)
            for side, places in zip(self.sides, self.places, strict=True)
        )
        return here, there


class Descent(ABC):
    """A search in pairs of surfaces: those placed in rows (2, p), one of either side.

    `limits` (p,) tell how far apart triangles are that a pair still looks for; a pair that is done
    has a negative one. Along `directions` (3, p), unit vectors or zero, from the first side to the
    other, most of the two may be farther apart than that. So many `dives` go ahead, at the end of
    which `first` pairs of triangles are looked at.
    """

    dives, first = 2, 4

    def __init__(self, sides: tuple[Surfaces, Surfaces], rows: Ids, limits: Floats) -> None:
        self.sides, self.rows, self.limits = sides, rows, limits
        self.slacks = gap_slacks(
            *(side.boxes(some) for side, some in zip(sides, rows, strict=True))
        )
        self.directions = np.zeros((3, rows.shape[1]))

    @abstractmethod
    def look(self, pairs: Ids, entries: Ids) -> None:
        """Look at pairs of triangles (2, h) of pairs of placements, and lower the limits."""

    def all(self) -> Steps[None]:
        """Go down all pairs."""
        for done, some in self._together():
            front = self._roots(some)
            for _ in range(self.dives):
                self._dive(front)
                yield done
                if self.directions[:, some].any():
                    front = self._roots(some)
            for _ in self._follow(front):
                yield done

    def _together(self) -> Iterator[tuple[float, Ids]]:
        """Yield the share done, and pairs that go down together: some, or one large one."""
        count = self.rows.shape[1]
        for some in blocks(count, 1 + tuning.current.nodes_paired // _PARTS):
            yield some.start / count, np.arange(some.start, some.stop)

    def _roots(self, some: Ids) -> NodePairs:
        """Return the front of the roots of these pairs."""
        nodes = []
        for side, rows in zip(self.sides, self.rows, strict=True):
            roots = side.pool.nodes.roots[side.meshes(rows[some])]
            bounds = side.around_nodes(roots, rows[some], self.directions[:, some])
            nodes.append(_Nodes(some, roots, bounds))
        return self._front((nodes[0], nodes[1]), np.tile(np.arange(len(some)), (2, 1)))

    def _are_near(self, nodes: list[_Nodes]) -> list[Flags]:
        """Return which nodes of either side may be near enough to the others of their pair."""
        around = [
            bounds_by_owner(each.bounds[:4], each.bounds[4:], each.pairs, len(self.limits))
            for each in nodes
        ]
        ones, others = nodes
        found = [
            (ones.pairs, ones.bounds, around[1].take(ones.pairs, axis=1)),
            (others.pairs, around[0].take(others.pairs, axis=1), others.bounds),
        ]
        return [
            _apart(here, there, self.slacks[pairs]) <= self.limits[pairs]
            for pairs, here, there in found
        ]

    def _front(self, sides: tuple[_Nodes, _Nodes], places: Ids) -> NodePairs:
        """Return those pairs of nodes that may be near enough."""
        parts = [NodePairs(places[:, :0], np.empty(0), sides)]
        for some in blocks(places.shape[1], tuning.current.triangles_placed):
            here, there = places[:, some]
            pairs = sides[0].pairs.take(here)
            close = self._beside(pairs, (sides[0].bounds, here), (sides[1].bounds, there))
            front = NodePairs(places[:, some.start + close], np.empty(0), sides)
            pairs = pairs.take(close)
            least = _apart(*front.bounds(), self.slacks[pairs])
            (near,) = (least <= self.limits[pairs]).nonzero()
            parts.append(NodePairs(front.places[:, near], least[near], sides))
        return NodePairs.joined(parts)

    def _open(self, front: NodePairs) -> NodePairs:
        """Return what of a front may be near enough still."""
        return front[front.least <= self.limits[front.pairs]]

    def _descended(self, front: NodePairs) -> tuple[NodePairs, bool]:
        """Return the front of all children, and whether these are triangles."""
        used = [distinct(places) for places in front.places]
        chosen = [side[some] for side, some in zip(front.sides, used, strict=True)]
        both = [side.pool.nodes for side in self.sides]
        are_last = all(
            every.are_leaves(some.numbers) for every, some in zip(both, chosen, strict=True)
        )
        nodes, ranges = [], []
        for number, (side, every) in enumerate(zip(self.sides, both, strict=True)):
            below = every.entries if are_last else every.children
            around = side.around_triangles if are_last else side.around_nodes
            of_which, numbers = below(chosen[number].numbers)
            pairs = chosen[number].pairs[of_which]
            bounds = around(numbers, self.rows[number, pairs], self.directions[:, pairs])
            nodes.append(_Nodes(pairs, numbers, bounds))
            ranges.append(of_which)
        near = self._are_near(nodes)
        sides = []
        for number in range(2):
            nodes[number] = nodes[number][near[number]]
            parents = ranges[number][near[number]]
            sides.append(_Children.of(nodes[number], parents, len(used[number])))
        # Boxes around children, as they are placed, are tighter than those placed around them.
        here, there = (np.searchsorted(*each) for each in zip(used, front.places, strict=True))
        (one, other), pairs = sides, front.pairs
        met = self._beside(pairs, (one.around, here), (other.around, there))
        pairs, here, there = pairs[met], here[met], there[met]
        kept, spans = [], []
        for mine, theirs, own, others in ((one, other, here, there), (other, one, there, here)):
            owners, found = mine.below(own)
            tables = (mine.nodes.bounds, found), (theirs.around, others[owners])
            close = self._beside(pairs[owners], *tables)
            kept.append(found[close])
            counts = np.bincount(owners[close], minlength=len(own))
            spans += [np.cumsum(counts) - counts, counts]
        places = _product(*spans)
        places = np.stack([found.take(each) for found, each in zip(kept, places, strict=True)])
        return self._front((nodes[0], nodes[1]), places), are_last

    def _beside(self, pairs: Ids, ones: tuple[Floats, Ids], others: tuple[Floats, Ids]) -> Ids:
        """Return which of two boxes may be near enough by each axis alone.

        Either side is a table of bounds, (8, b), and places in it, one for each of `pairs`.
        """
        (one, here), (other, there) = ones, others
        reach = self.limits * (1 + 4 * GAP_ROUNDING) + self.slacks * (1 + 4 * GAP_ROUNDING)
        (some,) = (self.limits.take(pairs) >= 0).nonzero()
        for axis in range(3):
            at, by, far = here.take(some), there.take(some), reach.take(pairs.take(some))
            met = one[axis].take(at) - other[4 + axis].take(by) <= far
            met &= other[axis].take(by) - one[4 + axis].take(at) <= far
            some = some[met]
        return some

    def _dive(self, front: NodePairs) -> None:
        """Look at a few triangles of each pair, those that seem to be the nearest."""
        are_last = False
        while not are_last:
            front, are_last = self._descended(_best(front, _BEAM))
        front = _best(front, self.first)
        self.look(front.pairs, front.numbers)

    def _follow(self, front: NodePairs) -> Iterator[None]:
        """Follow a front down to its triangles, a part at a time."""
        waiting, most = [(front, False)], tuning.current.nodes_paired
        while waiting:
            front, are_triangles = waiting.pop()
            front = self._open(front)
            if len(front) == 0:
                continue
            if are_triangles:
                yield from self._rounds(front)
            elif len(front) > most:
                half = len(front) // 2
                waiting += [(front[half:], False), (front[:half], False)]
            else:
                waiting.append(self._descended(front))
                yield

    def _rounds(self, front: NodePairs) -> Iterator[None]:
        """Look at triangles, the nearest boxes first, until no more may be near enough."""
        front = front[np.lexsort((front.least, front.pairs))]

        def are_open(owners: Ids, left: Ids) -> Flags:
            return front.least[left] <= self.limits[owners]

        for early in in_rounds(front.pairs, _FEW, _MORE, are_open):
            for some in blocks(len(early), tuning.current.triangles_tested):
                few_now = self._open(front[early[some]])
                self.look(few_now.pairs, few_now.numbers)
                yield


def _best(front: NodePairs, few: int) -> NodePairs:
    """Return those few of each pair whose boxes are the nearest, by their farthest points, too."""
    front = front[np.lexsort((front.least + front.farthest, front.pairs))]
    return front[first_of_each(front.pairs, few)]


def _apart(here: Floats, there: Floats, slacks: Floats) -> Floats:
    """Return how far points in bounds (8, h) are apart at least, (h,).

    Along the fourth, the one side is known to lie before the other.
    """
    beside = np.maximum(here[:3] - there[4:7], there[:3] - here[4:7])
    beside -= slacks
    np.maximum(beside, 0.0, out=beside)
    apart = np.sqrt(dot(beside, beside))
    np.maximum(apart, there[3] - here[7] - slacks, out=apart)
    apart *= 1 - GAP_ROUNDING
    return apart


def _product(first: Ids, count: Ids, other_first: Ids, other_count: Ids) -> Ids:
    """Return all pairs of a range and another one, range after range, (2, h)."""
    total = count * other_count
    which = np.repeat(np.arange(len(total)), total)
    within = concatenated_ranges(0 * total, total)
    here, there = np.divmod(within, other_count[which])
    return np.stack((first[which] + here, other_first[which] + there))
