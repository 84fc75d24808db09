"""Cells of a lattice anchored to the world: integer coordinates, Morton codes and neighbors.

Walls lie at whole multiples of `cell` times a power of two, whatever the scene holds. The root
begins at a multiple of half its edge, since a root at multiples of its whole edge could not have
the origin in its interior.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, blocks
from ..grid import BITS, morton_codes
from ..passes import radix_argsort_steps
from ..records import Columns
from ..steps import Steps, between

# Largest distance of the root from the origin, in halves of its edge: up to this distance, walls
# are exact multiples of the finest edge.
_FARTHEST = 2**31
SIDES = np.array([(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)])


@dataclass(frozen=True)
class Lattice:
    """A root cube with the edge `cell * 2**doublings` and the lower corner `corner * edge / 2`."""

    cell: float
    doublings: int
    corner: Ids

    @classmethod
    def around(cls, lower: Floats, upper: Floats, cell: float) -> "Lattice":
        """Return the smallest root that holds bounds (3,)."""
        # With more doublings, the root's edge would overflow.
        for doublings in range(1023 - math.frexp(cell)[1]):
            half = np.ldexp(cell, doublings - 1)
            # Division may round the quotient up to the next whole number.
            corner = np.floor(lower / half)
            corner -= corner * half > lower
            if (np.abs(corner) < _FARTHEST).all() and ((corner + 2) * half >= upper).all():
                return cls(cell, doublings, corner.astype(np.int64))
        raise ValueError(f"cell must be so large that cells can be counted, got {cell!r}")

    @property
    def size(self) -> float:
        """The root's edge."""
        return float(np.ldexp(self.cell, self.doublings))

    @property
    def lower(self) -> Floats:
        """The root's lower corner, (3,)."""
        return self.walls(np.zeros((3, 1), np.intp), np.zeros(1, np.intp))[:, 0]

    def walls(self, numbers: Ids, depths: Ids) -> Floats:
        """Return coordinates of walls, (3, c), numbered by depth from the root's lower corner."""
        # Half edges of that depth from the world's origin; both factors are exact.
        halves = (self.corner[:, None] << depths) + 2 * numbers
        return halves * np.ldexp(self.cell, self.doublings - 1 - depths)


@dataclass(frozen=True)
class LatticeCells(Columns):
    """Cells of a lattice: depths (c,), and integer coordinates (3, c) within the root.

    Coordinates count edges of the cell's depth. Only `axes` are divided; along the others each
    cell is as long as the root.
    """

    depths: Ids
    numbers: Ids
    lattice: Lattice
    axes: tuple[int, ...]

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper corners, (3, c) each."""
        return self._walls(0), self._walls(1)

    @property
    def middles(self) -> Floats:
        """Coordinates of the walls between the children of each cell, (3, c)."""
        return self.lattice.walls(2 * self.numbers + 1, self.depths + 1)

    def children(self) -> "LatticeCells":
        """Return the children of all cells, grouped by parent."""
        count = 1 << len(self.axes)
        bits = np.zeros((3, count), np.intp)
        bits[list(self.axes)] = np.arange(count) >> np.arange(len(self.axes))[:, None] & 1
        numbers = (2 * self.numbers[:, :, None] + bits[:, None]).reshape(3, -1)
        return LatticeCells(np.repeat(self.depths + 1, count), numbers, self.lattice, self.axes)

    def _walls(self, side: int) -> Floats:
        walls = self.lattice.walls(self.numbers + side, self.depths)
        for axis in set(range(3)) - set(self.axes):
            zero = np.zeros((3, 1), np.intp) + side
            walls[axis] = self.lattice.walls(zero, np.zeros(1, np.intp))[axis]
        return walls

    @property
    def coordinates(self) -> Ids:
        """Lower corners in edges from the world's origin, (3, c); for the root rounded down."""
        halves = (self.lattice.corner[:, None] << self.depths) + 2 * self.numbers
        return halves >> 1

    @property
    def levels(self) -> Ids:
        """Levels (c,): edges are `cell * 2**level`."""
        return self.lattice.doublings - self.depths

    @property
    def codes(self) -> Ids:
        """Morton codes of the cells within the root, behind a leading one, (c,).

        The leading one makes codes of different depths differ. Octrees have three bits for each
        depth, quadtrees two.
        """
        count = len(self.axes)
        codes = morton_codes(self.numbers[list(self.axes)], BITS)
        if count == 2:
            codes = _without_every_third_bit(codes)
        return codes | np.left_shift(1, count * self.depths)

    def neighbor_steps(self) -> Steps[Ids]:
        """Return pairs of cells that share a part of a side: (3, h), cell, side, other cell.

        Sides are -x, +x, -y, +y, -z, +z; sorted by cell, side and other cell. Cells must not
        overlap, and need not fill the root. Yields the fraction done.
        """
        count, firsts = max(len(self), 1), self.firsts()
        order = np.argsort(firsts, kind="stable")
        sides = [2 * axis + upper for axis in self.axes for upper in range(2)]
        parts = [np.empty(0, np.intp)]
        for number, side in enumerate(sides):
            for some in blocks(len(self), tuning.current.piece // 8):
                cells, others = self._beside(side, some, firsts[order], order)
                parts.append((cells * 6 + side) * count + others)
                parts.append((others * 6 + (side ^ 1)) * count + cells)
                yield 0.7 * (number + some.stop / count) / len(sides)
        both = np.concatenate(parts)
        sorting = radix_argsort_steps(both, (6 * count * count).bit_length())
        sided, others = np.divmod(both[(yield from between(0.7, 0.9, sorting))], count)
        yield 0.95
        return np.stack((*np.divmod(sided, 6), others))

    def _beside(self, side: int, some: slice, starts: Ids, order: Ids) -> tuple[Ids, Ids]:
        """Return pairs of a cell and the cell beside it, if that is as large or larger.

        `starts` are the values of `firsts`, sorted by `order`. For two neighbors of equal
        size, the lower cell finds the pair.
        """
        depths = self.depths[some]
        beside = self.numbers[:, some] + SIDES[side][:, None]
        (inside,) = self._are_in_root(beside, depths).nonzero()
        depths, beside = depths[inside], beside[:, inside]
        target = LatticeCells(depths, beside, self.lattice, self.axes).firsts()
        at = np.searchsorted(starts, target, side="right") - 1
        there = order[np.maximum(at, 0)]
        is_there = (at >= 0) & (self.depths[there] <= depths - (side & 1 ^ 1))
        reach = np.left_shift(1, 3 * (BITS - self.depths[there]))
        is_there &= target < starts[np.maximum(at, 0)] + reach
        return inside[is_there] + some.start, there[is_there]

    def _are_in_root(self, numbers: Ids, depths: Ids) -> Flags:
        return ((numbers >= 0) & (numbers < 1 << depths)).all(axis=0)

    def firsts(self) -> Ids:
        """Return the Morton code of the first cell of the finest depth in each cell, (c,)."""
        return morton_codes(self.numbers << BITS - self.depths, BITS)


def root_cell(lattice: Lattice, axes: tuple[int, ...]) -> LatticeCells:
    """Return a batch with the root as its only cell."""
    return LatticeCells(np.zeros(1, np.intp), np.zeros((3, 1), np.intp), lattice, axes)


def _without_every_third_bit(codes: Ids) -> Ids:
    """Compact Morton codes whose third axis is 0 from three bits for each depth to two."""
    made = np.zeros(len(codes), np.int64)
    for bit in range(BITS):
        made |= (codes >> 3 * bit & 3) << 2 * bit
    return made
