"""A hash table of points, with open addressing: equal coordinates are one place.

All points of a batch are looked up at once, round by round. Those that find their slot taken by
another place go on to the next (linear probing: D. Knuth, The Art of Computer Programming 3, 6.4).
"""

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids, blocks
from ..steps import Steps

# Odd numbers with many bits set, one an axis, and what mixes their sum (Fibonacci hashing).
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)
_EMPTY = -1
# Slots for a place: the longest runs stay short.
_ROOM = 3


class Places:
    """Numbered points, no two of which have equal coordinates."""

    def __init__(self, expected: int) -> None:
        self.count = 0
        self._rows = np.empty((3, max(expected, 16)))
        self._slots = _empty_slots(expected)

    @classmethod
    def each_its_own(cls, points: Floats) -> "Places":
        """Return points (3, k) as so many places, where none is ever looked up."""
        places = cls(0)
        places.count, places._rows = points.shape[1], points
        return places

    @property
    def rows(self) -> Floats:
        """The coordinates of all places, (3, p)."""
        return self._rows[:, : self.count]

    def number_steps(self, points: Floats) -> Steps[Ids]:
        """Return the places of points (3, k), new ones where needed; yields the fraction done."""
        found = np.empty(points.shape[1], np.intp)
        for some in blocks(len(found), tuning.current.piece):
            found[some] = self.number(points[:, some])
            yield some.stop / len(found)
        return found

    def number(self, points: Floats) -> Ids:
        """Return the places of points (3, k), new ones where needed: O(k)."""
        points = points + 0.0  # which makes a zero of minus zero
        self._make_room(self.count + points.shape[1])
        return self._probe(points)

    def _make_room(self, wanted: int) -> None:
        if wanted > self._rows.shape[1]:
            rows = np.empty((3, 2 * wanted))
            rows[:, : self.count] = self.rows
            self._rows = rows
        if _ROOM * wanted > 2 * len(self._slots):
            self._slots = _empty_slots(2 * wanted)
            for some in blocks(self.count, tuning.current.piece):
                self._probe(self._rows[:, some], np.arange(some.start, some.stop))

    def _probe(self, points: Floats, numbers: Ids | None = None) -> Ids:
        """Look points up; those that are nowhere are added, or enter as these numbers."""
        last = len(self._slots) - 1
        slots = (_hashes(points) & np.uint64(last)).astype(np.intp)
        found = np.full(len(slots), _EMPTY)
        waiting = np.arange(len(slots))
        while len(waiting):
            at = slots[waiting]
            free = waiting[self._slots[at] == _EMPTY]
            if len(free):
                self._claim(points, free, slots[free], numbers)
            there = self._slots[at].astype(np.intp)
            same = (self._rows[:, there] == points[:, waiting]).all(axis=0)
            found[waiting[same]] = there[same]
            waiting = waiting[~same]
            slots[waiting] = slots[waiting] + 1 & last
        return found

    def _claim(self, points: Floats, free: Ids, slots: Ids, numbers: Ids | None) -> None:
        """Put points into free slots, of several the first."""
        self._slots[slots[::-1]] = free[::-1]
        winners = free[self._slots[slots] == free]
        if numbers is None:
            news = np.arange(self.count, self.count + len(winners))
            self._rows[:, news] = points[:, winners]
            self.count += len(winners)
        else:
            news = numbers[winners]
        self._slots[slots[self._slots[slots] == free]] = news


def _empty_slots(expected: int) -> NDArray[np.int32]:
    return np.full(1 << (_ROOM * max(expected, 16)).bit_length(), _EMPTY, np.int32)


def _hashes(points: Floats) -> NDArray[np.uint64]:
    x, y, z = (np.ascontiguousarray(row).view(np.uint64) for row in points)
    mixed = x * _FACTORS[0]
    for row, factor in ((y, _FACTORS[1]), (z, _FACTORS[2])):
        mixed ^= mixed >> np.uint64(31)
        mixed += row * factor
    mixed ^= mixed >> np.uint64(32)
    mixed *= _FACTORS[3]
    return mixed ^ mixed >> np.uint64(29)
