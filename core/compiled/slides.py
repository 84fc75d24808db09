"""Gaps of placed surfaces along a direction: branch and bound over the nodes of both, in C."""

from dataclasses import dataclass

import numpy as np

from .. import tuning
from ..arrays import Flags, Floats, Ids, address
from ..steps import Steps
from .door import found
from .gaps import Side, pool_of

# Pairs of faces in one plane that there is room for at first.
_ROOM = 4_096


@dataclass(frozen=True)
class Slid:
    """What pairs of surfaces have ahead of them, p pairs.

    Gaps are NaN of pairs that are left to NumPy; the least gap, its entries (2, p) and the corner
    of their shadow, and which cross, are those of `core.gaps.search`. `faces`, (3, f), are pairs
    and two entries, the lowest of each pair, or all, if these were wanted.
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
    """Return how far surfaces in rows (2, p), of which the first moves, are from each other.

    Along a direction of about one, and by how much it makes coordinates wrong, (4,). Above the
    limit of its key, gaps are infinite or any; if `shared`, limits fall with what is found. None
    without a kernel.
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
