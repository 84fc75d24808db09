"""Outcodes (Cohen and Sutherland): vertices, in blocks with a box each, against frustum planes."""

from collections.abc import Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids

# A block is so many rows of so many vertices; each row is compared at once.
_ROWS = _WIDTH = 64
# Rounding of what is computed here, as a part of the coordinates: only what is farther counts.
ROUNDING = 2.0**-40
# Comparing blocks of vertices goes on for so many before Blender may draw.
_PATIENCE = 64
# Corners of faces looked through for a vertex before all are.
_NEAR = 1 << 16
# Of an outcode: the six planes that a vertex is beyond, and whether it is not certainly inside.
BEYOND, UNSURE = np.uint8(0b111111), np.uint8(1 << 6)
_BITS = np.array([1, 2, 4, 8, 16, 32], np.uint8)[:, None]

Positions = NDArray[np.float32] | Floats
Codes = NDArray[np.uint8]


class VertexBlocks:
    """Vertices in the order of their mesh, and the boxes of blocks of neighbors in that order.

    Parameters
    ----------
    positions : ndarray of float32 or float64, shape (v, 3)
        The vertices.

    Attributes
    ----------
    lower, upper : ndarray of float64, shape (b, 3)
        The box of each block; not finite where a vertex is not.
    is_finite : bool
        Whether all coordinates are finite numbers.
    work : float
        How many vertices were compared with a frustum so far, in multiples of all.
    """

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self._length = _ROWS * _WIDTH
        self.lower, self.upper = _block_boxes(positions)
        self.is_finite = bool(np.isfinite(self.lower).all() and np.isfinite(self.upper).all())
        self.work = 0.0

    def compare(self, planes: Floats, used: "UsedVertices") -> Generator[float, None, bool | None]:
        """Tell whether six planes, (6, 4), certainly have a used vertex inside: True.

        False if all vertices are certainly beyond one plane, None if neither is certain. All
        coordinates are finite.
        """
        view = _BlocksInView(self, planes)
        self.work += 1 / 64
        for count, block in enumerate(view.candidates()):
            start, inside = block * self._length, view.inside(block)
            self.work += 1 / len(self.lower)
            if inside.any() and used.holds(start, inside):
                return True
            if count % _PATIENCE == _PATIENCE - 1:
                yield 0.0
        for plane in view.separating():
            self.work += 1 / 8
            if (yield from self._is_beyond(view, plane)):
                return False
        return None

    def _is_beyond(self, view: "_BlocksInView", plane: int) -> Generator[float, None, bool]:
        """Tell whether all vertices are certainly beyond a plane."""
        for count, block in enumerate(np.flatnonzero(~view.beyond[:, plane])):
            if not view.is_beyond(plane, block):
                return False
            if count % _PATIENCE == _PATIENCE - 1:
                yield 0.0
        return True

    def outcodes(self, planes: Floats) -> Generator[float, None, "Outcodes"]:
        """Compare all vertices with six planes, (6, 4). All coordinates are finite."""
        view = _BlocksInView(self, planes)
        self.work += 1.0
        whole = (view.beyond * _BITS[:, 0]).sum(axis=1, dtype=np.uint8)
        whole[~view.contained] |= UNSURE
        codes = np.repeat(whole, self._length)[: len(self.positions)]
        for count, block in enumerate(np.flatnonzero(whole == UNSURE)):
            start = block * self._length
            codes[start : start + self._length] = view.codes(block)
            if count % _PATIENCE == _PATIENCE - 1:
                yield 0.0
        return Outcodes(codes, whole, self._length)

    def part(self, block: int) -> Floats:
        """Return the vertices of one block in double precision, (3, n)."""
        start = block * self._length
        return self.positions[start : start + self._length].T.astype(np.float64)


class Outcodes:
    """Which planes of a frustum vertices are beyond.

    Parameters
    ----------
    codes : ndarray of uint8, shape (v,)
        0 of a vertex that is certainly inside all planes. Else `UNSURE`, and a bit for each plane
        that it is certainly beyond, of which some may be missing.
    whole : ndarray of uint8, shape (b,)
        What holds for all vertices of a block.
    length : int
        The vertices of a block.
    """

    def __init__(self, codes: Codes, whole: Codes, length: int) -> None:
        self._codes, self._whole, self._length = codes, whole, length

    def clip(self, triangles: NDArray[np.int32]) -> tuple[Flags, Flags]:
        """Tell which triangles, (t, 3), have a corner inside, and which others may be in view.

        All others are certainly beyond one of the planes.
        """
        first, last = triangles.min() // self._length, triangles.max() // self._length
        whole = self._whole[first : last + 1]
        is_inside = not whole.any()
        if is_inside or np.bitwise_and.reduce(whole) & BEYOND:
            return np.full(len(triangles), is_inside), np.zeros(len(triangles), np.bool_)
        one, two, three = self._codes[triangles].T
        inside: Flags = np.minimum(np.minimum(one, two), three) == 0
        return inside, ~inside & ((one & two & three & BEYOND) == 0)


