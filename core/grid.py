"""The finest cells a root box can be divided into, and where items lie among them.

Depth `d` has 2**d cells along each axis. Every wall of every depth is computed from its number
among the finest walls, so cells that share a wall share its bits. A cell is known by its three
numbers; interleaving their bits (Morton, "A Computer Oriented Geodetic Data Base", 1966) makes a
code under which every cell's items, at every depth, are neighbours.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ids

Cells = NDArray[np.int32]
Depths = NDArray[np.uint8]

# Codes of 21 bits an axis fill 63 bits; cells that small are near float64's own steps anyway.
DEEPEST = 21
_DIGIT = 10


def _spread(count: int) -> Ids:
    """The bits of 0, 1, ..., count - 1, each moved to every third place."""
    numbers = np.arange(count)
    spread = np.zeros(count, np.intp)
    for bit in range(_DIGIT):
        spread |= (numbers >> bit & 1) << (3 * bit)
    return spread


_SPREAD = _spread(2**_DIGIT)


def morton(cells: Cells, depth: int) -> Ids:
    """One code for each cell of `depth`: the bits of its three numbers interleaved, x lowest."""
    codes = np.zeros(cells.shape[1], np.intp)
    for axis, numbers in enumerate(cells):
        for digit in range(0, depth, _DIGIT):
            codes |= _SPREAD[numbers >> digit & 2**_DIGIT - 1] << (3 * digit + axis)
    return codes


def sorted_order(keys: Ids, bits: int) -> Ids:
    """The stable order that sorts `keys`, whole numbers below 2**bits.

    NumPy sorts 16-bit numbers by radix, several times faster than wider ones.
    """
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, bits, 16):
        digit = (keys >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
    return order


@dataclass(frozen=True)
class Grid:
    """A root box, divided `depth` times."""

    lower: Floats
    upper: Floats
    depth: int

    def walls(self, axis: int, numbers: Ids, depth: int) -> Floats:
        """The coordinates of these walls of `depth`, 0 being the root's lower wall."""
        finest = numbers << (self.depth - depth)
        step = (self.upper[axis] - self.lower[axis]) / 2**self.depth
        inner = self.lower[axis] + finest * step
        return np.where(finest == 2**self.depth, self.upper[axis], inner)

    @property
    def rounding(self) -> float:
        """What the placing of an item may be wrong by: a few steps of the largest coordinate."""
        return float(np.abs([self.lower, self.upper]).max()) * 2.0**-49

    def overlapped(self, lower: Floats, upper: Floats) -> tuple[Cells, Cells]:
        """The first and the last finest cell that these bounds touch on each axis, (3, n) each.

        Bounds that end within a rounding of a wall touch both sides of it.
        """
        size = self.upper - self.lower
        scale = np.divide(2**self.depth, size, out=np.zeros(3), where=size > 0)
        first, last = np.empty((2, *lower.shape), np.int32)
        for axis in range(3):
            start, widest = self.lower[axis], 2**self.depth - 1
            first[axis] = np.clip((lower[axis] - self.rounding - start) * scale[axis], 0, widest)
            last[axis] = np.clip((upper[axis] + self.rounding - start) * scale[axis], 0, widest)
            if size[axis] == 0:
                last[axis] = widest
        return first, last

    def common_depth(self, first: Cells, last: Cells) -> Depths:
        """The depth of the smallest cell that covers all finest cells from `first` to `last`."""
        differing = np.bitwise_or.reduce(first ^ last, axis=0)
        bits = np.frexp(differing.astype(np.float32))[1]
        return (self.depth - bits).astype(np.uint8)

    def holding(self, points: Floats) -> Cells:
        """One finest cell that holds each point, (3, n); of two, the upper."""
        cells, _ = self.overlapped(points, points)
        for axis in range(3):
            above = points[axis] >= self.walls(axis, cells[axis] + 1, self.depth)
            cells[axis] += above & (cells[axis] < 2**self.depth - 1)
        return cells

    def held_depth(self, lower: Floats, upper: Floats, cells: Cells, factor: float) -> Depths:
        """The greatest depth at which the cell around `cells`, enlarged, holds the bounds whole.

        Enlarged cells lie within their enlarged parents, so the first that fails is the last.
        """
        depths = np.zeros(cells.shape[1], np.uint8)
        held = np.arange(cells.shape[1])
        for depth in range(1, self.depth + 1):
            tight = self.bounds(cells[:, held] >> (self.depth - depth), depth)
            low, high = enlarged(*tight, factor)
            inside = (lower[:, held] >= low).all(axis=0) & (upper[:, held] <= high).all(axis=0)
            held = held[inside]
            depths[held] = depth
        return depths

    def bounds(self, cells: Cells, depth: int) -> tuple[Floats, Floats]:
        """Lower and upper corners of cells of `depth`, (3, c) each."""
        lower = [self.walls(axis, cells[axis], depth) for axis in range(3)]
        upper = [self.walls(axis, cells[axis] + 1, depth) for axis in range(3)]
        return np.stack(lower), np.stack(upper)


def enlarged(lower: Floats, upper: Floats, factor: float) -> tuple[Floats, Floats]:
    """The same boxes, `factor` times as large about their centres."""
    if factor == 1:
        return lower, upper
    growth = (upper - lower) * ((factor - 1) / 2)
    return lower - growth, upper + growth
