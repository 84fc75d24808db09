"""Duplicates: surfaces of the same shape in the same place, with the same triangles.

Every triangle must have an equal triangle of the other surface within the band. This is not enough
if the band is wide: a thin surface may be within the band of a thick one. So the triangles must
also agree, within a narrower limit, after a shift that moves both bounding boxes to one center.

A row is the position of a placement in the snapshot of the scene.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, starts_of_runs
from ..boxes import bounds_of_runs
from .bands import shape_resolutions
from .contacts import Contacts
from .solids import World

# Shapes that differ by more than this fraction of their size are different, for any band.
_ALIKE = 2.0**-10


def apart_at_most(ones: Floats, others: Floats, limits: Floats | float) -> Floats:
    """Return the distances between the corners of triangles (9, h), NaN beyond limits, (h,).

    The distance is the largest from a corner of either triangle to the nearest corner of the
    other, so the order of corners does not matter.
    """
    one, other = ones.reshape(3, 3, -1), others.reshape(3, 3, -1)
    found, limits = np.full(ones.shape[1], np.nan), np.broadcast_to(limits, ones.shape[1])
    apart = np.abs(one.min(axis=0) - other.min(axis=0)).max(axis=0)
    apart = np.maximum(apart, np.abs(one.max(axis=0) - other.max(axis=0)).max(axis=0))
    (some,) = (apart <= limits).nonzero()
    ways = one[:, None][..., some] - other[None][..., some]
    squares = (ways * ways).sum(axis=2)
    worst = np.maximum(squares.min(axis=0).max(axis=0), squares.min(axis=1).max(axis=0))
    far = np.sqrt(worst)
    found[some] = np.where(far <= limits[some], far, np.nan)
    return found


def twins_of(world: World, met: Ids, contacts: Contacts, alike: Floats) -> Floats:
    """Return the largest distance between equal triangles of duplicates, else NaN, (p,).

    `alike` is the distance between the two triangles of each contact, NaN beyond the band.
    """
    count = met.shape[1]
    full = _covered(world, met, contacts, ~np.isnan(alike))
    (some,) = (~np.isnan(alike) & full[contacts.pairs]).nonzero()
    same = np.zeros(len(contacts), bool)
    same[some] = _same_shape(world, met, contacts[some])
    full &= _covered(world, met, contacts, same)
    worst = np.zeros(count)
    np.maximum.at(worst, contacts.pairs[same], alike[same])
    return np.where(full, worst, np.nan)


def _covered(world: World, met: Ids, contacts: Contacts, which: Flags) -> Flags:
    """Flag the pairs whose triangles, on both sides, all have a contact of `which`, (p,)."""
    (some,) = which.nonzero()
    pairs, full = contacts.pairs[some], np.ones(met.shape[1], bool)
    for entries, rows in zip(contacts.entries[:, some], met, strict=True):
        order = np.lexsort((entries, pairs))
        keys, whose = entries[order], pairs[order]
        new = np.ones(len(order), bool)
        new[1:] = (keys[1:] != keys[:-1]) | (whose[1:] != whose[:-1])
        matched = np.bincount(whose[new], minlength=len(full))
        full &= matched == world.moment.meshes.sizes[world.meshes(rows)]
    return full


def _same_shape(world: World, met: Ids, contacts: Contacts) -> Flags:
    """Flag the contacts whose triangles are equal after a shift of their pair to one center.

    Contacts are sorted by pair; the centers are those of the triangles in contact.
    """
    if len(contacts) == 0:
        return np.zeros(0, bool)
    rows = met[:, contacts.pairs]
    starts = starts_of_runs(contacts.pairs)
    ones, others = (
        world.corners(*each).reshape(3, 3, -1) for each in zip(contacts.entries, rows, strict=True)
    )
    middles, sizes = zip(*(middle_and_size(each, starts) for each in (ones, others)), strict=True)
    limits = shape_limits(world, rows[:, starts], np.minimum(*sizes))
    counts = np.diff(starts, append=len(contacts))
    shifted = others + np.repeat(middles[0] - middles[1], counts, axis=1)
    far = apart_at_most(ones.reshape(9, -1), shifted.reshape(9, -1), np.repeat(limits, counts))
    return ~np.isnan(far)


def shape_limits(world: World, rows: Ids, sizes: Floats) -> Floats:
    """Return the largest difference between equal shapes in rows (2, p), of `sizes`, (p,)."""
    resolved = shape_resolutions(world.moment, rows).max(axis=0)
    return np.maximum(np.minimum(world.band, sizes * _ALIKE), resolved)


def middle_and_size(corners: Floats, starts: Ids) -> tuple[Floats, Floats]:
    """Return the center, (3, p), and diagonal, (p,), of the box around each run of triangles."""
    around = bounds_of_runs(corners.min(axis=0), corners.max(axis=0), starts)
    size = around[3:] - around[:3]
    return (around[:3] + around[3:]) / 2, np.sqrt(dot(size, size))
