"""The walk of rays through the cells, front to back.

Like the volumes of `descend`, rays go down together as a front of pairs, one level at a time. But
a ray wants its nearer cells first: each takes only a few cells to the next level, the others wait
until those are done, and are dropped if something nearer was found in the meantime.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ids, blocks, gather
from .cells import CROSSING, OUTSIDE, UNVISITED, States
from .crossings import Rays
from .octants import packed
from .octree import Octree

# The longest front that is walked in one piece, and how much of it is computed together.
_FRONT, _BLOCK = 16_384, 4_096
# A direction is taken to cross the scene at least so fast: slower is standing still.
_SLOWEST = 2.0**-400


def _mirrored(flip: int) -> NDArray[np.uint8]:
    """Return a table that moves bit `i ^ flip` of a byte to bit i."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(bits[:, np.arange(8) ^ flip], axis=1, bitorder="little")[:, 0]


# Parts in the order in which a ray that goes backwards along the axes in `flip` meets them.
_MIRRORED = np.concatenate([_mirrored(flip) for flip in range(8)])


@dataclass(frozen=True)
class Front:
    """Pairs of rays and cells, nearer cells first, and where rays enter and leave the cells."""

    numbers: Ids
    cells: Ids
    entries: Floats
    exits: Floats

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, some: Ids | slice) -> "Front":
        return Front(self.numbers[some], self.cells[some], self.entries[some], self.exits[some])

    def within(self, limits: Floats) -> "Front":
        """Return the cells that are entered before the ray ends."""
        return self[np.flatnonzero(self.entries <= limits[self.numbers])]

    def by_ray(self) -> "Front":
        """Return the same cells sorted by ray, those of one ray in the same order as before."""
        return self[np.argsort(self.numbers.astype(np.uint16), kind="stable")]


def joined(fronts: list[Front]) -> Front:
    """Return fronts one after the other."""
    return Front(*(np.concatenate(rows) for rows in zip(*map(_rows, fronts), strict=True)))


def _rows(front: Front) -> tuple[Ids, Ids, Floats, Floats]:
    return front.numbers, front.cells, front.entries, front.exits


def walk(
    tree: Octree, rays: Rays, limits: Floats, states: States | None = None
) -> Iterator[tuple[Ids, Ids]]:
    """Walk down from the root with all rays, front to back.

    Parameters
    ----------
    tree : Octree
        The tree.
    rays : Rays
        The questions, q of them.
    limits : ndarray of float64, shape (q,)
        The distances beyond which a ray wants no more cells. The caller may lower them while the
        walk goes on; below 0 the ray is done.
    states : ndarray of uint8, shape (m,), optional
        To be told what becomes of each cell: CROSSING where a ray looked at it, OUTSIDE where it
        is passed by; of no cell that holds nothing, or lies behind what a ray was looking for.

    Yields
    ------
    numbers, cells : ndarray of intp, shape (k,)
        Rays and the cells they cross, inner cells before what is in them, of the cells of one ray
        the nearer ones first.
    """
    planes = _Planes.of(tree, rays)
    fronts = [planes.roots(limits)]
    if states is not None:
        states[0] = OUTSIDE
    while fronts:
        front = _next(fronts, limits)
        inner = front[np.flatnonzero(tree.occupied_parts[front.cells])]
        below = joined(
            [front[:0]] + [planes.children(inner[some]) for some in blocks(len(inner), _BLOCK)]
        )
        if states is not None:
            states[_occupied_children(tree, inner.cells)] = OUTSIDE
            states[below.cells] = UNVISITED
            states[front.cells] = CROSSING
        if len(below):
            fronts.append(below)
        yield front.numbers, front.cells


