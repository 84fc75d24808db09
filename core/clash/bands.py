"""Touch bands of pairs: the stated length, or the resolution of the pair's coordinates.

Files and scenes store coordinates in single precision, so coordinates are accurate to a few units
in the last place of the largest one. The band of a pair depends on this pair only.

Pairs of unusual magnitude are judged in a space scaled by a power of two. This scaling is exact,
and products of eight lengths are finite there.

A row is the position of a placement in the snapshot of the scene.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids
from ..boxes import boxes_grown, magnitudes
from ..pairs.broad_phase import meeting_boxes
from ..scene.moment import Moment
from ..steps import Steps

# Units in the last place: the mesh and the matrix of both placements are rounded.
_UNITS = 4.0
# Bits of the significand in single precision.
_BITS = 24
_SLACK = 2.0**-20
# Exponents: up to _USUAL, products of eight coordinates are far from overflow; up to _ANY, the
# power of two and its inverse are finite.
_USUAL, _ANY = 48, 1_000
# A length greater than all distances between coordinates of usual magnitude.
_BEYOND = 2.0**100


def resolutions(boxes: Floats) -> Floats:
    """Return the lengths that coordinates in boxes (6, n) resolve, (n,)."""
    return _resolved(np.abs(boxes).max(axis=0, initial=0.0))


def _resolved(largest: Floats) -> Floats:
    units = np.ldexp(1.0, np.frexp(largest)[1] - _BITS)
    return np.where(largest > 0, _UNITS * units, 0.0)


def shape_resolutions(moment: Moment, rows: Ids) -> Floats:
    """Return the lengths that the meshes in rows resolve if placed at the origin."""
    placements = moment.placements
    bounds = moment.meshes.table.bounds[:, placements.meshes[rows]]
    size = magnitudes(bounds)
    grid = np.abs(placements.matrices[:, rows].reshape(3, 4, *rows.shape)[:, :3])
    return _resolved((grid * size).sum(axis=1).max(axis=0))


@dataclass(frozen=True)
class Banded:
    """Pairs of one band and one magnitude, and the scene in a space scaled for them.

    `some` are the numbers of these pairs. Before them the fraction `start` of all pairs is done,
    after them the fraction `stop`.
    """

    start: float
    stop: float
    some: Ids
    band: float
    scale: float
    moment: Moment

    def scaled(self, length: float) -> float:
        """Return a length in the scaled space, limited to more than any distance there."""
        return min(length * self.scale, _BEYOND)


def by_band(moment: Moment, met: Ids, stated: float) -> Iterator[Banded]:
    """Yield groups of pairs of rows, (2, p), by band, and by magnitude if it is unusual.

    The number of groups is at most the number of exponents among the largest coordinates.
    """
    largest = np.abs(moment.placements.boxes).max(axis=0, initial=0.0)[met].max(axis=0)
    bands = np.maximum(_resolved(largest), stated)
    powers = _unusual_powers(largest)
    done, count = 0, max(len(bands), 1)
    for band in np.unique(bands).tolist():
        has_band = bands == band
        for power in np.unique(powers[has_band]).tolist():
            (some,) = (has_band & (powers == power)).nonzero()
            start, done = done, done + len(some)
            scale = 2.0**-power
            yield Banded(start / count, done / count, some, band, scale, moment.scaled(scale))


def _unusual_powers(largest: Floats) -> Ids:
    """Return the binary exponents of the largest coordinates; 0 for usual magnitudes."""
    powers = np.frexp(largest)[1].clip(-_ANY, _ANY)
    powers[np.abs(powers) <= _USUAL] = 0
    return powers


def unusual_scale(boxes: Floats) -> float:
    """Return the power of two that scales boxes (6, n) to usual magnitude; 1 if they have it."""
    largest = np.abs(boxes).max(axis=(0, 1), initial=0.0, keepdims=True)[0]
    return float(2.0 ** -_unusual_powers(largest)[0])


def reaching_boxes(boxes: Floats, reach: float) -> Floats:
    """Grow boxes (6, n) so that two overlap if they are a reach, or either resolution, apart."""
    far = np.maximum(reach / 2, resolutions(boxes)) * (1 + _SLACK)
    far += np.abs(boxes).max(axis=0, initial=0.0) * 2.0**-40
    return boxes_grown(boxes, far)


def near_pairs(moment: Moment, reach: float, owners: Ids | None) -> Steps[Ids]:
    """Return the sorted pairs of rows, (2, h), of different owners whose boxes are near."""
    (rows,) = moment.placements.is_there.nonzero()
    boxes = reaching_boxes(moment.placements.boxes[:, rows], reach)
    of_rows = None if owners is None else owners[rows]
    return rows[(yield from meeting_boxes(boxes, owners=of_rows))]


def near_some(moment: Moment, some: Ids, reach: float) -> Steps[Ids]:
    """Return the sorted pairs, (2, h), of `some` rows and any other rows with boxes near."""
    (rows,), boxes = moment.placements.is_there.nonzero(), moment.placements.boxes
    ones, others = (reaching_boxes(boxes[:, each], reach) for each in (some, rows))
    which, near = yield from meeting_boxes(ones, others)
    met = np.stack((some[which], rows[near]))
    return np.unique(np.sort(met[:, met[0] != met[1]], axis=0), axis=1)
