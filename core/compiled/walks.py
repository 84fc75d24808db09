"""Branch and bound over packed trees in C, in pieces: rays, nearest items, and volumes.

The kernel takes rays as three arrays, volumes as their rows.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address, blocks, joined
from ..shapes import Boxes, Capsules, OrientedBoxes, Regions, Shapes, Spheres
from .door import found, threads_of
from .few import Few

# Coherence of rays: pairs of neighbors that are sampled, the least part of them that must be
# alike, and the fewest rays for which coherence matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The kernel's numbers of the kinds of volumes that it tests exactly; and its number of boxes
# around volumes, for which it only finds candidates.
_KINDS: dict[type[Shapes], int] = {
    Spheres: 1,
    Boxes: 2,
    Regions: 5,
    Capsules: 6,
    OrientedBoxes: 7,
}
_AROUND = 3
# Queries in a piece: rays; points, times the nearest items of each; volumes.
_RAYS, _POINTS, _VOLUMES = 16_384, 2_048, 1_024
# The most nearest items of one point that the kernel finds.
MOST = 1_024
# Placements in the answer of an octree, which has none.
NO_PLACES = np.empty(0, np.intp)
# Answers: arrays with one row for each query.
Arrays = tuple[NDArray[Any], ...]
# Crossings: rays, placements, items and distances, (h,) each.
Crossed = tuple[Ids, Ids, Ids, Floats]
_NOTHING = NO_PLACES, np.empty(0)
# Takes volumes, placements and items, (h,) each; flags the pairs that touch.
Confirm = Callable[[Ids, Ids, Ids], Flags]
# Room for the items that a piece finds at first.
_ROOM = 65_536
# Low bits of a name, for the item; the high bits are the placement.
_BITS = 32
# For fewer pieces a pool of threads does not pay: it takes a tenth of a millisecond to start.
_FEW = 4
# Bytes of a line of a processor's cache.
_LINE = 64


@dataclass(frozen=True)
class Questions:
    """Rays, unchecked: origins and directions (q, 3), and limits (q,), or one for all, (1,).

    `threads` is the number of threads that may walk the rays.
    """

    origins: Floats
    directions: Floats
    limits: Floats
    threads: int = 1

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, numbers: Ids) -> "Questions":
        limits = self.limits[numbers] if len(self.limits) == len(self) else self.limits
        return Questions(self.origins[numbers], self.directions[numbers], limits, self.threads)

    @property
    def addresses(self) -> tuple[int, int, int, int]:
        """Addresses of the three arrays, and the step from one ray's limit to the next one's."""
        step = int(len(self.limits) > 1)
        return address(self.origins), address(self.directions), address(self.limits), step

    @property
    def few(self) -> tuple[Floats, Floats, Floats | float]:
        """Arguments of `Few`: origins, directions, and limits (q,), or one number for all rays."""
        ends = float(self.limits[0]) if len(self.limits) == 1 else self.limits
        return self.origins, self.directions, ends

    def are_scattered(self) -> bool:
        """Return whether many rays differ in direction from the next ray."""
        if len(self) < _MANY:
            return False
        some = np.linspace(0, len(self) - 2, min(_LOOKED, len(self) - 1)).astype(np.intp)
        here, there = self.directions[some], self.directions[some + 1]
        sizes = np.abs(here).max(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # rays are checked later
            alike = np.abs(here - there).max(axis=1) <= sizes / 8
        return float(np.count_nonzero(alike)) < _COHERENT * len(some)


@dataclass(frozen=True)
class VolumesAsked:
    """Volumes as the kernel takes them: their own rows (q, k), or the boxes around them (q, 6).

    `kind` is the kernel's number of their kind, or of boxes around volumes. `threads` is the
    number of threads that may walk the volumes.
    """

    rows: Floats
    kind: int
    threads: int = 1

    @classmethod
    def of(cls, volumes: Shapes, threads: int, *, exactly: bool = True) -> "VolumesAsked":
        """Return volumes for exact tests; unless `exactly`, boxes around them, for candidates."""
        kind = _KINDS[type(volumes)] if exactly else _AROUND
        rows = np.concatenate(volumes.limits()) if kind == _AROUND else volumes.rows
        return cls(np.ascontiguousarray(rows.T), kind, threads)

    def __len__(self) -> int:
        return len(self.rows)


def volume_kind(volumes: Shapes) -> int:
    """Return the kernel's number of a kind of volumes; 0 if the kernel has no exact test."""
    return _KINDS.get(type(volumes), 0)


def as_boxes(shapes: Shapes) -> dict[str, Floats]:
    """Return boxes, and radii if there are any, as arrays by the names of the kernel's `Tree`.

    `boxes` are (6, n), but points (3, n) for spheres; `radii` are (n,).
    """
    if isinstance(shapes, Boxes):
        return {"boxes": shapes.rows}
    return {"boxes": shapes.rows[:-1], "radii": shapes.rows[-1]}


