"""View matrices with evenly spread directions (Fibonacci sphere) or eye points in a volume.

Views are matrices (v, 4, 4), projection @ view, OpenGL clip space, for column vectors.
"""

from typing import SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats
from ..shapes import Boxes

# The root of x**4 = x + 1, whose powers fill a cube evenly. M. Roberts, "The Unreasonable
# Effectiveness of Quasirandom Sequences", 2018.
_EVEN = 1.2207440846057596
# Forward and up vectors of the six views of a cube map.
_FORWARD = np.concatenate((np.eye(3), -np.eye(3)))
_UP = np.array([[0, 0, 1.0], [0, 0, 1], [0, 1, 0]] * 2)


def sphere_directions(count: SupportsIndex, /) -> Floats:
    """Return directions that are spread evenly on a sphere.

    Parameters
    ----------
    count : int
        Number of directions.

    Returns
    -------
    ndarray of float64, shape (count, 3)
        Unit vectors. Any first part of them is spread about evenly, too.

    Raises
    ------
    ValueError
        If the count is no whole number, or negative.

    References
    ----------
    R. Swinbank and R. J. Purser, "Fibonacci grids: A novel approach to global modelling", 2006.
    """
    number = checks.whole_number("count", count, 0)
    checks.room("count", count, number, 3)
    # The order is mixed instead of downward, so that the faces added by the last views show
    # if more views are needed.
    steps = np.argsort(np.arange(number) * np.sqrt(2) % 1.0)
    heights = 1 - (2 * steps + 1) / max(number, 1)
    turns = steps * (np.pi * (3 - np.sqrt(5)))
    radii = np.sqrt(1 - heights * heights)
    return np.stack((radii * np.cos(turns), radii * np.sin(turns), heights), axis=1)


def views_around(bounds: Boxes, /, *, count: SupportsIndex = 64) -> Floats:
    """Return parallel views of all boxes together, from even directions around them.

    Parameters
    ----------
    bounds : Boxes
        Boxes that each view shows entirely.
    count : int, default 64
        Number of views.

    Returns
    -------
    ndarray of float64, shape (count, 4, 4)
        Square views, as wide as a sphere around the bounds; all have the same scale.

    Raises
    ------
    ValueError
        If these are no boxes, or none that are finite, or the count is no whole number.
    """
    lower, upper = _limits("bounds", bounds)
    center, radius = (lower + upper) / 2, float(np.linalg.norm(upper - lower)) / 2 or 1.0
    checks.room("count", count, checks.whole_number("count", count, 0), 4, 4)
    directions = sphere_directions(count)
    scale = np.diag([1, 1, -1, 1]) / np.array([radius, radius, radius, 1.0])[:, None]
    return np.asarray(scale @ looking(center - directions * 0, -directions, _ups(directions)))


def views_inside(
    volume: Boxes,
    /,
    *,
    places: SupportsIndex = 16,
    near: ArrayLike = 0.01,
    far: SupportsFloat = 1000.0,
) -> Floats:
    """Return views in all directions from places that fill a box evenly.

    Parameters
    ----------
    volume : Boxes
        One box.
    places : int, default 16
        Number of eye points, with six square views of 90 degrees each.
    near : array_like of float, shape () or (places,)
        Distance of the near plane from the eye, in scene units.
    far : float
        Distance of the far plane from the eye.

    Returns
    -------
    ndarray of float64, shape (6 * places, 4, 4)
        Views towards x, y, z, -x, -y and -z from each eye point in turn.

    Raises
    ------
    ValueError
        If this is not one finite box, the number of places is no whole number, or near and far do
        not ascend from above 0.
    """
    number = checks.whole_number("places", places, 0)
    checks.room("places", places, number, 6, 4, 4)
    starts = checks.number_or_floats("near", near, number)
    checks.same_length("near and places", starts, np.empty(number))
    end = checks.number("far", far, 0.0)
    if not ((starts > 0) & (starts < end)).all():
        raise ValueError(f"near and far must ascend from above 0, got {near!r} and {far!r}")
    lower, upper = _limits("volume", volume)
    if len(volume) != 1:
        raise ValueError(f"volume must be one box, got {len(volume)}")
    powers = _EVEN ** -np.arange(1.0, 4.0)
    eyes = lower + (upper - lower) * ((0.5 + np.arange(number)[:, None] * powers) % 1.0)
    projections = np.tile(np.eye(4), (6 * number, 1, 1))
    projections[:, 2:, 2:] = [[0, 0], [-1, 0]]
    projections[:, 2, 2] = np.repeat(-(end + starts) / (end - starts), 6)
    projections[:, 2, 3] = np.repeat(-2 * end * starts / (end - starts), 6)
    forward, up = np.tile(_FORWARD, (number, 1)), np.tile(_UP, (number, 1))
    return np.asarray(projections @ looking(np.repeat(eyes, 6, axis=0), forward, up))


def looking(eyes: Floats, forward: Floats, up: Floats) -> Floats:
    """Return view matrices (v, 4, 4) from eyes, forward and up unit vectors, (v, 3) each."""
    right = np.cross(forward, up)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    matrices = np.zeros((len(eyes), 4, 4))
    matrices[:, :3, :3] = np.stack((right, np.cross(right, forward), -forward), axis=1)
    matrices[:, :3, 3] = -np.einsum("vij,vj->vi", matrices[:, :3, :3], eyes)
    matrices[:, 3, 3] = 1.0
    return matrices


def _ups(directions: Floats) -> Floats:
    """Return up vectors that are not parallel to directions: z, or y for steep directions."""
    steep = np.abs(directions[:, 2]) > 0.99
    return np.where(steep[:, None], np.eye(3)[1], np.eye(3)[2])


def _limits(name: str, bounds: Boxes) -> tuple[Floats, Floats]:
    checks.kind(name, bounds, (Boxes,))
    finite = np.isfinite(bounds.rows).all(axis=0)
    if not finite.any():
        raise ValueError(f"{name} must hold a finite box, got {len(bounds)} boxes")
    return bounds.lower[finite].min(axis=0), bounds.upper[finite].max(axis=0)


def unprojected(view_projection: Floats, points: Floats) -> Floats:
    """Return the scene positions of points (3, k) of the clip cube from -1 to 1, (3, k)."""
    inverse = np.linalg.inv(view_projection)
    places: Floats = inverse[:, :3] @ points + inverse[:, 3:]
    return places[:3] / places[3]


def depths_of(view_projection: Floats, nearness: ArrayLike) -> Floats:
    """Return depths along the view direction, from the eye or a parallel view's near plane."""
    near = np.asarray(nearness, np.float64)
    z = (1 - 2 * near).ravel()
    places = unprojected(view_projection, np.stack((0 * z, 0 * z, z)))
    row = view_projection[3] + 0.0
    if not row[:3].any():
        row += view_projection[2]
    depths: Floats = (row[:3] @ places + row[3]) / np.linalg.norm(row[:3])
    return depths.reshape(near.shape)
