"""Z-buffer: keeps the nearest sample of each pixel, without sorting.

A sample is one 64-bit key. The upper half is the nearness as the bits of a float, which ascend
with the nearness; the lower half is the triangle's number, counted down from the last. The largest
key of a pixel is its nearest sample, and among equally near samples the first triangle. All
samples are written at once; samples larger than the stored key are written again.
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids
from ..compiled import painter
from .renderers import Alone, ItemRenderer, Size
from .scan_conversion import Frames, samples
from .stage import screen_matrix

# Largest number of a triangle, which has 32 bits.
_LAST = 0xFFFFFFFF


class ZBuffer(ItemRenderer):
    """Renderer of item buffers by a z-buffer.

    Parameters
    ----------
    scene : SceneOctree
        The scene to draw. Each drawing shows its current state.

    Raises
    ------
    ValueError
        If this is no scene.

    Notes
    -----
    1.3 million triangles take about as long as in software OpenGL. No triangle tree is built.
    """

    def _drawn(
        self, view_projection: Floats, size: Size, rows: Ids, alone: Alone | None = None
    ) -> tuple[Ids, NDArray[np.float32]]:
        keys = np.zeros(size[0] * size[1], np.int64)
        frames = Frames.rectangles(np.array([[0], [0], [size[0]], [size[1]]]))
        kernel, own = painter(), None
        if alone is not None and kernel is not None:
            boxes = Frames.rectangles(np.append(alone.boxes, np.zeros((4, 1), np.intp), axis=1))
            if boxes.total <= self._pixels_together:
                alone.flags = np.zeros(boxes.total, bool)
        for part in self.stage.drawn(rows, screen_matrix(view_projection, size)):
            names = _LAST - part.numbers
            if kernel is not None:
                if alone is not None and alone.flags is not None:
                    own = boxes[alone.owners[part.owners]].numbers, alone.flags
                kernel.draw(part.places, part.faces, frames.numbers, names, keys, own)
                continue
            for places, nearness, triangles in samples(part.places, part.faces, frames):
                bits = nearness.astype(np.float32).view(np.int32).astype(np.int64)
                keep_largest(keys, places, bits << 32 | names[triangles])
        numbers = np.where(keys > 0, _LAST - (keys & _LAST), -1)
        return numbers, (keys >> 32).astype(np.int32).view(np.float32)

    def _covered(
        self, view_projection: Floats, size: Size, rows: Ids, owners: Ids, boxes: Ids
    ) -> Flags:
        frames = Frames.rectangles(boxes)
        flags, kernel = np.zeros(frames.total, bool), painter()
        for part in self.stage.drawn(rows, screen_matrix(view_projection, size)):
            own = frames[owners[part.owners]]
            if kernel is not None:
                kernel.draw(part.places, part.faces, own.numbers, None, flags)
                continue
            for places, nearness, _ in samples(part.places, part.faces, own):
                flags[places[nearness >= 0]] = True
        return flags


def keep_largest(keys: NDArray[np.int64], places: Ids, values: NDArray[np.int64]) -> None:
    """Raise `keys` to at least `values` at their places, which may repeat.

    O(samples) for each round; about half of the remaining samples drop out in each round.
    """
    (some,) = (values > keys[places]).nonzero()
    while len(some):
        places, values = places[some], values[some]
        keys[places] = values
        (some,) = (values > keys[places]).nonzero()
