"""A hash table of points, with open addressing: equal coordinates are one place.

All points of a batch are looked up at once, round by round. Points whose slot holds another place
move to the next slot (linear probing: D. Knuth, The Art of Computer Programming 3, 6.4).
"""

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids, blocks

# Odd multipliers with many bits set (Fibonacci hashing): one for each axis, one for the sum.
_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93], np.uint64
)
_EMPTY = -1
# Least number of slots per place, so that runs of taken slots stay short.
_ROOM = 3


class Places:
    """Numbered points with a hash table: no two entered points have equal coordinates.

    The given points (3, v) are numbered from 0 on, but not entered in the table: often few of many
    points are ever compared.
    """

    def __init__(self, points: Floats) -> None:
        self.count = points.shape[1]
        self._rows = points + 0.0  # turns -0.0 into 0.0
        self._entered = 0
        self._slots = _empty_slots(0)
        # The place of each given point, once the point was entered.
        self._place_of = np.full(self.count, _EMPTY)

    @property
    def rows(self) -> Floats:
        """The coordinates of all places, (3, p)."""
        return self._rows[:, : self.count]

    def enter(self, points: Ids) -> Ids:
        """Return the places of given points, by number; equal points share a place. O(k)."""
        new = points[self._place_of[points] == _EMPTY]
        if len(new):
            # Remove duplicates: of equal numbers, the last write wins.
            turns = np.arange(len(new))
            self._place_of[new] = turns
            new = new[self._place_of[new] == turns]
            self._make_room(len(new))
            self._place_of[new] = self._probe(self._rows[:, new], new)
        return self._place_of[points]

    def number(self, points: Floats) -> Ids:
        """Return the places of points (3, k), new places for points without one; O(k)."""
        points = points + 0.0
        self._make_room(points.shape[1])
        return self._probe(points)

    def _make_room(self, more: int) -> None:
        if self.count + more > self._rows.shape[1]:
            rows = np.empty((3, self.count + max(more, self.count // 4)))
            rows[:, : self.count] = self.rows
            self._rows = rows
        wanted = self._entered + more
        if _ROOM * wanted > len(self._slots):
            before = self._slots[self._slots != _EMPTY].astype(np.intp)
            self._slots = _empty_slots(2 * wanted)
            self._entered = 0
            for some in blocks(len(before), tuning.current.piece):
                self._probe(self._rows[:, before[some]], before[some])

    def _probe(self, points: Floats, numbers: Ids | None = None) -> Ids:
        """Look points up; add missing points as new places, or enter them under their numbers."""
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
        """Put points into free slots; on a collision the first point wins."""
        self._slots[slots[::-1]] = free[::-1]
        winners = free[self._slots[slots] == free]
        if numbers is None:
            news = np.arange(self.count, self.count + len(winners))
            self._rows[:, news] = points[:, winners]
            self.count += len(winners)
        else:
            news = numbers[winners]
        self._entered += len(winners)
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
