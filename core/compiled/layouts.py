"""Layouts in C: outlines of meshes, keys along Morton curves, and bounds of runs of triangles."""

import numpy as np

from ..arrays import Flags, Floats, Ids, address
from ..shapes import Triangles
from .door import Caller, found

# A mesh as the kernel takes it: `Mesh` in layouts.c.
_MESH = np.dtype([("places", np.intp, 3), ("counts", np.int64, 3), ("frame", np.float64, 4)])
# Parts of an outline, as `ALL_PARTS` in the kernel.
_PARTS = 64


class Arranger(Caller):
    """What the kernel does of meshes without octrees."""

    def outline(self, triangles: Triangles) -> tuple[Ids, Flags, Floats, Floats]:
        """Return finite triangles, vertices of these, their bounds (6,) and parts (6, b)."""
        boxes = np.empty((1 + _PARTS, 6))
        valid, used = self.finite(triangles, boxes)
        parts = boxes[1:].compress(boxes[1:, 0] < np.inf, axis=0)
        return valid, used, boxes[0], parts.T

    def finite(self, triangles: Triangles, boxes: Floats | None = None) -> tuple[Ids, Flags]:
        """Return finite triangles and vertices of these; fill in the bounds and the parts."""
        vertices, faces = triangles.vertices.T, triangles.faces.T
        corners, size = vertices.shape[1], faces.shape[1]
        flags = np.zeros(corners + size, bool)
        count = self._call("outline", vertices, corners, faces, size, flags, boxes)
        valid = np.arange(count) if count == size else flags[corners:].nonzero()[0]
        return valid, flags[:corners]

    def surrounded(
        self, parts: Floats, starts: Ids, counts: Ids, meshes: Ids, matrices: Floats
    ) -> Floats:
        """Return boxes (6, n) around meshes, placed by matrices (12, n), around all their parts.

        Each mesh has `counts` of the parts (6, b) from its `starts` on.
        """
        found, parts = np.empty((6, len(meshes))), np.ascontiguousarray(parts.T)
        placed = np.ascontiguousarray(meshes), np.ascontiguousarray(matrices), len(meshes)
        self._call("surround", parts, len(parts), starts, counts, len(counts), *placed, found)
        return found

    def laid_out(
        self, meshes: list[tuple[Triangles, Ids]], frames: Floats
    ) -> tuple[Floats, Ids, Ids]:
        """Return vertices (3, v), faces (3, n) and the numbers (n,) of triangles along curves.

        Of each mesh those that are finite are given, too; its curve begins where `frames` (4, m)
        tell: lower x, y, z, and how many places a unit has.
        """
        told = np.empty(len(meshes), _MESH)
        arrays = [(each.vertices.T, each.faces.T, valid) for each, valid in meshes]
        told["places"] = [list(map(address, row)) for row in arrays]
        told["counts"] = [[row[0].shape[1], row[1].shape[1], len(row[2])] for row in arrays]
        told["frame"] = frames.T
        corners, _, entries = told["counts"].sum(axis=0).tolist()
        most = int(told["counts"][:, 2].max())
        vertices, faces = np.empty((3, corners)), np.empty((3, entries), np.intp)
        order, keys = np.empty(entries, np.intp), np.empty((2, most), np.int64)
        laid = self._package.Laid(
            *map(address, (vertices, faces, order, keys)), corners, entries, most
        )
        given = (self._package.Mesh * len(told)).from_buffer(told)
        self._call("lay_out", given, len(told), self._package.byref(laid))
        return vertices, faces, order

    def runs(
        self,
        triangles: Triangles,
        starts: Ids,
        counts: Ids,
        some: slice,
        rows: Floats,
        altitudes: Floats,
    ) -> None:
        """Fill in bounds (6, p) and altitudes (p,) of some runs, `counts` from `starts` on."""
        vertices, faces = triangles.vertices.T, triangles.faces.T
        given = vertices, vertices.shape[1], faces, faces.shape[1], starts, counts
        self._call("runs", *given, len(starts), some.start, some.stop, rows, altitudes)


def arranger() -> Arranger | None:
    """Return what lays out in C, if the kernel is there."""
    return None if found()[0] is None else Arranger()
