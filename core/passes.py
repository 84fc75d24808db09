"""Long passes over arrays in pieces: gathers, a stable radix sort (LSD), and equal columns.

Generators that yield the fraction done, for callers that must not block: a piece takes about a
hundredth of a second, whatever the length of the arrays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import tuning
from .arrays import Flags, Ids, batched, blocks, concatenated_ranges
from .steps import Steps, between

_DIGIT = 16
# Multiplier that mixes the bits of one row of columns with the next row (Fibonacci hashing).
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
    """Return the order of `radix_argsort`, sorted digit by digit; yields the fraction done."""
    order: Ids | None = None
    digits = range(0, max(bits, 1), _DIGIT)
    for number, shift in enumerate(digits):
        start, stop = number / len(digits), (number + 1) / len(digits)
        order = yield from between(start, stop, _by_digit(keys, order, shift))
    assert order is not None
    return order


def _by_digit(keys: Ids, before: Ids | None, shift: int) -> Steps[Ids]:
    """Return the stable order by one digit, of keys that are in the order `before`.

    Each piece is sorted separately. The counts of each digit in the earlier pieces give the
    position of its keys in the result.
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

    The second result flags the first column of each run of equal columns, in that order. The
    columns are of 64 bits, integers or finite floats; yields the fraction done.
    """
    rows = columns if columns.dtype == np.int64 else columns + 0.0  # -0.0 becomes 0.0
    mixed = rows[0].view(np.uint64).copy()
    for row in rows[1:]:
        mixed = (mixed ^ mixed >> np.uint64(29)) * _FACTOR + row.view(np.uint64)
    yield 0.1
    # One sort by a hash suffices, unless different columns have equal hashes.
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
    """Flag the columns (r, k) that differ from the column before, and the first column."""
    is_first = np.zeros(columns.shape[1], bool)
    is_first[:1] = True
    for row in columns:
        is_first[1:] |= row[1:] != row[:-1]
    return is_first
