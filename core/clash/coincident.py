"""Coincident triangles: triangles with the same three corners in any order, by hashing."""

import numpy as np

from .. import tuning
from ..arrays import Ids, blocks, starts_of_runs
from ..passes import grouped_steps, radix_argsort_steps, taken_steps
from ..steps import Steps, between

# Odd factors that mix the bits of three corner numbers, and the number of bits in a hash key.
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
_BITS = 32


def coincident_steps(corners: Ids) -> Steps[tuple[Ids, Ids]]:
    """Return the triangles that share their corners (3, n) with others, and their groups, (k,).

    Triangles with the same corners, in any order, are one group; groups ascend from 0.
    """
    count = corners.shape[1]
    places, keys = np.empty((3, count), np.int64), np.empty(count, np.int64)
    for some in blocks(count, tuning.current.piece):
        one, two, three = corners[:, some]
        low, high = (
            np.minimum(np.minimum(one, two), three),
            np.maximum(np.maximum(one, two), three),
        )
        places[:, some] = low, one ^ two ^ three ^ low ^ high, high
        mixed = np.zeros(some.stop - some.start, np.uint64)
        for row, factor in zip(places[:, some].view(np.uint64), _FACTORS, strict=True):
            mixed ^= row * np.uint64(factor)
        keys[some] = mixed >> np.uint64(64 - _BITS)
        yield 0.2 * some.stop / count
    order = yield from between(0.2, 0.8, radix_argsort_steps(keys, _BITS))
    keys = yield from between(0.8, 0.9, taken_steps(keys, order))
    again = keys[1:] == keys[:-1]
    maybe = order[np.append(again, False) | np.append(False, again)]
    grouping = grouped_steps(np.ascontiguousarray(places[:, maybe]))
    order, is_first = yield from between(0.9, 1.0, grouping)
    sizes = np.diff(is_first.nonzero()[0], append=len(order))
    groups = np.repeat(np.arange(len(sizes)), np.where(sizes > 1, sizes, 0))
    found = maybe[order[np.repeat(sizes > 1, sizes)]]
    return found, np.searchsorted(groups[starts_of_runs(groups)], groups)
