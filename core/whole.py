"""Exact arithmetic: floats as whole numbers of any length, whole arrays at a time.

NumPy's object arrays add and multiply Python's integers, which are not rounded. Used only where
floating-point rounding leaves a result in doubt.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ids

Wholes = NDArray[Any]

_BITS = 53


def whole_numbers(numbers: Floats) -> tuple[Wholes, int]:
    """Return finite numbers as whole ones, and the power of two that each is a multiple of."""
    parts, powers = np.frexp(numbers)
    powers = powers.astype(np.int64)
    least = int(powers[numbers != 0].min(initial=1_100))
    powers = np.where(numbers == 0, least, powers)
    wholes = np.ldexp(parts, _BITS).astype(np.int64).astype(object)
    shifted: Wholes = np.left_shift(wholes, (powers - least).astype(object))
    return shifted, least - _BITS


def signs_of(wholes: Wholes) -> Ids:
    """Return the signs of whole numbers: -1, 0 or 1."""
    positive, negative = (wholes > 0).astype(np.intp), (wholes < 0).astype(np.intp)
    difference: Ids = positive - negative
    return difference


def floored(above: Wholes, below: Wholes, power: int) -> Floats:
    """Return the next whole number not above `above / below * 2**power`, as floats."""
    if power >= 0:
        above = above << power
    else:
        below = below << -power
    return np.floor_divide(above, below).astype(np.float64)
