"""Replacement of the rows of an answer that the kernel leaves to NumPy."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Ids

Answer = TypeVar("Answer")


def repaired(found: Answer, are_left: Flags, ask: Callable[[Ids], Answer]) -> Answer:
    """Write NumPy's answers into the rows that the kernel left, and return the kernel's answer.

    An answer is an array (q, ...), or a tuple or record of such arrays; single arrays may be None.
    `ask` answers the queries of the given numbers.
    """
    (left,) = are_left.nonzero()
    if len(left):
        for array, rows in zip(_arrays(found), _arrays(ask(left)), strict=True):
            array[left] = rows
    return found


def _arrays(answer: Any) -> list[NDArray[Any]]:
    """Return the arrays of an answer."""
    if isinstance(answer, np.ndarray):
        return [answer]
    fields = answer if isinstance(answer, tuple) else vars(answer).values()
    return [each for each in fields if each is not None]
