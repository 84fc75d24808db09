"""Rays as arrays, and ray packets: which rays descend together."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Floats, Ids, blocks, dot, gather, radix_argsort
from ..descend import codes_in_root
from ..mailboxing import Mailboxes
from ..morton import Words
from ..octree import Octree

# Rays in a packet at most; the pairs that it should test, whose mailboxes take some ten megabytes.
_TOGETHER, _TESTED = 16_384, 524_288
# Bits of an origin's place along each axis that come before the signs of the direction, and after.
_COARSE, _FINE = 3, 4
_BLOCK = 65_536


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


def ray_packets(tree: Octree, rays: Rays, mailboxes: Mailboxes) -> Iterator[Ids]:
    """Yield the numbers of all rays, packet by packet, each with empty mailboxes.

    The more pairs the rays of a packet have tested, the fewer rays are in the next. Where there is
    more than one packet, rays are sorted by where they start and which way they go; those of one
    camera stay in their order, except for their octants.
    """
    order = np.arange(len(rays))
    if len(rays) > _TOGETHER:
        keys = np.concatenate([_keys(tree, rays, some) for some in blocks(len(rays), _BLOCK)])
        order = radix_argsort(keys, 3 * (_COARSE + 1 + _FINE))
    first, size = 0, _TOGETHER
    while first < len(rays):
        packet = order[first : first + size]
        mailboxes.reset(len(packet))
        yield packet
        first += len(packet)
        size = max(1, min(_TOGETHER, len(packet) * _TESTED // max(len(mailboxes), 1)))


def _keys(tree: Octree, rays: Rays, some: slice) -> Words:
    codes = codes_in_root(tree, rays.origins[:, some], _COARSE + _FINE)
    backwards = rays.directions[:, some] < 0
    octants = backwards[0] | backwards[1] << 1 | backwards[2] << 2
    coarse, fine = codes >> 3 * _FINE, codes & 2 ** (3 * _FINE) - 1
    return (coarse << 3 | octants) << 3 * _FINE | fine
