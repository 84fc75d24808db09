"""Long passes over arrays in pieces: gathers, a stable radix sort (LSD), and equal columns.

Generators that yield the fraction done, for whoever must not block: a piece takes about a
hundredth of a second, however many numbers there are.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import tuning
from .arrays import Flags, Ids, batched, blocks, concatenated_ranges
from .steps import Steps, between

_DIGIT = 16
# What mixes the bits of one row of columns with those of the next (Fibonacci hashing).
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


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


def pieces(ends: Ids) -> list[slice]:
    """Return slices of cells with about ten thousand entries, given cumulative entry counts."""
    return batched(ends, tuning.current.piece // 4)


def grouped_steps(columns: NDArray[Any]) -> Steps[tuple[Ids, Flags]]:
    """Return an order of columns (r, k) in which equal ones are neighbors, and each first one.

    They are of 64 bits, whole numbers, or others that are finite; yields the fraction done.
    """
    rows = columns if columns.dtype == np.int64 else columns + 0.0  # no zero is negative
    mixed = rows[0].view(np.uint64).copy()
    for row in rows[1:]:
        mixed = (mixed ^ mixed >> np.uint64(29)) * _FACTOR + row.view(np.uint64)
    yield 0.1
    # One sort, of numbers that hardly ever are equal for different columns.
    if len(mixed) <= tuning.current.piece:
        order: Ids = np.argsort(mixed)
    else:
        order = yield from between(0.1, 0.8, radix_argsort_steps(mixed.view(np.int64), 64))
    ordered = yield from between(0.8, 0.9, taken_steps(rows, order))
    is_first = _first_ones(ordered)
    numbers = mixed[order]
    if (is_first[1:] & (numbers[1:] == numbers[:-1])).any():
        order = np.lexsort(rows)
        is_first = _first_ones(rows[:, order])
    return order, is_first


def _first_ones(columns: NDArray[Any]) -> Flags:
    """Return which columns (r, k) are not equal to the one before."""
    is_first = np.zeros(columns.shape[1], bool)
    is_first[:1] = True
    for row in columns:
        is_first[1:] |= row[1:] != row[:-1]
    return is_first
