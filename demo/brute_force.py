"""What is true, found without a tree: every triangle is asked, by formulas of its own."""

import numpy as np

CHUNK = 16_384


def triangles_in_sphere(corners: np.ndarray, center: np.ndarray, radius: float) -> np.ndarray:
    """Ids of the triangles (n, 3 corners, 3) no farther than `radius` from the center."""
    a, b, c = np.moveaxis(corners, 1, 0) - center
    squared = np.minimum(np.minimum(_to_edge(a, b), _to_edge(b, c)), _to_edge(c, a))
    normal = np.cross(b - a, c - a)
    sides = [_dot(np.cross(p, q), normal) for p, q in ((a, b), (b, c), (c, a))]
    above = np.all(np.array(sides) > 0, axis=0)  # the center's foot lies within the triangle
    to_plane = _dot(a[above], normal[above]) ** 2 / _dot(normal[above], normal[above])
    squared[above] = np.minimum(squared[above], to_plane)
    return np.flatnonzero(squared <= radius * radius)


def triangles_in_frustum(corners: np.ndarray, frustum: np.ndarray) -> np.ndarray:
    """Ids of the triangles (n, 3 corners, 3) that touch the frustum (8, 3)."""
    starts = range(0, len(corners), CHUNK)
    touching = [_touches(corners[start : start + CHUNK], frustum) for start in starts]
    return np.flatnonzero(np.concatenate(touching))


def grown(frustum: np.ndarray, slack: float) -> np.ndarray:
    """Move the corners of a frustum (8, 3) away from its middle."""
    outward = frustum - frustum.mean(axis=0)
    return frustum + slack * outward / np.linalg.norm(outward, axis=1).min()


def _touches(corners: np.ndarray, frustum: np.ndarray) -> np.ndarray:
    """Look for an axis that separates: face normals, and products of an edge of each."""
    middle = frustum.mean(axis=0)
    corners, frustum = corners - middle, frustum - middle
    edges = corners - np.roll(corners, 1, axis=1)
    ours = frustum[[1, 3, 4, 5, 6, 7]] - frustum[[0, 0, 0, 1, 2, 3]]
    touching = np.ones(len(corners), dtype=bool)
    faces = np.cross(ours[[0, 1, 0, 1, 0]], ours[[1, 2, 2, 3, 4]])  # near is far's too
    axes = [*faces, np.cross(edges[:, 0], edges[:, 1])]
    axes += [np.cross(edges[:, side], edge) for side in range(3) for edge in ours]
    for axis in axes:
        theirs = _dot(corners, np.atleast_2d(axis)[:, None])
        mine = np.atleast_2d(axis) @ frustum.T
        touching &= (theirs.max(axis=1) >= mine.min(axis=1)) & (
            theirs.min(axis=1) <= mine.max(axis=1)
        )
    return touching


def _to_edge(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Squared distance of the origin to the segments from p to q, which may be points."""
    edge = q - p
    length = _dot(edge, edge)
    share = np.divide(-_dot(p, edge), length, out=np.zeros(len(p)), where=length > 0)
    foot = p + np.clip(share, 0, 1)[:, None] * edge
    return _dot(foot, foot)


def _dot(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.einsum("...k,...k->...", p, q)
