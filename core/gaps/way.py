"""Oblique projection along a direction: two coordinates of the shadow, and a height.

A point is its shadow plus a multiple of the direction. The shadow lies in the plane through the
origin across the axis along which the direction is longest; the multiple is the height. If the
direction is parallel to an axis, the projection only rearranges coordinates, and is exact.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import OTHER_AXES, Floats
from ..whole import Wholes, whole_numbers

# Rounding error of a projected coordinate of about one, if the direction is parallel to no axis.
_MOVED = 2.0**-48


@dataclass(frozen=True)
class Way:
    """A projection direction, (3,), scaled by a power of two to a length of about one.

    `axes` are the axes of both coordinates of the shadow and of the height, and `length` is the
    length of the direction, rounded down. `error` is a bound of the rounding errors of projected
    coordinates of up to one.
    """

    direction: Floats
    axes: tuple[int, int, int]
    length: float
    error: float

    @classmethod
    def of(cls, direction: Floats) -> "Way":
        """Return the projection along a direction that is not zero."""
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
        """The direction and the error, as the compiled kernel takes them, (4,)."""
        return np.append(self.direction, self.error)

    def seen(self, points: Floats) -> Floats:
        """Return the projections of points (..., 3, h): two coordinates, then the height."""
        i, j, k = self.axes
        found = np.empty_like(points)
        along = points[..., k, :] / self.direction[k]
        found[..., 0, :] = points[..., i, :] - along * self.direction[i]
        found[..., 1, :] = points[..., j, :] - along * self.direction[j]
        found[..., 2, :] = along
        return found

    def turned(self, matrices: Floats) -> tuple[Floats, Floats]:
        """Return matrices (12, n) followed by the projection, and the sizes of their terms.

        The sizes are sums of absolute matrix elements, and scale the bounds of rounding errors.
        """
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
        """Return the exact projections of points (..., 3, h) as whole numbers, a factor, a power.

        All three coordinates are scaled by the factor, a whole number that is proportional to the
        direction along its longest axis, and by powers of two. A height is its whole number,
        divided by the factor, times two to the power.
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
