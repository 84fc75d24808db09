"""Rays in NumPy: placements front to back, then their trees in local space.

A row is the position of a placement, an entry is the position of an item in its tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, joined, starts_of_runs
from ..compiled import Arrays
from ..descend import States
from ..mailboxing import Pairs
from ..rounds import in_rounds
from ..shapes import Triangles
from ..snapshot import IndexSnapshot, RayPairs
from ..touch.rays import Rays, barycentric
from ..walkable import Walkable
from .hits import crossings, normals, ray_hits

# Rays in a batch for the top level, and pairs of ray and placement in a batch for the trees.
_RAYS, _TOGETHER = 65_536, 16_384
# Pairs of ray and placement that a round should have, and the most placements of a ray in a round.
_PAIRS, _MOST = 256, 8

# The tree of a batch of pairs of ray and placement; numbers of pairs, entries and distances of
# hits.
Met = tuple[Walkable, Ids, Ids, Floats]
# Rays, rows of placements, items and distances.
Crossings = tuple[Ids, Ids, Ids, Floats]
NO_CROSSINGS: Crossings = (*np.empty((3, 0), np.intp), np.empty(0))


@dataclass
class Closest:
    """The closest hit of each ray so far: its distance, placement, entry and item."""

    distances: Floats
    rows: Ids
    entries: Ids
    items: Ids

    @classmethod
    def none(cls, limits: Floats) -> "Closest":
        """Return an object without hits, with the limits of the rays as distances."""
        rows, entries, items = np.full((3, len(limits)), -1)
        return cls(limits.copy(), rows, entries, items)

    def improve(self, rays: Ids, rows: Ids, entries: Ids, items: Ids, where: Floats) -> None:
        """Keep the closer hits; ties prefer the smaller placement, then the smaller item."""
        order = np.lexsort((items, rows, where, rays))
        first = order[starts_of_runs(rays[order])]
        rays, rows, entries = rays[first], rows[first], entries[first]
        items, where = items[first], where[first]
        old, old_row = self.distances[rays], self.rows[rays]
        same = (where == old) & (old_row >= 0)
        smaller = (rows < old_row) | ((rows == old_row) & (items < self.items[rays]))
        better = (where < old) | (old_row < 0) | (same & smaller)
        rays = rays[better]
        self.distances[rays], self.rows[rays] = where[better], rows[better]
        self.entries[rays], self.items[rays] = entries[better], items[better]


def closest_hits(snapshot: IndexSnapshot, rays: Rays, states: States | None = None) -> Arrays:
    """Return the closest hit of each ray; `states`, as in `walk`, needs the snapshot of one tree.

    Returns items and rows of placements, (q,), distances, (q,), and positions, normals and
    barycentric weights, (q, 3) each.
    """
    closest = Closest.none(rays.limits)
    for crossed in _crossed(snapshot, rays, closest.distances):
        _cast(snapshot, rays, crossed, closest, states)
    return _described(snapshot, rays, closest)


def _crossed(snapshot: IndexSnapshot, rays: Rays, closest: Floats) -> Iterator[RayPairs]:
    """Yield candidate placements of rays up to `closest`; the caller may lower it in place."""
    for some in blocks(len(rays), _RAYS):
        numbers = np.arange(some.start, some.stop)
        for crossed in snapshot.ray_pairs(rays[numbers], closest[some]):
            yield crossed.numbered(numbers)


def _cast(
    snapshot: IndexSnapshot,
    rays: Rays,
    crossed: RayPairs,
    closest: Closest,
    states: States | None,
) -> None:
    """Improve `closest` by the placements of each ray, nearest first, a few in each round."""
    begins = starts_of_runs(crossed.rays)
    ends = np.append(begins[1:], len(crossed.rays))
    asking, places = crossed.rays[begins], begins
    while True:
        open_still = places < ends
        wanted = crossed.entries.take(places, mode="clip") if len(places) else np.empty(0)
        (some,) = (open_still & (wanted <= closest.distances[asking])).nonzero()
        if len(some) == 0:
            return
        asking, places, ends = asking[some], places[some], ends[some]
        most = min(max(1, _PAIRS // len(some)), _MOST)
        counts = np.minimum(ends - places, most)
        pairs = crossed[concatenated_ranges(places, counts)]
        pairs = pairs[pairs.entries <= closest.distances[pairs.rays]]
        for tree, found, entries, where in met(
            snapshot, rays, pairs, closest.distances, states=states
        ):
            items = tree.order[entries]
            closest.improve(pairs.rays[found], pairs.rows[found], entries, items, where)
        places = places + counts


def met(
    snapshot: IndexSnapshot,
    rays: Rays,
    pairs: RayPairs,
    closest: Floats,
    *,
    any_hit: bool = False,
    states: States | None = None,
) -> Iterator[Met]:
    """Yield the hits of rays in placements; an item may repeat, once for each of its cells.

    The caller may lower `closest` between steps.
    """
    for some in blocks(len(pairs), _TOGETHER):
        here = pairs[some]
        seen = snapshot.local_rays(rays, here, closest)
        limits = closest[here.rays] * seen.factors + seen.slacks
        meet = partial(_meet, snapshot, rays, here, seen.tree, closest)
        steps = ray_hits(seen.tree, seen.rays, limits, meet, any_hit=any_hit, states=states)
        for numbers, entries, where in steps:
            yield seen.tree, some.start + numbers, entries, where
            limits[:] = closest[here.rays] * seen.factors + seen.slacks


def _meet(
    snapshot: IndexSnapshot,
    rays: Rays,
    pairs: RayPairs,
    tree: Walkable,
    closest: Floats,
    found: Pairs,
) -> tuple[Ids, Ids, Floats]:
    """Test candidate pairs; return the pairs with a hit, entries and distances."""
    numbers, entries = found
    asked = pairs.rays[numbers]
    distances = crossings(*snapshot.entry_items(tree, entries, pairs.rows[numbers]), rays, asked)
    (crossed,) = (distances <= closest[asked]).nonzero()
    return numbers[crossed], entries[crossed], distances[crossed]


def any_hits(snapshot: IndexSnapshot, rays: Rays) -> Flags:
    """Flag the rays that hit any item."""
    limits = rays.limits.copy()
    for crossed in _crossed(snapshot, rays, limits):
        _test(snapshot, rays, crossed, limits)
    return limits < 0


def _test(snapshot: IndexSnapshot, rays: Rays, crossed: RayPairs, limits: Floats) -> None:
    """Test the placements of each ray until a first hit, which sets the ray's limit to -1."""
    few = min(max(1, _PAIRS // max(len(crossed.rays), 1)), _MOST)
    for early in in_rounds(crossed.rays, few, 4, lambda of, _: limits[of] >= 0):
        pairs = crossed[early]
        for _, found, _, _ in met(snapshot, rays, pairs, limits, any_hit=True):
            limits[pairs.rays[found]] = -1.0


def all_crossings(snapshot: IndexSnapshot, rays: Rays) -> Crossings:
    """Return all items that rays hit: rays, rows, items and distances, sorted."""
    parts = []
    for crossed in _crossed(snapshot, rays, rays.limits):
        for tree, found, entries, where in met(snapshot, rays, crossed, rays.limits):
            rows, items = crossed.rows[found], tree.order[entries]
            parts.append((crossed.rays[found], rows, items, where))
    return sorted_crossings(parts)


def sorted_crossings(parts: list[Crossings]) -> Crossings:
    """Return crossings sorted by ray, distance, placement and item, each once."""
    numbers, rows, items, distances = joined([NO_CROSSINGS, *parts])
    order = np.lexsort((items, rows, distances, numbers))
    first = starts_of_runs(numbers[order], rows[order], items[order])
    order = order[first]
    return numbers[order], rows[order], items[order], distances[order]


def _described(snapshot: IndexSnapshot, rays: Rays, closest: Closest) -> Arrays:
    """Return items, rows, distances, positions, normals and barycentric weights of hits."""
    positions, directions, weights = np.full((3, 3, len(rays)), np.nan)
    (hits,) = (closest.rows >= 0).nonzero()
    distances = np.where(closest.rows >= 0, closest.distances, np.inf)
    for some in blocks(len(hits)):
        numbers = hits[some]
        rows, entries = closest.rows[numbers], closest.entries[numbers]
        items, ids = snapshot.entry_items(snapshot.trees_at(rows), entries, rows)
        reached = distances[numbers]
        positions[:, numbers] = rays.positions(numbers, reached)
        directions[:, numbers] = normals(items, ids, rays, numbers, reached)
        if isinstance(items, Triangles):
            weights[:, numbers] = barycentric(items, ids, rays, numbers)
    return closest.items, closest.rows, distances, positions.T, directions.T, weights.T