def _block_boxes(positions: Positions) -> tuple[Floats, Floats]:
    """Return the lower and the upper corners of the boxes of blocks, (b, 3) each."""
    length = _ROWS * _WIDTH
    whole = len(positions) // length
    # Many numbers in a row each time: NumPy is slow where only three follow each other.
    rows = positions[: whole * length].reshape(whole, _ROWS, 3 * _WIDTH)
    rest = np.ascontiguousarray(positions[whole * length :].T)
    lower, upper = (_extremes(rows, rest, extreme) for extreme in (np.minimum, np.maximum))
    return lower, upper


def _extremes(rows: Positions, rest: Positions, extreme: np.ufunc) -> Floats:
    found = []
    if len(rows):
        boxes = extreme.reduce(rows, axis=1).reshape(len(rows), _WIDTH, 3)
        found.append(extreme.reduce(boxes, axis=1))
    if rest.size:
        found.append(extreme.reduce(rest, axis=1)[None])
    return np.concatenate(found or [rest.T]).astype(np.float64)


class UsedVertices:
    """Which vertices are corners of faces.

    Parameters
    ----------
    corners : ndarray of int32, shape (c,)
        The vertex of each corner of each face.
    count : int
        How many vertices there are.
    """

    def __init__(self, corners: NDArray[np.int32], count: int) -> None:
        self._corners, self._count = corners, count
        self._used: Flags | None = None

    def holds(self, start: int, chosen: Flags) -> bool:
        """Tell whether any of the vertices chosen, of those from `start` on, is used."""
        if self._used is None and self._is_near(start, chosen):
            return True
        if self._used is None:
            self._used = np.zeros(self._count, np.bool_)
            self._used[self._corners] = True
        return bool((self._used[start : start + len(chosen)] & chosen).any())

    def _is_near(self, start: int, chosen: Flags) -> bool:
        """Look at the corners about as far from the first as the vertices are: mostly enough."""
        middle = start * len(self._corners) // self._count
        near = self._corners[max(0, middle - _NEAR) : middle + _NEAR]
        near = near[(near >= start) & (near < start + len(chosen))]
        return bool(chosen[near - start].any())


class _BlocksInView:
    """Blocks of vertices against six planes: what their boxes tell, and each by itself."""

    def __init__(self, blocks: VertexBlocks, planes: Floats) -> None:
        self._blocks = blocks
        self._normals, self._offsets = planes[:, :3], planes[:, 3:]
        half = (blocks.upper - blocks.lower) / 2
        reach = np.maximum(np.abs(blocks.lower), np.abs(blocks.upper)).max(axis=0)
        sizes = np.abs(self._normals) @ reach[:, None] + np.abs(self._offsets)
        self._slack = ROUNDING * sizes  # (6, 1)
        self._heights = (blocks.lower + half) @ self._normals.T + self._offsets.T
        radii = half @ np.abs(self._normals).T
        self._lowest = self._heights - radii
        # Of each block and plane: whether the whole block is beyond, (b, 6).
        self.beyond: Flags = self._heights + radii < -self._slack.T
        # Of each block: whether it is wholly inside, (b,).
        self._within: Flags = self._lowest > self._slack.T
        self.contained: Flags = self._within.all(axis=1)

    def candidates(self) -> Ids:
        """Return the blocks that may hold a vertex inside, likely ones first."""
        possible = np.flatnonzero(~self.beyond.any(axis=1))
        return possible[np.argsort(-self._heights[possible].min(axis=1), kind="stable")]

    def separating(self) -> Iterator[int]:
        """Return the planes that all vertices may be beyond."""
        yield from np.flatnonzero((self._lowest < -self._slack.T).all(axis=0)).tolist()

    def inside(self, block: int) -> Flags:
        """Tell which vertices of a block are certainly inside."""
        rows = ~self._within[block]
        inside: Flags = (self._heights_of(block, rows) > self._slack[rows]).all(axis=0)
        return inside

    def is_beyond(self, plane: int, block: int) -> bool:
        """Tell whether all vertices of a block are certainly beyond a plane."""
        heights = self._heights_of(block, np.arange(6) == plane)
        return bool((heights < -self._slack[plane]).all())

    def codes(self, block: int) -> Codes:
        """Return the outcodes of a block."""
        rows = ~self._within[block]
        heights, slack = self._heights_of(block, rows), self._slack[rows]
        codes = np.bitwise_or.reduce((heights < -slack) * _BITS[rows], axis=0)
        codes[~(heights > slack).all(axis=0)] |= UNSURE
        return codes

    def _heights_of(self, block: int, rows: Flags) -> Floats:
        """Return the heights of the vertices of a block above some of the planes, (r, n)."""
        heights: Floats = self._normals[rows] @ self._blocks.part(block) + self._offsets[rows]
        return heights
