"""Rasterization in C: projected vertices, and triangles scan-converted into a z-buffer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address, blocks
from .door import Caller, found

# Triangles that one call of the kernel draws; Python can be interrupted between calls.
_TOGETHER = 131_072


class Painter(Caller):
    """Kernel functions that draw triangles, except triangles that the near plane cuts."""

    def projected(
        self, vertices: Floats, matrices: Floats, starts: Ids, counts: Ids
    ) -> tuple[Floats, bool]:
        """Return the clip coordinates (4, n) of the vertices of placements, in their order.

        `vertices` (3, v) are those of all meshes. Each placement has `counts` of them, from its
        `starts` on, multiplied by its matrix, one of `matrices` (4, 4, k). The second result tells
        whether all vertices lie in front of the near plane.
        """
        total = int(counts.sum())
        clip, rows = np.empty((4, total)), np.ascontiguousarray(matrices)
        step = vertices.strides[0] // vertices.itemsize
        given = vertices, vertices.shape[1], step, rows, starts, counts, len(starts)
        return clip, self.call("project", *given, clip, total) == total

    def draw(
        self,
        places: Floats,
        faces: Ids,
        frames: Ids,
        names: Ids | None,
        pixels: NDArray[np.int64] | NDArray[np.bool_],
        alone: tuple[Ids, Flags] | None = None,
    ) -> None:
        """Draw triangles of corners (3, v) and faces (3, n) into frames (6, n), or one, (6, 1).

        `pixels` are flags, which are set where there is a sample, or keys, which become the
        largest sample of their pixel. The high bits of a sample are its nearness, the low bits
        the triangle's number in `names` (n,).

        `alone`, if given, are frames within those frames, and flags of their pixels. The flags are
        set where there is a sample.
        """
        if not faces.flags.c_contiguous and faces.strides[1] != faces.itemsize:
            faces = np.ascontiguousarray(faces)
        step, byref = faces.strides[0] // faces.itemsize, self._package.byref
        frames = np.ascontiguousarray(frames)
        target, other = byref(self._target(frames, pixels)), None
        if alone is not None:
            boxes = np.ascontiguousarray(alone[0])
            other = byref(self._target(boxes, alone[1]))
        for some in blocks(faces.shape[1], _TOGETHER):
            given = places, places.shape[1], faces, step, names, some.start, some.stop
            self.call("draw", target, other, *given)

    def _target(self, frames: Ids, pixels: NDArray[np.int64] | NDArray[np.bool_]) -> Any:
        kind = "flags" if pixels.dtype == bool else "keys"
        return self._package.Target(
            numbers=address(frames),
            count=frames.shape[1],
            pixels=len(pixels),
            **{kind: address(pixels)},
        )


def painter() -> Painter | None:
    """Return the kernel functions that draw; None without the compiled kernel."""
    return None if found()[0] is None else Painter()
