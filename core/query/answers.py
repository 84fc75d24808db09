"""Pairs gathered some volumes at a time, and put in order at the end.

All pairs of a volume come together, so they are sorted at once, while they are in the cache, and
wait as 32-bit numbers until it is known where each volume's begin.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids, blocks, concatenated_ranges, radix_argsort

# Pairs are dense if of so many possible ones at least one occurs.
_DENSE = 32
# So many volumes get their number at a time.
_BLOCK = 65_536


class Answers:
    """The items of each of `volumes`, numbers below `items`."""

    def __init__(self, volumes: int, items: int) -> None:
        self._items = items
        self._narrow = np.int32 if items < 2**31 else np.intp
        self._counts = np.zeros(volumes, np.intp)
        self._parts: list[tuple[Ids, NDArray[np.int32] | Ids]] = []

    def add(self, asked: Ids, numbers: Ids, items: Ids) -> None:
        """Take all pairs of some volumes, each pair once; number i is volume `asked[i]`."""
        if len(numbers) == 0:
            return
        counts = np.bincount(numbers)
        volumes = counts.nonzero()[0]
        self._counts[asked[volumes]] = counts[volumes]
        lowest, span = int(volumes[0]), int(volumes[-1] - volumes[0]) + 1
        ordered = self._sorted(numbers - lowest if span > 1 else numbers, items, span)
        self._parts.append((asked[volumes], ordered.astype(self._narrow)))

    def _sorted(self, numbers: Ids, items: Ids, volumes: int) -> Ids:
        """Return the items sorted by number, all of them below `volumes`, then by item."""
        if _DENSE * len(items) > volumes * self._items:
            # So many that marking them on a list of all pairs is cheaper than sorting.
            marks = np.zeros(volumes * self._items, bool)
            marks[items if volumes == 1 else numbers * self._items + items] = True
            keys = marks.nonzero()[0]
            return keys if volumes == 1 else keys % self._items
        bits = self._items.bit_length()
        keys = items if volumes == 1 else numbers << bits | items
        return items[radix_argsort(keys, bits + (volumes - 1).bit_length())]

    def pairs(self) -> Ids:
        """Return all pairs (2, h), sorted by volume, then by item; for once, to save memory."""
        ends = np.cumsum(self._counts)
        pairs = np.empty((2, ends[-1] if len(ends) else 0), np.intp)
        starts = ends - self._counts
        for some in blocks(len(ends), _BLOCK):
            numbers = np.arange(some.start, some.stop)
            pairs[0, starts[some.start] : ends[some.stop - 1]] = np.repeat(
                numbers, self._counts[some]
            )
        while self._parts:
            asked, items = self._parts.pop()
            if len(asked) == 1:
                pairs[1, starts[asked[0]] : ends[asked[0]]] = items
            else:
                pairs[1, concatenated_ranges(starts[asked], self._counts[asked])] = items
        return pairs
