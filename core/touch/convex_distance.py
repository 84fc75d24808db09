"""Distance of convex hulls against a radius, by pairs of their features.

Two convex solids that share no point are nearest at a corner and a face, at two edges, or at
corners and edges that bound these. Each pair of such features is compared with the radius by
itself. Squares are compared without divisions, so that whole numbers stay exact. Ericson,
"Real-Time Collision Detection", 2005, 5.1 and 9.1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import Flags, Floats, Ids, blocks, cross, dot, power_of_two_scale, robust_cross
from ..shapes.boxes import box_corners
from ..shapes.frusta import EDGE_ENDS, EDGE_STARTS, FACES
from .separating_axis import grown
from .triangles import within_spans

# Size of a temporary array that stays in the cache: features times features times pairs.
_CACHED = 16_384


class Kind(NamedTuple):
    """Topology of a hull: starts and ends of edges, and faces as rings of corners (f, k)."""

    starts: Ids
    ends: Ids
    rings: Ids


_NONE = np.empty(0, np.intp)
POINT = Kind(_NONE, _NONE, np.empty((0, 3), np.intp))
SEGMENT = Kind(np.array([0]), np.array([1]), np.empty((0, 3), np.intp))
TRIANGLE = Kind(np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([[0, 1, 2]]))
HEXAHEDRON = Kind(EDGE_STARTS, EDGE_ENDS, FACES)
# Corner `i` of a box is upper in x if bit 0 of `i` is set, in y for bit 1, in z for bit 2.
_SIDES = np.array([0, 1, 3, 2, 4, 5, 7, 6])
BOX = Kind(_SIDES[EDGE_STARTS], _SIDES[EDGE_ENDS], _SIDES[FACES])


def near(one: Floats, one_kind: Kind, other: Floats, other_kind: Kind, radii: Floats) -> Flags:
    """Flag the pairs of disjoint hulls that are no farther apart than the radius, (h,).

    Corners are (3, p, h), axis first. For hulls that overlap, the flag may be true or false.
    """
    flags = np.empty(len(radii), bool)
    for some in _cached(one, other):
        origin = one[:, :1, some]
        seen = one[..., some] - origin, other[..., some] - origin
        ours, theirs, squared = _scaled(*seen, grown(radii[None, some], *seen)[0])
        flags[some] = (
            _corners_near_corners(ours, theirs, squared)
            | _corners_near_edges(ours, theirs, other_kind, squared)
            | _corners_near_edges(theirs, ours, one_kind, squared)
            | _corners_near_faces(ours, theirs, other_kind, squared)
            | _corners_near_faces(theirs, ours, one_kind, squared)
            | _edges_near_edges(ours, one_kind, theirs, other_kind, squared)
        )
    return flags


def near_boxes(corners: Floats, kind: Kind, half: Floats, radii: Floats) -> Flags:
    """Flag the hulls (3, p, h) within a radius of boxes of half sizes (3, h) around the origin.

    As with `near`, the flag of a hull that overlaps its box may be true or false.
    """
    radii = grown(radii[None], corners, half)[0]
    flags = _corners_near_boxes(corners, half, radii)
    rest = np.flatnonzero(~flags)
    boxes = box_corners(np.stack((-half, half))[:, :, rest]).swapaxes(0, 1)
    corners, radii = corners[:, :, rest], radii[rest]
    found = np.empty(len(rest), bool)
    for some in _cached(corners, boxes):
        ours, theirs, squared = _scaled(corners[..., some], boxes[..., some], radii[some])
        found[some] = (
            _corners_near_edges(theirs, ours, kind, squared)
            | _corners_near_faces(theirs, ours, kind, squared)
            | _edges_near_edges(ours, kind, theirs, BOX, squared)
        )
    flags[rest] = found
    return flags


def _cached(one: Floats, other: Floats) -> Iterator[slice]:
    return blocks(one.shape[2], _CACHED // (one.shape[1] * other.shape[1]))


def _scaled(one: Floats, other: Floats, radii: Floats) -> tuple[Floats, Floats, Floats]:
    """Return corners and squared radii, scaled so that all coordinates are at most about one."""
    corners = np.concatenate((one, other), axis=1).reshape(-1, len(radii))
    scale = power_of_two_scale(np.concatenate((corners, radii[None])))
    return one * scale, other * scale, (radii * scale) ** 2


def _corners_near_boxes(corners: Floats, half: Floats, radii: Floats) -> Flags:
    flags, squared = np.zeros(len(radii), bool), radii * radii
    for corner in corners.swapaxes(0, 1):
        beside = np.maximum(np.abs(corner) - half, 0.0)
        flags |= dot(beside, beside) <= squared
    return flags


def _corners_near_corners(ones: Floats, others: Floats, squared: Floats) -> Flags:
    apart = ones[:, :, None] - others[:, None]
    return (dot(apart, apart) <= squared).any(axis=(0, 1))


def _corners_near_edges(corners: Floats, hull: Floats, kind: Kind, squared: Floats) -> Flags:
    """Flag the pairs in which the foot of a corner on an edge's line is on the edge, and near."""
    starts = hull[:, kind.starts]
    edges = (hull[:, kind.ends] - starts)[:, None]
    apart = corners[:, :, None] - starts[:, None]
    along, length = dot(apart, edges), dot(edges, edges)
    moments = cross(apart, edges)
    close = (along >= 0) & (along <= length) & (length > 0)
    close &= dot(moments, moments) <= squared * length
    return close.any(axis=(0, 1))


