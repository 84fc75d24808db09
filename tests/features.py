"""Which convex hulls come near each other, by their corners, edges and faces, every pair of them.

The nearest points of two hulls that are apart lie on two corners, on a corner and an edge, on a
corner and a face, or on two edges. If they are not apart, an edge of one pierces a face of the
other, or one holds the other. Nothing is divided, so whole numbers stay exact.
"""

from typing import NamedTuple

import numpy as np


class Hulls(NamedTuple):
    """Corners (n, p, 3), edges (n, e, 2, 3) and triangles that make up the faces (n, f, 3, 3)."""

    corners: np.ndarray
    edges: np.ndarray
    faces: np.ndarray


def dot(a, b):
    return (a * b).sum(axis=-1)


def cross(a, b):
    return a[..., [1, 2, 0]] * b[..., [2, 0, 1]] - a[..., [2, 0, 1]] * b[..., [1, 2, 0]]


def signed_square(numbers):
    return numbers * abs(numbers)


def near(ones, others, reach):
    """Which hulls come within reach, (n,), of their partners among the others, (n,)."""
    reach = reach[:, None, None]
    flags = one_sided(ones, others, reach) | one_sided(others, ones, reach)
    flags |= any_of(corners_near_corners(*paired(ones.corners, others.corners), reach))
    return flags | any_of(edges_near_edges(*paired(ones.edges, others.edges), reach))


def one_sided(ones, others, reach):
    """Which hulls have a corner or an edge that comes near an edge or a face of their partner."""
    flags = any_of(corners_near_edges(*paired(ones.corners, others.edges), reach))
    flags |= any_of(corners_near_faces(*paired(ones.corners, others.faces), reach))
    return flags | any_of(edges_pierce_faces(*paired(ones.edges, others.faces)))


def any_of(flags):
    """Whether any pair of features is near, (n,) from (n, f, g)."""
    return flags.any(axis=(1, 2))


def paired(ones, others):
    """Each feature of a hull, and each of its partner, so that they combine to (n, f, g, ...)."""
    return ones[:, :, None], others[:, None]


def within(squares, reach, lengths=1):
    """Whether squared distances, in squared lengths, are within reach."""
    return squares <= signed_square(reach) * lengths


def corners_near_corners(corners, others, reach):
    return within(dot(corners - others, corners - others), reach)


def corners_near_edges(corners, edges, reach):
    """Where the foot of the perpendicular lies on the edge."""
    start, end = edges[..., 0, :], edges[..., 1, :]
    along, length = dot(corners - start, end - start), dot(end - start, end - start)
    moment = cross(corners - start, end - start)
    beside = (along >= 0) & (along <= length) & (length > 0)
    return beside & within(dot(moment, moment), reach, length)


def corners_near_faces(corners, faces, reach):
    """Where the foot of the perpendicular lies on the face."""
    a, b, c = (faces[..., k, :] for k in range(3))
    normal = cross(b - a, c - a)
    on_face = dot(normal, normal) > 0
    for start, end in ((a, b), (b, c), (c, a)):
        on_face = on_face & (dot(cross(end - start, corners - start), normal) >= 0)
    return on_face & within(dot(corners - a, normal) ** 2, reach, dot(normal, normal))


def edges_near_edges(ones, others, reach):
    """Where the common perpendicular has both feet on the edges."""
    one, other = (some[..., 1, :] - some[..., 0, :] for some in (ones, others))
    normal, between = cross(one, other), others[..., 0, :] - ones[..., 0, :]
    length = dot(normal, normal)
    flags = (length > 0) & within(dot(between, normal) ** 2, reach, length)
    for along in (other, one):
        share = dot(cross(between, along), normal)
        flags = flags & (share >= 0) & (share <= length)
    return flags


def edges_pierce_faces(edges, faces):
    """Where an edge's ends lie on either side of a face, and all sides turn one way round it."""
    start, end = edges[..., 0, :], edges[..., 1, :]
    a, b, c = (faces[..., k, :] for k in range(3))
    normal = cross(b - a, c - a)
    above, below = dot(start - a, normal), dot(end - a, normal)
    turns = [dot(cross(p - start, q - start), end - start) for p, q in ((a, b), (b, c), (c, a))]
    one_way = np.all([turn >= 0 for turn in turns], axis=0)
    other_way = np.all([turn <= 0 for turn in turns], axis=0)
    across = ((above > 0) & (below < 0)) | ((above < 0) & (below > 0))
    return across & (one_way | other_way)
