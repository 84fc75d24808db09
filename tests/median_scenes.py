"""Trees divided at medians, and items to try them on."""

from itertools import product

import core_scenes as scenes
import numpy as np
from agreement import built

from core import Spheres

NOT_LARGE = [
    (scene, kind)
    for scene, kind in product(scenes.SCENES, scenes.KINDS)
    # Copies of large spheres upon each other fill any tree.
    if kind is not scenes.as_spheres or scene in ("random", "whole", "icosphere")
]


def divided(items, **options):
    return built(items, **{"capacity": 8, "split": "median", **options})


def points(places):
    return Spheres(places, np.zeros(len(places)))


def spread_points(count=1000):
    """Crowd points towards a corner, so that middles would divide them badly."""
    return points(scenes.numbers(30).uniform(0, 1, (count, 3)) ** 4)


def centers_of(items):
    bounds = items.bounds()
    return (bounds.lower + bounds.upper) / 2


def inner_cells(tree):
    return np.flatnonzero(~tree.is_leaf)


def parts_of(tree, cell):
    """Items below each of the eight parts."""
    return [np.unique(tree.items_below(part)) for part in np.flatnonzero(tree.node_parent == cell)]


def wanted_middle(tree, cell, items):
    """Find the median on each axis, or the middle where that falls on a wall or beyond it."""
    lower, upper = tree.node_lower[cell], tree.node_upper[cell]
    median = np.median(centers_of(tree.items)[items], axis=0)
    return np.where((lower < median) & (median < upper), median, (lower + upper) / 2)
