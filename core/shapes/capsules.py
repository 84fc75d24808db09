"""Capsules: segments grown round by a radius, (7, n)."""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats
from .batch import Shapes, frozen


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
