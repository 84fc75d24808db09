"""The last question without its tree: every item asked, one after the other."""

from collections.abc import Generator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..core.shapes import Shapes
from ..core.touch import lying_inside, touching
from .answers import Asked

_BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class Proof:
    """What asking every item says of an answer.

    Attributes
    ----------
    asked : Asked
        The question, and the answer that the tree gave.
    hits : ndarray of bool, shape (n,)
        Whether each item is a hit.
    seconds : float
        Spent on asking every item.
    """

    asked: Asked
    hits: NDArray[np.bool_]
    seconds: float

    @property
    def missing(self) -> int:
        """How many hits the tree did not find."""
        return int((self.hits & ~self.asked.found).sum())

    @property
    def surplus(self) -> int:
        """How many items the tree found that are no hits."""
        return int((self.asked.found & ~self.hits).sum())

    @property
    def holds(self) -> bool:
        """Whether the answer is right; candidates may be more than the hits, never fewer."""
        return not self.missing and (not self.surplus or self.asked.relation == "candidates")


ProofSteps = Generator[float, None, Proof]


def prove_steps(asked: Asked) -> ProofSteps:
    """Ask every item, block by block.

    Parameters
    ----------
    asked : Asked
        A question of a volume.

    Yields
    ------
    float
        The fraction done.

    Returns
    -------
    Proof
        What came of it.
    """
    started = perf_counter()
    possible = asked.found | asked.missed
    hits = np.zeros(len(possible), np.bool_)
    for start in range(0, len(possible), _BLOCK):
        numbers = start + np.flatnonzero(possible[start : start + _BLOCK])
        hits[numbers] = _asked_each(asked, numbers)
        yield min(start + _BLOCK, len(possible)) / len(possible)
    return Proof(asked, hits, perf_counter() - started)


def _asked_each(asked: Asked, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
    assert isinstance(asked.volume, Shapes)
    test = lying_inside if asked.relation == "inside" else touching
    only_volume = np.zeros(len(numbers), np.intp)
    return test(asked.octree.items, numbers, asked.volume, only_volume)
