"""Evidence of why no pixel shows a triangle: it is hidden, or too small to be sampled.

A triangle without pixels is hidden if it is wide enough to contain a pixel center at any position,
or if it is behind all pixels around it. A pyramid yields the farthest of these pixels
(hierarchical z-buffer). N. Greene,
M. Kass and G. Miller, "Hierarchical Z-Buffer Visibility", 1993.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Flags, Floats, Ids, blocks, concatenated_ranges, distinct, flagged, ranks_of
from ..records import Record
from ..scene.placements import Placements
from ..scene.pool import Pool
from ..shapes.boxes import box_corners
from ..steps import run
from .stage import Stage, combined, near_clipped, screen_matrix, transformed

# A disc of this radius in pixels contains a pixel center at any position: half a pixel's diagonal,
# and a tolerance for rounding.
_SURE = 0.7075
# The least difference in nearness between a pixel and a triangle that it hides: depth buffers have
# single precision.
_NEARER = 2.0**-20
# Triangles that reach into the picture by less than this part of a pixel are outside it.
_EDGE = 2.0**-20
# Cells whose triangles are tested in one batch.
_CELLS = 512


@dataclass(frozen=True, eq=False)
class FarthestPixels:
    """Pyramid over a picture: the nearness of the farthest pixel in squares of 2**level pixels.

    The levels lie one after the other, row by row. `starts` and `widths` are the index of each
    level's first pixel and the length of its rows.
    """

    nearness: NDArray[np.float32]
    starts: Ids
    widths: Ids

    @classmethod
    def of(cls, nearness: NDArray[np.float32]) -> "FarthestPixels":
        """Return the pyramid over nearness (height, width), 0 for empty pixels."""
        levels = [nearness]
        while max(levels[-1].shape) > 1:
            (height, width), level = levels[-1].shape, levels[-1]
            even = np.pad(level, ((0, height % 2), (0, width % 2)), constant_values=np.inf)
            rows = np.minimum(even[::2], even[1::2])
            levels.append(np.minimum(rows[:, ::2], rows[:, 1::2]))
        starts = np.cumsum([0, *(level.size for level in levels[:-1])])
        widths = np.array([level.shape[1] for level in levels])
        return cls(np.concatenate([level.ravel() for level in levels]), starts, widths)

    def least(self, first: Ids, last: Ids) -> NDArray[np.float32]:
        """Return the least nearness in rectangles of pixels, both corners (2, n) included.

        Up to four squares of the pyramid cover a rectangle. The squares may reach beyond the
        rectangle, so the result is a lower bound.
        """
        spans = np.maximum((last - first).max(axis=0), 1)
        levels = np.ceil(np.log2(spans)).astype(np.intp)
        levels = np.minimum(levels, len(self.starts) - 1)
        (left, bottom), (right, top) = first >> levels, last >> levels
        places = self.starts[levels] + np.stack((bottom, top))[:, None] * self.widths[levels]
        found: NDArray[np.float32] = self.nearness[places + np.stack((left, right))]
        return found.min(axis=(0, 1))


@dataclass(frozen=True, eq=False)
class Evidence(Record):
    """Reasons why no pixel of a picture shows some triangles.

    Attributes
    ----------
    rows, triangles : ndarray of intp, shape (n,)
        Indices of placements in `scene.ids`, and triangles of their meshes.
    resolved : ndarray of bool, shape (n,)
        True for triangles that would be visible if they were alone: other triangles hide them.
    unresolved : ndarray of bool, shape (n,)
        True for other triangles in the picture that are not behind all pixels around them: they
        are too small to decide if they are hidden.
    """

    rows: Ids
    triangles: Ids
    resolved: Flags
    unresolved: Flags


def evidence(
    stage: Stage,
    view_projection: Floats,
    nearness: NDArray[np.float32],
    rows: Ids,
    wanted: Callable[[Ids, Ids], Flags],
) -> Iterator[Evidence]:
    """Yield evidence of wanted triangles of placements in `rows`, (k,), in batches.

    `nearness` (height, width) is the nearness of the picture's pixels. Triangles without evidence
    are neither resolved nor unresolved: cells with only small, hidden triangles are skipped.
    O(cells of the placements + triangles of the cells that are not skipped).
    """
    moment, size = stage.moment, (nearness.shape[1], nearness.shape[0])
    meshes = moment.placements.meshes[rows]
    pool, sizes = run(moment.meshes.pool(distinct(meshes))), moment.meshes.sizes[meshes]
    screen, pixels = screen_matrix(view_projection, size), FarthestPixels.of(nearness)
    picture = _Picture(moment.placements, pool, screen, pixels, size)
    cells, begin = pool.nodes.cells, pool.nodes.begin[pool.nodes.cells]
    first, last = np.searchsorted(begin, pool.firsts[meshes] + [[0], [1]] * sizes)
    owners = np.repeat(rows, last - first)
    numbers = concatenated_ranges(first, last - first)
    for some in blocks(len(numbers)):
        own, cell = owners[some], numbers[some]
        (kept,) = picture.are_open(own, cell).nonzero()
        for part in blocks(len(kept), _CELLS):
            which = kept[part]
            each, entries = pool.nodes.entries(cells[cell[which]])
            each = own[which[each]]
            (asked,) = wanted(each, pool.order[entries]).nonzero()
            yield picture.told(each[asked], entries[asked])


@dataclass(frozen=True, eq=False)
class _Picture:
    """A picture of placements, and the matrix (4, 4) from the scene to the screen."""

    placements: Placements
    pool: Pool
    screen: Floats
    pixels: FarthestPixels
    size: tuple[int, int]

    def are_open(self, rows: Ids, numbers: Ids) -> Flags:
        """Flag cells (k,) of placements in rows, unless all triangles are small and hidden."""
        pool, placements, screen = self.pool, self.placements, self.screen
        sides = pool.nodes.boxes[:, pool.nodes.cells[numbers]].reshape(2, 3, -1)
        corners = box_corners(sides).swapaxes(0, 1)
        matrices = combined(screen, placements.matrices[:, rows])
        clip = transformed(np.tile(matrices, 8), corners.reshape(3, -1)).reshape(4, 8, -1)
        near = ((clip[3] <= 0) | (clip[3] < clip[2])).any(axis=0)
        slopes = np.sqrt((screen[:, :3] ** 2).sum(axis=1))
        with np.errstate(all="ignore"):
            places = clip[:3] / clip[3]
            # Pixels to a unit of length, at most: the derivative of a quotient.
            reach = slopes[:2].max() + np.abs(places[:2]).max(axis=(0, 1)) * slopes[3]
            radii = pool.inner_radii[numbers] * placements.most[rows] * reach / clip[3].min(axis=0)
        hidden, _ = _hidden(self.pixels, self.size, places)
        return near | ~hidden | ~(radii < _SURE)

    def told(self, rows: Ids, entries: Ids) -> Evidence:
        """Return the evidence of triangle entries (n,) of placements in rows."""
        corners, numbers = self._on_screen(rows, entries)
        resolved, unresolved = (
            flagged(len(rows), numbers[each]) for each in _judged(self.pixels, self.size, corners)
        )
        return Evidence(rows, self.pool.order[entries], resolved, unresolved & ~resolved)

    def _on_screen(self, rows: Ids, entries: Ids) -> tuple[Floats, Ids]:
        """Return x, y and nearness of clipped corners (3, 3, m), and their entries, (m,)."""
        placements = self.placements
        (placed,) = flagged(len(placements), rows).nonzero()
        which = ranks_of(len(placements), placed)[rows]
        matrices = combined(self.screen, placements.matrices[:, placed])[:, :, which]
        points = self.pool.arranged.take_rows(entries).reshape(3, 3, -1).swapaxes(0, 1)
        clip = transformed(np.tile(matrices, 3), points.reshape(3, -1))
        own = np.arange(clip.shape[1]).reshape(3, -1)
        clip, faces, kept = near_clipped(clip, own)
        with np.errstate(all="ignore"):
            places = clip[:3] / clip[3]
        return places[:, faces], np.arange(len(rows)) if kept is None else kept


def _judged(pixels: FarthestPixels, size: tuple[int, int], corners: Floats) -> tuple[Flags, Flags]:
    """Flag clipped triangles (3, 3, m) as resolved, or as unresolved (see `Evidence`)."""
    most = np.array(size, np.float64)[:, None]
    hidden, shown = _hidden(pixels, size, corners)
    resolved = np.zeros(len(shown), np.bool_)
    (some,) = shown.nonzero()
    inner = corners[2][:, some].min(axis=0) >= 0  # in front of the far plane
    resolved[some] = inner & _has_center(corners[:2, :, some], most)
    return resolved, shown & ~resolved & ~hidden


def _hidden(pixels: FarthestPixels, size: tuple[int, int], corners: Floats) -> tuple[Flags, Flags]:
    """Flag hulls of points (3, k, m) that cannot be visible, and hulls inside the picture."""
    most = np.array(size, np.float64)[:, None]
    lower, upper = corners[:2].min(axis=1), corners[:2].max(axis=1)
    with np.errstate(invalid="ignore"):
        shown = (upper > _EDGE).all(axis=0) & (lower < most - _EDGE).all(axis=0)
        shown &= (corners[2].max(axis=0) >= 0) & np.isfinite(corners).all(axis=(0, 1))
    hidden = ~shown
    (some,) = shown.nonzero()
    # These pixel centers enclose the visible part of a hull on each side.
    first = np.clip(np.floor(lower[:, some] - 0.5), 0, most - 1).astype(np.intp)
    last = np.clip(np.ceil(upper[:, some] - 0.5), 0, most - 1).astype(np.intp)
    hidden[some] = pixels.least(first, last) > corners[2][:, some].max(axis=0) + _NEARER
    return hidden, shown


@np.errstate(all="ignore")
def _has_center(corners: Floats, most: Floats) -> Flags:
    """Flag triangles (2, 3, n) that contain a disc of radius `_SURE` within the picture.

    The test uses the center of the inscribed circle, clamped to the picture.
    """
    edges = corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]]
    lengths = np.sqrt((edges * edges).sum(axis=0))
    middles = (corners * lengths).sum(axis=1) / lengths.sum(axis=0)
    middles = np.clip(middles, np.minimum(_SURE, most / 2), np.maximum(most - _SURE, most / 2))
    ways = middles[:, None] - corners[:, [1, 2, 0]]
    heights = (edges[0] * ways[1] - edges[1] * ways[0]) / lengths
    found: Flags = (heights >= _SURE).all(axis=0) | (heights <= -_SURE).all(axis=0)
    return found
