"""Outcodes (Cohen and Sutherland): a mesh's vertices, in blocks with a box each, and planes."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import compiled, tuning
from ..arrays import Flags, Floats, Ids, blocks
from ..boxes import bounds_of_runs
from ..shapes import Triangles

# An outcode: the planes that a vertex is surely beyond, six at most; whether it is not surely
# inside all of them.
BEYOND, UNSURE = np.uint8(0b111111), np.uint8(1 << 6)
_BITS = np.array([1, 2, 4, 8, 16, 32], np.uint8)[:, None]

Codes = NDArray[np.uint8]


class VertexBlocks:
    """The vertices of a mesh in their order, and boxes around blocks of neighbors in that order.

    Parameters
    ----------
    triangles : Triangles
        The mesh.
    used : ndarray of bool, shape (v,)
        Which vertices are corners of its triangles.

    Attributes
    ----------
    length : int
        How many vertices a block has, but the last.
    work : float
        How often all vertices were compared with a volume so far.
    """

    def __init__(self, triangles: Triangles, used: Flags) -> None:
        self.triangles, self.used = triangles, used
        self.length = tuning.current.vertices_together
        self.work = 0.0

    @cached_property
    def parts(self) -> list[slice]:
        """The blocks, as slices of the vertices."""
        return list(blocks(len(self.used), self.length))

    @cached_property
    def limits(self) -> Floats:
        """The boxes of blocks, (6, b)."""
        rows, starts = self.triangles.vertices.T, np.arange(0, len(self.used), self.length)
        return bounds_of_runs(rows, rows, starts)

    @cached_property
    def is_used(self) -> Flags:
        """Which blocks have a corner, (b,)."""
        return np.logical_or.reduceat(self.used, [part.start for part in self.parts])

    @cached_property
    def is_finite(self) -> bool:
        """Whether all coordinates are; else nothing can be compared."""
        return bool(np.isfinite(self.limits).all())

    @property
    def reach(self) -> Floats:
        """How far vertices are from the origin along each axis, at most, (3,)."""
        return np.abs(self.limits).max(axis=1).reshape(2, 3).max(axis=0)

    def together(self, count: int) -> Iterator[slice]:
        """Split `count` volumes into batches that are compared together."""
        return blocks(count, max(1, tuning.current.outcodes // len(self.used)))

    @cached_property
    def pieces(self) -> list[tuple[slice, slice]]:
        """Triangles that are looked at together, and the blocks that hold their vertices."""
        faces, found = self.triangles.faces.T, []
        for piece in blocks(len(self.triangles), tuning.current.corners_together):
            first, last = faces[:, piece].min(), faces[:, piece].max()
            found.append((piece, slice(first // self.length, last // self.length + 1)))
        return found


class Outcodes:
    """Outcodes of the vertices of a mesh for some volumes, made block by block as needed.

    Parameters
    ----------
    mesh : VertexBlocks
        All its vertices are finite.
    planes : ndarray of float64, shape (q, k, 4)
        At most six around each volume in the space of the mesh, positive inside.
    slacks : ndarray of float64, shape (q, k)
        Only what is farther above or below a plane is surely so.
    """

    def __init__(self, mesh: VertexBlocks, planes: Floats, slacks: Floats) -> None:
        self._mesh, self._slacks = mesh, slacks[:, :, None]
        self._normals, self._offsets = planes[:, :, :3], planes[:, :, 3:]
        lower, upper = mesh.limits[:3], mesh.limits[3:]
        half = (upper - lower) / 2
        heights, radii = self._heights(slice(None), lower + half), np.abs(self._normals) @ half
        beyond = heights + radii < -self._slacks
        inside = (heights - radii >= self._slacks).all(axis=1)
        # Of all vertices of each block, (q, b); those of one by one only where no plane decides.
        self._whole = _codes(beyond, inside)
        self._is_open = self._whole == UNSURE
        self._order = np.argsort(-heights.min(axis=1).max(axis=0), kind="stable")
        self._planes = planes, slacks
        self._codes: Codes | None = None
        mesh.work += len(planes) / 64

    def hold_any(self) -> tuple[Flags, Flags]:
        """Return which volumes surely hold a corner, and which have all beyond one plane, (q,).

        Of neither, all is known of all vertices then.
        """
        holds = ((self._whole == 0) & self._mesh.is_used).any(axis=1)
        misses = np.bitwise_and.reduce(self._whole, axis=1) & BEYOND != 0
        decided = holds | misses
        if self._coder is not None:
            holds |= self._encode((~decided).nonzero()[0], self._mesh.used)
            decided |= holds
        else:
            for block in self._order.tolist():
                (left,) = (self._is_open[:, block] & ~decided).nonzero()
                if len(left):
                    codes = self._look(left, block)
                    found = ((codes == 0) & self._mesh.used[self._mesh.parts[block]]).any(axis=1)
                    holds[left], decided[left] = found, found
        (left,) = (~decided).nonzero()
        if len(left):
            misses[left] = np.bitwise_and.reduce(self._held()[left], axis=1) & BEYOND != 0
        return holds, misses

    def triangles(self, number: int) -> tuple[Ids, Ids]:
        """Return the triangles surely inside a volume, and others that are not surely beyond."""
        if self._coder is not None:
            self._encode(np.array([number]))
        else:
            for block in self._is_open[number].nonzero()[0].tolist():
                self._look(np.array([number]), block)
        codes, whole = self._held()[number], self._whole[number]
        sure, unsure = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for piece, some in self._mesh.pieces:
            if np.bitwise_and.reduce(whole[some]) & BEYOND:
                continue
            if not whole[some].any():
                sure.append(np.arange(piece.start, piece.stop))
                continue
            inside, others = self._sorted(piece, codes)
            sure.append(inside)
            unsure.append(others)
        self._mesh.work += 1.0
        return np.concatenate(sure), np.concatenate(unsure)

    def _sorted(self, piece: slice, codes: Codes) -> tuple[Ids, Ids]:
        """Return which triangles of a piece are surely inside, and others not surely beyond."""
        faces = self._mesh.triangles.faces.T
        if self._coder is not None:
            return self._coder.sorted(faces, piece, codes)
        one, two, three = codes[faces[:, piece]]
        inside = one | two | three == 0
        is_open = ~inside & (one & two & three & BEYOND == 0)
        return piece.start + inside.nonzero()[0], piece.start + is_open.nonzero()[0]

    @cached_property
    def _coder(self) -> compiled.Coder | None:
        """What does the same in C, if it is there."""
        triangles = self._mesh.triangles
        return compiled.coder(*self._planes, triangles.vertices.T, triangles.faces.T)

    def _encode(self, numbers: Ids, used: Flags | None = None) -> Flags:
        """Compare blocks that are open to volumes, in C; with `used`, until a corner is inside.

        Returns which of all volumes hold one then, (q,).
        """
        assert self._coder is not None
        if not self._is_open[numbers].any():
            return np.zeros(len(self._whole), bool)
        length, codes = self._mesh.length, self._held()
        given = self._mesh.triangles.vertices.T, (self._order, length), numbers, used
        holds, found = self._coder.encode(*given, self._is_open, codes)
        self._mesh.work += found / len(self._mesh.used)
        return holds

    def _look(self, numbers: Ids, block: int) -> Codes:
        """Compare the vertices of a block with some volumes."""
        part = self._mesh.parts[block]
        heights = self._heights(numbers, self._mesh.triangles.vertices.T[:, part])
        slacks = self._slacks[numbers]
        codes = _codes(heights < -slacks, (heights >= slacks).all(axis=1))
        self._held()[numbers, part] = codes
        self._is_open[numbers, block] = False
        self._mesh.work += codes.size / len(self._mesh.used)
        return codes

    def _held(self) -> Codes:
        """Return the outcodes of all vertices, (q, v), as far as they are known."""
        if self._codes is None:
            lengths = [part.stop - part.start for part in self._mesh.parts]
            self._codes = np.repeat(self._whole, lengths, axis=1)
        return self._codes

    def _heights(self, numbers: Ids | slice, points: Floats) -> Floats:
        """Return how high points (3, n) are above the planes of some volumes, (s, k, n)."""
        normals = self._normals[numbers]
        heights = (normals.reshape(-1, 3) @ points).reshape(*normals.shape[:2], -1)
        heights += self._offsets[numbers]
        return heights


def _codes(beyond: Flags, inside: Flags) -> Codes:
    """Return outcodes (q, n) from flags: beyond each plane, (q, k, n), and inside of all."""
    codes: Codes = np.bitwise_or.reduce(beyond * _BITS[: beyond.shape[1]], axis=1)
    codes |= np.where(inside, np.uint8(0), UNSURE)
    return codes
