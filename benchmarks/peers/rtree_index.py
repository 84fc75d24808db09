"""`rtree` (libspatialindex): boxes only, whole arrays in and out; with NumPy 2."""

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from rtree.index import Index, Property


class Moving(NamedTuple):
    """An index, where all boxes are, and whose turn it is."""

    index: Index
    lower: np.ndarray
    upper: np.ndarray
    turns: Iterator[int]


PASSES_MORE = {"boxes": "the boxes around triangles"}


def build_boxes(lower: np.ndarray, upper: np.ndarray) -> tuple[Index, np.ndarray, np.ndarray]:
    """Load the boxes in one go."""
    made = Index((np.arange(len(lower)), lower, upper), properties=Property(dimension=3))
    return made, lower, upper


def build_triangles(
    vertices: np.ndarray, faces: np.ndarray
) -> tuple[Index, np.ndarray, np.ndarray]:
    """Load the boxes around the triangles."""
    corners = vertices[faces]
    return build_boxes(corners.min(axis=1), corners.max(axis=1))


def boxes(
    tree: tuple[Index, np.ndarray, np.ndarray], lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """Ask all boxes at once; triangles are no more than the boxes around them."""
    items, counts = tree[0].intersection_v(lower, upper)
    return np.stack([np.repeat(np.arange(len(lower)), counts.astype(np.intp)), items])


def pairs(tree: tuple[Index, np.ndarray, np.ndarray]) -> np.ndarray:
    """Ask for every box of its own, and keep one of the two ways round."""
    found = boxes(tree, *tree[1:])
    return found[:, found[0] < found[1]]


def build_moving(lower: np.ndarray, upper: np.ndarray) -> Moving:
    """Load the boxes in one go, to be moved."""
    return Moving(build_boxes(lower, upper)[0], lower.copy(), upper.copy(), count())


def move(tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray) -> None:
    """Take the next turn: delete each box and insert it anew."""
    turn = next(tree.turns) % len(lowers)
    old = np.concatenate((tree.lower[ids], tree.upper[ids]), axis=1).tolist()
    new = np.concatenate((lowers[turn], uppers[turn]), axis=1).tolist()
    for number, before, after in zip(ids.tolist(), old, new, strict=True):
        tree.index.delete(number, before)
        tree.index.insert(number, after)
    tree.lower[ids], tree.upper[ids] = lowers[turn], uppers[turn]


def move_boxes(
    tree: Moving,
    ids: np.ndarray,
    lowers: np.ndarray,
    uppers: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
) -> np.ndarray:
    """Take the next turn and ask all boxes at once."""
    move(tree, ids, lowers, uppers)
    return boxes(tree[:3], low, high)


def move_pairs(
    tree: Moving, ids: np.ndarray, lowers: np.ndarray, uppers: np.ndarray
) -> np.ndarray:
    """Take the next turn and find all pairs."""
    move(tree, ids, lowers, uppers)
    return pairs(tree[:3])
