"""The one door to the compiled kernel: finds it or says why not, packs trees, and casts rays.

The kernel answers with the same bits as NumPy, so that a question may be answered either way.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .arrays import Floats, Ids, blocks
from .octree import Octree
from .shapes import Triangles

# Where the package lies, if it is not installed; "off" for none.
VARIABLE = "OCTREE_KERNEL"
# Of the package: what its structures hold, and what its functions take.
_ABI = 2
# Rays between two looks at whether the user has interrupted.
_PIECE = 16_384
# To pack an item costs about as much as this part of a ray in NumPy, a question of its own as
# much as so many more rays.
_WORTH, QUESTION = 1 / 64, 256
# Neighbors that tell whether rays are coherent, how many of them at least, and from which count
# of rays on it matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The item of a ray that the kernel leaves to NumPy, and of one that needs a tree to be packed.
NOT_TAKEN, NOT_PACKED = -2, -3
# Of each point no more than this many nearest items are found by the kernel.
MOST = 64
# What an octree's answer has for placements.
NO_PLACES = np.empty(0, np.intp)
# Rays, placements, items and distances of crossings.
Crossed = tuple[Ids, Ids, Ids, Floats]
# Crossings that there is room for at first.
_ROOM = 65_536


@cache
def _found() -> tuple[Any, Any, str]:
    """Return the library and its package, or why there are none."""
    where = os.environ.get(VARIABLE, "")
    if where == "off":
        return None, None, f"{VARIABLE} is off"
    if sys.maxsize < 2**32 or sys.byteorder != "little":
        return None, None, "it wants a 64-bit little-endian machine"
    try:
        package = _package_at(Path(where)) if where else import_module("octree_kernel")
        if package.ABI != _ABI:
            told = f"octree_kernel has the interface {package.ABI}, not {_ABI}: install it anew"
            return None, None, f"{told}, then restart Python or Blender"
        return package.opened(), package, ""
    except Exception as error:  # whatever a damaged package raises: NumPy answers
        return None, None, str(error) or repr(error)


def _package_at(folder: Path) -> ModuleType:
    """Return the package in a folder, which is no search path."""
    spec = spec_from_file_location("octree_kernel", folder.resolve() / "__init__.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    package = module_from_spec(spec)
    spec.loader.exec_module(package)
    return package


def why_not() -> str:
    """Return why there is no kernel; an empty text if there is one.

    Returns
    -------
    str
        The reason, for people.
    """
    return _found()[2]


def _address(array: NDArray[Any]) -> int:
    """Return where an array lies in memory."""
    place: int = array.__array_interface__["data"][0]
    return place


@dataclass(frozen=True)
class Questions:
    """Rays as they were given: origins and directions (q, 3), ends (q,) or one for all (1,)."""

    origins: Floats
    directions: Floats
    limits: Floats

    def __len__(self) -> int:
        return len(self.origins)

    def __getitem__(self, numbers: Ids) -> "Questions":
        limits = self.limits[numbers] if len(self.limits) == len(self) else self.limits
        return Questions(self.origins[numbers], self.directions[numbers], limits)

    @property
    def addresses(self) -> tuple[int, int, int, int]:
        """What the kernel is told of them: three arrays, and the step from one end to the next."""
        step = int(len(self.limits) > 1)
        return _address(self.origins), _address(self.directions), _address(self.limits), step

    def are_scattered(self) -> bool:
        """Tell whether rays seldom go where their neighbors go."""
        if len(self) < _MANY:
            return False
        some = np.linspace(0, len(self) - 2, min(_LOOKED, len(self) - 1)).astype(np.intp)
        here, there = self.directions[some], self.directions[some + 1]
        sizes = np.abs(here).max(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):  # rays are checked later
            alike = np.abs(here - there).max(axis=1) <= sizes / 8
        return float(np.count_nonzero(alike)) < _COHERENT * len(some)


class Walked:
    """What the kernel walks with rays: a packed tree, or packed trees that are placed."""

    def __init__(self) -> None:
        self._library, self._package, _ = _found()
        self._kept: list[NDArray[Any]] = []
        self._tree: Any = None
        self._scene: Any = None

    @property
    def _depth(self) -> int:
        """The depth of the deepest walk."""
        return int(self._tree.depth)

    @property
    def _walked(self) -> Any:
        """What is walked, as the kernel takes it."""
        pointers = (each and self._package.pointer(each) for each in (self._tree, self._scene))
        return self._package.byref(self._package.Walked(*pointers))

    def _space(self, which: int, count: int) -> NDArray[np.uint8]:
        return np.empty((count, self._library.octree_kernel_size(which, 0)), np.uint8)

    def _scratch(self) -> NDArray[np.uint8]:
        size = self._library.octree_kernel_size(self._package.SCRATCH, self._depth)
        return np.empty(size, np.uint8)

    def cast(self, rays: Questions, answer: tuple[NDArray[Any], ...], *, any_hit: bool) -> bool:
        """Find items, and what else there is room for; False if a ray is no sound question.

        `answer` are items and placements (q,), the latter empty without a scene, and distances,
        positions, normals and weights. Items are -2 of rays that are left to NumPy.
        """
        package, scratch = self._package, self._scratch()
        hits = package.Hits(*(_address(array) if array.size else None for array in answer))
        mode = package.ANY if any_hit else package.CLOSEST
        together = int(rays.are_scattered())
        for some in blocks(len(rays), _PIECE):
            reached = self._library.octree_kernel_cast(
                self._walked, package.byref(package.Asked(*rays.addresses)),
                some.start, some.stop, mode, together, self._depth, _address(scratch),
                package.byref(hits),
            )  # fmt: skip
            if reached < some.stop:
                return False
        return True

    def cast_all(self, rays: Questions, left: NDArray[np.int8]) -> Iterator[Crossed] | None:
        """Yield rays, placements, items and distances, sorted.

        Puts -2 into `left`, (q,), for those that are left to NumPy. Returns None if a ray is no
        sound question.
        """
        parts, start, room, count = [], 0, _ROOM, self._package.c_int64()
        scratch, asked = self._scratch(), self._package.Asked(*rays.addresses)
        while start < len(rays):
            stop = min(start + _PIECE, len(rays))
            found = *np.empty((3, room), np.intp), np.empty(room)
            numbers, places, items, distances = map(_address, found)
            reached = self._library.octree_kernel_cast_all(
                self._walked, self._package.byref(asked), start, stop, _address(scratch), numbers,
                places if self._scene else None, items, distances, room,
                self._package.byref(count), _address(left),
            )  # fmt: skip
            if reached < 0:
                return None
            numbers, places, items, distances = (each[: count.value].copy() for each in found)
            parts.append((numbers, places, items, distances))
            # One ray met more than there is room for.
            room, start = room * (2 if reached == start else 1), reached
        return iter(parts)


class Packed(Walked):
    """Triangles, packed into the kernel's wide tree: those of an octree."""

    def __init__(self, tree: Octree) -> None:
        super().__init__()
        try:
            self.is_sound = self._package is not None and self._packs(tree)
        except (IndexError, MemoryError):  # it contradicts itself, or is too large: NumPy answers
            self.is_sound = False

    def _packs(self, tree: Octree) -> bool:
        """Pack the tree; return False if it contradicts itself, or does not fit."""
        triangles, count = tree.arranged, len(tree.order)
        assert isinstance(triangles, Triangles)
        entries, slices = _each_once(tree)
        cells = [_rows(array, np.intp) for array in (tree.first_child, *slices)]
        if not len(entries) == len(triangles) == count or len({*map(len, cells)}) > 1:
            return False
        vertices = _rows(triangles.vertices.T, np.float64)
        arrays = [vertices, _rows(triangles.faces.T, np.intp), _rows(tree.order, np.intp)]
        names = ("vertices", "faces", "order")
        self._tree = self._package.Tree(
            **{name: _address(array) for name, array in zip(names, arrays, strict=True)},
            vertex_count=vertices.shape[1],
            entry_count=count,
        )
        middles, room = np.empty((3, count), np.float32), count // 6 + 16
        while True:
            nodes, parts = self._space(self._package.NODE, room // 3), np.empty((room // 3, 5))
            packed, depths = self._space(self._package.BLOCK, room), np.empty(len(parts), np.int32)
            state = self._library.octree_kernel_pack(
                self._told, _address(nodes), _address(packed), len(nodes), len(packed),
                *map(_address, cells), len(tree.begin), _address(entries), _address(middles),
                _address(parts), _address(depths),
            )  # fmt: skip
            if state != self._package.TOO_LITTLE_ROOM:
                break
            room *= 2
        if state == 0:
            self._kept = [*arrays, nodes, packed]
        return bool(state == 0)

    @property
    def depth(self) -> int:
        """How deep the packed tree is."""
        return self._depth

    @property
    def bytes(self) -> NDArray[np.uint8]:
        """The packed tree as it stands among the trees of a scene."""
        return np.frombuffer(bytes(self._tree), np.uint8)

    @property
    def _told(self) -> Any:
        """The packed tree as the kernel takes it."""
        return self._package.byref(self._tree)

    def nearest(
        self, points: Floats, turns: Ids, count: int, limit: float
    ) -> tuple[Ids, Floats, Floats] | None:
        """Find the nearest items, or None if a point is not finite.

        `turns` (q,) are the numbers of all points, neighbors best one after the other. Returns
        items and distances (q, count), and positions (q, count, 3). Items are -2 of points that
        are left to NumPy.
        """
        items, entries = np.empty((2, len(points), count), np.intp)
        distances, positions = np.empty(items.shape), np.empty((*items.shape, 3))
        scratch = self._scratch()
        for some in blocks(len(points), max(1, _PIECE // count)):
            reached = self._library.octree_kernel_nearest(
                self._told, _address(points), _address(turns), some.start, some.stop, count,
                limit, _address(scratch), *map(_address, (items, entries)),
                *map(_address, (distances, positions)),
            )  # fmt: skip
            if reached < some.stop:
                return None
        return items, distances, positions

    def touched(
        self, spheres: Floats, turns: Ids, *, any_hit: bool = False
    ) -> tuple[Ids, Ids] | None:
        """Find the triangles that touch spheres, rows of center and radius (q, 4).

        `turns` (q,) are the numbers of all, neighbors best one after the other. Returns how many
        each touches, (q,), or at most one, and the items of each in the order of the turns,
        ascending; or None if one is too large or too far away.
        """
        counts, parts = np.zeros(len(spheres), np.intp), [np.empty(0, np.intp)]
        start, room, scratch = 0, _ROOM, self._scratch()
        while start < len(spheres):
            items, stop = np.empty(room, np.intp), min(start + _PIECE, len(spheres))
            reached = self._library.octree_kernel_touch(
                self._told, _address(spheres), _address(turns), start, stop, any_hit,
                _address(scratch), _address(items), room, _address(counts),
            )  # fmt: skip
            found = int(counts[turns[start:reached]].sum())
            parts.append(items[:found].copy())
            if reached == start and room > self._tree.entry_count:
                return None
            # One sphere touches more than there is room for.
            room, start = room * (2 if reached == start else 1), reached
        return counts, np.concatenate(parts)


class Placed(Walked):
    """Packed trees that are placed: their boxes are packed, trees are put in when wanted.

    Placements (n,) have numbers of trees, matrices (n, 12), inverses (n, 9), slacks, and boxes
    (6, n); `rows` are those that are there. `wanted`, for each of `count` trees, is 1 where a ray
    has come to one that is missing.
    """

    def __init__(
        self,
        numbers: Ids,
        matrices: Floats,
        inverses: Floats,
        slacks: Floats,
        boxes: Floats,
        rows: Ids,
        count: int,
    ) -> None:
        super().__init__()
        package, there = self._package, _rows(rows, np.int32)
        self._deepest = 0
        self._trees, self.wanted = np.zeros((count, package.TREE), np.uint8), np.zeros(count, "u1")
        kept = {
            "nodes": self._space(package.NODE, len(rows)),
            "trees": self._trees,
            "meshes": _rows(numbers, np.intp),
            "matrices": _rows(matrices, np.float64),
            "inverses": _rows(inverses, np.float64),
            "slacks": _rows(slacks, np.float64),
            "wanted": self.wanted,
        }
        self._kept = list(kept.values())
        places = {name: _address(array) for name, array in kept.items()}
        self._scene = package.Scene(**places, row_count=len(numbers), mesh_count=count)
        sides, middles = _rows(boxes, np.float64), np.empty((3, len(numbers)), np.float32)
        parts, depths = np.empty((len(rows), 5)), np.empty(len(rows), np.int32)
        state = self._library.octree_kernel_pack_scene(
            package.byref(self._scene), places["nodes"], _address(sides), len(rows),
            _address(there), _address(middles), _address(parts), _address(depths),
        )  # fmt: skip
        self.is_sound = bool(state == 0)

    @property
    def _depth(self) -> int:
        return int(self._scene.depth) + self._deepest + 2

    def put(self, number: int, tree: Packed) -> None:
        """Put a packed tree in; if it is not sound, the whole is not."""
        if not tree.is_sound:
            self.is_sound = False
            return
        self._trees[number] = tree.bytes
        self._deepest = max(self._deepest, tree.depth)
        self._kept += tree._kept


def _rows(array: NDArray[Any], kind: type[np.generic]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=kind)


def _each_once(tree: Octree) -> tuple[NDArray[np.int32], tuple[Ids, Ids, Ids]]:
    """Return the entries in the order of the cells, each in its first; and where cells hold them.

    Those of a cell are from `begin` to `end`, its own to `own_end`, each (m,).
    """
    references, count = tree.references, len(tree.order)
    where = np.arange(len(references))
    first = np.full(count, -1)
    first[references[::-1]] = where[::-1]
    is_first = first[references] == where
    before = np.append(0, np.cumsum(is_first))
    slices = before[tree.begin], before[tree.own_end], before[tree.end]
    return references[is_first].astype(np.int32), slices


# The packed trees, as long as their octrees live; before, how many rays have asked about them.
_PACKED_TREES: WeakKeyDictionary[Octree, Packed] = WeakKeyDictionary()
_ASKED: WeakKeyDictionary[Octree, int] = WeakKeyDictionary()


def is_worth(asked: int, items: int) -> bool:
    """Tell whether so many rays are worth to pack so many items."""
    return asked >= items * _WORTH


def packed(tree: Octree, rays: int) -> Packed | None:
    """Return the packed tree, made once as many rays have asked that it pays, or None."""
    known = _PACKED_TREES.get(tree)
    if known is None:
        if _found()[0] is None or not isinstance(tree.items, Triangles) or len(tree.order) == 0:
            return None
        asked = _ASKED.get(tree, 0) + rays + QUESTION
        _ASKED[tree] = asked
        if not is_worth(asked, len(tree.order)):
            return None
        known = _PACKED_TREES[tree] = Packed(tree)
    return known if known.is_sound else None


def named(tree: Octree, items: Ids) -> Ids:
    """Put what answers call them for the items that were found, of any shape, in place."""
    if tree.ids is not None:
        met = items >= 0
        items[met] = tree.named(items[met])
    return items
