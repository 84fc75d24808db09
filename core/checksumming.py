"""Checksums (sums of multiplied and shifted words): hashes that detect changed arrays."""

import numpy as np
from numpy.typing import NDArray

from . import checks, compiled
from .arrays import blocks

# Words per checksum: consecutive, and weighted by their positions.
SUMMED_TOGETHER = 4096
# The increment added to a word for each position, and the multiplier applied next: odd numbers
# without a pattern (Weyl's sequence by the golden ratio; the factor of degski's mixer).
_STRIDE, _FACTOR = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
# Words that are mixed at once: they stay in the processor's cache.
_MIXED = 16 * SUMMED_TOGETHER
_PLACES = np.arange(SUMMED_TOGETHER, dtype=np.uint64) * np.uint64(_STRIDE)

Sums = NDArray[np.uint64]


def checksums(words: NDArray[np.generic], /) -> Sums:
    """Return a checksum of each block of `SUMMED_TOGETHER` words, bit by bit.

    Equal words have equal sums; others have different ones, but for an accident of one in 2**40.
    The checksums are not cryptographic: collisions can be constructed.

    Parameters
    ----------
    words : ndarray, shape (n,)
        Numbers of eight bytes, side by side.

    Returns
    -------
    ndarray of uint64, shape (ceil(n / SUMMED_TOGETHER),)
        The sums, the same on every machine; the last block may be shorter.

    Raises
    ------
    ValueError
        On another shape, or numbers of another size.

    Notes
    -----
    O(n), in half of the time of SHA-1; with the kernel, in a quarter.
    """
    given = checks.array("words", words)
    is_word = given.dtype.kind in "iuf" and given.itemsize == 8
    if given.ndim != 1 or not is_word or not given.flags.c_contiguous:
        raise ValueError(
            "words must be numbers of eight bytes, side by side in shape (n,), got"
            f" {given.dtype} in shape {given.shape}"
        )
    bits = given.view(np.uint64)
    sums = np.empty(-(-len(bits) // SUMMED_TOGETHER), np.uint64)
    if compiled.found()[0] is not None:
        compiled.Caller().call("sum_words", bits, len(bits), len(sums), sums)
        return sums
    for some in blocks(len(bits), _MIXED):
        part = bits[some]
        if len(part) % SUMMED_TOGETHER:
            _sum(part[len(part) // SUMMED_TOGETHER * SUMMED_TOGETHER :][None], sums[-1:])
        whole = part[: len(part) // SUMMED_TOGETHER * SUMMED_TOGETHER]
        rows = whole.reshape(-1, SUMMED_TOGETHER)
        _sum(rows, sums[some.start // SUMMED_TOGETHER :][: len(rows)])
    return sums


def _sum(rows: NDArray[np.uint64], sums: Sums) -> None:
    """Fill in the sums of rows of words, (b, k)."""
    mixed = rows + _PLACES[: rows.shape[1]]
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_FACTOR)
    mixed ^= mixed >> np.uint64(29)
    np.sum(mixed, axis=1, out=sums)
