"""The walk of rays through the cells, front to back or back to front.

Rays go down together, like the volumes of `descend`, but each looks at its nearest cell first. The
others wait on its stack, and are dropped if something nearer was found in the meantime.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids, blocks, gather
from ..cells import CROSSING, OUTSIDE, UNVISITED, States
from ..descend import occupied_children
from ..octree import Octree
from .crossings import Rays
from .stacks import Front, Stacks

# Pairs of ray and cell that are computed together: eight children take a few hundred bytes.
_BLOCK = 8_192
# A direction is taken to cross the scene at least so fast: slower is standing still.
_SLOWEST = 2.0**-400
_BITS = np.arange(8, dtype=np.uint8)[:, None]


def _mirrored(flip: int) -> NDArray[np.uint8]:
    """Return a table that moves bit `i ^ flip` of a byte to bit i."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(bits[:, np.arange(8) ^ flip], axis=1, bitorder="little")[:, 0]


# Parts in the order in which a ray that goes backwards along the axes in `flip` meets them.
_MIRRORED = np.concatenate([_mirrored(flip) for flip in range(8)])


def walk(
    tree: Octree,
    rays: Rays,
    limits: Floats,
    *,
    backwards: bool = False,
    states: States | None = None,
) -> Iterator[tuple[Ids, Ids]]:
    """Walk down from the root with all rays, front to back or back to front.

    Parameters
    ----------
    tree : Octree
        The tree.
    rays : Rays
        The questions, q of them.
    limits : ndarray of float64, shape (q,)
        The distances beyond which a ray wants no more cells. The caller may lower them while the
        walk goes on; below 0 the ray is done.
    backwards : bool
        Farthest cells first.
    states : ndarray of uint8, shape (m,), optional
        To be told what becomes of each cell: CROSSING where a ray looks at it, OUTSIDE where it
        passes by. What it has not come to when it is done is not touched, nor what is empty.

    Yields
    ------
    numbers, cells : ndarray of intp, shape (k,)
        Rays, ascending, and the next cells that they look at.
    """
    planes, stacks = _Planes.of(tree, rays), Stacks(len(rays), nearest_on_top=not backwards)
    stacks.put(planes.roots(limits))
    if states is not None:
        states[0] = OUTSIDE
    while len(taken := stacks.take()):
        front = taken.where(taken.entries <= limits[taken.numbers])
        inner = front.where(tree.occupied_parts[front.cells] > 0)
        # What is looked at first is put on top last.
        for some in [*blocks(len(inner), _BLOCK)][::-1]:
            below = planes.children(inner[some])
            stacks.put(below)
            if states is not None:
                states[occupied_children(tree, inner.cells[some])] = OUTSIDE
                states[below.cells] = UNVISITED
        if states is not None:
            states[front.cells] = CROSSING
        yield front.numbers, front.cells


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
        crossed = (entries <= exits).view(np.uint8) << _BITS
        parts = np.bitwise_or.reduce(crossed, axis=0) & occupied
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
