"""Signed gaps of two triangles along a direction, over the interior of their projected overlap.

The shadow of a triangle is its projection along the direction. Two shadows overlap unless the line
through an edge of one has the other shadow on its outer side (separating axes, in a plane).

Over the overlap the gap is linear, so its minimum is at a corner of the overlap: at a corner of
one triangle inside the other's shadow, or where the shadows of two edges cross.

All signs are exact: if rounding leaves a sign in doubt, it is computed again in whole numbers
(J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
Predicates", 1997, does so with growing sums).
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Flags, Floats, Ids, starts_of_runs, two_difference_error, two_product_error
from ..boxes import bounds_of_runs
from ..whole import Wholes, floored, signs_of
from .way import Way

# Rounding errors of a product of two differences, and of three, relative to the terms.
_TWO, _THREE = 2.0**-50, 2.0**-49
# Gaps are rounded down to multiples of this, in a space where coordinates are below one. So sums
# of gaps are exact, in any order.
QUANTUM = 2.0**-50
_BITS = 50

_NEXT = np.array([1, 2, 0])
# Tables by corner of an overlap, each vector as its end and start among the six corners of a pair:
# vectors x and y span the plane in which the gap is measured, vector z connects the two surfaces,
# and the last table has the sign of the gap. det(x, y, z) = gap * det2(x, y).
_X = np.array([[4, 3]] * 3 + [[1, 0]] * 3 + [[_NEXT[e], e] for e in range(3) for _ in range(3)])
_Y = np.array(
    [[5, 3]] * 3 + [[2, 0]] * 3 + [[3 + _NEXT[f], 3 + f] for _ in range(3) for f in range(3)]
)
_Z = np.array(
    [[i, 3] for i in range(3)]
    + [[3 + i, 0] for i in range(3)]
    + [[3 + f, e] for e in range(3) for f in range(3)]
)
_SIGN = np.array([-1] * 3 + [1] * 12)
# The first of nine more corners, for two shadows that are the same point: corner _POINTS + 3 i + j
# pairs corner i of the first triangle with corner j of the second.
_POINTS = 15


@dataclass(frozen=True)
class ShadowGaps:
    """Gaps of pairs of triangles; pairs that cross, or only have gaps of 0, are listed separately.

    Attributes
    ----------
    crossing : ndarray of intp, shape (c,)
        Pairs that cross: their gaps have both signs.
    flat : ndarray of intp, shape (f,)
        Pairs whose gaps are all 0.
    faces : ndarray of bool, shape (f,)
        Flags of the `flat` pairs whose shadows both have an area: coplanar faces.
    pairs : ndarray of intp, shape (h,)
        Pairs whose second triangle is ahead of the first, ascending, once for each corner of
        their overlap.
    corners : ndarray of intp, shape (h,)
        The number of this corner.
    least, most : ndarray of float64, shape (h,)
        Bounds of the gap at this corner.
    """

    crossing: Ids
    flat: Ids
    faces: Flags
    pairs: Ids
    corners: Ids
    least: Floats
    most: Floats


def shadow_gaps(way: Way, corners: Floats, *, signed: bool = False) -> ShadowGaps:
    """Return the gaps of pairs of triangles (6 corners, 3 axes, h).

    The first three corners belong to the mover, the others to the second triangle. If `signed`,
    all overlapping pairs have gaps, negative ones included; `crossing` and `flat` are empty.
    """
    seen = way.seen(corners)
    signs, alive = _signs(way, corners, seen)
    (left,) = alive.nonzero()
    signs, corners, seen = signs[:, left], corners[..., left], seen[..., left]
    is_corner = _shared_corners(way, corners, signs)
    pairs, which = is_corner.T.nonzero()
    least, most = _bounds(way, seen[..., pairs], which)
    if not signed:
        (doubt,) = ((least < 0) & (most > 0) | (least == 0) ^ (most == 0)).nonzero()
        side = (least > 0).astype(np.intp) - (most < 0)
        if len(doubt):
            least[doubt], side[doubt] = exact_gaps(way, corners[..., pairs[doubt]], which[doubt])
            most[doubt] = least[doubt] + QUANTUM
        begins = starts_of_runs(pairs)
        lowest, highest = bounds_of_runs(side[None], side[None], begins)
        each = pairs[begins]
        flat = each[(lowest == 0) & (highest == 0)]
        ahead = np.zeros(len(left), bool)
        ahead[each[(lowest >= 0) & (highest > 0)]] = True
        kept = ahead[pairs]
        faces = (signs[18:, flat] != 0).all(axis=0)
        crossing = left[each[(lowest < 0) & (highest > 0)]]
        pairs, which, least, most = pairs[kept], which[kept], least[kept], most[kept]
        return ShadowGaps(crossing, left[flat], faces, left[pairs], which, least, most)
    nothing = left[:0]
    return ShadowGaps(nothing, nothing, nothing > 0, left[pairs], which, least, most)


def exact_gaps(way: Way, corners: Floats, which: Ids) -> tuple[Floats, Ids]:
    """Return gaps at corners of overlaps, rounded down to multiples of `QUANTUM`, and signs.

    Signs are those of the exact gaps: -1, 0 or 1.
    """
    x, y, z, factor, power = _exact_vectors(way, corners, which)
    area = x[0] * y[1] - x[1] * y[0]
    volume = area * z[2] + (x[1] * y[2] - x[2] * y[1]) * z[0] + (x[2] * y[0] - x[0] * y[2]) * z[1]
    is_point = which >= _POINTS
    volume, area = np.where(is_point, z[2], volume), np.where(is_point, 1, area)
    below = area * factor
    signs = _sign_of(which)
    above = volume * signs.astype(object)
    values = floored(above, below, power + _BITS) * QUANTUM
    return values, signs_of(above) * signs_of(below)


def places_on_movers(way: Way, corners: Floats, which: Ids) -> Floats:
    """Return the points of the moving triangles at corners of overlaps, (3, h)."""
    x, y, z = _vectors(way.seen(corners), which)
    each = np.arange(len(which))
    of_other = (which >= 3) & (which < 6)
    one = corners[np.where(of_other, which, 0), :, each].T
    area = x[0] * y[1] - x[1] * y[0]
    volume = area * z[2] + (x[1] * y[2] - x[2] * y[1]) * z[0] + (x[2] * y[0] - x[0] * y[2]) * z[1]
    gaps = np.divide(volume, area, out=np.zeros_like(area), where=area != 0)
    share = np.divide(z[0] * y[1] - z[1] * y[0], area, out=np.zeros_like(area), where=area != 0)
    edge = np.clip(which - 6, 0, 8) // 3
    start, stop = corners[edge, :, each].T, corners[_NEXT[edge], :, each].T
    found = start + share * (stop - start)
    found = np.where(of_other, one - gaps * way.direction[:, None], found)
    own = np.where(which < 3, which, np.clip(which - _POINTS, 0, 8) // 3)
    is_own = (which < 3) | (which >= _POINTS)
    return np.where(is_own, corners[own, :, each].T, found)


def facings(way: Way, corners: Floats) -> Ids:
    """Return the signs of the components of the direction along normals of triangles.

    Triangles are (3 corners, 3 axes, h). Signs are exact: -1, 0 or 1. The corners of a triangle
    are in counterclockwise order around its normal.
    """
    seen = way.seen(corners)
    values, errors = _orientations(seen, way.error, _TRIPLES[18:19])
    signs = np.sign(values[0]).astype(np.intp)
    (doubt,) = (np.abs(values[0]) <= errors[0]).nonzero()
    if len(doubt):
        face = np.full(len(doubt), 18)
        signs[doubt] = _exact_signs(way, corners, seen, face, doubt)
    return signs * int(np.sign(way.direction[way.axes[2]]))


def _sign_of(which: Ids) -> Ids:
    signs: Ids = np.where(which < _POINTS, _SIGN[np.minimum(which, _POINTS - 1)], 1)
    return signs


def _signs(way: Way, corners: Floats, seen: Floats) -> tuple[Ids, Flags]:
    """Return the orientations of edges and corners, (20, h), and flags of pairs that may overlap.

    Orientations are -1, 0 or 1, and exact for pairs that may overlap: nine of the edges of the
    first triangle and the corners of the second, nine of the edges of the second and the corners
    of the first, and two of the triangles themselves.
    """
    values, errors = _orientations(seen, way.error, _TRIPLES)
    signs = (values > errors).astype(np.int8) - (values < -errors).astype(np.int8)
    doubt = (np.abs(values) <= errors) & (errors > 0)
    alive = ~_separated(signs, doubt)
    numbers, pairs = (doubt & alive).nonzero()
    if len(pairs):
        signs[numbers, pairs] = _exact_signs(way, corners, seen, numbers, pairs)
        alive &= ~_separated(signs, np.zeros_like(doubt))
    return signs, alive


# The three points of each orientation.
_TRIPLES = np.array(
    [[e, _NEXT[e], 3 + j] for e in range(3) for j in range(3)]
    + [[3 + e, 3 + _NEXT[e], i] for e in range(3) for i in range(3)]
    + [[0, 1, 2], [3, 4, 5]]
)


def _orientations(seen: Floats, error: float, triples: Ids) -> tuple[Floats, Floats]:
    """Return orientations of triples (t, 3) of points, (t, h), and the rounding errors of each."""
    plane = seen[:, :2]
    edges = plane[triples[:, 1]] - plane[triples[:, 0]]
    ways = plane[triples[:, 2]] - plane[triples[:, 0]]
    one, other = edges[:, 0] * ways[:, 1], edges[:, 1] * ways[:, 0]
    errors = (np.abs(one) + np.abs(other)) * _TWO
    if error:
        errors += (np.abs(edges).sum(axis=1) + np.abs(ways).sum(axis=1) + 4 * error) * 4 * error
    return one - other, errors


def _separated(signs: Ids, doubt: Flags) -> Flags:
    """Flag the pairs whose shadows surely do not overlap; signs in doubt decide nothing.

    Only the edges of shadows with an area are tested as separating lines.
    """
    flags = np.zeros(signs.shape[1], bool)
    for first, face in ((0, 18), (9, 19)):
        sides = signs[first : first + 9].reshape(3, 3, -1)
        unsure = doubt[first : first + 9].reshape(3, 3, -1)
        facing = signs[face]
        outside = (~unsure & (sides * facing <= 0)).all(axis=1).any(axis=0)
        flags |= (facing != 0) & outside
    return flags


def _exact_signs(way: Way, corners: Floats, seen: Floats, numbers: Ids, pairs: Ids) -> Ids:
    """Return exact orientations: of triple `numbers[i]` of `_TRIPLES`, in pair `pairs[i]`."""
    found = np.zeros(len(pairs), np.int8)
    doubt = np.ones(len(pairs), bool)
    triples = _TRIPLES[numbers].T
    if way.error == 0:
        points = seen[triples, :2, pairs]
        found, doubt = _signs_without_rounding(points)
    (left,) = doubt.nonzero()
    if len(left):
        points = np.moveaxis(corners[triples[:, left], :, pairs[left]], -1, 1)
        seen_exactly, _, _ = way.exact(points)
        edge, way_to = (each - seen_exactly[0] for each in seen_exactly[1:])
        found[left] = signs_of(edge[0] * way_to[1] - edge[1] * way_to[0])
    return found


def _signs_without_rounding(points: Floats) -> tuple[Ids, Flags]:
    """Return orientations of points (3, h, 2), and flags of doubt where rounding took part."""
    start = points[0]
    lost = (two_difference_error(points[1:], start) != 0).any(axis=(0, 2))
    (a, b), (c, d) = (points[1:] - start).swapaxes(1, 2)
    lost |= (two_product_error(a, d) != 0) | (two_product_error(b, c) != 0)
    one, other = a * d, b * c
    return (one > other).astype(np.int8) - (one < other).astype(np.int8), lost


def _shared_corners(way: Way, corners: Floats, signs: Ids) -> Flags:
    """Flag the corners of projected overlaps, (24, h); none if shadows only touch."""
    sides = signs[:9].reshape(3, 3, -1), signs[9:18].reshape(3, 3, -1)
    facing = signs[18], signs[19]
    reached, inside = [], []
    for side, face in zip(sides, facing, strict=True):
        within = (side * face > 0).any(axis=1).all(axis=0)
        divided = ((side > 0).any(axis=1) & (side < 0).any(axis=1)).any(axis=0)
        reached.append(np.where(face != 0, within, divided))
        inside.append((face != 0) & (side * face >= 0).all(axis=0))
    (thin,) = ((facing[0] == 0) | (facing[1] == 0)).nonzero()
    same = np.zeros((9, corners.shape[2]), bool)
    if len(thin):
        points, same[:, thin] = _points(way, corners[..., thin])
        for one, other in ((0, 1), (1, 0)):
            reached[one][thin[points[one] & (facing[other][thin] != 0)]] = True
    counts = reached[0] & reached[1]
    # Orientations of both ends of an edge relative to an edge of the other triangle, (3, 3, h):
    # `begin` and `end` of edges of the first triangle, `first` and `last` of the second.
    begin, end = sides[1].swapaxes(0, 1), sides[1][:, _NEXT].swapaxes(0, 1)
    first, last = sides[0], sides[0][:, _NEXT]
    crossed = (begin * end <= 0) & ((begin != 0) | (end != 0))
    crossed &= (first * last <= 0) & ((first != 0) | (last != 0))
    found = np.concatenate((inside[1], inside[0], crossed.reshape(9, -1)))
    return np.concatenate((found & counts, same))


def _points(way: Way, corners: Floats) -> tuple[tuple[Flags, Flags], Flags]:
    """Flag shadows that are points, of both triangles, and coinciding corners, (9, h).

    Corners coincide only if both shadows are points.
    """
    places = (way.exact(corners)[0] if way.error else way.seen(corners))[:, :2]
    one, other = (
        np.asarray((part == part[:1]).all(axis=(0, 1)), bool) for part in (places[:3], places[3:])
    )
    met = np.asarray((places[0] == places[3]).all(axis=0), bool) & one & other
    return (one, other), np.tile(met, (9, 1))


def _vectors(seen: Floats, which: Ids) -> tuple[Floats, Floats, Floats]:
    """Return the vectors x, y and z of corners of overlaps, (3, h) each: see `_X`."""
    each, shown = np.arange(len(which)), np.minimum(which, _POINTS - 1)
    points = np.maximum(which - _POINTS, 0)
    found = []
    for table in (_X, _Y, _Z):
        stop, start = table[shown].T
        if table is _Z:
            stop = np.where(which >= _POINTS, 3 + points % 3, stop)
            start = np.where(which >= _POINTS, points // 3, start)
        found.append((seen[stop, :, each] - seen[start, :, each]).T)
    return found[0], found[1], found[2]


def _exact_vectors(
    way: Way, corners: Floats, which: Ids
) -> tuple[Wholes, Wholes, Wholes, int, int]:
    seen, factor, power = way.exact(corners)
    # The scale of the projected plane cancels in a gap, so only the scale of heights is returned.
    return *_vectors(seen, which), factor, power


def _bounds(way: Way, seen: Floats, which: Ids) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the gaps at corners of overlaps; infinite if unknown."""
    x, y, z = _vectors(seen, which)
    terms = np.stack((x[0] * y[1], x[1] * y[0]))
    area, area_error = terms[0] - terms[1], np.abs(terms).sum(axis=0) * _TWO
    one, other = x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2]
    sizes = [np.abs(each) for each in (x, y, z)]
    volume = area * z[2] + one * z[0] + other * z[1]
    error = np.abs(terms).sum(axis=0) * sizes[2][2]
    error += (sizes[0][1] * sizes[1][2] + sizes[0][2] * sizes[1][1]) * sizes[2][0]
    error += (sizes[0][2] * sizes[1][0] + sizes[0][0] * sizes[1][2]) * sizes[2][1]
    error *= _THREE
    if way.error:
        largest = np.max([each.max(axis=0) for each in sizes], axis=0) + way.error
        area_error += 16 * way.error * largest
        error += 64 * way.error * largest * largest
    known = np.abs(area) > area_error
    gaps = np.divide(volume, area, out=np.zeros_like(area), where=known) * _sign_of(which)
    wide = error + np.abs(gaps) * area_error
    wide = np.divide(wide, np.abs(area) - area_error, out=np.zeros_like(area), where=known)
    wide += np.abs(gaps) * 2.0**-52
    if way.error == 0:
        # If both surfaces are perpendicular to the direction, the gap is one difference.
        level = known & (x[2] == 0) & (y[2] == 0)
        gaps = np.where(level, z[2] * _sign_of(which), gaps)
        wide = np.where(level, np.where(_is_exact(seen, which), 0.0, wide), wide)
    points = which >= _POINTS
    gaps = np.where(points, z[2], gaps)
    wide = np.where(points, np.abs(z[2]) * 2.0**-50 + 4 * way.error, wide)
    known |= points
    return np.where(known, gaps - wide, -np.inf), np.where(known, gaps + wide, np.inf)


def _is_exact(seen: Floats, which: Ids) -> Flags:
    """Flag the corners at which the difference of heights has no rounding error."""
    stop, start = _Z[np.minimum(which, _POINTS - 1)].T
    each = np.arange(len(which))
    one, other = seen[stop, 2, each], seen[start, 2, each]
    flags: Flags = two_difference_error(one, other) == 0
    return flags
