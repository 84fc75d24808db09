"""Outcodes in C: vertices of a mesh against planes, and triangles by those of their corners."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address
from .door import Caller, found


class Coder(Caller):
    """Compares the vertices of a mesh with planes around volumes, positive inside.

    `planes` (q, k, 4) and `slacks` (q, k) are at most six for each; only what is farther above or
    below a plane is surely so.
    """

    def __init__(self, planes: Floats, slacks: Floats) -> None:
        super().__init__()
        self._kept = np.ascontiguousarray(planes), np.ascontiguousarray(slacks)
        volumes, count = slacks.shape
        self._planes = self._package.Planes(*map(address, self._kept), volumes, count)

    def encode(
        self,
        vertices: Floats,
        blocks: tuple[Ids, int],
        numbers: Ids,
        used: Flags | None,
        is_open: Flags,
        codes: NDArray[np.uint8],
    ) -> tuple[Flags, int]:
        """Fill in `codes` (q, v) of blocks that are open (q, b) to some volumes, and close them.

        `blocks` are an order of all blocks, and how many vertices they have. If flags of vertices
        are given that are `used`, one of these that is inside is enough. Returns which volumes
        hold one, and how many outcodes were found.
        """
        (order, length), holds = blocks, np.zeros(len(codes), bool)
        step = vertices.strides[0] // vertices.itemsize
        given = vertices, step, vertices.shape[1], self._package.byref(self._planes), numbers
        more = len(numbers), order, len(order), length, used, used is not None
        return holds, self._call("outcodes", *given, *more, is_open, codes, holds)

    def sorted(self, faces: Ids, some: slice, codes: NDArray[np.uint8]) -> tuple[Ids, Ids]:
        """Return which triangles are surely inside, and others that are not surely beyond."""
        sure, unsure = np.empty((2, some.stop - some.start), np.intp)
        counts, step = np.empty(2, np.int64), faces.strides[0] // faces.itemsize
        given = faces, step, some.start, some.stop, codes, len(codes)
        self._call("coded", *given, sure, unsure, counts)
        return sure[: counts[0]], unsure[: counts[1]]


def coder(planes: Floats, slacks: Floats, *rows: NDArray[np.generic]) -> Coder | None:
    """Return what finds outcodes in C, if the kernel is there and takes these rows."""
    takes = all(row.strides[1] == row.itemsize for row in rows)
    return Coder(planes, slacks) if takes and found()[0] is not None else None
