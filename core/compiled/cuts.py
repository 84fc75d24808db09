"""Cuts of triangles by others that they have contact with, in C."""

from typing import Any, Protocol

import numpy as np

from ..arrays import Flags, Floats, Ids, address
from .door import found

# Parts of a triangle that is cut by one plane, and by three.
_BY_ONE, _BY_THREE = 3, 27
# Parts of a piece that there is room for at first; points of what comes near a plane.
_MOSTLY, _POINTS = 6, 6


class CutBy(Protocol):
    """What cuts, as `core.clash.cutting` tells: arrays of c columns, side by side."""

    @property
    def corners(self) -> Floats:
        """Triangles, (9, c)."""

    @property
    def normals(self) -> Floats:
        """Normals of what is cut, (3, c)."""

    @property
    def flat(self) -> Flags:
        """Which lie in its plane, (c,)."""

    @property
    def points(self) -> Floats:
        """Points near its plane, (3, 6, c)."""

    @property
    def bounds(self) -> Floats:
        """Their bounds, (6, c)."""


def parts_beside(
    parts: Floats, cutters: CutBy, numbers: Ids, theirs: Ids, band: float
) -> Flags | None:
    """Return which pairs of parts (9, n) and cutters come near each other; None without it."""
    library, package, _ = found()
    if package is None:
        return None
    given, _kept = _given(package, cutters)
    parts, pairs = np.ascontiguousarray(parts), np.stack((numbers, theirs))
    flags = np.empty(len(numbers), bool)
    reached = library.octree_kernel_beside(
        address(parts), parts.shape[1], package.byref(given), *map(address, pairs), len(numbers),
        band, address(flags),
    )  # fmt: skip
    return flags if reached == len(numbers) else None


def cut_parts(
    parts: Floats, cutters: CutBy, theirs: Ids, band: float, through: float
) -> tuple[Floats, Ids] | None:
    """Return what each triangle (9, n) is divided in by its cutter, and of which each is a part.

    Without what lies on the cutter. None without a kernel, or where NumPy has to answer.
    """
    library, package, _ = found()
    if package is None:
        return None
    given, _kept = _given(package, cutters)
    parts, theirs = np.ascontiguousarray(parts), np.ascontiguousarray(theirs)
    flat = np.count_nonzero(cutters.flat.take(theirs, mode="clip"))
    room = _BY_ONE * (len(theirs) - flat) + _BY_THREE * flat
    made, whose = np.empty((9, room)), np.empty(room, np.intp)
    count = library.octree_kernel_cut(
        address(parts), len(theirs), package.byref(given), address(theirs), band, through,
        address(made), address(whose), room,
    )  # fmt: skip
    return None if count < 0 else (made[:, :count].copy(), whose[:count].copy())


def seen_cutters(ones: Floats, others: Floats, band: float) -> tuple[Floats, Flags, Floats] | None:
    """Return `normals`, `flat` and `points` of `others` as `ones` see them, (9, c) each."""
    library = found()[0]
    if library is None:
        return None
    ones, others = map(np.ascontiguousarray, (ones, others))
    count = ones.shape[1]
    made = np.empty((3, count)), np.empty(count, bool), np.empty((3, _POINTS, count))
    library.octree_kernel_see_cutters(
        address(ones), address(others), count, band, *map(address, made)
    )
    return made


def split_pieces(
    pieces: Floats, nearest: Floats, through: float
) -> tuple[Floats, Ids, Floats] | None:
    """Return parts of those pieces (9, n) that the edges of their nearest triangles divide.

    And of which each is a part, and how far the farthest corner of each is from that triangle.
    None without a kernel, or where NumPy has to answer.
    """
    library = found()[0]
    if library is None:
        return None
    pieces, nearest = map(np.ascontiguousarray, (pieces, nearest))
    count, start, made = pieces.shape[1], 0, np.zeros(1, np.intp)
    found_parts = [(np.empty((9, 0)), np.empty(0, np.intp), np.empty(0), np.empty(0, np.intp))]
    while start < count:
        room = _BY_THREE + _MOSTLY * (count - start)
        parts, uppers = np.empty((9, room)), np.empty(room)
        whose, turns = np.empty((2, room), np.intp)
        start = library.octree_kernel_split(
            address(pieces), address(nearest), count, start, through, address(parts),
            address(whose), address(uppers), address(turns), room, address(made),
        )  # fmt: skip
        some = slice(int(made[0]))
        found_parts.append((parts[:, some], whose[some], uppers[some], turns[some]))
    corners, whose, uppers, turns = (
        np.concatenate(each, axis=-1) for each in zip(*found_parts, strict=True)
    )
    if np.isnan(uppers).any():
        return None
    order = np.argsort(turns, kind="stable")
    return corners[:, order], whose[order], uppers[order]


def shared_parts(ones: Floats, others: Floats, band: float) -> tuple[Floats, Floats] | None:
    """Return the areas that triangles (9, n) share in one plane, (n,), and their middles, (3, n).

    None without a kernel.
    """
    library = found()[0]
    if library is None:
        return None
    ones, others = np.ascontiguousarray(ones), np.ascontiguousarray(others)
    count = ones.shape[1]
    areas, middles = np.empty(count), np.empty((3, count))
    library.octree_kernel_share(
        address(ones), address(others), count, band, address(areas), address(middles)
    )
    return areas, middles


def _given(package: Any, cutters: CutBy) -> tuple[Any, list[Any]]:
    """Return cutters as the kernel takes them, and the arrays that this points to."""
    names = "corners", "normals", "points", "bounds", "flat"
    kept = [np.ascontiguousarray(getattr(cutters, name)) for name in names]
    return package.Cutters(*map(address, kept), count=len(kept[-1])), kept
