"""Ray hits: candidate pairs of ray and item, culled by bounding spheres and discs, then tested.

The disc of a triangle is the intersection of its plane and its bounding sphere.
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

# Rays, entries of the tree, and miss distances: the smaller, the likelier is a hit.
PossibleHits = tuple[Ids, Ids, Floats]

# Exact test of candidate pairs of ray and entry -> rays, entries and distances of the hits.
Meet = Callable[[Pairs], tuple[Ids, Ids, Floats]]

# Factor that rounds a square down; largest error of a stored unit normal.
_ROUNDED, _TURNED = 1.0 - 2.0**-48, 2.0**-28
# Square of a chord longer than any scene; replaces infinity.
_ENDLESS = 2.0**1000
# Pairs of ray and reference culled in a batch, and pairs that fill a batch of exact tests.
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
    """Yield rays, ascending, entries of items that they hit, and distances, (h,) each.

    An item in several visited cells may be reported once for each cell: in NumPy, it is cheaper to
    test a pair again than to look up whether the pair has been tested.

    `closest_so_far`, (q,), are the distances up to which rays search. The caller lowers them in
    place; a ray below 0 is done. With `any_hit`, rays begin where hits are likely: at their far
    ends, where closed rooms have walls, and with the item of a cell that they pass most centrally.
    `states` are as for `walk`; `meet` is the exact test.
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
    """Yield the likeliest pair of each ray, then the other pairs of the rays without a hit."""
    if len(numbers) == 0:
        return
    begins = starts_of_runs(numbers)
    counts = np.diff(begins, append=len(numbers))
    likely = miss_distances == np.repeat(np.minimum.reduceat(miss_distances, begins), counts)
    yield numbers[likely], entries[likely]
    (others,) = (~likely & (closest_so_far[numbers] >= 0)).nonzero()
    yield numbers[others], entries[others]


def _runs(tree: Walkable, rays: Rays, steps: Iterator[Pairs]) -> Iterator[Found]:
    """Yield runs of references: of out-of-bounds items, then of the visited cells."""
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
    """Join pieces to batches of at least `_BATCH` pairs; only the last batch may be smaller."""
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
    """A test of bounding spheres and discs against the lines of rays.

    The reference point of a line is the point of its ray nearest to the middle of the root. So
    relative coordinates are no larger than the scene, however far away the ray begins.
    """

    items: Shapes
    points: Floats
    units: Floats
    shifts: Floats
    slacks: Floats
    asked: int

    @classmethod
    def of(cls, tree: Walkable, rays: Rays) -> "SphereCull":
        """Return the test for the rays of a query and the items of a tree."""
        lower, upper = gather(tree.cell_rows, tree.roots).reshape(2, 3, -1)
        units = rays.directions / rays.lengths
        shifts = np.maximum(dot((lower + upper) / 2 - rays.origins, units), 0.0)
        points = rays.origins + units * shifts
        farthest = np.maximum(np.abs(rays.origins), np.abs(points)).max(axis=0)
        slacks = 2 * tree.slacks + farthest * 2.0**-45
        return cls(tree.arranged, points, units, shifts, slacks, rays.asked)

    def may_hit(self, numbers: Ids, entries: Ids, closest_so_far: Floats) -> PossibleHits:
        """Return the candidate pairs: rays that cross the sphere and the disc, within limits."""
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
    """Return the distances, along normals, between lines and discs; negative if they cross.

    `beside` are the vectors from the lines to the middles of the spheres, `chords` half the
    lengths of the lines inside the spheres. An unknown plane counts as crossed everywhere.
    """
    heights = np.abs(dot(planes, beside) + planes[3])
    miss_distances: Floats = heights - np.abs(dot(planes, units)) * chords
    return miss_distances


def crossings(items: Shapes, ids: Ids, rays: Rays, numbers: Ids) -> Floats:
    """Return the distances at which rays first hit items, pair by pair, (h,).

    Rays are closed segments. Distances are in scene units; NaN for a ray that misses its item.
    """
    kind = Triangles if isinstance(items, Triangles) else type(items)
    test, distances = _TESTS[kind], np.full(len(ids), np.nan)
    for some in blocks(len(ids), _BLOCK):
        rays_here = numbers[some]
        steps = test(items, ids[some], rays, rays_here)
        (met,) = ((steps >= 0) & (steps <= rays.reaches[rays_here])).nonzero()
        found = rays_here[met]
        reached = np.minimum(steps[met] * rays.lengths[found], rays.limits[found])
        distances[some.start + met] = reached + 0.0  # turns -0.0 into 0.0
    return distances


def normals(items: Shapes, ids: Ids, rays: Rays, numbers: Ids, distances: Floats) -> Floats:
    """Return the unit normals of items at the hits of rays at these distances, (3, h).

    Normals of triangles follow the winding. Normals of other items point outward, and are NaN for
    a ray that starts inside.
    """
    if isinstance(items, Triangles):
        return _unit(_windings(items.take_rows(ids).reshape(3, 3, -1), rays, numbers))
    vectors = outward(items, ids, rays, numbers, rays.positions(numbers, distances))
    vectors[:, distances == 0] = np.nan
    return _unit(vectors)


def _windings(corners: Floats, rays: Rays, numbers: Ids) -> Floats:
    """Return normals of triangles (3 corners, 3 axes, h), from their two shorter edges.

    If the cross product of the edges is zero, the normal faces the ray.
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
