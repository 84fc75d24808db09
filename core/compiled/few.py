"""Few questions at a time (single-query fast path): one call of the kernel, in one thread."""

from struct import Struct
from typing import Any

import numpy as np

from ..arrays import Floats, Ids, address
from .door import found

# The item of a question that the kernel leaves to NumPy; of one that needs a tree to be packed.
NOT_TAKEN, NOT_PACKED = -2, -3
# Rays and the arrays of their answer, as the kernel takes them.
_ASKED, _HITS = Struct("4q"), Struct("6q")
# Room for what volumes touch or rays cross; what does not fit is asked in the usual way.
_ROOM = 4_096
# Of rays: items, (q,), and, one after the other, their placements, as whole numbers, distances,
# positions, normals and weights, (11 q,).
Hits = tuple[Ids, Floats]
# Of points: items and distances (q, count), positions (q, count, 3), and placements (q, count).
Nearby = tuple[Ids, Floats, Floats, Ids]


class Few:
    """What the kernel walks, asked few questions at a time.

    Answers are None where the usual way has to answer: a question is unsound, left to NumPy, or
    comes to a tree that is not packed. Placements are of no meaning without a scene.
    """

    def __init__(self, walked: Any, depth: int = 0) -> None:
        """Take a `Walked` of the kernel, and how deep walks are; 0 for plain cells."""
        self._library, package, _ = found()
        self._told: int = package.ctypes.addressof(walked)
        self._walked, self.depth = walked, depth
        self._bytes = self._library.octree_kernel_size(package.SCRATCH, depth) if depth else 0

    def _scratch(self) -> tuple[int | None, Any]:
        """Return the address of room for a walk, and its array; None for plain cells."""
        if not self._bytes:
            return None, None
        scratch = np.empty(self._bytes, np.uint8)
        return address(scratch), scratch

    def cast(
        self, starts: Floats, towards: Floats, limits: Floats | float, *, any_hit: bool
    ) -> Hits | None:
        """Find the closest item of each ray, or any item, without the other numbers."""
        count, (room, _kept) = len(starts), self._scratch()
        asked, numbers, item = _asked(starts, towards, limits, 12 * count)
        each = 8 * count  # bytes of a number of each ray
        if self._library.lone_cast(
            self._told, asked, 0, count, any_hit, 0, self.depth, room,
            _HITS.pack(item, item + each, 0, 0, 0, 0) if any_hit else
            _HITS.pack(
                item, item + each, item + 2 * each, item + 3 * each, item + 6 * each,
                item + 9 * each,
            ),
        ) < count:  # fmt: skip
            return None
        items = numbers[:count].view(np.intp)
        return None if min(items.tolist()) <= NOT_TAKEN else (items, numbers[count:])

    def cast_all(
        self, starts: Floats, towards: Floats, limits: Floats | float
    ) -> tuple[Ids, Ids, Floats] | None:
        """Count the items that each ray meets, (q,), name the items and tell how far they are.

        Names and distances are sorted by ray, distance and name.
        """
        count, (room, _kept) = len(starts), self._scratch()
        asked, numbers, place = _asked(starts, towards, limits, count + 2 * _ROOM)
        names = place + 8 * count
        reached = self._library.lone_cast_all(
            self._told, asked, 0, count, room, names, names + 8 * _ROOM, _ROOM, place
        )
        counts = numbers[:count].view(np.intp)
        total = _total(counts, reached)
        if total is None:
            return None
        return (
            counts,
            numbers[count : count + total].view(np.intp),
            numbers[count + _ROOM : count + _ROOM + total],
        )

    def nearest(self, points: Floats, count: int, limit: float) -> Nearby | None:
        """Find the nearest items of each point."""
        many, each = len(points), len(points) * count
        numbers, size, (room, _kept) = np.empty(7 * each), 8 * each, self._scratch()
        entry = address(numbers)
        item, place = entry + size, entry + 6 * size
        if self._library.lone_nearest(
            self._told, points.tobytes(), None, 0, many, count, limit,
            room, item, place, entry, item + size, item + 2 * size,
        ) < many:  # fmt: skip
            return None
        items = numbers[each : 2 * each].view(np.intp)
        if min(items.tolist()) <= NOT_TAKEN:
            return None
        distances, positions = numbers[2 * each : 3 * each], numbers[3 * each : 6 * each]
        shape = many, count
        return (
            items.reshape(shape), distances.reshape(shape), positions.reshape(many, count, 3),
            numbers[6 * each :].view(np.intp).reshape(shape),
        )  # fmt: skip

    def touched(self, rows: Floats, kind: int, *, any_hit: bool = False) -> tuple[Ids, Ids] | None:
        """Count the items that each volume (q, k) touches, (q,), and name the items."""
        count = len(rows)
        numbers, (room, _kept) = np.empty(count + _ROOM, np.intp), self._scratch()
        place = address(numbers)
        reached = self._library.lone_touch(
            self._told, rows.tobytes(), None, 0, count, kind, any_hit, room, place + 8 * count,
            _ROOM, place,
        )  # fmt: skip
        counts = numbers[:count]
        total = _total(counts, reached)
        return None if total is None else (counts, numbers[count : count + total])


def _asked(
    starts: Floats, towards: Floats, limits: Floats | float, more: int
) -> tuple[bytes, Floats, int]:
    """Return rays as the kernel takes them, and room for more numbers and its address.

    Rays and answers share one array, so that only one address is looked up.
    """
    count, ends = len(starts), 1 if type(limits) is float else len(limits)  # type: ignore[arg-type]
    first = 6 * count + ends
    numbers = np.empty(first + more)
    numbers[: 3 * count], numbers[3 * count : 6 * count] = starts.ravel(), towards.ravel()
    numbers[6 * count : first] = limits
    start = address(numbers)
    told = _ASKED.pack(start, start + 24 * count, start + 48 * count, ends > 1)
    return told, numbers[first:], start + 8 * first


def _total(counts: Ids, reached: int) -> int | None:
    """Return the sum of all counts; None unless the kernel has told each."""
    each = counts.tolist()
    return None if reached < len(each) or min(each) <= NOT_TAKEN else sum(each)
