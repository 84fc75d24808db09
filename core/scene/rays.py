"""Questions of rays: placements front to back, then triangles in the spaces of the meshes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    dot,
    gather,
    joined,
    starts_of_runs,
)
from ..mailboxing import Pairs
from ..rays import RayCrossings, RayHits
from ..rays.crossings import Rays, barycentric, met_sides
from ..rays.hits import crossings, normals, ray_hits
from ..records import Columns
from ..rounds import in_rounds
from .images import taken_back
from .moment import Moment
from .pool import WalkedNodes

# Rays that ask the top level together, and pairs of ray and placement that descend together.
_RAYS, _TOGETHER = 65_536, 16_384
# Pairs of ray and placement that are worth a step; the most placements that one ray then takes.
_PAIRS, _MOST = 256, 8
# So few rays ask for all boxes at once: that costs less than to look where the scene begins.
_ALONE = 16
# Boxes that the first window holds, about; the factor by which the next one is wider.
_CROSSED, _WIDER = 6.0, 3.0
# The slowest that a direction counts as moving along an axis.
_STANDING = 2.0**-100
# Relative error that a few roundings leave in sums of products.
_ROUNDING = 2.0**-46


@dataclass(frozen=True)
class Crossed(Columns):
    """Pairs of rays and rows of placements, and where the rays enter their boxes.

    Sorted by ray, then by where.
    """

    rays: Ids
    rows: Ids
    entries: Floats

    def numbered(self, numbers: Ids) -> "Crossed":
        """Return the same pairs for ray `numbers[i]` instead of i."""
        return Crossed(numbers[self.rays], self.rows, self.entries)


# Pairs (numbers), entries of the nodes and distances of what rays meet.
Met = tuple[WalkedNodes, Ids, Ids, Floats]


def crossed_by(moment: Moment, rays: Rays, beyond: Floats) -> Crossed:
    """Return placements with boxes that rays cross, except any entered before `beyond` (q,)."""
    parts = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))]
    for numbers, items, entries in ray_hits(moment.top, rays, rays.limits):
        (new,) = (entries >= beyond[numbers]).nonzero()
        parts.append((numbers[new], items[new], entries[new]))
    numbers, items, entries = joined(parts)
    order = np.lexsort((items, entries, numbers))
    order = order[starts_of_runs(numbers[order], items[order])]
    numbers, entries = numbers[order], entries[order]
    rows = moment.placements.rows_named(moment.top.named(items[order]))
    far = entries + np.abs(rays.origins).max(axis=0, initial=0.0)[numbers]
    pairs = Crossed(numbers, rows, entries - far * 2.0**-44)
    there = moment.placements.is_there[rows]
    return pairs if there.all() else pairs[there]


def windows(moment: Moment, rays: Rays, closest: Floats) -> Iterator[Crossed]:
    """Yield the placements that rays come to, first those near where they enter the scene.

    The caller lowers `closest`. A ray that has found something nearer than its window reaches has
    no more; the windows of the others grow. So few boxes behind the hits are looked for.
    """
    if len(rays) <= _ALONE:
        yield crossed_by(moment, rays.up_to(closest), np.zeros(len(rays)))
        return
    there = moment.placements.boxes[:, moment.placements.is_there]
    if there.shape[1] == 0:
        return
    around = np.stack((there[:3].min(axis=1), there[3:].max(axis=1)))
    begins, ends = _span(rays, around)
    step, seen = _free_path(there, around), np.zeros(len(rays))
    (asking,) = (begins <= np.minimum(ends, closest)).nonzero()
    while len(asking):
        reach = np.minimum(begins[asking] + step, closest[asking])
        last = reach + step > ends[asking]
        reach[last] = closest[asking[last]]
        found = crossed_by(moment, rays[asking].up_to(reach), seen[asking])
        yield Crossed(asking[found.rays], found.rows, found.entries)
        seen[asking] = reach
        asking, step = asking[(closest[asking] > reach) & ~last], step * _WIDER


def _span(rays: Rays, around: Floats) -> tuple[Floats, Floats]:
    """Return where rays enter and leave a box (2, 3), a little too early and too late."""
    units = rays.directions / rays.lengths
    units = np.where(np.abs(units) < _STANDING, _STANDING, units)
    slack = (np.abs(around).max() + np.abs(rays.origins)) * 2.0**-40
    walls = np.stack((around[0][:, None] - slack, around[1][:, None] + slack))
    steps = (walls - rays.origins) / units
    begins, ends = steps.min(axis=0).max(axis=0), steps.max(axis=0).min(axis=0)
    return np.maximum(begins * (1 - 2.0**-40), 0.0), ends * (1 + 2.0**-40)


def _free_path(boxes: Floats, around: Floats) -> float:
    """Estimate how far rays go until they have crossed a few of these boxes."""
    size = around[1] - around[0]
    longest = float(size.max())
    if longest == 0:
        return 1.0
    x, y, z = (boxes[3:] - boxes[:3]) / longest
    # Convex bodies are seen with a quarter of their surface on average (Cauchy).
    seen = float((x * y + y * z + z * x).sum()) / 2
    path = _CROSSED * float((size / longest).prod()) / seen if seen > 0 else 1.0
    return float(np.clip(path, 1 / 256, 1.0)) * longest


@dataclass
class Closest:
    """The closest hit of each ray so far: its distance, placement, entry and triangle."""

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
        numbers, limits = np.arange(some.start, some.stop), closest.distances[some]
        for crossed in windows(moment, rays[numbers], limits):
            _cast(moment, rays, crossed.numbered(numbers), closest)
    return _described(moment, rays, closest)


def _cast(moment: Moment, rays: Rays, crossed: Crossed, closest: Closest) -> None:
    """Look at placements that rays cross, each time at those that come next."""
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
        for nodes, found, entries, where in _met(moment, rays, pairs, closest.distances):
            triangles = nodes.order[entries]
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
    """Yield what rays meet in placements, a triangle once for each cell that it stands in.

    The caller may lower `closest` in between.
    """
    for some in blocks(len(pairs), _TOGETHER):
        steps = _met_by_few(moment, rays, pairs[some], closest, any_hit)
        for nodes, found, entries, where in steps:
            yield nodes, some.start + found, entries, where


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
    nodes = moment.nodes(here.rows, slacks)
    limits = closest[here.rays] * factors + slacks

    def meet(found: Pairs) -> tuple[Ids, Ids, Floats]:
        return _meet(moment, rays, here, nodes, closest, found)

    for numbers, entries, where in ray_hits(nodes, seen, limits, any_hit=any_hit, meet=meet):
        yield nodes, some[numbers], entries, where
        limits[:] = closest[here.rays] * factors + slacks


def _meet(
    moment: Moment, rays: Rays, pairs: Crossed, nodes: WalkedNodes, closest: Floats, found: Pairs
) -> tuple[Ids, Ids, Floats]:
    """Return pairs, entries and distances of the crossings, of what may be met."""
    numbers, entries = found
    items = moment.placed(nodes, entries, pairs.rows[numbers])
    asked = pairs.rays[numbers]
    distances = crossings(items, np.arange(len(entries)), rays, asked)
    (met,) = (distances <= closest[asked]).nonzero()
    return numbers[met], entries[met], distances[met]


def _met_by_all(moment: Moment, rays: Rays, pairs: Crossed, some: Ids, closest: Floats) -> Met:
    """Return hits of whole meshes, for placements without an inverse matrix."""
    nodes = moment.nodes(pairs.rows[some], np.zeros(len(some)))
    roots = nodes.roots
    counts = nodes.end[roots] - nodes.begin[roots]
    numbers, entries = np.repeat(some, counts), concatenated_ranges(nodes.begin[roots], counts)
    return nodes, *_meet(moment, rays, pairs, nodes, closest, (numbers, entries))


def _seen(
    moment: Moment, rays: Rays, pairs: Crossed, closest: Floats
) -> tuple[Rays, Floats, Floats]:
    """Return rays in the spaces of meshes, their slacks, and factors of their distances."""
    placements = moment.placements
    inverses = gather(placements.inverses, pairs.rows)
    shifts = gather(placements.matrices[3::4], pairs.rows)
    origins, directions = gather(rays.origins, pairs.rays), gather(rays.directions, pairs.rays)
    starts, ways = taken_back(inverses, origins - shifts), taken_back(inverses, directions)
    size = np.abs(inverses)
    wrong = taken_back(size, np.abs(origins) + np.abs(shifts)).max(axis=0)
    turned = taken_back(size, np.abs(directions)).max(axis=0) / np.abs(ways).max(axis=0)
    bounds = moment.meshes.table.bounds[:, placements.meshes[pairs.rows]]
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
        for crossed in windows(moment, rays[numbers], limits[some]):
            _test(moment, rays, crossed.numbered(numbers), limits)
    return limits < 0


def _test(moment: Moment, rays: Rays, crossed: Crossed, limits: Floats) -> None:
    """Look at placements that rays cross until something is met; sets their limits below 0."""
    few = min(max(1, _PAIRS // max(len(crossed.rays), 1)), _MOST)
    for early in in_rounds(crossed.rays, few, 4, lambda of, _: limits[of] >= 0):
        pairs = crossed[early]
        for _, found, _, _ in _met(moment, rays, pairs, limits, any_hit=True):
            limits[pairs.rays[found]] = -1.0


def cast_all(moment: Moment, rays: Rays) -> RayCrossings:
    """Return all triangles that rays meet."""
    parts = [(np.empty((3, 0), np.intp), np.empty(0))]
    for some in blocks(len(rays), _RAYS):
        numbers = np.arange(some.start, some.stop)
        crossed = crossed_by(moment, rays[numbers], np.zeros(len(numbers))).numbered(numbers)
        for nodes, found, entries, where in _met(moment, rays, crossed, rays.limits):
            ids = moment.placements.ids[crossed.rows[found]]
            parts.append((np.stack((crossed.rays[found], ids, nodes.order[entries])), where))
    pairs = np.concatenate([pairs for pairs, _ in parts], axis=1)
    distances = np.concatenate([where for _, where in parts])
    order = np.lexsort((pairs[2], pairs[1], distances, pairs[0]))
    order = order[starts_of_runs(*pairs[:, order])]
    return RayCrossings(pairs[:, order], distances[order])


def _described(moment: Moment, rays: Rays, closest: Closest) -> RayHits:
    """Return hits with places, normals and weights."""
    positions, directions, weights = np.full((3, 3, len(rays)), np.nan)
    (hits,) = (closest.rows >= 0).nonzero()
    distances = np.where(closest.rows >= 0, closest.distances, np.inf)
    ids = np.full(len(rays), -1)
    ids[hits] = moment.placements.ids[closest.rows[hits]]
    if len(hits):
        nodes = moment.nodes(closest.rows[hits], np.zeros(len(hits)))
        for some in blocks(len(hits)):
            numbers = hits[some]
            items = moment.placed(nodes, closest.entries[numbers], closest.rows[numbers])
            each, reached = np.arange(len(numbers)), distances[numbers]
            positions[:, numbers] = rays.positions(numbers, reached)
            directions[:, numbers] = normals(items, each, rays, numbers, reached)
            weights[:, numbers] = barycentric(items, each, rays, numbers)
    return RayHits(
        closest.triangles, distances, positions.T, directions.T, weights.T, placements=ids
    )


def wound_in_rows(moment: Moment, rays: Rays, rows: Ids, codes: Ids, starts: Ids) -> Flags:
    """Return which rays begin inside the mesh placed in their row, (q,).

    `codes` tell how triangles count, by number, those of each mesh from its `starts` on: not at
    all (0), signed, by the side that the ray meets (-1), or by parity, together with all that have
    the same number.
    """
    pairs = Crossed(np.arange(len(rays)), rows, np.zeros(len(rays)))
    parts = [np.empty((3, 0), np.intp)]
    for nodes, found, entries, _ in _met(moment, rays, pairs, rays.limits):
        items = moment.placed(nodes, entries, rows[found])
        sides = met_sides(items, np.arange(len(entries)), rays, found).astype(np.intp)
        parts.append(np.stack((found, nodes.order[entries], sides)))
    met = np.concatenate(parts, axis=1)
    met = met[:, np.lexsort((met[1], met[0]))]
    found, triangles, sides = met[:, starts_of_runs(met[0], met[1])]  # each once
    kinds = codes[starts[moment.placements.meshes[rows[found]]] + triangles]
    turns, odd = np.zeros((2, len(rays)), np.intp)
    np.add.at(turns, found, np.where(kinds < 0, sides, 0))
    np.bitwise_xor.at(odd, found, np.maximum(kinds, 0))
    flags: Flags = (turns != 0) | (odd != 0)
    return flags
