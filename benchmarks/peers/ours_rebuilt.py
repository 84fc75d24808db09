"""The core of this project, whose static tree is thrown away with every step."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np

import core
from core import Boxes, Octree


class Moving(NamedTuple):
    """Where all boxes are, and whose turn it is."""

    lower: np.ndarray
    upper: np.ndarray
    turns: Iterator[int]


def build_moving(lower: np.ndarray, upper: np.ndarray) -> Moving:
    """Note where the boxes are."""
    return Moving(lower.copy(), upper.copy(), count())


def moved(tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> Octree:
    """Take the next turn and build."""
    turn = next(tree.turns) % len(lowers)
    tree.lower[ids], tree.upper[ids] = lowers[turn], uppers[turn]
    return core.build_octree(Boxes(tree.lower, tree.upper))


def move_boxes(
    tree: Moving,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Take the next turn, build, and ask all boxes at once."""
    return core.query(moved(tree, ids, lowers, uppers), Boxes(low, high))


def move_pairs(
    tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> np.ndarray:
    """Take the next turn, build, and find all pairs."""
    return core.overlapping_pairs(moved(tree, ids, lowers, uppers))
