"""Slab tests: where rays enter and leave cells, by the planes that divide these.

Kay and Kajiya, "Ray Tracing Complex Scenes", 1986.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, columns, gather
from ..octree import Octree
from .rays import Rays

# The references of a tree for each of which a ray is worth a table of what cells hold.
_WORTH = 512
# A direction that crosses the scene more slowly stands still.
_SLOWEST = 2.0**-400
_BITS = np.arange(8, dtype=np.uint8)[:, None]


def _mirrored(flip: int) -> NDArray[np.uint8]:
    """Return a table that moves bit `i ^ flip` of a byte to bit i."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.packbits(bits[:, np.arange(8) ^ flip], axis=1, bitorder="little")[:, 0]


# Children in the order in which a ray that goes backwards along the axes in `flip` meets them.
_MIRRORED = np.concatenate([_mirrored(flip) for flip in range(8)])


@dataclass(frozen=True)
class Front:
    """Pairs of rays and cells, (k,), and where the rays enter and leave the cells.

    Rays ascend. Of the cells of one ray the nearer ones come first, or last.
    """

    rays: Ids
    cells: Ids
    t_enter: Floats
    t_exit: Floats

    def __len__(self) -> int:
        return len(self.rays)

    def __getitem__(self, some: Ids | slice) -> "Front":
        return Front(self.rays[some], self.cells[some], self.t_enter[some], self.t_exit[some])

    def where(self, flags: Flags) -> "Front":
        """Return the pairs that are flagged."""
        (some,) = flags.nonzero()
        return self if len(some) == len(self) else self[some]


@dataclass(frozen=True)
class RaySlabs:
    """Where rays cross planes: from `plane * inverses - starts` to `plane * inverses - ends`.

    Inverses, starts and ends are the `coefficients` of the rays, (9, q). Rays that go backwards
    along an axis are mirrored: `flips` has a bit for each such axis.
    """

    tree: Octree
    coefficients: Floats
    flips: Ids
    contents: Floats | None

    @classmethod
    def of(cls, tree: Octree, rays: Rays, *, traced: bool) -> "RaySlabs":
        """Return where rays cross the planes of a tree; a trace goes by the cells alone."""
        backwards = rays.directions < 0
        speeds = np.maximum(np.abs(rays.directions), _SLOWEST)
        inverses = np.where(backwards, -rays.lengths, rays.lengths) / speeds
        # Cells are enlarged by how far items may reach out of them, and by what rounding may do.
        slack = tree.slack + np.abs(rays.origins).max(axis=0, initial=0.0) * 2.0**-46
        flips = backwards[0] + 2 * backwards[1] + 4 * backwards[2]
        worth = len(tree.references) < _WORTH * rays.asked and not traced
        contents = tree.content_rows if worth else None
        shifts, slacks = rays.origins * inverses, slack * np.abs(inverses)
        coefficients = np.concatenate((inverses, shifts + slacks, shifts - slacks))
        return cls(tree, coefficients, flips, contents)

    def roots(self, closest_so_far: Floats) -> Front:
        """Return the rays that cross the root."""
        root = self.tree.loose_rows[:, 0]
        inverses, starts, ends = self.coefficients.reshape(3, 3, -1)
        walls = root.reshape(2, 3, 1) * inverses
        t_enter = np.maximum((walls.min(axis=0) - starts).max(axis=0), 0.0)
        t_exit = np.minimum((walls.max(axis=0) - ends).min(axis=0), closest_so_far)
        (rays,) = (t_enter <= t_exit).nonzero()
        return Front(rays, 0 * rays, t_enter[rays], t_exit[rays])

    def children(self, front: Front, closest_so_far: Floats) -> Front:
        """Return the occupied children that the rays cross in time, nearer ones first.

        The two halves of a cell along an axis end and begin at the dividing plane. A ray is in a
        child while it is in the right half along all three: so eight children take as many
        comparisons, and no look at their own bounds. Counted in the ray's direction, a child has
        a smaller number than those behind it.
        """
        count = len(front.rays)
        first = self.tree.first_child[front.cells]
        t_enter, t_exit = self._halved(front, first)
        flips = self.flips[front.rays]
        occupied = _MIRRORED.take((flips << 8) + self.tree.child_masks[front.cells])
        crossed = (t_enter <= t_exit).view(np.uint8) << _BITS
        masks = np.bitwise_or.reduce(crossed, axis=0) & occupied
        (chosen,) = np.unpackbits(masks, bitorder="little").view(bool).nonzero()
        parents, child = chosen >> 3, chosen & 7
        places = child * count + parents
        below = Front(
            front.rays[parents],
            first[parents] + (child ^ flips[parents]),
            t_enter.ravel()[places],
            t_exit.ravel()[places],
        )
        return below if self.contents is None else self._met(below, self.contents, closest_so_far)

    def _met(self, front: Front, contents: Floats, closest_so_far: Floats) -> Front:
        """Return the cells whose contents the rays cross, and when they do."""
        inverses, starts, ends = gather(self.coefficients, front.rays).reshape(3, 3, -1)
        walls = columns(contents, front.cells).reshape(2, 3, -1) * inverses
        near, far = np.minimum(*walls), np.maximum(*walls)
        near -= starts
        far -= ends
        t_enter = np.maximum(near.max(axis=0), front.t_enter)
        t_exit = np.minimum(far.min(axis=0), front.t_exit)
        (met,) = (t_enter <= np.minimum(t_exit, closest_so_far[front.rays])).nonzero()
        return Front(front.rays[met], front.cells[met], t_enter[met], t_exit[met])

    def _halved(self, front: Front, first: Ids) -> tuple[Floats, Floats]:
        """Return when the rays enter and leave each of the eight children, (8, k) each."""
        begins, ends = self._halves(front, first)
        t_enter, t_exit = np.empty((2, 8, len(first)))
        t_enter[0], t_exit[7] = front.t_enter, front.t_exit
        for axis, (begin, end) in enumerate(zip(begins, ends, strict=True)):
            step = 1 << axis
            for child in range(step):
                np.maximum(t_enter[child], begin, out=t_enter[child + step])
                np.minimum(t_exit[7 - child], end, out=t_exit[7 - child - step])
        return t_enter, t_exit

    def _halves(self, front: Front, first: Ids) -> tuple[Floats, Floats]:
        """Return when the rays enter the second and leave the first half of cells, (3, k) each."""
        inverses, starts, ends = gather(self.coefficients, front.rays).reshape(3, 3, -1)
        if self.tree.loose_rows is self.tree.cell_rows:
            middle = gather(self.tree.middle_rows, front.cells) * inverses
            return middle - starts, middle - ends
        lower = gather(self.tree.loose_rows[3:], first) * inverses
        upper = gather(self.tree.loose_rows[:3], first + 7) * inverses
        return np.minimum(lower, upper) - starts, np.maximum(lower, upper) - ends
