"""Gaps of placed surfaces along a direction: branch and bound over the nodes of both, in C."""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, address
from ..steps import Steps
from .door import found
from .gaps import Side, pool_of

# Room for pairs of faces in one plane at first.
_ROOM = 4_096


@dataclass(frozen=True)
class Slid:
    """Least gaps of p pairs of surfaces along a direction.

    `gaps` (p,), their `entries` (2, p), `corners` (p,) of the projected overlaps, and flags
    `crossing` (p,) are those of `core.gaps.search`; gaps are NaN for pairs that are left to NumPy.
    `faces` (3, f) are the number of a pair and two entries that lie in one plane: the lowest two
    of each pair, or all if they were wanted.
    """

    gaps: Floats
    entries: Ids
    corners: Ids
    crossing: Flags
    faces: Ids


def slid_surfaces(
    side: Side,
    direction: Floats,
    rows: Ids,
    keys: Ids,
    limits: Floats,
    *,
    signed: bool,
    shared: bool,
    wants_faces: bool,
) -> Steps[Slid | None]:
    """Return the gaps between pairs of surfaces in rows (2, p); the first of each pair moves.

    `direction` (4,) is a direction of a length of about 1, and the rounding error of projected
    coordinates. If `signed`, triangles that cross, or are behind the mover, have gaps, too.

    `limits` has a number for each of the `keys` (p,). Gaps above their limit are infinite or not
    the least ones. If `shared`, found gaps lower the limits, in place.

    Yields the fraction done. Returns None without the compiled kernel, or if the kernel cannot
    take the arrays of the pool.
    """
    library, package, _ = found()
    kept: list[object] = []
    laid = None if package is None else pool_of(package, side, kept)
    if laid is None:
        return None
    count = rows.shape[1]
    given = [np.ascontiguousarray(each) for each in (direction, rows, keys)]
    lowered = limits.copy()
    answers = np.empty(count), np.full((2, count), -1), np.full(count, -1), np.zeros(count, bool)
    faces = np.empty((3, _ROOM), np.intp)
    asked = package.Slid(
        *map(address, (*given, lowered, *answers, faces)), count=count, key_count=len(limits),
        room=_ROOM, is_signed=signed, is_shared=shared, wants_faces=wants_faces,
    )  # fmt: skip
    search = np.zeros(library.octree_kernel_slide_size(), np.uint8)
    start = 0
    while start < count:
        start = library.octree_kernel_slide(
            package.byref(laid), package.byref(asked), start, tuning.current.nodes_walked,
            address(search),
        )  # fmt: skip
        if asked.needs_room:
            faces = np.concatenate((faces, np.empty_like(faces)), axis=1)
            asked.faces, asked.room = address(faces), faces.shape[1]
        yield start / count
    limits[:] = lowered
    return Slid(*answers, faces[:, : asked.face_count])
