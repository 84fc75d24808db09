"""Solid spheres: centre and radius, (4, n)."""

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
        """The centres, (n, 3)."""
        return self.rows[:3].T

    @property
    def radii(self) -> Floats:
        """The radii, (n,)."""
        return self.rows[3]

    def limits(self) -> tuple[Floats, Floats]:
        """Return centre minus and plus radius.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; NaN stays NaN.
        """
        with np.errstate(invalid="ignore"):  # an infinite sphere around infinity
            return self.rows[:3] - self.rows[3], self.rows[:3] + self.rows[3]
