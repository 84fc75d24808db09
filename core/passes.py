"""Long passes over arrays in pieces: gathers, and a stable radix sort (LSD) of any length.

Generators that yield the fraction done, for whoever must not block: a piece takes about a
hundredth of a second, however many numbers there are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import tuning
from .arrays import Ids, blocks, concatenated_ranges
from .steps import Steps, between

_DIGIT = 16


def taken_steps(rows: NDArray[Any], ids: Ids) -> Steps[NDArray[Any]]:
    """Return `rows[..., ids]` of rows (n,) or (k, n), piece by piece; yields the fraction done."""
    taken = np.empty((*rows.shape[:-1], len(ids)), rows.dtype)
    pairs = list(zip(np.atleast_2d(rows), np.atleast_2d(taken), strict=True))
    for number, (row, target) in enumerate(pairs):
        for some in blocks(len(ids), tuning.current.piece):
            np.take(row, ids[some], out=target[some], mode="clip")
            yield (number + some.stop / len(ids)) / len(pairs)
    return taken


def radix_argsort_steps(keys: Ids, bits: int) -> Steps[Ids]:
    """Return what `radix_argsort` returns, digit by digit; yields the fraction done."""
    order: Ids | None = None
    digits = range(0, max(bits, 1), _DIGIT)
    for number, shift in enumerate(digits):
        start, stop = number / len(digits), (number + 1) / len(digits)
        order = yield from between(start, stop, _by_digit(keys, order, shift))
    assert order is not None
    return order


def _by_digit(keys: Ids, before: Ids | None, shift: int) -> Steps[Ids]:
    """Return the stable order by one digit, of keys that are in the order `before`.

    Pieces are sorted alone. How often each digit stands in the pieces before tells where it goes.
    """
    digits, counts = np.empty(len(keys), np.uint16), []
    piece, at_once = tuning.current.piece, len(keys) <= tuning.current.sorted_at_once
    for some in blocks(len(keys), piece):
        these = keys[some] if before is None else keys.take(before[some])
        digits[some] = these >> shift & 2**_DIGIT - 1
        if not at_once:
            counts.append(np.bincount(digits[some], minlength=2**_DIGIT))
        yield 0.3 * some.stop / len(keys)
    if at_once:
        order: Ids = np.argsort(digits, kind="stable")
        return order if before is None else before[order]
    totals = sum(counts)
    starts, order = np.cumsum(totals) - totals, np.empty(len(keys), np.intp)
    for some, count in zip(blocks(len(keys), piece), counts, strict=True):
        within = np.argsort(digits[some], kind="stable")
        ids = within + some.start if before is None else before[some][within]
        order[concatenated_ranges(starts, count)] = ids
        starts += count
        yield 0.3 + 0.7 * some.stop / len(keys)
    return order