Part = TypeVar("Part")


def in_pieces(
    count: int, piece: int, threads: int, work: Callable[[slice], Part], /
) -> list[Part]:
    """Return the results of `work` for all pieces of `range(count)`, in order.

    All threads have ended when this function returns or raises: the caller may free its arrays.
    """
    pieces = list(blocks(count, piece))
    if threads == 1 or len(pieces) < _FEW:
        return [work(each) for each in pieces]
    with ThreadPoolExecutor(min(threads, len(pieces)), "octree") as pool:
        try:
            return list(pool.map(work, pieces))
        finally:
            pool.shutdown(cancel_futures=True)


class Walked:
    """Target of walks in the kernel: a packed tree, or a scene of placed packed trees.

    In answers, -1 stands for no item, -2 (`NOT_TAKEN`) for a query that is left to NumPy, and -3
    (`NOT_PACKED`) for a query that has reached a placed tree which is not packed yet.
    """

    def __init__(self) -> None:
        self._library, self._package, _ = found()
        self._kept: list[NDArray[Any]] = []
        self._tree: Any = None
        self._scene: Any = None
        self._few: Few | None = None

    @property
    def _depth(self) -> int:
        """Depth of the deepest walk."""
        return int(self._tree.depth)

    def _struct(self) -> Any:
        pointers = (each and self._package.pointer(each) for each in (self._tree, self._scene))
        return self._package.Walked(*pointers)

    @property
    def _walked(self) -> Any:
        """Target as an argument of kernel functions."""
        return self._package.byref(self._struct())

    @property
    def few(self) -> Few:
        """Fast path over the same target, for few queries."""
        few, depth = self._few, self._depth
        if few is None or few.depth < depth:
            few = self._few = Few(self._struct(), depth)
        return few

    def _space(self, which: int, held: int | NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return room for `held` nodes or blocks, or a copy of `held`, if these are bytes.

        The rows, one for each node or block, begin at a cache line.
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
        """Find the closest item of each ray, or, with `any_hit`, any item.

        Returns items and placements, (q,), the latter empty without a scene. Without `any_hit`,
        also returns distances, (q,), and positions, normals and weights, (q, 3) each. An item is
        -1 if there is none, -2 if the ray is left to NumPy. Returns None if a ray is invalid.
        """
        package, count = self._package, len(rays)
        items, places = np.empty(count, np.intp), self._places((count,))
        # Separate arrays: a caller that keeps one does not keep the memory of all.
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
        """Return all crossings, and the number of crossings of each ray, (q,).

        Crossings are sorted by ray, distance, placement and item. The number is -2 if a ray is
        left to NumPy. Returns None if a ray is invalid.
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
                # If not even one ray fits, its crossings need more room.
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

        The state is -2 for rays that are left to NumPy. `codes` tell whether a triangle counts
        towards the winding number, towards the parity of crossings, or not at all; those of a
        mesh begin at its `starts`. All rays must be valid.

        Raises
        ------
        IndexError
            If a row does not exist, or its mesh has no codes.
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
        """Find the `count` nearest items of each point, none farther than `limit`.

        `turns` (q,) is the order of the queries, in which points should follow their neighbors in
        space. Returns items and distances (q, count), positions (q, count, 3), and placements
        (q, count), empty without a scene. The first item of a point is -2 if the point is left to
        NumPy. Returns None if a point is not finite.
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
        """Find the nearest triangle to each point (3, q), in the mesh placed in the point's row.

        Returns items (q,), -1 if none is within the point's limit, -2 if the point is left to
        NumPy; distances (q,); and corners (q, 9).

        Raises
        ------
        IndexError
            If a row does not exist.
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
        """Find the items that touch each volume, or, with `any_hit`, at most one item.

        `turns` (q,) is the order of the queries, in which volumes should follow their neighbors in
        space. `confirm` flags the candidates that touch their volume; without it, the test of the
        kernel decides.

        Returns the number of items of each volume, (q,), -2 if the volume is left to NumPy; and
        placements, 0 without a scene, and items, volume after volume in the order of `turns`,
        ascending for each volume.
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
                # If not even one volume fits, its items need more room.
                room, start = room * (2 if reached == start else 1), reached
            return parts

        pieces = in_pieces(len(asked), _VOLUMES, asked.threads, piece)
        names = np.concatenate([NO_PLACES, *(part for each in pieces for part in each)])
        return counts, *split(names)


def split(names: Ids) -> tuple[Ids, Ids]:
    """Return the placements and items of names; the placement is 0 without a scene."""
    return names >> _BITS, names & (1 << _BITS) - 1