def _next(fronts: list[Front], limits: Floats) -> Front:
    """Take the cells to look at next from the top of a stack; put those back that may wait.

    A front that has become short is joined with what waits below it.
    """
    front = fronts.pop().within(limits)
    while fronts and len(front) < _FRONT // 2:
        front = joined([front, fronts.pop().within(limits)]).by_ray()
    if len(front) <= _FRONT:
        return front
    begins = np.diff(front.numbers, prepend=-1) != 0
    places = np.arange(len(front))
    ranks = places - np.maximum.accumulate(np.where(begins, places, 0))
    near = ranks < max(1, _FRONT // np.count_nonzero(begins))
    fronts.append(front[np.flatnonzero(~near)])
    return front[np.flatnonzero(near)]


def _occupied_children(tree: Octree, cells: Ids) -> Ids:
    children = tree.first_child[cells, None] + np.arange(8)
    return children[tree.end[children] > tree.begin[children]]


@dataclass(frozen=True)
class _Planes:
    """Where rays cross dividing planes: at `plane * inverses - shifts`, plus or minus `slacks`.

    Rays that go backwards along an axis are mirrored: `flips` has a bit for each such axis.
    """

    tree: Octree
    inverses: Floats
    shifts: Floats
    slacks: Floats
    flips: Ids

    @classmethod
    def of(cls, tree: Octree, rays: Rays) -> "_Planes":
        backwards = rays.directions < 0
        speeds = np.maximum(np.abs(rays.directions), _SLOWEST)
        inverses = np.where(backwards, -rays.lengths, rays.lengths) / speeds
        # Cells are enlarged by how far items may reach out of them, and by what rounding may do.
        slack = tree.slack + np.abs(rays.origins).max(axis=0, initial=0.0) * 2.0**-46
        flips = backwards[0] + 2 * backwards[1] + 4 * backwards[2]
        return cls(tree, inverses, rays.origins * inverses, slack * np.abs(inverses), flips)

    def roots(self, limits: Floats) -> Front:
        """Return the rays that cross the root."""
        root = self.tree.loose_rows[:, 0]
        walls = root.reshape(2, 3, 1) * self.inverses - self.shifts
        entries = np.maximum((walls.min(axis=0) - self.slacks).max(axis=0), 0.0)
        exits = np.minimum((walls.max(axis=0) + self.slacks).min(axis=0), limits)
        (numbers,) = (entries <= exits).nonzero()
        return Front(numbers, 0 * numbers, entries[numbers], exits[numbers])

    def children(self, front: Front) -> Front:
        """Return the occupied children that the rays cross, nearer ones first.

        The two halves of a cell along an axis end and begin at the dividing plane. A ray is in a
        child while it is in the right half along all three: so eight children take as many
        comparisons, and no look at their own bounds. Counted in the ray's direction, a child has
        a smaller number than those behind it.
        """
        count = len(front.numbers)
        first = self.tree.first_child[front.cells]
        entries, exits = self._times(front, first)
        flips = self.flips[front.numbers]
        occupied = _MIRRORED.take((flips << 8) + self.tree.occupied_parts[front.cells])
        parts = packed(entries <= exits) & occupied
        (chosen,) = np.unpackbits(parts, bitorder="little").view(bool).nonzero()
        parents, part = chosen >> 3, chosen & 7
        places = part * count + parents
        return Front(
            front.numbers[parents],
            first[parents] + (part ^ flips[parents]),
            entries.ravel()[places],
            exits.ravel()[places],
        )

    def _times(self, front: Front, first: Ids) -> tuple[Floats, Floats]:
        """Return when the rays enter and leave each of the eight children, (8, k) each."""
        begins, ends = self._halves(front, first)
        entries, exits = np.empty((2, 8, len(first)))
        entries[0], exits[7] = front.entries, front.exits
        for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            step = 1 << axis
            for part in range(step):
                np.maximum(entries[part], begin, out=entries[part + step])
                np.minimum(exits[7 - part], end, out=exits[7 - part - step])
        return entries, exits

    def _halves(self, front: Front, first: Ids) -> tuple[Floats, Floats]:
        """Return when the rays enter the second and leave the first half of cells, (3, k) each."""
        inverses, shifts, slacks = (
            gather(rows, front.numbers) for rows in (self.inverses, self.shifts, self.slacks)
        )
        if self.tree.loose_rows is self.tree.cell_rows:
            middle = gather(self.tree.middle_rows, front.cells) * inverses - shifts
            return middle - slacks, middle + slacks
        lower = gather(self.tree.loose_rows[3:], first) * inverses - shifts
        upper = gather(self.tree.loose_rows[:3], first + 7) * inverses - shifts
        return np.minimum(lower, upper) - slacks, np.maximum(lower, upper) + slacks
