"""Seams: lines in which surfaces without an inside cross, along edges of triangles too.

A wing is the part of a triangle on one side of a line. A triangle that crosses the line has two
wings. If a triangle ends at the line with an edge, each triangle that shares this edge has one.

Surfaces cross in a line if their wings alternate by angle around it, with at least two wings of
each surface. The wings of surfaces that only end or fold at the line do not alternate. Points
within the band of a plane count as in the plane.

A row is the position of a placement in the snapshot, an entry the position of a triangle in the
pool. `met` are pairs of rows, (2, p).
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    concatenated_ranges,
    cross,
    distinct,
    dot,
    ends_of_runs,
    starts_of_runs,
)
from ..records import Columns
from ..steps import Steps
from .contacts import Contacts
from .crossings import Parts, common_part, lengths_of, unit_normals
from .solids import World

_LOOKED = 8_192
# Wings narrower than this fraction of the band are ignored, and so are wings of both surfaces
# that are closer to each other than this.
_FLAT = 0.5


@dataclass(frozen=True)
class Seams:
    """Segments (2, 3, s) in which surfaces cross, each listed once.

    `pairs` are the pairs of rows of the segments, (s,), ascending. `crossing` flags all contacts
    whose triangles cross in a seam, (c,).
    """

    pairs: Ids
    segments: Floats
    crossing: Flags


def seams_of(world: World, met: Ids, contacts: Contacts) -> Steps[Seams]:
    """Return the seams among contacts of pairs of rows `met`, (2, p)."""
    parts = [_meets(world, met, contacts, np.arange(0))]
    for some in blocks(len(contacts), _LOOKED):
        parts.append(_meets(world, met, contacts, np.arange(some.start, some.stop)))
        yield 0.6 * some.stop / len(contacts)
    meets = Parts.joined(parts)
    keys = _keys(world, met, contacts, meets)
    stars = _Stars.of(world, distinct(met[:, contacts.pairs[meets.pairs]]), meets)
    crosses = np.zeros(len(meets), bool)
    for some in blocks(len(crosses), _LOOKED):
        crosses[some] = _crosses(
            world, met, contacts, meets[np.arange(some.start, some.stop)], stars
        )
        yield 0.6 + 0.4 * some.stop / len(crosses)
    crossing = np.zeros(len(contacts), bool)
    crossing[meets.pairs[crosses]] = True
    best = _longest(meets[crosses], keys[:, crosses])
    return Seams(contacts.pairs[best.pairs], best.segments, crossing)


def _meets(world: World, met: Ids, contacts: Contacts, some: Ids) -> Parts:
    """Return the segments, longer than the band, in which triangles of contacts intersect.

    The `pairs` of the segments are numbers of contacts.
    """
    rows, entries = met[:, contacts.pairs[some]], contacts.entries[:, some]
    ones, others = (
        world.corners(*each).reshape(3, 3, -1) for each in zip(entries, rows, strict=True)
    )
    part = common_part(ones, others, world.band)
    part = part[lengths_of(part.segments) > world.band]
    return replace(part, pairs=some[part.pairs])


def _edge_codes(world: World, entries: Ids, edges: Ids, names: Ids) -> Ids:
    """Return codes of edges of triangles, equal if the edges have the same `names` of ends."""
    faces = world.pool.arranged.faces.T
    ends = [names[faces[(edges + step) % 3, entries]] for step in (0, 1)]
    low, high = np.minimum(*ends), np.maximum(*ends)
    return low * len(names) + high


def _keys(world: World, met: Ids, contacts: Contacts, meets: Parts) -> Ids:
    """Return keys that are equal for the same segment of the same pair, (3, m).

    Coincident triangles, and coincident edges, have the same keys.
    """
    entries = contacts.entries[:, meets.pairs]
    codes = _edge_codes(world, entries, np.maximum(meets.edges, 0), world.shells.places)
    codes = np.where(meets.edges < 0, -1 - world.shells.leads[entries], codes)
    pairs = contacts.pairs[meets.pairs]
    # In a self-intersection, both orders of the two sides are the same segment.
    codes = np.where(met[0, pairs] == met[1, pairs], np.sort(codes, axis=0), codes)
    return np.concatenate((pairs[None], codes))


def _longest(meets: Parts, keys: Ids) -> Parts:
    """Return the longest segment of each key; ties go to the first contact."""
    way = meets.segments[1] - meets.segments[0]
    order = np.lexsort((meets.pairs, -dot(way, way), *keys))
    new = np.zeros(len(order), bool)
    new[:1] = True
    new[1:] = (np.diff(keys[:, order], axis=1) != 0).any(axis=0)
    return meets[np.sort(order[new])]


@dataclass(frozen=True)
class _Stars:
    """Triangles by edge: codes of edges, ascending, each with an entry that has the edge, (e,)."""

    codes: Ids
    entries: Ids

    @classmethod
    def of(cls, world: World, rows: Ids, meets: Parts) -> "_Stars":
        """Return the edges of the meshes placed in `rows`; none if `meets` has no edges."""
        meshes = distinct(world.meshes(rows)) if (meets.edges >= 0).any() else rows[:0]
        _, entries = world.pool.entries(meshes, world.moment.meshes.sizes[meshes])
        codes = np.concatenate(
            [
                _edge_codes(world, entries, np.full(1, edge), world.shells.knots)
                for edge in range(3)
            ]
        )
        order = np.argsort(codes, kind="stable")
        return cls(codes[order], np.tile(entries, 3)[order])

    def around(self, codes: Ids) -> tuple[Ids, Ids]:
        """Return the entries that have the edges `codes`, as pairs: index into `codes`, entry."""
        first = np.searchsorted(self.codes, codes)
        counts = np.searchsorted(self.codes, codes, side="right") - first
        which = np.repeat(np.arange(len(codes)), counts)
        return which, self.entries[concatenated_ranges(first, counts)]


@dataclass(frozen=True)
class _Wings(Columns):
    """Wings: the line of each, (w,), its surface (0 or 1), its direction (x, y) and its width."""

    of: Ids
    sides: Ids
    x: Floats
    y: Floats
    reach: Floats


def _crosses(world: World, met: Ids, contacts: Contacts, meets: Parts, stars: _Stars) -> Flags:
    """Flag the lines `meets` in which both surfaces cross, (m,)."""
    entries = contacts.entries[:, meets.pairs]
    rows = met[:, contacts.pairs[meets.pairs]]
    normals = unit_normals(world.corners(entries[0], rows[0]).reshape(3, 3, -1))
    axes = normals, cross(meets.lines, normals)
    parts = []
    for side in range(2):
        (through,), (ends,) = (meets.edges[side] < 0).nonzero(), (meets.edges[side] >= 0).nonzero()
        some = entries[side, ends], meets.edges[side, ends]
        codes = _edge_codes(world, *some, world.shells.knots)
        which, around = stars.around(codes)
        of = np.concatenate((through, through, ends[which]))
        whose = np.concatenate((entries[side, through], entries[side, through], around))
        ways = np.repeat([1.0, -1.0, 0.0], [len(through), len(through), len(which)])
        corners = world.corners(whose, rows[side, of]).reshape(3, 3, -1)
        parts.append(_wings(corners, meets, of, ways, axes, side))
    return _in_turns(_Wings.joined(parts), len(meets), _FLAT * world.band)


def _wings(
    corners: Floats, meets: Parts, of: Ids, ways: Floats, axes: tuple[Floats, Floats], side: int
) -> _Wings:
    """Return the wings of triangles on the side 1 or -1 of lines, or on the wider side (0)."""
    across = cross(unit_normals(corners), meets.lines[:, of])
    beyond = np.stack([dot(across, corner - meets.segments[0, :, of].T) for corner in corners])
    high, low = beyond.max(axis=0), -beyond.min(axis=0)
    ways = np.where(ways == 0, np.where(high >= low, 1.0, -1.0), ways)
    x, y = (ways * dot(across, axis[:, of]) for axis in axes)
    return _Wings(of, np.full(len(of), side), x, y, np.where(ways > 0, high, low))


def _in_turns(wings: _Wings, count: int, flat: float) -> Flags:
    """Flag the lines around which the wings of both surfaces alternate, with two of each."""
    wings = wings[wings.reach > flat]
    # A monotonic function of the angle, from 0 to 4, is enough for sorting.
    slope = wings.y / (np.abs(wings.x) + np.abs(wings.y))
    angles = np.where(wings.x < 0, 2.0 - slope, np.where(wings.y < 0, 4.0 + slope, slope))
    wings = wings[np.lexsort((wings.sides, angles, wings.of))]
    following = _following(wings.of)
    here, there = wings, wings[following]
    sine = np.abs(here.x * there.y - here.y * there.x)
    cosine = here.x * there.x + here.y * there.y
    close = (cosine > 0) & (sine * np.minimum(here.reach, there.reach) <= flat)
    close &= here.sides != there.sides
    # Wings that lie on each other do not count.
    left = ~close
    left[following[close]] = False
    wings = wings[left]
    turns = wings.sides != wings.sides[_following(wings.of)]
    return np.bincount(wings.of[turns], minlength=count) >= 4


def _following(runs: Ids) -> Ids:
    """Return the next position in each run of equal numbers; the last is followed by the first."""
    places = np.arange(1, len(runs) + 1)
    places[ends_of_runs(runs)] = starts_of_runs(runs)
    return places
