"""Where rays cross planes: those that divide cells, and the walls of what cells hold."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ids, columns, gather
from ..octree import Octree
from .crossings import Rays
from .stacks import Front

# Rays are worth a table of what each cell holds if there are fewer slots than so many times them.
_WORTH = 512
# A direction is taken to cross the scene at least so fast: slower is standing still.
_SLOWEST = 2.0**-400
_BITS = np.arange(8, dtype=np.uint8)[:, None]


def _mirrored(flip: int) -> NDArray[np.uint8]:
    """Return a table that moves bit `i ^ flip` of a byte to bit i."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(bits[:, np.arange(8) ^ flip], axis=1, bitorder="little")[:, 0]


# Parts in the order in which a ray that goes backwards along the axes in `flip` meets them.
_MIRRORED = np.concatenate([_mirrored(flip) for flip in range(8)])


@dataclass(frozen=True)
class RaySlabs:
    """Where rays cross planes: from `plane * inverses - starts` to `plane * inverses - ends`.

    Inverses, starts and ends are the `times` of the rays, (9, q). Rays that go backwards along an
    axis are mirrored: `flips` has a bit for each such axis.
    """

    tree: Octree
    times: Floats
    flips: Ids
    extents: Floats | None

    @classmethod
    def of(cls, tree: Octree, rays: Rays, *, traced: bool) -> "RaySlabs":
        """Return where rays cross the planes of a tree; a trace goes by the cells alone."""
        backwards = rays.directions < 0
        speeds = np.maximum(np.abs(rays.directions), _SLOWEST)
        inverses = np.where(backwards, -rays.lengths, rays.lengths) / speeds
        # Cells are enlarged by how far items may reach out of them, and by what rounding may do.
        slack = (
            tree._roots_for(len(rays))[1]
            + np.abs(rays.origins).max(axis=0, initial=0.0) * 2.0**-46
        )
        flips = backwards[0] + 2 * backwards[1] + 4 * backwards[2]
        worth = len(tree.references) < _WORTH * rays.asked and not traced
        extents = tree.content_rows if worth else None
        shifts, slacks = rays.origins * inverses, slack * np.abs(inverses)
        times = np.concatenate((inverses, shifts + slacks, shifts - slacks))
        return cls(tree, times, flips, extents)

    def roots(self, limits: Floats) -> Front:
        """Return the rays that cross the root."""
        cells, _ = self.tree._roots_for(self.times.shape[1])
        root = gather(self.tree.loose_rows, cells)
        inverses, starts, ends = self.times.reshape(3, 3, -1)
        walls = root.reshape(2, 3, -1) * inverses
        entries = np.maximum((walls.min(axis=0) - starts).max(axis=0), 0.0)
        exits = np.minimum((walls.max(axis=0) - ends).min(axis=0), limits)
        (numbers,) = (entries <= exits).nonzero()
        return Front(numbers, cells[numbers], entries[numbers], exits[numbers])

    def children(self, front: Front, limits: Floats) -> Front:
        """Return the occupied children that the rays cross in time, nearer ones first.

        The two halves of a cell along an axis end and begin at the dividing plane. A ray is in a
        child while it is in the right half along all three: so eight children take as many
        comparisons, and no look at their own bounds. Counted in the ray's direction, a child has
        a smaller number than those behind it.
        """
        count = len(front.numbers)
        first = self.tree.first_child[front.cells]
        entries, exits = self._times(front, first)
        flips = self.flips[front.numbers]
        occupied = _MIRRORED.take((flips << 8) + self.tree.child_masks[front.cells])
        crossed = (entries <= exits).view(np.uint8) << _BITS
        parts = np.bitwise_or.reduce(crossed, axis=0) & occupied
        (chosen,) = np.unpackbits(parts, bitorder="little").view(bool).nonzero()
        parents, part = chosen >> 3, chosen & 7
        places = part * count + parents
        below = Front(
            front.numbers[parents],
            first[parents] + (part ^ flips[parents]),
            entries.ravel()[places],
            exits.ravel()[places],
        )
        return below if self.extents is None else self._met(below, self.extents, limits)

    def _met(self, front: Front, extents: Floats, limits: Floats) -> Front:
        """Return the cells whose extents the rays cross, and when they do."""
        inverses, starts, ends = gather(self.times, front.numbers).reshape(3, 3, -1)
        walls = columns(extents, front.cells).reshape(2, 3, -1) * inverses
        near, far = np.minimum(*walls), np.maximum(*walls)
        near -= starts
        far -= ends
        entries = np.maximum(near.max(axis=0), front.entries)
        exits = np.minimum(far.min(axis=0), front.exits)
        (met,) = (entries <= np.minimum(exits, limits[front.numbers])).nonzero()
        return Front(front.numbers[met], front.cells[met], entries[met], exits[met])

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
        inverses, starts, ends = gather(self.times, front.numbers).reshape(3, 3, -1)
        if self.tree.loose_rows is self.tree.cell_rows:
            middle = gather(self.tree.middle_rows, front.cells) * inverses
            return middle - starts, middle - ends
        lower = gather(self.tree.loose_rows[3:], first) * inverses
        upper = gather(self.tree.loose_rows[:3], first + 7) * inverses
        return np.minimum(lower, upper) - starts, np.maximum(lower, upper) - ends
