"""Cuts of triangles by the triangles that they have contact with, in C."""

from typing import Any, Protocol

import numpy as np

from ..arrays import Flags, Floats, Ids, address
from .door import found

# The most parts of a triangle that is cut by one plane, and by three.
_BY_ONE, _BY_THREE = 3, 27
# Room for parts of each piece at first; the most points of a cutter near a plane.
_MOSTLY, _POINTS = 6, 6


class CutBy(Protocol):
    """Pairs of a triangle and its cutter, as in `core.clash.cutting`: arrays of c columns."""

    @property
    def corners(self) -> Floats:
        """Corners of the cutters, (9, c)."""

    @property
    def normals(self) -> Floats:
        """Normals of the triangles that are cut, (3, c)."""

    @property
    def flat(self) -> Flags:
        """Flags of cutters in the plane of the triangle that they cut, (c,)."""

    @property
    def points(self) -> Floats:
        """Points of the cutters near the plane of that triangle, (3, 6, c)."""

    @property
    def bounds(self) -> Floats:
        """Bounds of these points, (6, c)."""


def parts_beside(
    parts: Floats, cutters: CutBy, numbers: Ids, theirs: Ids, band: float
) -> Flags | None:
    """Flag the pairs of parts (9, n) and cutters that come near each other, (h,).

    `numbers` and `theirs` (h,) are the parts and the cutters of the pairs, `band` the distance
    within which triangles have contact. Returns None without the compiled kernel, or if a number
    is out of range.
    """
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
    """Divide each triangle (9, n) by its cutter, and drop the parts that lie on the cutter.

    `theirs` (n,) are the cutters' numbers. Cuts within `through` of a corner go through it.
    Returns the parts (9, k), and for each part the number of its triangle (k,), ascending.
    Returns None without the compiled kernel, or if NumPy has to answer.
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
    """Return `normals`, `flat` and `points` of `Cutters`, for `ones` cut by `others`, (9, c) each.

    Returns None without the compiled kernel.
    """
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
    """Divide pieces (9, n) along the edges of their nearest triangles, (9, n).

    Returns the parts (9, k), for each part the number of its piece (k,), and the distance of its
    farthest corner from the triangle (k,). Pieces that stay whole are left out. Returns None
    without the compiled kernel, or if NumPy has to answer.
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
    """Return the areas that pairs of triangles share in one plane, (n,), and their centroids.

    The triangles are `ones` and `others`, (9, n) each; centroids are (3, n), and 0 like the area
    where a pair shares none. Returns None without the compiled kernel.
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
    """Return cutters as a structure of the kernel, and the arrays that it points to."""
    names = "corners", "normals", "points", "bounds", "flat"
    kept = [np.ascontiguousarray(getattr(cutters, name)) for name in names]
    return package.Cutters(*map(address, kept), count=len(kept[-1])), kept
