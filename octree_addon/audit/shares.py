"""Shares of an audit: placements in ranges with as many pairs of near boxes each.

A pair belongs to the share of the placement that comes first, so each is looked at once; the rules
of the core say so: the range on one side, and on the other all that does not come before it.
"""

from dataclasses import replace

import numpy as np

from ...core import Boxes, SceneOctree, build_octree, overlapping_pairs
from ..arrays import Ids
from ..shares import Chunk, share_range
from .rules import Rules


def rules_in_share(rules: Rules, octree: SceneOctree, reach: float, chunk: Chunk) -> Rules:
    """Return the rules of one share of an audit that has no sides.

    `chunk` is its number, from 1 on, and how many there are; `reach` how far apart what is looked
    at may be, scene units.
    """
    if rules.ones is not None or rules.others is not None:
        raise ValueError("An audit of two sides has no shares")
    start, stop = share_range(near_counts(octree, reach, rules.owners), chunk)
    return replace(rules, ones=octree.ids[start:stop], others=octree.ids[start:])


def near_counts(octree: SceneOctree, reach: float, owners: Ids) -> Ids:
    """Return how many placements behind it each one is near to, by boxes, (n,)."""
    boxes = octree.bounds_of(octree.ids)
    finite = (np.isfinite(boxes.lower) & np.isfinite(boxes.upper)).all(axis=1)
    finite &= (boxes.lower <= boxes.upper).all(axis=1)
    (rows,) = finite.nonzero()
    grown = Boxes(boxes.lower[rows] - reach / 2, boxes.upper[rows] + reach / 2)
    pairs = overlapping_pairs(build_octree(grown), owners=owners[rows])
    return np.bincount(rows[pairs[0]], minlength=len(octree.ids))
