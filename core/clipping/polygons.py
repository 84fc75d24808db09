"""Convex polygons as flat arrays of corners, and their division into halves at a plane.

I. Sutherland and G. Hodgman, "Reentrant Polygon Clipping", 1974, for both sides at once. The lower
half is one polygon. Above the plane, each run of corners becomes its own polygon, so that the
halves fit edge by edge even if rounding has bent a border across the plane several times.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, concatenated_ranges, joined

Sides = NDArray[np.int8]
Bits = NDArray[np.uint8]

# Bits of the two edges at each corner of a triangle; edge i is opposite corner i.
_EDGES_AT_CORNERS = np.array([0b110, 0b101, 0b011], np.uint8)


@dataclass(frozen=True)
class Polygons:
    """Polygons (p,) and their corners (k,), polygon by polygon, in order around each.

    Attributes
    ----------
    sizes, triangles, cells : ndarray of intp, shape (p,)
        The number of corners, the source triangle and the cell of each polygon.
    bits : ndarray of uint8, shape (p,)
        Sides of its cell's walls on which each polygon lies, as far as it has been divided.
    places : ndarray of intp, shape (k,)
        The place of each corner.
    weights : ndarray of float64, shape (3, k)
        Barycentric coordinates of each corner in the source triangle.
    edges : ndarray of uint8, shape (k,)
        Bit i is set if a corner lies on the source triangle's edge opposite corner i.
    flat : ndarray of bool, shape (k,)
        True for a corner on the line between its two neighbors.
    """

    sizes: Ids
    triangles: Ids
    cells: Ids
    bits: Bits
    places: Ids
    weights: Floats
    edges: Bits
    flat: Flags

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def starts(self) -> Ids:
        """The first corner of each polygon, (p,)."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def polygon_of_corner(self) -> Ids:
        """The polygon of each corner, (k,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def next_corner(self) -> Ids:
        """The corner after each, (k,); after the last corner of a polygon, the first."""
        following = np.arange(1, len(self.places) + 1)
        following[np.cumsum(self.sizes) - 1] = self.starts
        return following

    def of_corners(self, corners: Ids, sizes: Ids, polygons: Ids) -> "Polygons":
        """Return pieces of `polygons` with these corners, `sizes` of them each."""
        return Polygons(
            sizes,
            self.triangles[polygons],
            self.cells[polygons],
            self.bits[polygons],
            self.places[corners],
            self.weights.take(corners, axis=1),
            self.edges[corners],
            self.flat[corners],
        )

    def take(self, polygons: Ids) -> "Polygons":
        """Return some of the polygons."""
        sizes = self.sizes[polygons]
        return self.of_corners(concatenated_ranges(self.starts[polygons], sizes), sizes, polygons)

    def with_inserted(
        self, after: Ids, places: Ids, weights: Floats, edges: Bits
    ) -> tuple["Polygons", Ids]:
        """Insert corners behind `after`, which ascends, on the lines between neighbors.

        The second result is the new positions of the old corners.
        """
        more = np.zeros(len(self.places), np.intp)
        more[after] = 1
        moved = np.arange(len(more)) + np.cumsum(more) - more
        new, count = moved[after] + 1, len(more) + len(after)
        spread = np.empty(count, np.intp)
        spread[moved], spread[new] = np.arange(len(more)), after
        polygons = np.arange(len(self))
        grown = self.sizes + np.bincount(self.polygon_of_corner[after], minlength=len(self))
        made = self.of_corners(spread, grown, polygons)
        made.places[new], made.weights[:, new] = places, weights
        made.edges[new], made.flat[new] = edges, True
        return made, moved

    def halves(self, sides: Sides, lower_owns: bool = True) -> tuple["Polygons", Flags]:
        """Divide polygons with corners on both sides of a plane that no edge crosses.

        `sides` are -1, 0 and 1 for corners below, in and above the plane. The second result flags
        the polygons above the plane. Polygons in the plane count as below if `lower_owns`, else
        as above.
        """
        starts = self.starts
        has_below, has_above = self._any(sides < 0), self._any(sides > 0)
        is_split = has_below & has_above
        is_above = has_above & ~has_below
        if not lower_owns:
            is_above |= ~has_below
        if not is_split.any():
            return self, is_above
        whole, split = (~is_split).nonzero()[0], is_split.nonzero()[0]
        below, above = _halves(self._turned(split, sides), sides)
        parts = [
            (concatenated_ranges(starts[whole], self.sizes[whole]), self.sizes[whole], whole),
            (below.corners, below.sizes, split),
            (above.corners, above.sizes, split[above.of]),
        ]
        corners, sizes, polygons = joined(parts)
        made = self.of_corners(corners, sizes, polygons)
        first = len(parts[0][0])
        made.flat[first:] &= ~np.concatenate((below.bent, above.bent))
        upper = np.concatenate((is_above[whole], np.zeros(len(split), bool)))
        return made, np.concatenate((upper, np.ones(len(above.sizes), bool)))

    def _any(self, flags: Flags) -> Flags:
        """Flag the polygons that have a flagged corner."""
        # Differences of prefix sums are faster than a reduction over many short runs.
        counts = np.concatenate(([0], np.cumsum(flags)))
        starts = self.starts
        return counts[starts + self.sizes] > counts[starts]

    def _turned(self, polygons: Ids, sides: Sides) -> tuple[Ids, Ids]:
        """Return corners, rotated to start with one that is not above, and sizes of polygons."""
        starts, sizes = self.starts[polygons], self.sizes[polygons]
        corners = concatenated_ranges(starts, sizes)
        first = np.cumsum(sizes) - sizes
        # The first corner that is not above the plane.
        key = np.where(sides[corners] > 0, len(corners), np.arange(len(corners)))
        turn = np.minimum.reduceat(key, first) - first
        within = np.arange(len(corners)) - np.repeat(first, sizes) + np.repeat(turn, sizes)
        within -= np.where(within >= np.repeat(sizes, sizes), np.repeat(sizes, sizes), 0)
        return np.repeat(starts, sizes) + within, sizes


@dataclass(frozen=True)
class _Half:
    """Halves: corners, sizes, divided polygons, and corners that are no longer flat."""

    corners: Ids
    sizes: Ids
    of: Ids
    bent: Flags


def _halves(turned: tuple[Ids, Ids], sides: Sides) -> tuple[_Half, _Half]:
    """Return the lower halves, one for each polygon, and the upper ones, one or more each."""
    corners, sizes = turned
    first, ends = np.cumsum(sizes) - sizes, np.cumsum(sizes)
    of, each = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(corners))
    after, before = each + 1, each - 1
    after[ends - 1], before[first] = first, ends - 1
    is_above = sides[corners] > 0
    meets = is_above[after] | is_above[before]
    low = (~is_above).nonzero()[0]
    below = _Half(corners[low], np.bincount(of[low], minlength=len(sizes)), of[first], meets[low])
    starts = (is_above & ~is_above[before]).nonzero()[0]
    stops = (is_above & ~is_above[after]).nonzero()[0]
    # Each run of corners above the plane, with the corner in the plane before and behind it.
    lengths = stops - starts + 3
    run = concatenated_ranges(starts - 1, lengths)
    last = np.cumsum(lengths) - 1
    run[last] = after[stops]
    bent = np.zeros(len(run), bool)
    bent[last] = bent[last - lengths + 1] = True
    return below, _Half(corners[run], lengths, of[starts], bent)


def of_triangles(triangles: Ids, faces: Ids, cells: Ids) -> Polygons:
    """Return whole triangles with these places (3, n) as polygons."""
    count = len(triangles)
    return Polygons(
        np.full(count, 3),
        triangles,
        cells,
        np.zeros(count, np.uint8),
        faces.T.ravel(),
        np.tile(np.eye(3), count),
        np.tile(_EDGES_AT_CORNERS, count),
        np.zeros(3 * count, bool),
    )


NO_POLYGONS = of_triangles(np.empty(0, np.intp), np.empty((3, 0), np.intp), np.empty(0, np.intp))


def all_of(parts: list[Polygons]) -> Polygons:
    """Return all polygons of the parts."""
    return Polygons(*joined(vars(part).values() for part in (NO_POLYGONS, *parts)))


def without_bits(polygons: Polygons, cells: Ids) -> Polygons:
    """Return polygons moved to other cells, at whose walls they have not been divided yet."""
    return replace(polygons, cells=cells, bits=np.zeros(len(polygons), np.uint8))
