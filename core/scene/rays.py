"""Questions of rays: placements front to back, then triangles in the spaces of the meshes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Flags, Ids, blocks, concatenated_ranges, dot, gather, starts_of_runs
from ..rays import RayCrossings, RayHits, ray_cast_all
from ..rays.crossings import Rays, barycentric, crossings, normals
from ..rays.hits import Pairs, ray_hits
from ..rays.mailboxes import Mailboxes
from .forest import Forest
from .images import taken_back
from .moment import Moment

# Rays that ask the top level together, and pairs of ray and placement that go down together.
_RAYS, _TOGETHER = 65_536, 16_384
# Few rays look at more placements at a time: about so many together, up to so many.
_PAIRS, _MOST = 256, 8
# What a few roundings take from sums of products.
_ROUNDING = 2.0**-46


@dataclass(frozen=True)
class Crossed:
    """Pairs of rays and rows of placements, and where the rays enter their boxes.

    Sorted by ray, then by where.
    """

    rays: Ids
    rows: Ids
    entries: Floats

    def __getitem__(self, some: Ids | Flags) -> "Crossed":
        return Crossed(self.rays[some], self.rows[some], self.entries[some])


# Pairs (numbers), entries of the forest and distances of what rays meet.
Met = tuple[Forest, Ids, Ids, Floats]


def crossed_by(moment: Moment, rays: Rays) -> Crossed:
    """Return the placements whose boxes rays cross."""
    placements = moment.placements
    directions = rays.directions.T
    found = ray_cast_all(moment.top, rays.origins.T, directions, max_distance=rays.limits)
    rows = placements.rows_named(found.pairs[1])
    far = found.distances + np.abs(rays.origins).max(axis=0, initial=0.0)[found.pairs[0]]
    pairs = Crossed(found.pairs[0], rows, found.distances - far * 2.0**-44)
    there = placements.is_there[rows]
    return pairs if there.all() else pairs[there]


@dataclass
class Closest:
    """The closest hit of each ray so far: where, of which placement, which entry and triangle."""

    distances: Floats
    rows: Ids
    entries: Ids
    triangles: Ids

    @classmethod
    def none(cls, limits: Floats) -> "Closest":
        """Return no hits, but how far the rays go."""
        rows, entries, triangles = np.full((3, len(limits)), -1)
        return cls(limits.copy(), rows, entries, triangles)

    def improve(self, rays: Ids, rows: Ids, entries: Ids, triangles: Ids, where: Floats) -> None:
        """Take what is closer; of equally close hits, the smaller placement and triangle."""
        order = np.lexsort((triangles, rows, where, rays))
        first = order[starts_of_runs(rays[order])]
        rays, rows, entries = rays[first], rows[first], entries[first]
        triangles, where = triangles[first], where[first]
        old, old_row = self.distances[rays], self.rows[rays]
        same = (where == old) & (old_row >= 0)
        smaller = (rows < old_row) | ((rows == old_row) & (triangles < self.triangles[rays]))
        better = (where < old) | (old_row < 0) | (same & smaller)
        rays = rays[better]
        self.distances[rays], self.rows[rays] = where[better], rows[better]
        self.entries[rays], self.triangles[rays] = entries[better], triangles[better]


def cast(moment: Moment, rays: Rays) -> RayHits:
    """Return the closest triangle that each ray meets."""
    closest = Closest.none(rays.limits)
    for some in blocks(len(rays), _RAYS):
        numbers = np.arange(some.start, some.stop)
        _cast(moment, rays, numbers, closest)
    return _described(moment, rays, closest)


def _cast(moment: Moment, rays: Rays, numbers: Ids, closest: Closest) -> None:
    """Look for the closest hits of some rays, each time at the placements that come next."""
    crossed = crossed_by(moment, rays[numbers])
    crossed = Crossed(numbers[crossed.rays], crossed.rows, crossed.entries)
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
        for forest, found, entries, where in _met(moment, rays, pairs, closest.distances):
            triangles = forest.order[entries]
            closest.improve(pairs.rays[found], pairs.rows[found], entries, triangles, where)
        places = places + counts


def _met(
    moment: Moment,
    rays: Rays,
    pairs: Crossed,
    closest: Floats,
    *,
    any_hit: bool = False,
) -> Iterator[Met]:
    """Yield what rays meet in placements; the caller may lower `closest` in between."""
    for some in blocks(len(pairs.rays), _TOGETHER):
        part = Crossed(pairs.rays[some], pairs.rows[some], pairs.entries[some])
        for forest, found, entries, where in _met_by_few(moment, rays, part, closest, any_hit):
            yield forest, some.start + found, entries, where


def _met_by_few(
    moment: Moment, rays: Rays, pairs: Crossed, closest: Floats, any_hit: bool
) -> Iterator[Met]:
    known = np.isfinite(moment.placements.slacks[pairs.rows])
    (flat,), (some,) = (~known).nonzero(), known.nonzero()
    if len(flat):
        yield _met_by_all(moment, rays, pairs, flat, closest)
    if len(some) == 0:
        return
    here = pairs if len(flat) == 0 else pairs[some]
    seen, slacks, factors = _seen(moment, rays, here, closest)
    forest = moment.forest(here.rows, slacks)
    limits = closest[here.rays] * factors + slacks

    def meet(found: Pairs) -> tuple[Ids, Ids, Floats]:
        return _meet(moment, rays, here, forest, closest, found)

    boxes = Mailboxes(len(forest.order))
    boxes.empty(len(here.rays))
    for numbers, entries, where in ray_hits(
        forest, seen, limits, boxes, any_hit=any_hit, meet=meet
    ):
        yield forest, some[numbers], entries, where
        limits[:] = closest[here.rays] * factors + slacks


def _meet(
    moment: Moment, rays: Rays, pairs: Crossed, forest: Forest, closest: Floats, found: Pairs
) -> tuple[Ids, Ids, Floats]:
    """Return pairs, entries and distances of the crossings, of what may be met."""
    numbers, entries = found
    items = moment.placed(forest, entries, pairs.rows[numbers])
    asked = pairs.rays[numbers]
    distances = crossings(items, np.arange(len(entries)), rays, asked)
    (met,) = (distances <= closest[asked]).nonzero()
    return numbers[met], entries[met], distances[met]


def _met_by_all(moment: Moment, rays: Rays, pairs: Crossed, some: Ids, closest: Floats) -> Met:
    """Return what rays meet of whole meshes, whose matrices have no inverse."""
    forest = moment.forest(pairs.rows[some], np.zeros(len(some)))
    roots, _ = forest.roots_for(len(some))
    counts = forest.end[roots] - forest.begin[roots]
    slots = concatenated_ranges(forest.begin[roots], counts)
    keys = np.repeat(some, counts) * len(forest.order) + forest.references[slots]
    numbers, entries = np.divmod(np.unique(keys), max(len(forest.order), 1))
    return forest, *_meet(moment, rays, pairs, forest, closest, (numbers, entries))


def _seen(
    moment: Moment, rays: Rays, pairs: Crossed, closest: Floats
) -> tuple[Rays, Floats, Floats]:
    """Return rays as meshes see them, what slack they need, and how much longer distances are."""
    placements = moment.placements
    inverses = gather(placements.inverses, pairs.rows)
    shifts = gather(placements.matrices[3::4], pairs.rows)
    origins, directions = gather(rays.origins, pairs.rays), gather(rays.directions, pairs.rays)
    starts, ways = taken_back(inverses, origins - shifts), taken_back(inverses, directions)
    size = np.abs(inverses)
    wrong = taken_back(size, np.abs(origins) + np.abs(shifts)).max(axis=0)
    turned = taken_back(size, np.abs(directions)).max(axis=0) / np.abs(ways).max(axis=0)
    bounds = moment.meshes.bounds[:, placements.meshes[pairs.rows]]
    far = np.abs(starts).max(axis=0) + np.abs(bounds).max(axis=0)
    slacks = placements.slacks[pairs.rows] + _ROUNDING * (wrong + turned * far)
    factors = np.sqrt(dot(ways, ways)) / rays.lengths[pairs.rays] * (1 + 2.0**-40)
    limits = closest[pairs.rays] * factors + slacks
    seen = Rays.of(starts, ways, limits)
    return seen, slacks, factors


def tested(moment: Moment, rays: Rays) -> Flags:
    """Return which rays meet any triangle."""
    limits = rays.limits.copy()
    for some in blocks(len(rays), _RAYS):
        numbers = np.arange(some.start, some.stop)
        crossed = crossed_by(moment, rays[numbers])
        crossed = Crossed(numbers[crossed.rays], crossed.rows, crossed.entries)
        few = 1
        while len(crossed.rays):
            early = (
                np.arange(len(crossed.rays)) - np.searchsorted(crossed.rays, crossed.rays) < few
            )
            pairs = crossed[early]
            for _, found, _, _ in _met(moment, rays, pairs, limits, any_hit=True):
                limits[pairs.rays[found]] = -1.0
            crossed, few = crossed[~early & (limits[crossed.rays] >= 0)], few * 4
    return limits < 0


def cast_all(moment: Moment, rays: Rays) -> RayCrossings:
    """Return all triangles that rays meet."""
    parts = [(np.empty((3, 0), np.intp), np.empty(0))]
    for some in blocks(len(rays), _RAYS):
        numbers = np.arange(some.start, some.stop)
        crossed = crossed_by(moment, rays[numbers])
        crossed = Crossed(numbers[crossed.rays], crossed.rows, crossed.entries)
        for forest, found, entries, where in _met(moment, rays, crossed, rays.limits):
            ids = moment.placements.ids[crossed.rows[found]]
            parts.append((np.stack((crossed.rays[found], ids, forest.order[entries])), where))
    pairs = np.concatenate([pairs for pairs, _ in parts], axis=1)
    distances = np.concatenate([where for _, where in parts])
    order = np.lexsort((pairs[2], pairs[1], distances, pairs[0]))
    return RayCrossings(pairs[:, order], distances[order])


def _described(moment: Moment, rays: Rays, closest: Closest) -> RayHits:
    """Return hits with places, normals and weights."""
    positions, directions, weights = np.full((3, 3, len(rays)), np.nan)
    (hits,) = (closest.rows >= 0).nonzero()
    distances = np.where(closest.rows >= 0, closest.distances, np.inf)
    ids = np.full(len(rays), -1)
    ids[hits] = moment.placements.ids[closest.rows[hits]]
    if len(hits):
        forest = moment.forest(closest.rows[hits], np.zeros(len(hits)))
        for some in blocks(len(hits)):
            numbers = hits[some]
            items = moment.placed(forest, closest.entries[numbers], closest.rows[numbers])
            each, reached = np.arange(len(numbers)), distances[numbers]
            positions[:, numbers] = rays.positions(numbers, reached)
            directions[:, numbers] = normals(items, each, rays, numbers, reached)
            weights[:, numbers] = barycentric(items, each, rays, numbers)
    return RayHits(
        closest.triangles, distances, positions.T, directions.T, weights.T, placements=ids
    )
