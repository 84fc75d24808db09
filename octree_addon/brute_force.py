"""The last question without its tree: every item asked, or every pair of items."""

from collections.abc import Generator
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..core import (
    Triangles,
    build_octree,
    nearest,
    pairs_inside,
    pairs_touching,
    pairs_within,
    ray_cast_all,
)
from ..core.shapes import Shapes
from .answers import Asked, Nearby, Pairing, Ray

# Items that are asked, and pairs that are compared, at a time.
_BLOCK, _PAIRS = 65_536, 1_000_000

Ids = NDArray[np.intp]
Floats = NDArray[np.float64]


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
# Yields the fraction done, returns the numbers of the hits.
HitSteps = Generator[float, None, Ids]


def prove_steps(asked: Asked) -> ProofSteps:
    """Ask every item, or for collisions every pair of items.

    Parameters
    ----------
    asked : Asked
        Any question.

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
    hits = np.zeros(len(asked.octree.items), np.bool_)
    hits[(yield from _hit_steps(asked))] = True
    return Proof(asked, hits, perf_counter() - started)


def _hit_steps(asked: Asked) -> HitSteps:
    numbers = np.flatnonzero(asked.found | asked.missed)
    question, items = asked.question, asked.octree.items
    if isinstance(question, Pairing):
        return (yield from _colliding(items, numbers, question))
    if isinstance(question, Ray | Nearby):
        yield 0.0
        return _met_or_near(items, question)
    test = pairs_inside if asked.relation == "inside" else pairs_touching
    hits = [np.empty(0, np.intp)]
    for start in range(0, len(numbers), _BLOCK):
        some = numbers[start : start + _BLOCK]
        hits.append(some[test(items, some, question, np.zeros(len(some), np.intp))])
        yield min(start + _BLOCK, len(numbers)) / len(numbers)
    return np.concatenate(hits)


def _met_or_near(items: Shapes, question: Ray | Nearby) -> Ids:
    """Ask a tree of a single cell: nothing in it can be passed over."""
    flat = build_octree(items, max_depth=0)
    if isinstance(question, Nearby):
        point, wanted, reach, _ = question
        found = nearest(flat, [point], count=wanted, max_distance=reach).items[0]
        return found[found >= 0]
    origin, direction, reach, is_first = question
    crossings = ray_cast_all(flat, [origin], [direction], max_distance=reach)
    return crossings.pairs[1][: 1 if is_first else None]


def _colliding(items: Shapes, numbers: Ids, question: Pairing) -> HitSteps:
    """Compare every item with every other of another owner."""
    owners, margin = question
    limits = items.limits()
    hits = np.zeros(len(items), np.bool_)
    rows = max(1, _PAIRS // max(len(numbers), 1))
    for start in range(0, len(numbers), rows):
        ones = numbers[start : start + rows]
        strange = owners[ones][:, None] != owners[numbers]
        first, second = np.nonzero(strange & (_gaps(*limits, ones, numbers) <= margin**2))
        pairs = np.stack((ones[first], numbers[second]))
        if isinstance(items, Triangles):
            near = pairs_within(items, pairs[0], items, pairs[1], margin=margin)
            pairs = pairs[:, near]
        hits[pairs] = True
        yield min(start + rows, len(numbers)) / len(numbers)
    return np.flatnonzero(hits)


def _gaps(lower: Floats, upper: Floats, ones: Ids, others: Ids) -> Floats:
    """Return the squared distance between the boxes of items, (ones, others)."""
    gaps = np.zeros((len(ones), len(others)))
    for low, high in zip(lower, upper, strict=True):
        behind, before = low[others] - high[ones][:, None], low[ones][:, None] - high[others]
        gaps += np.maximum(np.maximum(behind, before), 0.0) ** 2
    return gaps
