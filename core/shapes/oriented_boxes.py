"""Oriented boxes (OBB): center, half sizes and three axes, (15, n)."""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arrays import Flags, Floats
from .boxes import Shapes, frozen

# Largest error of rotations in float32 precision, or after a chain of parents.
_TOLERANCE = 2.0**-14


class OrientedBoxes(Shapes):
    """Boxes rotated in space.

    Parameters
    ----------
    centers : array_like of float, shape (n, 3) or (3,)
        The middles of the boxes. Copied, like the other arrays.
    half_sizes : array_like of float, shape (n, 3) or (3,)
        Half the edges along the box's own axes, not negative. A box may be flat.
    rotations : array_like of float, shape (n, 3, 3) or (3, 3)
        The columns are the box's axes; they may be mirrored. Rotations in float32 precision are
        made orthonormal in float64; exactly orthonormal ones are not changed.

    Raises
    ------
    ValueError
        On a wrong shape, a negative half size, or a rotation whose columns are not orthonormal.
    """

    def __init__(self, centers: ArrayLike, half_sizes: ArrayLike, rotations: ArrayLike) -> None:
        middle, half, turned = checks.batches(
            ("centers", centers, (3,)),
            ("half_sizes", half_sizes, (3,)),
            ("rotations", rotations, (3, 3)),
        )
        checks.every_row("half_sizes", "not be negative", ~(half < 0).any(axis=1), half)
        finite = np.isfinite(turned).all(axis=(1, 2))
        good = ~finite
        good[finite] = _nearly_orthonormal(turned[finite])
        checks.every_row("rotations", "have orthonormal columns", good, turned)
        turned[finite] = _orthonormal(turned[finite])
        axes = turned.transpose(2, 1, 0).reshape(9, -1)
        self._rows = frozen(np.concatenate((middle.T, half.T, axes)))

    @property
    def centers(self) -> Floats:
        """The middles, (n, 3)."""
        return self.rows[:3].T

    @property
    def half_sizes(self) -> Floats:
        """Half the edges along the box's own axes, (n, 3)."""
        return self.rows[3:6].T

    @property
    def rotations(self) -> Floats:
        """The rotations, (n, 3, 3); their columns are the box's axes."""
        return self.rows[6:].reshape(3, 3, -1).transpose(2, 1, 0)

    def _limits(self) -> tuple[Floats, Floats]:
        middle, half, axes = self.rows[:3], self.rows[3:6], self.rows[6:].reshape(3, 3, -1)
        with np.errstate(invalid="ignore"):  # an infinite box
            reach = (half[:, None] * np.abs(axes)).sum(axis=0)
            return middle - reach, middle + reach


def _nearly_orthonormal(matrices: Floats) -> Flags:
    with np.errstate(over="ignore", invalid="ignore"):
        products = matrices.swapaxes(1, 2) @ matrices
        return (np.abs(products - np.eye(3)) <= _TOLERANCE).all(axis=(1, 2))


def _orthonormal(matrices: Floats) -> Floats:
    """Return the nearest orthonormal matrices; exactly orthonormal ones are not changed.

    Newton's iteration: each step squares the error. Higham, "Computing the Polar Decomposition -
    with Applications", 1986.
    """
    for _ in range(2):
        matrices = matrices @ (3 * np.eye(3) - matrices.swapaxes(1, 2) @ matrices) / 2
    return matrices
