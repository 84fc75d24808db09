"""Brute-force reference results: formulas of their own, applied to every triangle."""

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


def shares_along(starts: np.ndarray, steps: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return where lines meet triangles, in steps from their start, (l, t); misses are infinite.

    After Moeller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
    """
    first, edge, other = (
        corners[:, 0],
        corners[:, 1] - corners[:, 0],
        corners[:, 2] - corners[:, 0],
    )
    upright, from_first = np.cross(steps[:, None], other), starts[:, None] - first
    across = np.cross(from_first, edge)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 1 / _dot(upright, edge)
        u, v = scale * _dot(from_first, upright), scale * _dot(across, steps[:, None])
        shares = scale * _dot(across, other)
        return np.where((u >= 0) & (v >= 0) & (u + v <= 1), shares, np.inf)


def triangles_that_touch(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Pairs (2, h) of triangles (n, 3, 3) and (m, 3, 3): an edge of one passes the other."""
    meets = _edges_pass(ours, theirs) | _edges_pass(theirs, ours).T
    return np.array(np.nonzero(meets))


def _edges_pass(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Flag the pairs in which an edge of our triangle pierces theirs, (n, m)."""
    starts, steps = ours, np.roll(ours, -1, axis=1) - ours
    shares = shares_along(starts.reshape(-1, 3), steps.reshape(-1, 3), theirs)
    return ((shares >= 0) & (shares <= 1)).reshape(len(ours), 3, len(theirs)).any(axis=1)


def grown(frustum: np.ndarray, slack: float) -> np.ndarray:
    """Move the corners of a frustum (8, 3) away from its middle."""
    outward = frustum - frustum.mean(axis=0)
    return frustum + slack * outward / np.linalg.norm(outward, axis=1).min()


def _touches(corners: np.ndarray, frustum: np.ndarray) -> np.ndarray:
    """Test the separating axes: face normals, and cross products of edges."""
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
