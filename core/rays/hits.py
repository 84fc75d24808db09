"""Ray hits: pairs of ray and item on the way, culled by bounding spheres, then tested.

Triangles lie in the spheres around them, and in the discs that these cut out of their planes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import (
    Floats,
    Ids,
    blocks,
    cross,
    dot,
    exact_cross,
    gather,
    joined,
    power_of_two_scale,
    starts_of_runs,
)
from ..descend import Found, States, expanded
from ..mailboxing import Pairs
from ..shapes import Boxes, Regions, Shapes, Spheres, Triangles
from ..touch.rays import (
    Rays,
    cross_triangles,
    enter_boxes,
    enter_regions,
    enter_spheres,
    outward,
)
from ..touch.triangles import bounding_spheres_of, worth_tables
from ..walkable import Walkable
from .walk import walk

# Rays, entries of the tree, and a distance that is the less the more surely they meet.
PossibleHits = tuple[Ids, Ids, Floats]

# Pairs that may meet -> those that do, and where.
Meet = Callable[[Pairs], tuple[Ids, Ids, Floats]]

# What is left of a square after rounding, at least; how wrong a known normal may be, at most.
_ROUNDED, _TURNED = 1.0 - 2.0**-48, 2.0**-28
# The square of a chord that is longer than all that can be asked about.
_ENDLESS = 2.0**1000
# Pairs of ray and reference that are culled together, and pairs that are worth exact tests.
_PAIRS, _BATCH = 16_384, 8_192
# Pairs tested together: few enough that their coordinates stay in the cache.
_BLOCK = 8_192

# Items, their ids (h,), rays, their numbers (h,) -> multiples of the directions (h,), or NaN.
RayTest = Callable[[Any, Ids, Rays, Ids], Floats]

_TESTS: dict[type[Shapes], RayTest] = {
    Triangles: cross_triangles,
    Boxes: enter_boxes,
    Spheres: enter_spheres,
    Regions: enter_regions,
}


def ray_hits(
    tree: Walkable,
    rays: Rays,
    closest_so_far: Floats,
    meet: Meet,
    *,
    any_hit: bool = False,
    states: States | None = None,
) -> Iterator[tuple[Ids, Ids, Floats]]:
    """Yield rays, ascending, entries of items that they meet, and distances, (h,) each.

    An item that stands in several cells on the way may come once for each: in NumPy it costs more
    to find out that a pair was tested than to test the pair again.

    `closest_so_far`, (q,), is how far each ray still looks: the caller lowers it in place; below 0
    a ray is done. If any hit will do, rays look where one is likely: at their far ends, where
    closed rooms have walls, and among the items of a cell at that which they pass most centrally.
    `states` are as for `walk`, `meet` is the exact test.
    """
    cull = SphereCull.of(tree, rays)
    steps = walk(tree, rays, closest_so_far, backwards=any_hit, states=states)
    for found in _runs(tree, rays, steps):
        near = (cull.may_hit(*pairs, closest_so_far) for pairs in _pieces(tree, found))
        for batch in _batches(near):
            for numbers, entries in _in_turn(*batch, closest_so_far) if any_hit else [batch[:2]]:
                yield meet((numbers, entries))


def _in_turn(
    numbers: Ids, entries: Ids, miss_distances: Floats, closest_so_far: Floats
) -> Iterator[Pairs]:
    """Yield for each ray the pair that is likeliest to meet, then the others if it did not."""
    if len(numbers) == 0:
        return
    begins = starts_of_runs(numbers)
    counts = np.diff(begins, append=len(numbers))
    likely = miss_distances == np.repeat(np.minimum.reduceat(miss_distances, begins), counts)
    yield numbers[likely], entries[likely]
    (others,) = (~likely & (closest_so_far[numbers] >= 0)).nonzero()
    yield numbers[others], entries[others]


def _runs(tree: Walkable, rays: Rays, steps: Iterator[Pairs]) -> Iterator[Found]:
    """Yield runs of references: of items beyond the root, then of the cells on the way."""
    if tree.outside:
        everyone = np.arange(len(rays))
        yield Found(everyone, 0 * everyone, 0 * everyone + tree.outside, certain=False)
    for numbers, cells in steps:
        begin, end = tree.begin[cells], tree.own_end[cells]
        (holding,) = (begin < end).nonzero()
        yield Found(numbers[holding], begin[holding], end[holding], certain=False)


def _pieces(tree: Walkable, found: Found) -> Iterator[Pairs]:
    """Yield the pairs of rays and the entries in their runs, `_PAIRS` at a time."""
    stops = np.cumsum(found.end - found.begin)
    starts = stops - (found.end - found.begin)
    for piece in blocks(int(stops[-1]) if len(stops) else 0, _PAIRS):
        first = np.searchsorted(stops, piece.start, side="right")
        some = slice(first, np.searchsorted(stops, piece.stop) + 1)
        begin = found.begin[some] + np.maximum(piece.start - starts[some], 0)
        end = found.end[some] - np.maximum(stops[some] - piece.stop, 0)
        yield expanded(tree, Found(found.queries[some], begin, end, found.certain))


def _batches(pieces: Iterable[PossibleHits]) -> Iterator[PossibleHits]:
    """Join pieces until there are enough pairs to be worth a look together."""
    waiting: list[PossibleHits] = []
    for piece in pieces:
        waiting.append(piece)
        if sum(len(numbers) for numbers, _, _ in waiting) >= _BATCH:
            yield joined(waiting)
            waiting = []
    if waiting:
        yield joined(waiting)


@dataclass(frozen=True)
class SphereCull:
    """Lines through points of the rays.

    Seen from the point of the ray that is nearest to the middle of the root, numbers are no
    larger than the scene, however far away the ray begins.
    """

    items: Shapes
    points: Floats
    units: Floats
    shifts: Floats
    slacks: Floats
    asked: int

    @classmethod
    def of(cls, tree: Walkable, rays: Rays) -> "SphereCull":
        """Return the lines of rays that ask about a tree."""
        lower, upper = gather(tree.cell_rows, tree.roots).reshape(2, 3, -1)
        units = rays.directions / rays.lengths
        shifts = np.maximum(dot((lower + upper) / 2 - rays.origins, units), 0.0)
        points = rays.origins + units * shifts
        farthest = np.maximum(np.abs(rays.origins), np.abs(points)).max(axis=0)
        slacks = 2 * tree.slacks + farthest * 2.0**-45
        return cls(tree.arranged, points, units, shifts, slacks, rays.asked)

    def may_hit(self, numbers: Ids, entries: Ids, closest_so_far: Floats) -> PossibleHits:
        """Return the pairs that may meet: in the sphere, not behind, not too far, in the disc."""
        if not isinstance(self.items, Triangles):
            return numbers, entries, np.zeros(len(numbers))
        spheres = bounding_spheres_of(self.items, entries, self.asked)
        slacks = self.slacks.take(numbers)
        middles, radii = spheres[:3] - gather(self.points, numbers), spheres[3] + slacks
        units = gather(self.units, numbers)
        along = dot(middles, units)
        room = radii * radii - (dot(middles, middles) * _ROUNDED - along * along)
        (some,) = (room >= 0).nonzero()
        asked, found, along, room = numbers[some], entries[some], along[some], room[some]
        radii, miss_distances = radii[some], -room
        ahead = along + self.shifts[asked]
        flags = (ahead >= -radii) & (ahead - radii <= closest_so_far[asked])
        if worth_tables(self.items, self.asked):
            units = gather(units, some)
            beside = gather(middles, some) - along * units
            planes = gather(self.items.planes, found)
            chords = np.sqrt(np.minimum(room, _ENDLESS))
            miss_distances = _out_of_discs(planes, units, beside, chords)
            flags &= miss_distances <= radii * _TURNED + slacks[some]
        (kept,) = flags.nonzero()
        return asked[kept], found[kept], miss_distances[kept]


def _out_of_discs(planes: Floats, units: Floats, beside: Floats, chords: Floats) -> Floats:
    """Return how far lines must be moved, along the normals, to cross discs; negative in them.

    The middle of a disc's sphere is `beside` the line; half of the line within the sphere is
    `chords` long. A plane that is not known is met everywhere.
    """
    heights = np.abs(dot(planes, beside) + planes[3])
    miss_distances: Floats = heights - np.abs(dot(planes, units)) * chords
    return miss_distances


def crossings(items: Shapes, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return at which distances rays, closed segments, first meet items, pair by pair, (h,).

    Distances are in scene units; NaN where a ray does not meet its item.
    """
    kind = Triangles if isinstance(items, Triangles) else type(items)
    test, distances = _TESTS[kind], np.full(len(ids), np.nan)
    for some in blocks(len(ids), _BLOCK):
        rays_here = numbers[some]
        steps = test(items, ids[some], rays, rays_here)
        (met,) = ((steps >= 0) & (steps <= rays.reaches[rays_here])).nonzero()
        found = rays_here[met]
        reached = np.minimum(steps[met] * rays.lengths[found], rays.limits[found])
        distances[some.start + met] = reached + 0.0  # which takes the sign from a zero
    return distances


