"""What a tree states of itself and answers to a few questions, as lists for JSON."""

from dataclasses import fields
from typing import Any

import numpy as np

from core import Boxes, Octree, Spheres, nearest, overlapping_pairs, query, ray_cast_all
from core import statistics as counted

BOXES = Boxes([[-9, -9, -9], [0, 0, 0], [-3, 1, -5]], [[-2, 9, 9], [2, 3, 4], [9, 1, 2]])
BALLS = Spheres([[0, 0, 0], [-4, 4, 2.5]], [3.5, 5])
POINTS = np.random.default_rng(0).integers(-10, 11, (8, 3)).astype(float)
DIRECTIONS = np.roll(POINTS, 1, axis=0) + np.array([0.25, 0.5, 0.125])


def facts_of(tree: Octree) -> dict[str, Any]:
    """Return the statistics of a tree, but for its bytes, its ids and groups, and answers."""
    found = counted(tree)
    facts = {each.name: getattr(found, each.name) for each in fields(found)}
    del facts["bytes"]
    facts |= {
        "invalid_items": tree.invalid_items,
        "ids": tree.ids,
        "groups": tree.groups,
        "in boxes": query(tree, BOXES),
        "inside boxes": query(tree, BOXES, relation="inside"),
        "in balls": query(tree, BALLS),
        "in boxes of group 5": query(tree, BOXES, groups=5),
        "pairs": overlapping_pairs(tree),
    }
    near = nearest(tree, POINTS, count=3)
    facts |= {"nearest": near.items, "how near": near.distances}
    hits = ray_cast_all(tree, POINTS, DIRECTIONS)
    facts |= {"hits": hits.pairs, "how far": hits.distances}
    return {name: _listed(value) for name, value in facts.items()}


def _listed(value: Any) -> Any:
    """Return JSON's values; no number of decimals that differ by the last bit."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value = np.round(value, 9)
        return [None if not np.isfinite(each) else each for each in value.ravel().tolist()]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
