"""Half-spaces: the four numbers of a plane, (4, n)."""

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Floats, power_of_two_scale
from .batch import Shapes, frozen


class HalfSpaces(Shapes):
    """All that lies on the positive side of a plane, the plane included.

    Parameters
    ----------
    planes : array_like of float, shape (n, 4)
        a, b, c, d: inside where ax + by + cz + d >= 0. The normal a, b, c points inside and may
        have any length but 0. Copied.

    Raises
    ------
    ValueError
        On a wrong shape or a normal of 0, 0, 0.
    """

    def __init__(self, planes: ArrayLike) -> None:
        array = checks.floats("planes", planes, 4)
        directed = (array[:, :3] != 0).any(axis=1)
        checks.every_row("planes", "have a normal that is not zero", directed, array)
        self._rows = frozen(array.T)

    @property
    def planes(self) -> Floats:
        """The planes a, b, c, d, (n, 4)."""
        return self.rows.T

    @cached_property
    def plane_rows(self) -> Floats:
        """The same planes, (4, n), their normals about one, by powers of two."""
        return frozen(self.rows * power_of_two_scale(self.rows[:3]))

    def limits(self) -> tuple[Floats, Floats]:
        """Return all of space.

        Returns
        -------
        lower, upper : ndarray of float64, shape (3, n)
            Axis first; minus and plus infinity.
        """
        upper = np.full((3, len(self)), np.inf)
        return -upper, upper
