"""Duplicates: surfaces of one shape in one place, the triangles of each among those of the other.

That all triangles are within the band of others is not enough: where the band is wide, thin things
are as near to thick ones. What differs from its twin but by where it stands has the same shape:
shifted so that both have one middle, its triangles are those of the other, much closer.
"""

import numpy as np

from ..arrays import Flags, Floats, Ids, dot, starts_of_runs
from ..boxes import bounds_of_runs
from .bands import shape_resolutions
from .contacts import Contacts
from .solids import World

# Shapes that differ by more than this part of their size are different, however wide the band.
_ALIKE = 2.0**-10


def apart_at_most(ones: Floats, others: Floats, limits: Floats | float) -> Floats:
    """Return how far corners of one triangle are from those of another, NaN beyond limits, (h,).

    Triangles are (9, h), in any order of their corners.
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
    """Return how far the triangles of both of a pair are apart if these are the same, else NaN.

    `alike` is how far the two triangles of each contact are, NaN beyond the band.
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
    """Return of which pairs all triangles of both have a contact that counts, (p,)."""
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
    """Return which contacts, all that are left of each pair, are of triangles in the same part."""
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
    """Return how far shapes in rows (2, p) of these sizes may differ and be the same, (p,)."""
    resolved = shape_resolutions(world.moment, rows).max(axis=0)
    return np.maximum(np.minimum(world.band, sizes * _ALIKE), resolved)


def middle_and_size(corners: Floats, starts: Ids) -> tuple[Floats, Floats]:
    """Return the middle of the box around each run of triangles, (3, p), and its diagonal."""
    around = bounds_of_runs(corners.min(axis=0), corners.max(axis=0), starts)
    size = around[3:] - around[:3]
    return (around[:3] + around[3:]) / 2, np.sqrt(dot(size, size))
