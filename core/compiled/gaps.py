"""Shortest ways between placed surfaces (branch and bound over both linear BVHs, in C)."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Floats, Ids
from ..steps import Steps
from .door import address, found
from .touches import batch_of, has_rows, row_step


class LaidOut(Protocol):
    """What `core.scene.sheets` lays out: triangles by entry, and patches around runs of these."""

    @property
    def arranged(self) -> Any:
        """The triangles."""

    @property
    def order(self) -> Ids:
        """Which triangle of its mesh each entry is."""

    @property
    def patches(self) -> Any:
        """The patches of all meshes."""


def shortest_ways(
    sheets: LaidOut,
    placed: tuple[Ids, Floats],
    rows: Ids,
    limits: Floats,
    slacks: Floats,
    turned: Ids,
) -> Steps[tuple[Floats, Ids] | None]:
    """Return how far surfaces in rows (2, p) are apart, (p,), and between which entries, (2, p).

    Of surfaces that share no point, up to limits (p,). `placed` are the meshes of all rows and
    their matrices (12, n), `slacks` (p,) what rounding may take from the gap of two boxes. Of
    triangles that are equally near, those of the smallest numbers are named: first of side 0, or
    of side 1 where the pair is `turned`, (p,) of 0 and 1. Lengths are infinite, and entries -1,
    where surfaces are farther apart; lengths are NaN of pairs that are left to NumPy. None
    without a kernel.
    """
    library, package, _ = found()
    batch = batch_of(sheets.arranged)
    patches = sheets.patches
    if package is None or batch is None or not has_rows(patches.rows):
        return None
    flat: dict[str, NDArray[Any]] = {
        "order": sheets.order, "firsts": patches.firsts, "counts": patches.counts,
        "are_small": patches.are_small, "tops": patches.tops, "top_counts": patches.top_counts,
        "meshes": placed[0],
    }  # fmt: skip
    flat = {name: np.ascontiguousarray(array) for name, array in flat.items()}
    matrices = np.ascontiguousarray(placed[1])
    batch.value.matrices, batch.value.place_count = address(matrices), matrices.shape[1]
    laid = package.Sheets(
        triangles=batch.value, boxes=address(patches.rows), patch_step=row_step(patches.rows),
        patch_count=patches.rows.shape[1], mesh_count=len(patches.tops),
        **{name: address(array) for name, array in flat.items()},
    )  # fmt: skip
    asked = [np.ascontiguousarray(each) for each in (rows, limits, slacks, turned)]
    count, start = rows.shape[1], 0
    given, names = address(asked[0]), [address(each) for each in asked[1:]]
    search = np.zeros(library.octree_kernel_search_size(), np.uint8)
    lengths, entries = np.empty(count), np.empty((2, count), np.intp)
    while start < count:
        start = library.octree_kernel_gaps(
            package.byref(laid), given, count, *names, start, count,
            tuning.current.patches_walked,
            address(search), address(lengths), address(entries),
        )  # fmt: skip
        yield start / count
    return lengths, entries
