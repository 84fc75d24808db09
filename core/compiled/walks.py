"""Walks of packed trees (branch and bound in C): rays, nearest points and volumes, in pieces."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address, joined
from ..octree import Octree
from .door import found
from .few import Few
from .questions import Questions, VolumesAsked
from .threads import in_pieces, threads_of

# Questions in a piece: rays; nearest points all in all; volumes.
_RAYS, _POINTS, _VOLUMES = 16_384, 2_048, 1_024
# Of each point no more than this many nearest items are found by the kernel.
MOST = 1_024
# What an octree's answer has for placements.
NO_PLACES = np.empty(0, np.intp)
# Answers whose rows are questions.
Arrays = tuple[NDArray[Any], ...]
# Rays, placements, items and distances of crossings.
Crossed = tuple[Ids, Ids, Ids, Floats]
_NOTHING = NO_PLACES, np.empty(0)
# Of volumes, placements and items (h,) -> which are met.
Confirm = Callable[[Ids, Ids, Ids], Flags]
# What is met in a piece: there is room for so much at first.
_ROOM = 65_536
# Names of what is met in scenes: items, and placements above these bits.
_BITS = 32
# Bytes of a line of a processor's cache.
_LINE = 64


class Walked:
    """What the kernel walks: a packed tree, or packed trees that are placed."""

    def __init__(self) -> None:
        self._library, self._package, _ = found()
        self._kept: list[NDArray[Any]] = []
        self._tree: Any = None
        self._scene: Any = None
        self._few: Few | None = None

    @property
    def _depth(self) -> int:
        """The depth of the deepest walk."""
        return int(self._tree.depth)

    def _struct(self) -> Any:
        pointers = (each and self._package.pointer(each) for each in (self._tree, self._scene))
        return self._package.Walked(*pointers)

    @property
    def _walked(self) -> Any:
        """What is walked, as the kernel takes it."""
        return self._package.byref(self._struct())

    @property
    def few(self) -> Few:
        """The same, for few questions at a time."""
        few, depth = self._few, self._depth
        if few is None or few.depth < depth:
            few = self._few = Few(self._struct(), depth)
        return few

    def _space(self, which: int, held: int | NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return room for so many nodes or blocks, or a copy of these.

        They begin where lines of the cache do.
        """
        size = self._library.octree_kernel_size(which, 0)
        count = held if isinstance(held, int) else len(held)
        space = np.empty(count * size + _LINE, np.uint8)
        first = -address(space) % _LINE
        room = space[first : first + count * size].reshape(count, size)
        if not isinstance(held, int):
            room[:] = held
        return room

    def _scratch(self) -> NDArray[np.uint8]:
        size = self._library.octree_kernel_size(self._package.SCRATCH, self._depth)
        return np.empty(size, np.uint8)

    def cast(self, rays: Questions, *, any_hit: bool) -> Arrays | None:
        """Find the closest item of each ray, or any; None if a ray is no sound question.

        Returns items and placements, (q,), the latter empty without a scene; and of the closest
        distances, (q,), positions, normals and weights, (q, 3) each. Items are -2 of rays that are
        left to NumPy.
        """
        package, count = self._package, len(rays)
        items, places = np.empty(count, np.intp), self._places((count,))
        # Each by itself: who keeps one keeps no more.
        shapes = [] if any_hit else [(count,), *3 * [(count, 3)]]
        answer = items, places, *map(np.empty, shapes)
        hits = package.Hits(*(address(array) if array.size else None for array in answer))
        mode = package.ANY if any_hit else package.CLOSEST
        together, asked = int(rays.are_scattered()), package.Asked(*rays.addresses)

        def piece(some: slice) -> bool:
            scratch = self._scratch()
            reached = self._library.octree_kernel_cast(
                self._walked, package.byref(asked), some.start, some.stop, mode, together,
                self._depth, address(scratch), package.byref(hits),
            )  # fmt: skip
            return bool(reached == some.stop)

        return answer if all(in_pieces(count, _RAYS, rays.threads, piece)) else None

    def _places(self, shape: tuple[int, ...]) -> Ids:
        """Return room for placements; none without a scene."""
        return NO_PLACES if self._scene is None else np.empty(shape, np.intp)

    def cast_all(self, rays: Questions) -> tuple[Crossed, Ids] | None:
        """Return rays, placements, items and distances, sorted; and how many each ray has.

        The number of crossings of each ray, (q,), is -2 of those that are left to NumPy. Returns
        None if a ray is no sound question.
        """
        package, asked = self._package, self._package.Asked(*rays.addresses)
        counts = np.zeros(len(rays), np.intp)

        def piece(some: slice) -> list[tuple[Ids, Floats]] | None:
            parts, start, room, scratch = [], some.start, _ROOM, self._scratch()
            while start < some.stop:
                names, distances = np.empty(room, np.intp), np.empty(room)
                reached = self._library.octree_kernel_cast_all(
                    self._walked, package.byref(asked), start, some.stop,
                    *map(address, (scratch, names, distances)), room, address(counts),
                )  # fmt: skip
                if reached < 0:
                    return None
                total = int(np.maximum(counts[start:reached], 0).sum())
                parts.append((names[:total].copy(), distances[:total].copy()))
                # One ray met more than there is room for.
                room, start = room * (2 if reached == start else 1), reached
            return parts

        pieces, parts = in_pieces(len(rays), _RAYS, rays.threads, piece), [_NOTHING]
        for each in pieces:
            if each is None:
                return None
            parts += each
        names, distances = joined(parts)
        numbers = np.repeat(np.arange(len(rays)), np.maximum(counts, 0))
        return (numbers, *split(names), distances), counts

    def wound(self, rays: Questions, rows: Ids, codes: Ids, starts: Ids) -> Arrays | None:
        """Return 1 for rays that begin inside the mesh placed in their row, else 0, (q,).

        `codes` tell how triangles of meshes count, by number, those of each mesh from its `starts`
        on: see `octree_kernel_wound`. -2 of those that are left to NumPy. Rays are sound.

        Raises
        ------
        IndexError
            If a row is not there, or its mesh has no codes.
        """
        states, asked = np.empty(len(rays), np.intp), self._package.Asked(*rays.addresses)

        def piece(some: slice) -> None:
            scratch = self._scratch()
            reached = self._library.octree_kernel_wound(
                self._walked, self._package.byref(asked), some.start, some.stop,
                *map(address, (rows, codes, starts)), len(codes), address(scratch),
                address(states),
            )  # fmt: skip
            if reached < 0:
                raise IndexError("wound: a row is not there, or its mesh has no codes")

        in_pieces(len(rays), _VOLUMES, rays.threads, piece)
        return (states,)

    def nearest(
        self, points: Floats, turns: Ids, count: int, limit: float, threads: int = 1
    ) -> Arrays | None:
        """Find the nearest items, or None if a point is not finite.

        `turns` (q,) are the numbers of all points, neighbors best one after the other. Returns
        items and distances (q, count), positions (q, count, 3), and placements (q, count), empty
        without a scene. The first item is -2 of a point that is left to NumPy.
        """
        items, entries = np.empty((2, len(points), count), np.intp)
        places = self._places(items.shape)
        distances, positions = np.empty(items.shape), np.empty((*items.shape, 3))

        def piece(some: slice) -> bool:
            scratch = self._scratch()
            reached = self._library.octree_kernel_nearest(
                self._walked, address(points), address(turns), some.start, some.stop, count,
                limit, address(scratch), address(items), address(places) if places.size else None,
                *map(address, (entries, distances, positions)),
            )  # fmt: skip
            return bool(reached == some.stop)

        if not all(in_pieces(len(points), max(1, _POINTS // count), threads, piece)):
            return None
        return items, distances, positions, places

    def nearest_of(self, points: Floats, rows: Ids, limits: Floats) -> Arrays | None:
        """Find the nearest triangle of the mesh placed in its row of each point (3, q).

        Returns items (q,), -1 if there is none up to the limit, -2 of points that are left to
        NumPy; distances (q,); and corners (q, 9).

        Raises
        ------
        IndexError
            If a row is not there.
        """
        asked = [np.ascontiguousarray(each) for each in (points, rows, limits)]
        given, *others = map(address, asked)
        answer = np.empty(len(rows), np.intp), np.empty(len(rows)), np.empty((9, len(rows)))

        def piece(some: slice) -> None:
            scratch = self._scratch()
            reached = self._library.octree_kernel_nearest_in(
                self._walked, given, len(rows), *others, some.start, some.stop,
                address(scratch), *map(address, answer),
            )  # fmt: skip
            if reached < 0:
                raise IndexError("nearest_in: a row is not there")

        in_pieces(len(rows), _POINTS, threads_of(None), piece)
        items, distances, corners = answer
        return items, distances, corners.T

    def touched(
        self,
        asked: VolumesAsked,
        turns: Ids,
        *,
        any_hit: bool = False,
        confirm: Confirm | None = None,
    ) -> tuple[Ids, Ids, Ids] | None:
        """Find what meets volumes.

        `turns` (q,) are the numbers of all, neighbors best one after the other. `confirm` tells
        of volumes, placements and items which are met. Returns how many each meets, (q,), or at
        most one, or -2 of volumes that are left to NumPy; and placements, 0 without a scene, and
        items of each in the order of the turns, ascending.
        """
        counts = np.zeros(len(asked), np.intp)

        def piece(some: slice) -> list[Ids]:
            start, room, scratch, parts = some.start, _ROOM, self._scratch(), [NO_PLACES]
            while start < some.stop:
                names = np.empty(room, np.intp)
                reached = self._library.octree_kernel_touch(
                    self._walked, address(asked.rows), address(turns), start, some.stop,
                    asked.kind, any_hit, address(scratch), address(names), room, address(counts),
                )  # fmt: skip
                here = turns[start:reached]
                each = np.maximum(counts[here], 0)
                names = names[: int(each.sum())].copy()
                if confirm is not None and len(names):
                    numbers = np.repeat(here, each)
                    (met,) = confirm(numbers, *split(names)).nonzero()
                    ranks = np.repeat(np.arange(len(here)), each)[met]
                    is_taken = counts[here] >= 0
                    counts[here[is_taken]] = np.bincount(ranks, minlength=len(here))[is_taken]
                    names = names[met]
                parts.append(names)
                # One volume meets more than there is room for.
                room, start = room * (2 if reached == start else 1), reached
            return parts

        pieces = in_pieces(len(asked), _VOLUMES, asked.threads, piece)
        names = np.concatenate([NO_PLACES, *(part for each in pieces for part in each)])
        return counts, *split(names)


def split(names: Ids) -> tuple[Ids, Ids]:
    """Return placements and items, given their names; the placement 0 without a scene."""
    return names >> _BITS, names & (1 << _BITS) - 1


def named(tree: Octree, items: Ids) -> Ids:
    """Put what answers call them for the items that were found, of any shape, in place."""
    if tree.ids is not None:
        met = items >= 0
        items[met] = tree.named(items[met])
    return items
