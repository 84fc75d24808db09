"""Touch bands of pairs: the length that was stated, or what single precision resolves of the two.

Coordinates come from files and scenes in single precision: what they are known by is a few units
in the last place of the largest one. The band of a pair is what decides on it, whatever else
stands in the scene.
"""

from collections.abc import Generator, Iterator

import numpy as np

from ..arrays import Floats, Ids
from ..construction import build_octree, build_steps
from ..pairs import overlapping_pairs_steps
from ..query import query
from ..scene.moment import Moment
from ..shapes import Boxes
from ..steps import between

# Units in the last place: one for each of the two to be rounded, and one for its matrix.
_UNITS = 4.0
# Bits of the numbers that coordinates were written in.
_BITS = 24
_SLACK = 2.0**-20


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
    size = np.maximum(np.abs(bounds[:3]), np.abs(bounds[3:]))
    grid = np.abs(placements.matrices[:, rows].reshape(3, 4, *rows.shape)[:, :3])
    return _resolved((grid * size).sum(axis=1).max(axis=0))


def bands_of(moment: Moment, met: Ids, stated: float) -> Floats:
    """Return the bands of pairs of rows, (2, p): (p,)."""
    finest = resolutions(moment.placements.boxes)[met]
    return np.maximum(finest.max(axis=0), stated)


def by_band(bands: Floats) -> Iterator[tuple[float, float, float, Ids]]:
    """Yield the share of the pairs before and after, a band, and which pairs have it.

    There are as many bands as powers of two among the largest coordinates, at most.
    """
    done, count = 0, max(len(bands), 1)
    for band in np.unique(bands).tolist():
        (some,) = (bands == band).nonzero()
        yield done / count, (done + len(some)) / count, band, some
        done += len(some)


def grown_boxes(boxes: Floats, reach: float) -> Floats:
    """Return boxes (6, n) that meet if they are a reach apart, or what either of two resolves."""
    far = np.maximum(reach / 2, resolutions(boxes)) * (1 + _SLACK)
    far += np.abs(boxes).max(axis=0, initial=0.0) * 2.0**-40
    return np.concatenate((boxes[:3] - far, boxes[3:] + far))


def near_pairs(moment: Moment, reach: float, owners: Ids | None) -> Generator[float, None, Ids]:
    """Return the pairs of rows whose boxes are that near, (2, h), and of different owners."""
    (rows,) = moment.placements.is_there.nonzero()
    tree = yield from between(0.0, 0.5, build_steps(_grown(moment, rows, reach)))
    of_rows = None if owners is None else owners[rows]
    steps = overlapping_pairs_steps(tree, margin=0.0, owners=of_rows)
    return _sorted(rows[(yield from between(0.5, 1.0, steps))])


def near_some(moment: Moment, some: Ids, reach: float) -> Ids:
    """Return the pairs of some rows and any others whose boxes are that near, (2, h)."""
    (rows,) = moment.placements.is_there.nonzero()
    tree = build_octree(_grown(moment, rows, reach))
    which, others = query(tree, _grown(moment, some, reach))
    met = np.stack((some[which], rows[others]))
    return _sorted(met[:, met[0] != met[1]])


def _grown(moment: Moment, rows: Ids, reach: float) -> Boxes:
    return Boxes.from_rows(grown_boxes(moment.placements.boxes[:, rows], reach))


def _sorted(met: Ids) -> Ids:
    return np.unique(np.sort(met, axis=0), axis=1)