def normals(items: Shapes, ids: Ids, rays: Rays, numbers: Ids, distances: Floats) -> Floats:
    """Return the unit normals of items where rays meet them at these distances, (3, h).

    Those of a triangle by its winding; else outward, NaN for a ray that starts inside.
    """
    if isinstance(items, Triangles):
        return _unit(_windings(items.take_rows(ids).reshape(3, 3, -1), rays, numbers))
    vectors = outward(items, ids, rays, numbers, rays.positions(numbers, distances))
    vectors[:, distances == 0] = np.nan
    return _unit(vectors)


def _windings(corners: Floats, rays: Rays, numbers: Ids) -> Floats:
    """Return normals of triangles (3 corners, 3 axes, h): of slivers too, from their short edges.

    One whose area rounding alone has made faces the ray.
    """
    edges = np.roll(corners, -1, axis=0) - corners
    edges *= power_of_two_scale(edges)
    sides = edges.swapaxes(0, 1)
    longest = dot(sides, sides).argmax(axis=0)
    places = (longest + np.arange(3)[:, None]) % 3
    along, one, other = np.take_along_axis(edges, places[:, None], axis=0)
    found = exact_cross(one, other)
    flat, directions = np.flatnonzero(~found.any(axis=0)), rays.directions
    across = cross(gather(directions, numbers[flat]), along[:, flat])
    found[:, flat] = cross(across, along[:, flat])
    return found


def _unit(vectors: Floats) -> Floats:
    vectors = vectors * power_of_two_scale(vectors)
    return vectors / np.sqrt(dot(vectors, vectors))
