"""`shapely.STRtree`: a marker, for it solves an easier problem, in two dimensions."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
import shapely


class Tree(NamedTuple):
    """Rectangles seen from above, and the boxes that they stand for."""

    rectangles: shapely.STRtree
    shapes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> Tree:
    """Make rectangles, and ask once: the tree is built on the first question."""
    shapes = shapely.box(*lower[:, :2].T, *upper[:, :2].T)
    rectangles = shapely.STRtree(shapes)
    rectangles.query(shapes[:1])
    return Tree(rectangles, shapes, lower, upper)


def pairs(tree: Tree) -> np.ndarray:
    """Ask for every rectangle of its own; then z decides, and one of the two ways round."""
    first, second = tree.rectangles.query(tree.shapes)
    once = np.flatnonzero(first < second)
    first, second = first[once], second[once]
    below = tree.lower[first, 2] <= tree.upper[second, 2]
    above = tree.upper[first, 2] >= tree.lower[second, 2]
    return np.stack([first, second])[:, below & above]


class Moving(NamedTuple):
    """Rectangles and the boxes that they stand for, without a tree, and whose turn it is."""

    shapes: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    turns: Iterator[int]


def build_moving(lower: np.ndarray, upper: np.ndarray) -> Moving:
    """Make rectangles."""
    shapes = shapely.box(*lower[:, :2].T, *upper[:, :2].T)
    return Moving(shapes, lower.copy(), upper.copy(), count())


def moved(tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> Tree:
    """Take the next turn: make those rectangles anew that move, and the tree."""
    turn = next(tree.turns) % len(lowers)
    low, high = lowers[turn], uppers[turn]
    tree.lower[ids], tree.upper[ids] = low, high
    tree.shapes[ids] = shapely.box(*low[:, :2].T, *high[:, :2].T)
    return Tree(shapely.STRtree(tree.shapes), tree.shapes, tree.lower, tree.upper)


def move_boxes(
    tree: Moving,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Take the next turn and ask all rectangles at once; then z decides."""
    made = moved(tree, ids, lowers, uppers)
    asked, found = made.rectangles.query(shapely.box(*low[:, :2].T, *high[:, :2].T))
    below = low[asked, 2] <= made.upper[found, 2]
    above = high[asked, 2] >= made.lower[found, 2]
    return np.stack([asked, found])[:, below & above]


def move_pairs(
    tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> np.ndarray:
    """Take the next turn and find all pairs."""
    return pairs(moved(tree, ids, lowers, uppers))
