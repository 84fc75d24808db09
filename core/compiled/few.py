"""Single-query fast path: few queries, answered by one call of the kernel in one thread."""

from struct import Struct
from typing import Any

import numpy as np

from ..arrays import Floats, Ids, address
from .door import found

# Codes instead of an item: the query is left to NumPy; the query needs a tree to be packed.
NOT_TAKEN, NOT_PACKED = -2, -3
# Rays, and the addresses of the arrays of their answer, as structures of the kernel.
_ASKED, _HITS = Struct("4q"), Struct("6q")
# Room for items that volumes touch or rays cross; larger answers take the batch path.
_ROOM = 4_096
# Answers of rays: items, (q,), and one array, (11 q,), of the bits of their placements, then
# distances, positions, normals and weights.
Hits = tuple[Ids, Floats]
# Answers of points: items, distances, positions and placements, (q, count) or (q, count, 3).
Nearby = tuple[Ids, Floats, Floats, Ids]


class Few:
    """Fast path for few queries of a tree or scene that the kernel walks.

    Methods return None if the batch path has to answer: if a query is invalid, is left to NumPy,
    comes to a tree that is not packed, or has more answers than there is room for. Placements
    have no meaning without a scene.
    """

    def __init__(self, walked: Any, depth: int = 0) -> None:
        """Take a `Walked` of the kernel, and the depth of its walks; 0 for cells of an octree."""
        self._library, package, _ = found()
        self._told: int = package.ctypes.addressof(walked)
        self._walked, self.depth = walked, depth
        self._bytes = self._library.octree_kernel_size(package.SCRATCH, depth) if depth else 0

    def _scratch(self) -> tuple[int | None, Any]:
        """Return the address of a walk's scratch memory, and its array; None if the depth is 0."""
        if not self._bytes:
            return None, None
        scratch = np.empty(self._bytes, np.uint8)
        return address(scratch), scratch

    def cast(
        self, starts: Floats, towards: Floats, limits: Floats | float, *, any_hit: bool
    ) -> Hits | None:
        """Find the closest item of each ray, or, with `any_hit`, any item and its placement only.

        `limits` are one for each ray, or one for all.
        """
        count, (room, _kept) = len(starts), self._scratch()
        asked, numbers, item = _asked(starts, towards, limits, 12 * count)
        each = 8 * count  # bytes of one number for each ray
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
        """Return the number of items that each ray meets, (q,), their names and their distances.

        A name is an item, and its placement shifted by 32 bits. Names and distances are sorted
        by ray, then by distance, then by name.
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
        """Find the `count` nearest items of each point, none farther than `limit`."""
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
        """Return the number of items that each volume (q, k) touches, (q,), and their names.

        With `any_hit`, at most one item of each volume.
        """
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
    """Return rays as a structure of the kernel, room for `more` numbers, and its address.

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
    """Return the sum of all counts; None unless the kernel has answered every query."""
    each = counts.tolist()
    return None if reached < len(each) or min(each) <= NOT_TAKEN else sum(each)
