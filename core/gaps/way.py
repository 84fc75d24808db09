"""Oblique projection along a direction: two coordinates of the shadow, and one along the way.

The axis along which the direction is longest is measured in directions, and what is left of the
other two coordinates once the direction is taken out is the shadow. Along an axis this only
rearranges coordinates, and no bit is lost.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import OTHER_AXES, Floats
from ..whole import Wholes, whole_numbers

# How far rounding moves a coordinate of about one, if the direction lies along no axis.
_MOVED = 2.0**-48


@dataclass(frozen=True)
class Way:
    """A direction, (3,), of about one, the three axes in the order of projection, and its length.

    `length` is rounded down, and `error` is by how much projected coordinates of up to one may be
    wrong.
    """

    direction: Floats
    axes: tuple[int, int, int]
    length: float
    error: float

    @classmethod
    def of(cls, direction: Floats) -> "Way":
        """Return the way along a direction that is not zero."""
        longest = int(np.abs(direction).argmax())
        axes = (*OTHER_AXES[longest], longest)
        scaled = direction * np.ldexp(1.0, -np.frexp(np.abs(direction[longest]))[1])
        if np.count_nonzero(scaled) == 1:
            return cls(np.sign(scaled), axes, 1.0, 0.0)
        length = float(np.sqrt((scaled * scaled).sum())) * (1 - 2.0**-50)
        return cls(scaled, axes, length, _MOVED)

    @property
    def unit(self) -> Floats:
        """The direction with a length of one, (3,)."""
        unit: Floats = self.direction / np.sqrt((self.direction * self.direction).sum())
        return unit

    @property
    def told(self) -> Floats:
        """The direction and the error, (4,)."""
        return np.append(self.direction, self.error)

    def seen(self, points: Floats) -> Floats:
        """Return points (..., 3, h) as the place of their shadow and the place along the way."""
        i, j, k = self.axes
        found = np.empty_like(points)
        along = points[..., k, :] / self.direction[k]
        found[..., 0, :] = points[..., i, :] - along * self.direction[i]
        found[..., 1, :] = points[..., j, :] - along * self.direction[j]
        found[..., 2, :] = along
        return found

    def turned(self, matrices: Floats) -> tuple[Floats, Floats]:
        """Return matrices (12, n) that place what is seen, and how large their terms were."""
        rows = matrices.reshape(3, 4, -1)
        i, j, k = self.axes
        shares = self.direction / self.direction[k]
        seen = np.stack(
            (rows[i] - rows[k] * shares[i], rows[j] - rows[k] * shares[j], rows[k] * shares[k])
        )
        seen[2] /= self.direction[k]
        sizes = np.abs(rows)
        terms = np.stack((sizes[i] + sizes[k], sizes[j] + sizes[k], 2 * sizes[k]))
        return seen.reshape(12, -1), terms.reshape(12, -1)

    def exact(self, points: Floats) -> tuple[Wholes, int, int]:
        """Return points (..., 3, h) as whole numbers, once more and exactly.

        All three coordinates are larger than what is seen by the same factor, which is the
        direction along its longest axis. What they come to along the way has to be divided by that
        factor, a whole number, and multiplied with a power of two.
        """
        i, j, k = self.axes
        wholes, power = whole_numbers(points)
        ways, direction_power = whole_numbers(self.direction)
        along = wholes[..., k, :]
        seen = np.stack(
            (
                wholes[..., i, :] * ways[k] - along * ways[i],
                wholes[..., j, :] * ways[k] - along * ways[j],
                along,
            ),
            axis=-2,
        )
        return seen, int(ways[k]), power - direction_power
