"""Pictures in C: vertices on the screen, and triangles scan-converted into a z-buffer."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, address, blocks
from .door import Caller, found

# Triangles that are drawn between looks at what may interrupt.
_TOGETHER = 131_072


class Painter(Caller):
    """Draws what the kernel can draw: all but triangles that the near plane cuts."""

    def projected(
        self, vertices: Floats, matrices: Floats, starts: Ids, counts: Ids
    ) -> tuple[Floats, bool]:
        """Return vertices of placements times their matrices (4, 4, k), (4, n).

        `vertices` (3, v) are those of all meshes, of each placement some neighbors. The second
        result tells whether all lie in front of the near plane.
        """
        total = int(counts.sum())
        clip, rows = np.empty((4, total)), np.ascontiguousarray(matrices)
        step = vertices.strides[0] // vertices.itemsize
        given = vertices, vertices.shape[1], step, rows, starts, counts, len(starts)
        return clip, self._call("project", *given, clip, total) == total

    def draw(
        self,
        places: Floats,
        faces: Ids,
        frames: Ids,
        names: Ids | None,
        pixels: NDArray[np.int64] | NDArray[np.bool_],
        alone: tuple[Ids, Flags] | None = None,
    ) -> None:
        """Draw triangles of corners (3, v), faces (3, n), in frames (6, n) or (6, 1).

        Of `pixels` keys become the largest samples, nearness above `names` (n,); or flags are set
        where there are samples. They are in the frames and flags of what is `alone`, too, if it is
        given: frames that lie within the others.
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
            self._call("draw", target, other, *given)

    def _target(self, frames: Ids, pixels: NDArray[np.int64] | NDArray[np.bool_]) -> Any:
        kind = "flags" if pixels.dtype == bool else "keys"
        return self._package.Target(
            numbers=address(frames),
            count=frames.shape[1],
            pixels=len(pixels),
            **{kind: address(pixels)},
        )


def painter() -> Painter | None:
    """Return what draws in C, if the kernel is there."""
    return None if found()[0] is None else Painter()