def _corners_near_faces(corners: Floats, hull: Floats, kind: Kind, squared: Floats) -> Flags:
    """Flag the pairs in which the foot of a corner on a face's plane is in the face, and near."""
    if not len(kind.rings):
        return np.zeros(len(squared), bool)
    rings = hull[:, kind.rings]
    # In a triangle, corners 2 and -1 are the same.
    edges = np.roll(rings, -1, axis=2) - rings
    full = dot(edges, edges).max(axis=1) ** 2
    normals, area, thin = robust_cross(
        rings[:, :, 2] - rings[:, :, 0], rings[:, :, -1] - rings[:, :, 1], full
    )
    outwards = cross(edges, normals[:, :, None])
    apart = corners[:, :, None, None] - rings[:, None]
    sides = dot(apart, outwards[:, None])
    height = dot(apart[:, :, :, 0], normals[:, None])
    close = (sides >= 0).all(axis=2) | (sides <= 0).all(axis=2)
    close &= (height * height <= squared * area) & (area > 0)
    if (close & thin).any():
        close &= ~thin | within_spans(apart, edges[:, None])
    return close.any(axis=(0, 1))


def _edges_near_edges(
    one: Floats, one_kind: Kind, other: Floats, other_kind: Kind, squared: Floats
) -> Flags:
    """Flag the pairs in which a common perpendicular of two edges ends on both, and is short."""
    starts, theirs = one[:, one_kind.starts], other[:, other_kind.starts]
    ones = (one[:, one_kind.ends] - starts)[:, :, None]
    others = (other[:, other_kind.ends] - theirs)[:, None]
    full = dot(ones, ones) * dot(others, others)
    normals, area, parallel = robust_cross(ones, others, full)
    apart = theirs[:, None] - starts[:, :, None]
    height = dot(apart, normals)
    here, there = dot(cross(apart, others), normals), dot(cross(apart, ones), normals)
    close = (here >= 0) & (here <= area) & (there >= 0) & (there <= area) & (area > 0)
    close &= height * height <= squared * area
    if (close & parallel).any():
        # Feet on nearly parallel lines are imprecise: the edges must also overlap along their
        # direction.
        first, last = dot(apart, ones), dot(apart + others, ones)
        close &= (np.minimum(first, last) <= dot(ones, ones)) & (np.maximum(first, last) >= 0)
    return close.any(axis=(0, 1))
