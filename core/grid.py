"""Morton codes of the finest cells that a root can be divided into, and where items lie there.

Depth `d` has 2**d cells along each axis. Every wall of every depth is computed from its number
among the finest walls, so cells that share a wall share its bits. A cell is known by three whole
numbers. Packed into fields of one 64-bit word, with a guard bit above each, all three are compared
by one subtraction. Interleaved bit by bit they make a code (Morton, "A Computer Oriented Geodetic
Data Base", 1966) under which the finest cells of every larger cell are neighbors.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids
from .steps import Ticks

Words = NDArray[np.int64]
Depths = NDArray[np.uint8]

# Bits of a number; a field has one more, the guard bit, and three fields have 63.
BITS = 20
GUARD_BITS = sum(1 << BITS + (BITS + 1) * axis for axis in range(3))
_DIGIT = 10
# Cells smaller than this part of the root are near the steps of float64 anyway.
DEEPEST = BITS


def _spread(count: int) -> Words:
    """Return 0, 1, ..., count - 1 with each bit moved to every third place."""
    numbers = np.arange(count)
    spread = np.zeros(count, np.int64)
    for bit in range(_DIGIT):
        spread |= (numbers >> bit & 1) << (3 * bit)
    return spread


_SPREAD = _spread(2**_DIGIT)


def pack(numbers: Words) -> Words:
    """Return numbers (3, n) as words (n,), x lowest."""
    return numbers[0] | numbers[1] << BITS + 1 | numbers[2] << 2 * (BITS + 1)


def unpack(words: Words) -> Words:
    """Return the numbers (3, n) in words (n,), whatever their guard bits."""
    shifts = (BITS + 1) * np.arange(3)[:, None]
    numbers: Words = words >> shifts & 2**BITS - 1
    return numbers


def morton_codes(numbers: Words, bits: int) -> Words:
    """Return numbers (3, n), of `bits` bits each, as Morton codes (n,), x lowest."""
    codes = np.zeros(numbers.shape[1], np.int64)
    for axis, row in enumerate(numbers):
        for digit in range(0, bits, _DIGIT):
            codes |= _SPREAD[row >> digit & 2**_DIGIT - 1] << (3 * digit + axis)
    return codes


def differing_bits(one: Words, other: Words) -> NDArray[np.int32]:
    """Return how many low bits hold all differences between the numbers of two words, (n,)."""
    differing = one ^ other
    differing |= differing >> BITS + 1 | differing >> 2 * (BITS + 1)
    return np.frexp((differing & 2**BITS - 1).astype(np.float32))[1]


def sides_of_planes(first: Words, last: Words, walls: Words) -> Words:
    """Return on which sides of the three walls the cells from `first` to `last` lie.

    Bit 0 is set where the first number of `first` is below that of `walls`, bit 1 where that of
    `last` is not; bits 2 and 3, and 4 and 5, say the same of the other two numbers.
    """
    below = ~((first | GUARD_BITS) - walls) & GUARD_BITS
    above = ((last | GUARD_BITS) - walls) & GUARD_BITS
    both = below >> 1 | above
    x, y, z = (both >> (BITS - 1 + (BITS - 1) * axis) & 3 << 2 * axis for axis in range(3))
    return x | y | z


@dataclass(frozen=True)
class Grid:
    """A root box, divided `depth` times."""

    lower: Floats
    upper: Floats
    depth: int

    def walls(self, axis: int, numbers: Words, depth: int | Ids) -> Floats:
        """Return the coordinates of these walls of `depth`, or of one each, from the lower on."""
        finest = numbers << (self.depth - depth)
        step = (self.upper[axis] - self.lower[axis]) / 2**self.depth
        inner = self.lower[axis] + finest * step
        return np.where(finest == 2**self.depth, self.upper[axis], inner)

    @cached_property
    def rounding(self) -> float:
        """The error of placing an item: a few steps of the largest coordinate."""
        return float(np.abs([self.lower, self.upper]).max()) * 2.0**-49

    @cached_property
    def scale(self) -> Floats:
        """Finest cells in a unit of length along each axis; 0 where the root is flat."""
        size = self.upper - self.lower
        return np.divide(2.0**self.depth, size, out=np.zeros(3), where=size > 0)

    def overlapped(self, lower: Floats, upper: Floats) -> tuple[Words, Words]:
        """Return the first and the last finest cell on each axis that bounds touch, (3, n) each.

        Bounds that end within a rounding of a wall touch both sides of it.
        """
        first, last = np.empty((2, *lower.shape), np.int64)
        for axis, scale in enumerate(self.scale):
            start, widest = self.lower[axis], 2**self.depth - 1
            first[axis] = np.clip((lower[axis] - (start + self.rounding)) * scale, 0, widest)
            last[axis] = np.clip((upper[axis] - (start - self.rounding)) * scale, 0, widest)
        return first, last

    def holding(self, points: Floats) -> Words:
        """Return one finest cell that holds each point, (3, n); of two, the upper."""
        cells, _ = self.overlapped(points, points)
        for axis in range(3):
            above = points[axis] >= self.walls(axis, cells[axis] + 1, self.depth)
            cells[axis] += above & (cells[axis] < 2**self.depth - 1)
        return cells

    def held_depth(
        self, lower: Floats, upper: Floats, cells: Words, factor: float
    ) -> Ticks[Depths]:
        """Return the greatest depth at which the enlarged cell around `cells` holds the bounds.

        Enlarged cells lie within their enlarged parents, so the first that fails is the last.
        """
        depths = np.zeros(cells.shape[1], np.uint8)
        held = np.arange(cells.shape[1])
        for depth in range(1, self.depth + 1):
            tight = self.bounds(cells[:, held] >> (self.depth - depth), depth)
            inner = lower[:, held], upper[:, held]
            held = held[enlarged_contain(tight[:3], tight[3:], factor, *inner)]
            depths[held] = depth
            yield
        return depths

    def bounds(self, cells: Words, depths: int | Ids) -> Floats:
        """Return the walls of cells of these depths, given their numbers (3, c): (6, c)."""
        rows = np.empty((6, cells.shape[1]))
        for number, row in enumerate(rows):
            side, axis = divmod(number, 3)
            row[:] = self.walls(axis, cells[axis] + side, depths)
        return rows


def enlarged(lower: Floats, upper: Floats, factor: float) -> tuple[Floats, Floats]:
    """Return the same boxes, `factor` times as large about their centers."""
    if factor == 1:
        return lower, upper
    growth = (upper - lower) * ((factor - 1) / 2)
    return lower - growth, upper + growth


def enlarged_contain(
    low: Floats, high: Floats, factor: float, lower: Floats, upper: Floats
) -> Flags:
    """Flag the boxes, from low to high, that contain the others once they are enlarged, (n,)."""
    low, high = enlarged(low, high, factor)
    flags: Flags = ((lower >= low) & (upper <= high)).all(axis=0)
    return flags
