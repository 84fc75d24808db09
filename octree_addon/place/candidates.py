"""Candidate poses for copies: random points on faces, weighted by area, or in a box; seeded."""

from dataclasses import dataclass

import numpy as np

from ...core import Triangles
from ..arrays import Flags, Floats, Ids

# Height of copies above the plane of their face, in float32 steps (ULPs).
_LIFT = 4.0
# Largest product of vertices and candidates in one batch.
_TOGETHER = 1 << 20
UP = np.array((0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Ranges:
    """Ranges of the random differences between copies.

    Attributes
    ----------
    scales, turns : tuple of float
        Smallest and largest scale factor, and smallest and largest angle in radians.
    slope : float
        The steepest face that gets copies, as an angle to the horizontal in radians.
    is_upright : bool
        If true, copies keep their original's up axis, however the face is inclined.
    """

    scales: tuple[float, float] = (1.0, 1.0)
    turns: tuple[float, float] = (0.0, 2 * np.pi)
    slope: float = np.pi / 4
    is_upright: bool = True


@dataclass(frozen=True, eq=False)
class CopyCandidates:
    """n candidate poses for copies, in the order in which they are tried.

    Attributes
    ----------
    sources : ndarray of intp, shape (n,)
        Index of the original of each copy.
    frames : ndarray of float64, shape (n, 4, 4)
        Poses of the original's origin; their rotation and scale apply about that origin.
    refused : ndarray of bool, shape (n,)
        Candidates on faces that are too steep, or that do not fit into the box.
    """

    sources: Ids
    frames: Floats
    refused: Flags

    def __len__(self) -> int:
        return len(self.sources)


def on_faces(
    faces: Triangles, shapes: list[Floats], ranges: Ranges, count: int, rng: np.random.Generator
) -> CopyCandidates:
    """Return candidates on the faces of a surface, each with its lowest point on its face.

    Parameters
    ----------
    faces : Triangles
        Faces in world space, drawn with a probability proportional to their area.
    shapes : list of ndarray of float64, shape (v, 3)
        The vertices of each original, relative to its origin.
    ranges : Ranges
        Ranges of scale, rotation and slope.
    count : int
        Number of candidates.
    rng : numpy.random.Generator
        Source of random numbers; equal seeds give equal candidates.
    """
    corners = faces.rows.T.reshape(-1, 3, 3)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    if not areas.any():
        raise ValueError("The faces to fill have no area")
    chosen = rng.choice(len(areas), count, p=areas / areas.sum())
    first, second = rng.random((2, count))
    flips = first + second > 1
    first, second = np.where(flips, (1 - first, 1 - second), (first, second))
    weights = np.stack((1 - first - second, first, second), axis=1)
    points = np.einsum("nc,ncx->nx", weights, corners[chosen])
    normals = normals[chosen] / areas[chosen, None]
    ups = np.broadcast_to(UP, normals.shape) if ranges.is_upright else normals
    sources, linear = _turned(shapes, ranges, ups, rng)
    # Move each copy along its up direction until no vertex is below the plane of the face.
    slopes = np.einsum("nx,nx->n", normals, ups)
    too_steep = normals[:, 2] < np.cos(ranges.slope) - 1e-9
    too_steep |= slopes <= 1e-6
    heights = _heights(shapes, sources, linear, normals) / np.where(too_steep, 1.0, slopes)
    # Rounding depends on each copy's own position: other faces may be far away.
    reach = np.array([np.abs(shape).max(initial=0.0) for shape in shapes])[sources]
    reach *= np.abs(linear).sum(axis=2).max(axis=1)
    least = np.spacing((np.abs(points).max(axis=1) + reach).astype(np.float32))
    return CopyCandidates(
        sources,
        _frames(linear, points + (heights + _LIFT * least)[:, None] * ups),
        too_steep,
    )


def in_box(
    lower: Floats,
    upper: Floats,
    shapes: list[Floats],
    ranges: Ranges,
    count: int,
    rng: np.random.Generator,
) -> CopyCandidates:
    """Return candidates uniformly distributed in a box along the world axes."""
    points = rng.uniform(lower, upper, (count, 3))
    sources, linear = _turned(shapes, ranges, np.broadcast_to(UP, (count, 3)), rng)
    outside = np.zeros(count, np.bool_)
    for axis, (low, high) in enumerate(zip(lower, upper, strict=True)):
        for sign, limit in ((-1.0, low), (1.0, high)):
            way = np.zeros((count, 3))
            way[:, axis] = -sign
            reach = _heights(shapes, sources, linear, way)  # extent opposite to `way`
            outside |= sign * points[:, axis] + reach > sign * limit
    return CopyCandidates(sources, _frames(linear, points), outside)


def _turned(
    shapes: list[Floats], ranges: Ranges, ups: Floats, rng: np.random.Generator
) -> tuple[Ids, Floats]:
    """Return a random original, (n,), and its rotation and scale as a matrix, (n, 3, 3)."""
    count = len(ups)
    sources = rng.integers(len(shapes), size=count)
    angles, scales = rng.uniform(*ranges.turns, count), rng.uniform(*ranges.scales, count)
    cosines, sines = np.cos(angles), np.sin(angles)
    turn = np.zeros((count, 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = cosines
    turn[:, 0, 1], turn[:, 1, 0], turn[:, 2, 2] = -sines, sines, 1.0
    linear = rotations_between(UP, ups) @ turn * scales[:, None, None]
    return sources, linear


def rotations_between(one: Floats, others: Floats) -> Floats:
    """Return the smallest rotations, (n, 3, 3), from one direction to others (Rodrigues)."""
    axes, cosines = np.cross(one, others), others @ one
    skew = np.zeros((len(others), 3, 3))
    x, y, z = axes.T
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -z, y, -x
    skew[:, 1, 0], skew[:, 2, 0], skew[:, 2, 1] = z, -y, x
    is_back = cosines <= -1 + 1e-12  # half a turn about any perpendicular axis
    part = 1 / np.where(is_back, 1.0, 1 + cosines)
    across = np.cross(one, np.eye(3)[np.abs(one).argmin()])
    across /= np.linalg.norm(across)
    half = 2 * np.outer(across, across) - np.eye(3)
    rotations = np.eye(3) + skew + skew @ skew * part[:, None, None]
    return np.where(is_back[:, None, None], half, rotations)


def _heights(shapes: list[Floats], sources: Ids, linear: Floats, normals: Floats) -> Floats:
    """Return how far each copy extends from its origin opposite to its normal, (n,)."""
    heights = np.zeros(len(sources))
    for number, shape in enumerate(shapes):
        rows = np.flatnonzero(sources == number)
        for some in np.array_split(rows, len(rows) * len(shape) // _TOGETHER + 1):
            # In local space, one product covers all vertices of the shape.
            ways = np.einsum("nij,ni->nj", linear[some], normals[some])
            heights[some] = -(ways @ shape.T).min(axis=1, initial=np.inf)
    return heights


def _frames(linear: Floats, origins: Floats) -> Floats:
    frames = np.zeros((len(origins), 4, 4))
    frames[:, :3, :3], frames[:, :3, 3], frames[:, 3, 3] = linear, origins, 1.0
    return frames
