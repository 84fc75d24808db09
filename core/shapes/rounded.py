"""Spheres, regions and capsules: points, boxes (AABB) and segments grown round by a radius."""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats
from .batch import Shapes, frozen


class Spheres(Shapes):
    """Solid spheres.

    Parameters
    ----------
    centers : array_like of float, shape (n, 3)
        Copied, like the radii.
    radii : array_like of float, shape (n,)
        Not negative; a sphere of radius 0 is a point.

    Raises
    ------
    ValueError
        On a wrong shape or a negative radius.
    """

    def __init__(self, centers: ArrayLike, radii: ArrayLike) -> None:
        middle, radius = checks.floats("centers", centers, 3), checks.floats("radii", radii)
        checks.same_length("centers and radii", middle, radius)
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((middle.T, radius[None])))

    @property
    def centers(self) -> Floats:
        """The centers, (n, 3)."""
        return self.rows[:3].T

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[3]

    def limits(self) -> tuple[Floats, Floats]:
        """Return center minus and plus radius.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        with np.errstate(invalid="ignore"):  # an infinite sphere around infinity
            return self.rows[:3] - self.rows[3], self.rows[:3] + self.rows[3]


class Regions(Shapes):
    """Boxes grown round: all points no farther than a radius from an axis-aligned box.

    A sphere is a point with a radius, a box has radius 0; as regions they live in one tree.

    Parameters
    ----------
    lower, upper : array_like of float, shape (n, 3)
        Opposite corners of the box within, lower <= upper on each axis. It may be flat. Copied.
    radii : array_like of float, shape (n,)
        Not negative.

    Raises
    ------
    ValueError
        On a wrong shape, where lower > upper, or on a negative radius.
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike, radii: ArrayLike) -> None:
        low, high = checks.floats("lower", lower, 3), checks.floats("upper", upper, 3)
        radius = checks.floats("radii", radii)
        checks.same_length("lower, upper and radii", low, high, radius)
        checks.every_row("lower", "not exceed upper", ~(low > high).any(axis=1), low)
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((low.T, high.T, radius[None])))

    @property
    def lower(self) -> Floats:
        """The lower corners of the boxes within, (n, 3)."""
        return self.rows[:3].T

    @property
    def upper(self) -> Floats:
        """The upper corners of the boxes within, (n, 3)."""
        return self.rows[3:6].T

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[6]

    def limits(self) -> tuple[Floats, Floats]:
        """Return the boxes within, grown by the radius.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        with np.errstate(invalid="ignore"):  # an infinite radius around infinity
            return self.rows[:3] - self.rows[6], self.rows[3:6] + self.rows[6]


class Capsules(Shapes):
    """Segments grown round: all points no farther than a radius from a segment.

    Parameters
    ----------
    starts, ends : array_like of float, shape (n, 3)
        The two ends of each segment, which may be one point. Copied, like the radii.
    radii : array_like of float, shape (n,)
        Not negative; a capsule of radius 0 is a segment.

    Raises
    ------
    ValueError
        On a wrong shape or a negative radius.
    """

    def __init__(self, starts: ArrayLike, ends: ArrayLike, radii: ArrayLike) -> None:
        first, last = checks.floats("starts", starts, 3), checks.floats("ends", ends, 3)
        radius = checks.floats("radii", radii)
        checks.same_length("starts, ends and radii", first, last, radius)
        checks.every_row("radii", "not be negative", ~(radius < 0), radius)
        self._rows = frozen(np.concatenate((first.T, last.T, radius[None])))

    @property
    def starts(self) -> Floats:
        """Where the segments start, (n, 3)."""
        return self.rows[:3].T

    @property
    def ends(self) -> Floats:
        """Where the segments end, (n, 3)."""
        return self.rows[3:6].T

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[6]

    def limits(self) -> tuple[Floats, Floats]:
        """Return the bounds of the segment, grown by the radius.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        first, last, radius = self.rows[:3], self.rows[3:6], self.rows[6]
        with np.errstate(invalid="ignore"):  # an infinite radius around infinity
            return np.minimum(first, last) - radius, np.maximum(first, last) + radius
