"""Run-length encoding (RLE) of label pictures, column by column, in COCO's compressed format.

All items of a picture are encoded together. A mask is a list of run lengths, alternating between
0s and 1s, starting with 0s. From the fourth on, a run length is stored as the difference to the
run length two before. Each value is split into groups of five bits, lowest first. A sixth bit
marks that more groups follow. Adding 48 gives an ASCII character.
"""

import numpy as np

from ...arrays import Ids
from .table import Numbers

# Smallest magnitudes that need 2, 3, ... characters: five bits each, with one bit for the sign.
_LIMITS = 2 ** np.arange(4, 40, 5, dtype=np.int64)


def masks_of(labels: Numbers) -> dict[int, str]:
    """Return the compressed mask of each item in a label picture (h, w), by item number.

    Negative numbers are background. O(pixels + runs x log(runs)).
    """
    flat = labels.T.ravel()
    starts = np.flatnonzero(np.diff(flat, prepend=np.int64(-1) - flat[:1]))
    ends = np.append(starts[1:], len(flat))
    items = flat[starts]
    order = np.argsort(items, kind="stable")[np.count_nonzero(items < 0) :]
    if not len(order):
        return {}
    items, starts, ends = items[order], starts[order], ends[order]
    counts, first = _counts(items, starts, ends, len(flat))
    texts, cuts = _compressed(counts, first)
    numbers = items[np.flatnonzero(np.diff(items, prepend=-1))].tolist()
    pieces = zip(numbers, cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)
    return {number: texts[start:end] for number, start, end in pieces}


def _counts(items: Ids, starts: Ids, ends: Ids, total: int) -> tuple[Ids, Ids]:
    """Return the run lengths of all items, item after item, and the first index of each item."""
    is_first = np.diff(items, prepend=-1) > 0
    before = np.where(is_first, 0, np.roll(ends, 1))
    pairs = np.stack((starts - before, ends - starts), axis=1).ravel()
    first = np.flatnonzero(is_first)
    # The background after the last run of each item, if any.
    past = np.append(first[1:], len(items))
    rest = total - ends[past - 1]
    has_rest = rest > 0
    counts = np.insert(pairs, 2 * past[has_rest], rest[has_rest])
    return counts, 2 * first + np.cumsum(has_rest) - has_rest


def _compressed(counts: Ids, first: Ids) -> tuple[str, Ids]:
    """Return all run lengths as characters; the start of each item in them, and the end."""
    place = np.arange(len(counts)) - np.repeat(first, np.diff(first, append=len(counts)))
    values = counts.astype(np.int64)
    later = np.flatnonzero(place > 2)
    values[later] -= counts[later - 2]
    magnitudes = np.where(values < 0, ~values, values)
    lengths = 1 + np.searchsorted(_LIMITS, magnitudes, side="right")
    ends = np.cumsum(lengths)
    begins = ends - lengths
    digit = np.arange(lengths.sum()) - np.repeat(begins, lengths)
    bits = (np.repeat(values, lengths) >> 5 * digit) & 31
    more = digit < np.repeat(lengths - 1, lengths)
    text = (bits + 32 * more + 48).astype(np.uint8).tobytes().decode("ascii")
    return text, np.append(begins[first], len(text))
