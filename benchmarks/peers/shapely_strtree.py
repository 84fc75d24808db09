"""`shapely.STRtree`: a marker, for it solves an easier problem, in two dimensions."""

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
