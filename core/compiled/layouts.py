"""Bounds of meshes, and octrees over their triangles along Morton curves, in C."""

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Flags, Floats, Ids, address
from ..shapes import Triangles
from ..steps import Steps
from .door import Caller, found

# Cells of the coarse grid over a mesh: `ALL_PARTS` in the kernel.
_PARTS = 64


class Arranger(Caller):
    """Kernel functions that index meshes: bounds, Morton keys, nodes, and bounds of leaves."""

    def outline(self, triangles: Triangles) -> tuple[Ids, Flags, Floats, Floats]:
        """Return the finite triangles, flags of their vertices, bounds (6,) and parts (6, b).

        A part is the bounds of the flagged vertices in one cell of a coarse grid; empty cells
        have none.
        """
        boxes = np.empty((1 + _PARTS, 6))
        valid, used = self.finite(triangles, boxes)
        parts = boxes[1:].compress(boxes[1:, 0] < np.inf, axis=0)
        return valid, used, boxes[0], parts.T

    def finite(self, triangles: Triangles, boxes: Floats | None = None) -> tuple[Ids, Flags]:
        """Return the triangles with finite corners, ascending, and flags of their vertices.

        The first row of `boxes` (1 + _PARTS, 6) receives the bounds, the others the parts; those
        of empty cells have infinite bounds.
        """
        vertices, faces = triangles.vertices.T, triangles.faces.T
        corners, size = vertices.shape[1], faces.shape[1]
        flags = np.zeros(corners + size, bool)
        count = self.call("outline", vertices, corners, faces, size, flags, boxes)
        valid = np.arange(count) if count == size else flags[corners:].nonzero()[0]
        return valid, flags[:corners]

    def surrounded(
        self, parts: Floats, starts: Ids, counts: Ids, meshes: Ids, matrices: Floats
    ) -> Floats:
        """Return boxes (6, n) around the parts of meshes (n,), placed by matrices (12, n).

        Each mesh has `counts` of the parts (6, b) from its `starts` on.
        """
        found, parts = np.empty((6, len(meshes))), np.ascontiguousarray(parts.T)
        placed = np.ascontiguousarray(meshes), np.ascontiguousarray(matrices), len(meshes)
        self.call("surround", parts, len(parts), starts, counts, len(counts), *placed, found)
        return found

    def keys(
        self, vertices: Floats, faces: Ids, some: slice, frames: Floats, owners: Ids, keys: Ids
    ) -> None:
        """Fill in the keys (n,) of the faces (3, n) in a slice.

        The high bits of a key are the number of the face's mesh, `owners` (n,), the low bits its
        Morton key in the frame of that mesh, `frames` (5, meshes).
        """
        given = vertices, vertices.shape[1], faces, faces.shape[1], some.start, some.stop
        self.call("keys", *given, frames, owners, frames.shape[1], keys)

    def divided(self, levels: NDArray[np.uint8], begin: Ids, end: Ids) -> Steps[Ids]:
        """Divide roots, of entries from `begin` to `end`, and return all nodes (4, m), in steps.

        The rows are begin, end, first child, and number of children. `levels` (n,) are the levels
        at which each key differs from the key before. Yields estimates of the fraction done.
        """
        counts, room = np.array([0, len(begin)]), len(levels) // 4 + len(begin) + 16
        nodes = np.empty((4, room), np.intp)
        nodes[:, : len(begin)] = begin, end, 0 * begin - 1, 0 * begin
        while True:
            told = self._package.Divided(*map(address, nodes), address(counts), room)
            given = levels, len(levels), self._package.byref(told), tuning.current.piece
            state = self._library.octree_kernel_divide(address(levels), *given[1:])
            if state == self._package.NO_ROOM:
                nodes, room = np.concatenate((nodes, np.empty_like(nodes)), axis=1), 2 * room
            elif state < 0:
                raise IndexError("divide: the levels contradict each other")
            elif state == 1:
                return nodes[:, : counts[1]]
            yield 1 - 1 / (2 + int(counts[0]))

    def medians(
        self, vertices: Floats, faces: Ids, begins: Ids, sizes: Ids, some: slice, order: Ids
    ) -> None:
        """Sort the numbers of faces in `order` (n,) by medians, for the nodes in a slice.

        Each node has `sizes` of these numbers from its `begins` on. Afterwards, its leaves are
        runs of equal length, except the last. `faces` are (3, n).
        """
        given = vertices, vertices.shape[1], faces, faces.shape[1], begins, sizes
        self.call("medians", *given, some.start, some.stop, order)

    def runs(
        self,
        triangles: Triangles,
        starts: Ids,
        counts: Ids,
        some: slice,
        rows: Floats,
        altitudes: Floats,
    ) -> None:
        """Fill in the bounds (6, p) and the least altitudes (p,) of the runs in a slice.

        A run is `counts` triangles from its `starts` on.
        """
        vertices, faces = triangles.vertices.T, triangles.faces.T
        given = vertices, vertices.shape[1], faces, faces.shape[1], starts, counts
        self.call("runs", *given, len(starts), some.start, some.stop, rows, altitudes)


def arranger() -> Arranger | None:
    """Return the kernel functions that index meshes; None without the compiled kernel."""
    return None if found()[0] is None else Arranger()
