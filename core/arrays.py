"""Flat-array idioms (ranges, blocks, gathered columns), and robust products of vectors."""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]
Flags = NDArray[np.bool_]
Masks = NDArray[np.uint32]
Rows = TypeVar("Rows", Floats, Ids)

# The two other axes of each axis, in the order that makes cross products.
OTHER_AXES = ((1, 2), (2, 0), (0, 1))

# Vectors whose squared sine is less are nearly parallel: plain cross products lose ten bits.
NEARLY_PARALLEL = 2.0**-20

# Sixteen thousand float64 values are 128 KiB: a handful of such rows stays in a core's cache.
BLOCK = 16_384
# Products of fewer numbers are made at once, of more row by row.
_CACHED = 32_768


def address(array: NDArray[Any]) -> int:
    """Return where an array lies in memory."""
    place: int = array.__array_interface__["data"][0]
    return place


def blocks(length: int, size: int = BLOCK) -> Iterator[slice]:
    """Return slices of at most `size` that cover `range(length)` in order."""
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def batched(ends: Ids, size: int) -> list[slice]:
    """Return slices that cover elements in order, each of about `size` in total or of one element.

    `ends` are the cumulative sizes of the elements.
    """
    if len(ends) == 0:
        return []
    cuts = (np.flatnonzero(np.diff(ends // size)) + 1).tolist() if ends[-1] >= size else []
    return [slice(*each) for each in pairwise([0, *cuts, len(ends)])]


def concatenated_ranges(starts: Ids, counts: Ids) -> Ids:
    """Return all of `range(start, start + count)`, one run after the other."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts)


def joined(parts: Iterable[Iterable[NDArray[Any]]]) -> tuple[Any, ...]:
    """Concatenate the arrays at the same place of one or more parts, along their last axes."""
    return tuple(np.concatenate(each, axis=-1) for each in zip(*parts, strict=True))


def distinct(numbers: Ids) -> Ids:
    """Return the numbers that there are, each once, ascending.

    NumPy from 2.3 on hashes them first, which takes ten to seventy times as long as to sort many.
    """
    ordered = np.sort(numbers, axis=None)
    return ordered[starts_of_runs(ordered)]


def starts_of_runs(numbers: Ids, *others: Ids) -> Ids:
    """Return the first place of each run in which all these rows of numbers are equal."""
    first = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    for row in others:
        first[1:] |= row[1:] != row[:-1]
    return first.nonzero()[0]


def ends_of_runs(numbers: Ids) -> Ids:
    """Return the last place of each run of equal numbers."""
    last = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=last[:-1])
    return last.nonzero()[0]


def flagged(count: int, some: Ids, holds: Flags | bool = True) -> Flags:
    """Return `count` flags, set at some places, all of them or where `holds`; False elsewhere."""
    flags = np.zeros(count, bool)
    flags[some] = holds
    return flags


def ranks_of(count: int, some: Ids) -> Ids:
    """Return the position of each of `count` numbers in `some`, without repeats; -1 if absent."""
    ranks = np.full(count, -1)
    ranks[some] = np.arange(len(some))
    return ranks


def gather(rows: Rows, ids: Ids) -> Rows:
    """Return `rows[:, ids]`; ids out of range are clipped to the nearest valid id."""
    if rows.flags.c_contiguous:
        return rows.take(ids, axis=1, mode="clip")
    if rows.flags.f_contiguous:
        return np.ascontiguousarray(columns(rows, ids))
    # Strided rows: `take` on the whole array would first make a copy of them.
    taken: Rows = np.empty((len(rows), len(ids)), rows.dtype)
    for row, values in zip(rows, taken, strict=True):
        row.take(ids, out=values, mode="clip")
    return taken


def columns(records: Rows, ids: Ids) -> Rows:
    """Return `records[:, ids]` of an array from `column_major`, one memory access per column.

    The result keeps the column-major layout: a single pass over it is cheaper than a change of
    layout before. Arrays in another layout are gathered row by row.
    """
    if not records.flags.f_contiguous:  # `take` would copy all of them first
        return gather(records, ids)
    taken: Rows = records.T.take(ids, axis=0, mode="clip").T
    return taken


def column_major(rows: Floats) -> Floats:
    """Return frozen rows (r, n) whose columns lie in memory one after the other.

    For tables that are larger than the cache and accessed at random.
    """
    records = np.ascontiguousarray(rows.T)
    records.setflags(write=False)
    return records.T


def take_columns(rows: Floats, numbers: Ids) -> Floats:
    """Return `rows[..., numbers]`, or one column that stands for all if it is the same for all.

    `numbers` ascend.
    """
    if len(numbers) and numbers[0] == numbers[-1]:
        return rows[..., numbers[:1]]
    return rows[..., numbers]


def project(axes: Floats, points: Floats) -> Floats:
    """Return the points (..., 3, h) along axes (a, 3, h) or (a, 3, 1): (..., a, h).

    Products are added in this order, one at a time: the bits of a matrix product would depend on
    the processor, which adds several at once.
    """
    found = np.empty((*points.shape[:-2], len(axes), points.shape[-1]))
    if found.size <= _CACHED:
        np.multiply(axes[:, 0], points[..., None, 0, :], out=found)
        found += axes[:, 1] * points[..., None, 1, :]
        found += axes[:, 2] * points[..., None, 2, :]
        return found
    term = np.empty((*points.shape[:-2], points.shape[-1]))
    for number, (x, y, z) in enumerate(axes):
        row = found[..., number, :]
        np.multiply(x, points[..., 0, :], out=row)
        row += np.multiply(y, points[..., 1, :], out=term)
        row += np.multiply(z, points[..., 2, :], out=term)
    return found


def dot(a: Floats, b: Floats) -> Floats:
    """Return the products of vectors, axis first: (3, ...) and (3, ...) give (...)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Floats, b: Floats) -> Floats:
    """Return the cross products of vectors, axis first: (3, ...) and (3, ...) give (3, ...)."""
    return np.stack([a[i] * b[j] - a[j] * b[i] for i, j in OTHER_AXES])


def robust_cross(a: Floats, b: Floats, full: Floats | float = 1.0) -> tuple[Floats, Floats, Flags]:
    """Return cross products, their squares, and which are thin: small parts of `full`.

    Vectors are (3, ...), broadcast against each other; `full` is roughly the square of a product
    of vectors as long that are perpendicular. Products of nearly parallel vectors are exact: the
    rounding of a plain product turns the normal of a sliver the more the thinner it is.
    """
    products = cross(a, b)
    squares = dot(products, products)
    thin = squares <= NEARLY_PARALLEL * full
    if thin.any():
        some = thin & (squares > 0)
        ones, others = (np.broadcast_to(rows, products.shape)[:, some] for rows in (a, b))
        products[:, some] = exact_cross(ones, others)
        squares[some] = dot(products[:, some], products[:, some])
    return products, squares, thin


def quotient(
    above: Floats, below: Floats, where: Flags | None = None, otherwise: float = 0.0
) -> Floats:
    """Return `above / below` in the flagged places, by default where `below` is positive."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    where = below > 0 if where is None else where
    return np.divide(above, below, out=np.full(shape, otherwise), where=where)


def unit_vectors(vectors: Floats) -> Floats:
    """Return vectors (3, ...) of length one, or zero where they have no length."""
    return quotient(vectors, np.sqrt(dot(vectors, vectors)))


def exact_cross(a: Floats, b: Floats) -> Floats:
    """Return cross products (3, ...) with all digits correct, of nearly parallel vectors too.

    The rounding error of each product is computed and added.
    """
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)

    def product(i: int, j: int) -> tuple[Floats, Floats]:
        rounded = a[i] * b[j]
        return rounded, _lost(rounded, a_high[i], a_low[i], b_high[j], b_low[j])

    rows = []
    for i, j in OTHER_AXES:
        (one, one_lost), (other, other_lost) = product(i, j), product(j, i)
        rows.append((one - other) + (one_lost - other_lost))
    return np.stack(rows)


def two_difference_error(a: Floats, b: Floats) -> Floats:
    """Return the rounding error of each difference `a - b`, exactly.

    D. E. Knuth, "The Art of Computer Programming", 2, 4.2.2.
    """
    difference = a - b
    back = difference - a
    return (a - (difference - back)) + (-b - back)


def two_product_error(a: Floats, b: Floats) -> Floats:
    """Return the rounding error of each product `a * b`, exactly.

    T. J. Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971.
    """
    return _lost(a * b, *_split(a), *_split(b))


def _lost(rounded: Floats, a_high: Floats, a_low: Floats, b_high: Floats, b_low: Floats) -> Floats:
    lost: Floats = a_high * b_high - rounded
    lost += a_high * b_low
    lost += a_low * b_high
    lost += a_low * b_low
    return lost


def _split(numbers: Floats) -> tuple[Floats, Floats]:
    """Return the leading 26 bits of each number, and the rest (Veltkamp's split)."""
    wide = numbers * (2.0**27 + 1)
    high = wide - (wide - numbers)
    return high, numbers - high


def power_of_two_scale(rows: Floats) -> Floats:
    """Return for each column one by the power of two next above its largest number, (n,).

    Multiplied with it, numbers are about one and lose no bit, so that their products neither
    overflow nor underflow.
    """
    largest = np.abs(rows).max(axis=tuple(range(rows.ndim - 1)), initial=0.0)
    # The largest there is, for numbers so small that theirs would overflow.
    return np.ldexp(1.0, np.minimum(-np.frexp(largest)[1], 1023))


def radix_argsort(keys: Ids, bits: int) -> Ids:
    """Return the stable order that sorts `keys`, whole numbers below 2**bits.

    NumPy sorts 16-bit numbers by radix, several times faster than wider ones.
    """
    order: Ids = np.argsort(keys.astype(np.uint16), kind="stable")
    for shift in range(16, bits, 16):
        digit = (keys >> shift).astype(np.uint16)[order]
        order = order[np.argsort(digit, kind="stable")]
    return order
