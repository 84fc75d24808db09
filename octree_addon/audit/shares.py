"""Shards of an audit for a render farm: ranges of placements with about equal work.

A pair belongs to the shard of its first placement, so each pair is tested once. The core's two
sides express this: the range on one side, the range and all later placements on the other.
"""

from dataclasses import replace

import numpy as np

from ...core import Boxes, SceneOctree, build_octree, overlapping_pairs
from ..arrays import Ids
from ..shares import Chunk, share_range
from .rules import Rules


def rules_in_share(rules: Rules, octree: SceneOctree, reach: float, chunk: Chunk) -> Rules:
    """Return the rules of one shard of an audit without sides.

    `chunk` is the number of the shard, from 1 on, and the count of shards. `reach` is the largest
    distance at which pairs are tested, in scene units.
    """
    if rules.ones is not None or rules.others is not None:
        raise ValueError("An audit of two sides has no shares")
    start, stop = share_range(near_counts(octree, reach, rules.owners), chunk)
    return replace(rules, ones=octree.ids[start:stop], others=octree.ids[start:])


def near_counts(octree: SceneOctree, reach: float, owners: Ids) -> Ids:
    """Return the number of later placements near each one, by their boxes, (n,)."""
    boxes = octree.bounds_of(octree.ids)
    finite = (np.isfinite(boxes.lower) & np.isfinite(boxes.upper)).all(axis=1)
    finite &= (boxes.lower <= boxes.upper).all(axis=1)
    (rows,) = finite.nonzero()
    grown = Boxes(boxes.lower[rows] - reach / 2, boxes.upper[rows] + reach / 2)
    pairs = overlapping_pairs(build_octree(grown), owners=owners[rows])
    return np.bincount(rows[pairs[0]], minlength=len(octree.ids))
