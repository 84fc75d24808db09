"""Distances, crossings and gaps of placed surfaces: branch and bound over their nodes, in C.

A distance is the shortest of all directions, a gap is measured along one.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, address
from ..steps import Steps
from .door import found
from .touches import batch_of, has_rows, row_step

# Room for pairs of faces in one plane at first.
_ROOM = 4_096


class LaidOut(Protocol):
    """Triangle pool of `core.scene.pool`: triangles by entry, and the nodes over them."""

    @property
    def arranged(self) -> Any:
        """Triangles, by entry."""

    @property
    def order(self) -> Ids:
        """Number of each entry's triangle in its mesh, (n,)."""

    @property
    def nodes(self) -> Any:
        """Nodes of all meshes."""


# A triangle pool, the mesh that is placed in each row, and the matrices of the rows, (12, n).
Side = tuple[LaidOut, Ids, Floats]

# Kinds of searches; and the states of surfaces that touch, and of surfaces that cross.
_GAPS, _CROSSINGS, _TOUCHINGS = 0, 1, 2
TOUCHES, CROSSES = 1.0, 2.0


def shortest_ways(
    side: Side, rows: Ids, limits: Floats, slacks: Floats, turned: Ids
) -> Steps[tuple[Floats, Ids] | None]:
    """Return the distances of surfaces in rows (2, p), (p,), and the closest entries, (2, p).

    The surfaces of a pair share no point. `slacks` (p,) bound the rounding errors of the gaps
    between boxes. Pairs that are farther apart than their `limits` (p,) have an infinite distance
    and entries of -1; pairs that are left to NumPy have NaN.

    Among equally close triangles, those with the smallest numbers in their meshes win: the number
    on side 0 is compared first, or the number on side 1 if the pair's `turned` (p,) is 1.

    Yields the fraction done. Returns None without the compiled kernel, or if the kernel cannot
    take the arrays of the pool.
    """
    return (yield from _searched(_GAPS, (side, side), rows, limits, slacks, turned, None))


def crossing_surfaces(
    sides: tuple[Side, Side], rows: Ids, slacks: Floats, refused: Flags | None, *, touching: bool
) -> Steps[Floats | None]:
    """Return the states of pairs of surfaces in rows (2, p): CROSSES, TOUCHES or 0, (p,).

    CROSSES stands for surfaces that surely cross; with `touching`, also for all that touch. The
    state is NaN for pairs that are left to NumPy.

    `refused` (n,) flags rows of side 0. Flagged rows are skipped, with a state of 0, and rows that
    cross another are flagged. Without `refused`, all pairs are searched.

    Yields the fraction done. Returns None without the compiled kernel, or if the kernel cannot
    take the arrays of a pool.
    """
    kind, nowhere = _TOUCHINGS if touching else _CROSSINGS, np.zeros(rows.shape[1])
    turned = np.zeros(rows.shape[1], np.intp)
    found = yield from _searched(kind, sides, rows, nowhere, slacks, turned, refused)
    return None if found is None else found[0]


def listed_touches(
    side: Side, rows: Ids, slacks: Floats, margin: float
) -> Steps[tuple[Ids, Flags] | None]:
    """List the touching triangles of pairs of surfaces in rows (2, p), in steps.

    Returns, for each two triangles, the number of the pair and both entries, (3, h); and flags of
    the pairs that are left to NumPy, (p,), whose triangles are not listed. A row paired with
    itself gives each two of its triangles once, the lower entry first.

    Yields the fraction done. Returns None without the compiled kernel, if the kernel cannot take
    the arrays of the pool, or if the margin is above 0.
    """
    library, package, _ = found()
    kept: list[Any] = []
    laid = None if package is None or margin > 0 else pool_of(package, side, kept)
    if laid is None:
        return None
    asked = [np.ascontiguousarray(each) for each in (rows, slacks)]
    count, start, used = rows.shape[1], 0, tuning.current
    both, left = (package.Pool * 2)(laid, laid), np.zeros(count, bool)
    search = np.zeros(library.octree_kernel_search_size(), np.uint8)
    room, made = np.empty((3, used.touches_listed), np.intp), np.empty(1, np.intp)
    parts = [room[:, :0]]
    while start < count:
        start = library.octree_kernel_list(
            both, address(asked[0]), count, address(asked[1]), start, count, used.nodes_walked,
            address(search), address(room), room.shape[1], address(made), address(left),
        )  # fmt: skip
        parts.append(room[:, : made[0]].copy())
        yield start / count
    listed = np.concatenate(parts, axis=1)
    return listed[:, ~left[listed[0]]], left


def _searched(
    kind: int,
    sides: tuple[Side, Side],
    rows: Ids,
    limits: Floats,
    slacks: Floats,
    turned: Ids,
    refused: Flags | None,
) -> Steps[tuple[Floats, Ids] | None]:
    library, package, _ = found()
    kept: list[Any] = []
    laid = [None if package is None else pool_of(package, side, kept) for side in sides]
    if None in laid:
        return None
    asked = [np.ascontiguousarray(each) for each in (rows, limits, slacks, turned)]
    given, *others = map(address, asked)
    others.append(0 if refused is None else address(refused))
    count, start, both = rows.shape[1], 0, (package.Pool * 2)(*laid)
    search = np.zeros(library.octree_kernel_search_size(), np.uint8)
    lengths, entries = np.empty(count), np.empty((2, count), np.intp)
    room = address(search), address(lengths), address(entries)
    while start < count:
        most = tuning.current.nodes_walked
        start = library.octree_kernel_search(
            both, kind, given, count, *others, start, count, most, *room
        )
        yield start / count
    return lengths, entries


def pool_of(package: Any, side: Side, kept: list[Any]) -> Any:
    """Return a pool as a structure of the kernel; None if the kernel cannot take its arrays.

    Arrays that the structure points to are appended to `kept`.
    """
    pool, meshes, matrices = side
    batch, nodes = batch_of(pool.arranged), pool.nodes
    if batch is None or not has_rows(nodes.boxes):
        return None
    flat: dict[str, NDArray[Any]] = {
        "order": pool.order, "first_child": nodes.first_child,
        "child_count": nodes.child_count, "begin": nodes.begin, "end": nodes.end,
        "altitudes": nodes.least_altitude, "lowest_items": nodes.lowest_item,
        "roots": nodes.roots, "meshes": meshes, "matrices": matrices,
    }  # fmt: skip
    flat = {name: np.ascontiguousarray(array) for name, array in flat.items()}
    kept += [batch, nodes.boxes, *flat.values()]
    batch.value.place_count = len(meshes)
    batch.value.matrices = address(flat.pop("matrices"))
    return package.Pool(
        triangles=batch.value, boxes=address(nodes.boxes), node_step=row_step(nodes.boxes),
        node_count=nodes.boxes.shape[1], mesh_count=len(nodes.roots),
        **{name: address(array) for name, array in flat.items()},
    )  # fmt: skip


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
