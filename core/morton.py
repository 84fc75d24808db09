"""Cells as 64-bit words.

A cell is known by three whole numbers. Packed into fields of one word, with a spare bit above
each, all three are compared by one subtraction. Interleaved bit by bit they make a code (Morton,
"A Computer Oriented Geodetic Data Base", 1966) under which the finest cells of every larger cell
are neighbours.
"""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]

# Bits of a number; a field has one more, the spare bit, and three fields have 63.
BITS = 20
GUARD_BITS = sum(1 << BITS + (BITS + 1) * axis for axis in range(3))
_DIGIT = 10


def _spread(count: int) -> Words:
    """Return 0, 1, ..., count - 1 with each bit moved to every third place."""
    numbers = np.arange(count)
    spread = np.zeros(count, np.int64)
    for bit in range(_DIGIT):
        spread |= (numbers >> bit & 1) << (3 * bit)
    return spread


_SPREAD = _spread(2**_DIGIT)


def packed(numbers: Words) -> Words:
    """Return numbers (3, n) as words (n,), x lowest."""
    return numbers[0] | numbers[1] << BITS + 1 | numbers[2] << 2 * (BITS + 1)


def unpacked(words: Words) -> Words:
    """Return the numbers (3, n) of words (n,), whatever their spare bits."""
    return np.stack([words >> (BITS + 1) * axis & 2**BITS - 1 for axis in range(3)])


def morton_codes(numbers: Words, bits: int) -> Words:
    """Return numbers (3, n), of so many bits each, as Morton codes (n,), x lowest."""
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


def sides(first: Words, last: Words, walls: Words) -> Words:
    """Return on which sides of the three walls the cells from `first` to `last` lie.

    Bit 0 is set where the first number of `first` is below that of `walls`, bit 1 where that of
    `last` is not; bits 2 and 3, and 4 and 5, say the same of the other two numbers.
    """
    below = ~((first | GUARD_BITS) - walls) & GUARD_BITS
    above = ((last | GUARD_BITS) - walls) & GUARD_BITS
    both = below >> 1 | above
    x, y, z = (both >> (BITS - 1 + (BITS - 1) * axis) & 3 << 2 * axis for axis in range(3))
    return x | y | z
