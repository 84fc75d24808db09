"""Ways between placed surfaces, and crossings: branch and bound over the nodes of both, in C."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, address
from ..steps import Steps
from .door import found
from .touches import batch_of, has_rows, row_step


class LaidOut(Protocol):
    """The triangle pool of `core.scene.pool`: triangles by entry, and nodes."""

    @property
    def arranged(self) -> Any:
        """The triangles."""

    @property
    def order(self) -> Ids:
        """Which triangle of its mesh each entry is."""

    @property
    def nodes(self) -> Any:
        """The nodes of all meshes."""


# Sheets, the meshes placed in all rows, and their matrices (12, n).
Side = tuple[LaidOut, Ids, Floats]

# What is searched; and what is found of surfaces that touch, and of those that cross.
_GAPS, _CROSSINGS, _TOUCHINGS = 0, 1, 2
TOUCHES, CROSSES = 1.0, 2.0


def shortest_ways(
    side: Side, rows: Ids, limits: Floats, slacks: Floats, turned: Ids
) -> Steps[tuple[Floats, Ids] | None]:
    """Return how far surfaces in rows (2, p) are apart, (p,), and between which entries, (2, p).

    Of surfaces that share no point, up to limits (p,). `slacks` (p,) are what rounding may take
    from the gap of two boxes. Of triangles that are equally near, those of the smallest numbers
    are named: first of side 0, or of side 1 where the pair is `turned`, (p,) of 0 and 1. Lengths
    are infinite, and entries -1, where surfaces are farther apart; lengths are NaN of pairs that
    are left to NumPy. None without a kernel.
    """
    return (yield from _searched(_GAPS, (side, side), rows, limits, slacks, turned, None))


def crossing_surfaces(
    sides: tuple[Side, Side], rows: Ids, slacks: Floats, refused: Flags | None, *, touching: bool
) -> Steps[Floats | None]:
    """Return which surfaces in rows (2, p) surely cross, CROSSES, and which TOUCHES, (p,), else 0.

    What touches crosses if that is `touching`. Rows of side 0 that are refused, (n,), are passed
    over, and so is one that has crossed another; without such flags all are looked at. NaN of
    pairs that are left to NumPy. None without a kernel.
    """
    kind, nowhere = _TOUCHINGS if touching else _CROSSINGS, np.zeros(rows.shape[1])
    turned = np.zeros(rows.shape[1], np.intp)
    found = yield from _searched(kind, sides, rows, nowhere, slacks, turned, refused)
    return None if found is None else found[0]


def listed_touches(
    side: Side, rows: Ids, slacks: Floats, margin: float
) -> Steps[tuple[Ids, Flags] | None]:
    """Return the triangles that touch of surfaces in rows (2, p), and which pairs are left.

    The triangles, (3, h), are numbers of the pair and entries of both. Those of pairs that are
    `left`, (p,), to NumPy are not among them. None without a kernel, or with a margin.
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
    """Return a pool as the kernel takes it; None if it cannot."""
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
