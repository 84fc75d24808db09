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

from . import checks
from .arrays import Flags, Floats, Ids, blocks
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
_WORTH, _QUESTION = 1 / 64, 256
# Neighbors that tell whether rays are coherent, how many of them at least, and from which count
# of rays on it matters.
_LOOKED, _COHERENT, _MANY = 256, 0.75, 64
# The item of a ray that the kernel leaves to NumPy.
NOT_TAKEN = -2
# Of each point no more than this many nearest items are found by the kernel.
MOST = 64
# Crossings that there is room for at first.
_ROOM = 65_536


class _Choice:
    """Whether the user wants the kernel: see `use_kernel`."""

    is_wanted = True


def found() -> tuple[Any, Any, str]:
    """Return the library and its package, or why there are none."""
    return _opened() if _Choice.is_wanted else (None, None, "it is switched off")


@cache
def _opened() -> tuple[Any, Any, str]:
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
    return found()[2]


def kernel_state() -> tuple[str, str]:
    """Tell whether the compiled kernel helps to answer.

    Returns
    -------
    version : str
        Its version; an empty text if NumPy alone answers.
    reason : str
        Why NumPy alone does; an empty text if the kernel helps.
    """
    _, package, reason = found()
    return ("" if package is None else package.VERSION), reason


def use_kernel(is_wanted: bool, /) -> None:
    """Switch the compiled kernel on, as it is at first, or off, for this process.

    Parameters
    ----------
    is_wanted : bool
        Whether it is used if it is there. Answers are the same, to the last bit.

    Raises
    ------
    ValueError
        If it is neither True nor False.
    """
    _Choice.is_wanted = checks.flag("is_wanted", is_wanted)


def address(array: NDArray[Any]) -> int:
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
        return address(self.origins), address(self.directions), address(self.limits), step

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


class Packed:
    """The triangles of an octree, packed into the kernel's wide tree."""

    def __init__(self, tree: Octree) -> None:
        self._library, self._package, _ = found()
        self._kept: list[NDArray[Any]] = []
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
            **{name: address(array) for name, array in zip(names, arrays, strict=True)},
            vertex_count=vertices.shape[1],
            entry_count=count,
        )
        middles, room = np.empty((3, count), np.float32), count // 6 + 16
        while True:
            nodes, parts = self._space(self._package.NODE, room // 3), np.empty((room // 3, 5))
            packed, depths = self._space(self._package.BLOCK, room), np.empty(len(parts), np.int32)
            state = self._library.octree_kernel_pack(
                self._told, address(nodes), address(packed), len(nodes), len(packed),
                *map(address, cells), len(tree.begin), address(entries), address(middles),
                address(parts), address(depths),
            )  # fmt: skip
            if state != self._package.TOO_LITTLE_ROOM:
                break
            room *= 2
        if state == 0:
            self._kept = [*arrays, nodes, packed]
        return bool(state == 0)

    @property
    def _told(self) -> Any:
        """The packed tree as the kernel takes it."""
        return self._package.byref(self._tree)

    def _space(self, which: int, count: int) -> NDArray[np.uint8]:
        return np.empty((count, self._library.octree_kernel_size(which, 0)), np.uint8)

    def _scratch(self) -> NDArray[np.uint8]:
        size = self._library.octree_kernel_size(self._package.SCRATCH, self._tree.depth)
        return np.empty(size, np.uint8)

    def cast(self, rays: Questions, answer: tuple[NDArray[Any], ...], *, any_hit: bool) -> bool:
        """Find items, and what else there is room for; False if a ray is no sound question.

        `answer` are items (q,), and distances, positions, normals and weights. Items are -2 of
        rays that are left to NumPy.
        """
        package, scratch = self._package, self._scratch()
        hits = package.Hits(*map(address, answer))
        mode = package.ANY if any_hit else package.CLOSEST
        together = int(rays.are_scattered())
        for some in blocks(len(rays), _PIECE):
            reached = self._library.octree_kernel_cast(
                self._told, *rays.addresses, some.start, some.stop, mode, together,
                address(scratch), self._package.byref(hits),
            )  # fmt: skip
            if reached < some.stop:
                return False
        return True

    def cast_all(self, rays: Questions, left: Flags) -> Iterator[tuple[Ids, Ids, Floats]] | None:
        """Yield rays, items and distances, sorted; flags in `left`, (q,), those left to NumPy.

        Returns None if a ray is no sound question.
        """
        parts, start, room, count = [], 0, _ROOM, self._package.c_int64()
        scratch = self._scratch()
        while start < len(rays):
            stop = min(start + _PIECE, len(rays))
            numbers, items, distances = *np.empty((2, room), np.intp), np.empty(room)
            reached = self._library.octree_kernel_cast_all(
                self._told, *rays.addresses, start, stop, address(scratch),
                *map(address, (numbers, items, distances)), room, self._package.byref(count),
                address(left),
            )  # fmt: skip
            if reached < 0:
                return None
            found = slice(count.value)
            parts.append((numbers[found].copy(), items[found].copy(), distances[found].copy()))
            # One ray met more than there is room for.
            room, start = room * (2 if reached == start else 1), reached
        return iter(parts)

    def nearest(
        self, points: Floats, count: int, limit: float
    ) -> tuple[Ids, Floats, Floats] | None:
        """Find the nearest items, or None if a point is not finite.

        Returns items and distances (q, count), and positions (q, count, 3). Items are -2 of
        points that are left to NumPy.
        """
        items, entries = np.empty((2, len(points), count), np.intp)
        distances, positions = np.empty(items.shape), np.empty((*items.shape, 3))
        scratch = self._scratch()
        for some in blocks(len(points), max(1, _PIECE // count)):
            reached = self._library.octree_kernel_nearest(
                self._told, address(points), some.start, some.stop, count, limit,
                address(scratch), *map(address, (items, entries)),
                *map(address, (distances, positions)),
            )  # fmt: skip
            if reached < some.stop:
                return None
        return items, distances, positions


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


def packed(tree: Octree, rays: int) -> Packed | None:
    """Return the packed tree, made once as many rays have asked that it pays, or None."""
    if found()[0] is None:
        return None
    known = _PACKED_TREES.get(tree)
    if known is None:
        if not isinstance(tree.items, Triangles) or len(tree.order) == 0:
            return None
        asked = _ASKED.get(tree, 0) + rays + _QUESTION
        _ASKED[tree] = asked
        if asked < len(tree.order) * _WORTH:
            return None
        known = _PACKED_TREES[tree] = Packed(tree)
    return known if known.is_sound else None


def named(tree: Octree, items: Ids) -> Ids:
    """Put what answers call them for the items that were found, of any shape, in place."""
    if tree.ids is not None:
        met = items >= 0
        items[met] = tree.named(items[met])
    return items
