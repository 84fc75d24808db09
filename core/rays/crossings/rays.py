"""Rays as arrays: origin and direction, (3, q) each, and how far they go."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Floats, Ids, dot, gather


@dataclass(frozen=True)
class Rays:
    """Rays whose directions are scaled so that their products neither overflow nor underflow.

    Attributes
    ----------
    origins, directions : ndarray of float64, shape (3, q)
        The largest coordinate of a direction is at least 1 and below 2. Scaling is by powers of
        two, which changes no bit; but directions along an axis are of length 1.
    lengths : ndarray of float64, shape (q,)
        The lengths of the scaled directions.
    limits, reaches : ndarray of float64, shape (q,)
        Where the rays end, in scene units and in scaled directions. Where a ray is given by two
        points, the second is at a whole number of directions, but at a rounded distance.
    asked : int
        How many rays the caller asked about, of which these are some: what tables are worth.
    """

    origins: Floats
    directions: Floats
    lengths: Floats
    limits: Floats
    reaches: Floats
    axes: Ids
    asked: int

    @classmethod
    def of(cls, origins: Floats, directions: Floats, limits: Floats) -> "Rays":
        """Return rays from checked origins and directions (3, q) and distances (q,)."""
        sizes = np.abs(directions)
        largest = sizes.max(axis=0, initial=0.0)
        scaled = np.ldexp(directions, 1 - np.frexp(largest)[1])
        axes = sizes.argmax(axis=0)
        along_axis = (sizes > 0).sum(axis=0) == 1
        scaled = np.where(along_axis, np.sign(directions), scaled)
        lengths = np.sqrt(dot(scaled, scaled))
        return cls(origins, scaled, lengths, limits, limits / lengths, axes, len(lengths))

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, numbers: Ids) -> "Rays":
        return Rays(
            gather(self.origins, numbers),
            gather(self.directions, numbers),
            self.lengths[numbers],
            self.limits[numbers],
            self.reaches[numbers],
            self.axes[numbers],
            self.asked,
        )

    def up_to(self, limits: Floats) -> "Rays":
        """Return the same rays with other ends."""
        return replace(self, limits=limits, reaches=limits / self.lengths)

    def positions(self, numbers: Ids, distances: Floats) -> Floats:
        """Return the points of these rays at these distances, (3, h)."""
        steps = distances / self.lengths[numbers]
        return self.origins[:, numbers] + steps * self.directions[:, numbers]
