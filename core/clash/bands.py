"""Touch bands of pairs: the length that was stated, or what single precision resolves of the two.

Coordinates come from files and scenes in single precision: what they are known by is a few units
in the last place of the largest one. The band of a pair is what decides on it, whatever else
stands in the scene. Pairs that are far larger or smaller than usual are looked at scaled by a
power of two, which changes no bit: products of eight of their lengths are numbers then.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids
from ..boxes import boxes_grown, magnitudes
from ..construction import build_steps
from ..pairs import overlapping_pairs_steps
from ..pairs.box_pairs import meeting_boxes
from ..scene.moment import Moment
from ..shapes import Boxes
from ..steps import Steps, between

# Units in the last place: one for each of the two to be rounded, and one for its matrix.
_UNITS = 4.0
# Bits of the numbers that coordinates were written in.
_BITS = 24
_SLACK = 2.0**-20
# The powers of two of coordinates whose products of eight are far from the largest numbers; of
# what is beyond any number a scale can be made of.
_USUAL, _ANY = 48, 1_000
# A length beyond all distances between coordinates that are usual.
_BEYOND = 2.0**100


def resolutions(boxes: Floats) -> Floats:
    """Return which lengths coordinates of things in boxes (6, n) resolve, (n,)."""
    return _resolved(np.abs(boxes).max(axis=0, initial=0.0))


def _resolved(largest: Floats) -> Floats:
    units = np.ldexp(1.0, np.frexp(largest)[1] - _BITS)
    return np.where(largest > 0, _UNITS * units, 0.0)


def shape_resolutions(moment: Moment, rows: Ids) -> Floats:
    """Return which lengths the meshes in rows resolve, as if all were placed at the origin."""
    placements = moment.placements
    bounds = moment.meshes.table.bounds[:, placements.meshes[rows]]
    size = magnitudes(bounds)
    grid = np.abs(placements.matrices[:, rows].reshape(3, 4, *rows.shape)[:, :3])
    return _resolved((grid * size).sum(axis=1).max(axis=0))


@dataclass(frozen=True)
class Banded:
    """Some pairs of one band and one magnitude, and the scene in a space scaled for these.

    `start` and `stop` are the shares of all pairs before and after them.
    """

    start: float
    stop: float
    some: Ids
    band: float
    scale: float
    moment: Moment

    def scaled(self, length: float) -> float:
        """Return a length in that space, or one that is beyond all that is found there."""
        return min(length * self.scale, _BEYOND)


def by_band(moment: Moment, met: Ids, stated: float) -> Iterator[Banded]:
    """Yield pairs of rows, (2, p), by their bands, and by powers of two where these are unusual.

    There are as many as powers of two among the largest coordinates, at most.
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
    """Return the powers of two of the largest coordinates, 0 of those that are usual."""
    powers = np.frexp(largest)[1].clip(-_ANY, _ANY)
    powers[np.abs(powers) <= _USUAL] = 0
    return powers


def unusual_scale(boxes: Floats) -> float:
    """Return the power of two by which all boxes (6, n) are of usual size, 1 if they are."""
    largest = np.abs(boxes).max(axis=(0, 1), initial=0.0, keepdims=True)[0]
    return float(2.0 ** -_unusual_powers(largest)[0])


def reaching_boxes(boxes: Floats, reach: float) -> Floats:
    """Grow boxes (6, n) to meet others that are a reach apart, or what either of two resolves."""
    far = np.maximum(reach / 2, resolutions(boxes)) * (1 + _SLACK)
    far += np.abs(boxes).max(axis=0, initial=0.0) * 2.0**-40
    return boxes_grown(boxes, far)


def near_pairs(moment: Moment, reach: float, owners: Ids | None) -> Steps[Ids]:
    """Return the pairs of rows whose boxes are that near, (2, h), and of different owners."""
    (rows,) = moment.placements.is_there.nonzero()
    boxes = Boxes.from_rows(reaching_boxes(moment.placements.boxes[:, rows], reach))
    tree = yield from between(0.0, 0.5, build_steps(boxes))
    of_rows = None if owners is None else owners[rows]
    steps = overlapping_pairs_steps(tree, margin=0.0, owners=of_rows)
    return _sorted(rows[(yield from between(0.5, 1.0, steps))])


def near_some(moment: Moment, some: Ids, reach: float) -> Steps[Ids]:
    """Return the pairs of some rows and any others whose boxes are that near, (2, h)."""
    (rows,), boxes = moment.placements.is_there.nonzero(), moment.placements.boxes
    ones, others = (reaching_boxes(boxes[:, each], reach) for each in (some, rows))
    which, near = yield from meeting_boxes(ones, others)
    met = np.stack((some[which], rows[near]))
    return _sorted(met[:, met[0] != met[1]])


def _sorted(met: Ids) -> Ids:
    return np.unique(np.sort(met, axis=0), axis=1)
