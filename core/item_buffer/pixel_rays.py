"""Rays through the pixel centers: a slow, exact reference for the z-buffer."""

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, blocks
from ..rays import ray_cast, ray_cast_all
from ..scene import SceneOctree
from .renderers import Alone, ItemRenderer, Size
from .scan_conversion import Frames
from .views import unprojected


class PixelRays(ItemRenderer):
    """Renderer by a ray through each pixel center, from the near to the far plane.

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
    Computes in double precision, and is fifty times slower than `ZBuffer`, except for few pixels
    of a large scene, where `PixelRays` is faster.
    """

    # Rays in one batch.
    _pixels_together = 1 << 17

    def _drawn(
        self, view_projection: Floats, size: Size, rows: Ids, alone: Alone | None = None
    ) -> tuple[Ids, NDArray[np.float32]]:
        numbers, nearness = np.full(size[0] * size[1], -1), np.zeros(size[0] * size[1])
        scene, ends = self._only(rows), np.cumsum(self.stage.sizes(rows))
        for some in blocks(len(numbers), self._pixels_together):
            pixels = np.divmod(np.arange(some.start, some.stop), size[0])[::-1]
            origins, ways = _segments(view_projection, size, *pixels)
            hits = ray_cast(scene, origins, ways, max_distance=np.linalg.norm(ways, axis=1))
            (met,) = (hits.items >= 0).nonzero()
            assert hits.placements is not None
            drawn = np.searchsorted(scene.ids, hits.placements[met])
            places = met + some.start
            numbers[places] = (ends - self.stage.sizes(rows))[drawn] + hits.items[met]
            nearness[places] = _nearness(view_projection, hits.positions[met])
        return numbers, nearness.astype(np.float32)

    def _covered(
        self, view_projection: Floats, size: Size, rows: Ids, owners: Ids, boxes: Ids
    ) -> Flags:
        frames, scene = Frames.rectangles(boxes), self._only(rows)
        flags = np.zeros(frames.total, bool)
        each, *pixels = frames.pixels()
        for some in blocks(len(flags), self._pixels_together):
            columns, heights = (row[some] for row in pixels)
            origins, ways = _segments(view_projection, size, columns, heights)
            far = np.linalg.norm(ways, axis=1)
            asked, placements, _ = ray_cast_all(scene, origins, ways, max_distance=far).pairs
            mine = owners[np.searchsorted(scene.ids, placements)] == each[some][asked]
            flags[some.start + asked[mine]] = True
        return flags

    def _only(self, rows: Ids) -> SceneOctree:
        """Return a scene with only the placements in `rows`, which must be ascending."""
        return self.scene.only(self.scene.ids[rows])


def _segments(
    view_projection: Floats, size: Size, columns: Ids, rows: Ids
) -> tuple[Floats, Floats]:
    """Return origins of rays on the near plane, and vectors to the far plane, (q, 3) each."""
    x, y = (2 * columns + 1) / size[0] - 1, (2 * rows + 1) / size[1] - 1
    ends = [unprojected(view_projection, np.stack((x, y, z + 0 * x))) for z in (-1.0, 1.0)]
    return ends[0].T, (ends[1] - ends[0]).T


def _nearness(view_projection: Floats, points: Floats) -> Floats:
    clip = view_projection[2:, :3] @ points.T + view_projection[2:, 3:]
    nearness: Floats = (clip[1] - clip[0]) / (2 * clip[1])
    return np.clip(nearness, 0.0, 1.0)
