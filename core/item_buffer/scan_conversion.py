"""Scan conversion (rasterization): triangles on the screen -> spans of pixels -> samples.

The three steps handle all triangles, all rows of all triangles, and all pixels of all rows, each
in a few passes over flat arrays. Pixel centers are sampled; a center on an edge belongs to both
triangles. A shared edge is computed identically for both triangles, so no center is missed between
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, batched, blocks, concatenated_ranges
from ..records import Columns

# Batch sizes of triangles, rows and pixels; a batch of triangles fits in the processor's cache.
_TRIANGLES, _ROWS, _PIXELS = 16_384, 262_144, 262_144
# Centers outside an edge by at most this distance in pixels count as inside: a tolerance for
# rounding.
_SLACK = 2.0**-30
# Triangles thinner than this part of their length have their nearness clamped to the range of the
# corners.
_THIN = 2.0**-20
# Sorting network for three corners: pairs to compare.
_SWAPS = ((0, 1), (1, 2), (0, 1))
# Edges between corners sorted upward: below the middle corner, above it, and the long edge.
_EDGES = ((0, 1), (1, 2), (0, 2))


@dataclass(frozen=True)
class Frames(Columns):
    """Target rectangles of triangles, whose pixels lie row by row in a flat array.

    Six numbers for each triangle, (6, n), or for all, (6, 1): left, bottom, right and top, the
    last two exclusive; the index of pixel (0, 0), which may lie outside; the length of a row.
    """

    numbers: Ids

    @classmethod
    def rectangles(cls, boxes: Ids) -> "Frames":
        """Return frames of rectangles (4, n) that lie one after the other."""
        left, bottom, right, top = boxes
        widths = right - left
        areas = widths * (top - bottom)
        starts = np.cumsum(areas) - areas
        return cls(np.stack((*boxes, starts - bottom * widths - left, widths)))

    def of(self, some: Ids | slice) -> "Frames":
        """Return the frames of some triangles; a single frame holds for all triangles."""
        return self if len(self) == 1 else self[some]

    @property
    def areas(self) -> Ids:
        """The numbers of pixels of the frames, (n,)."""
        left, bottom, right, top = self.numbers[:4]
        return (right - left) * (top - bottom)

    @property
    def total(self) -> int:
        """The number of pixels of all frames."""
        return int(self.areas.sum())

    def pixels(self) -> tuple[Ids, Ids, Ids]:
        """Return all pixels of all frames, in order: their frames, columns, and rows."""
        left, bottom, _, _, _, widths = self.numbers
        areas = self.areas
        each = np.repeat(np.arange(len(areas)), areas)
        within = concatenated_ranges(0 * areas, areas)
        rows, columns = np.divmod(within, widths[each])
        return each, columns + left[each], rows + bottom[each]

    def places(self, which: Ids, rows: Ids, columns: Ids) -> Ids:
        """Return the indices of pixels of triangles in the flat array."""
        starts, widths = self.numbers[4:] if len(self) == 1 else self.numbers[4:, which]
        return rows * widths + (columns + starts)


@dataclass(frozen=True)
class Spans:
    """Pixels side by side: index of the first, count, nearness of the first, and its slope.

    `limits` (2, s) are the range to which the nearness of pixels is clamped, because rounding
    errors are large in thin triangles; None if no triangle is thin.
    """

    places: Ids
    counts: Ids
    nearness: Floats
    slopes: Floats
    triangles: Ids
    limits: Floats | None

    def samples(self) -> Iterator[tuple[Ids, Floats, Ids]]:
        """Yield all pixels in batches: indices, nearness, and triangles."""
        for some in batched(np.cumsum(self.counts), _PIXELS):
            yield self._samples(some)

    def _samples(self, some: slice) -> tuple[Ids, Floats, Ids]:
        counts = self.counts[some]
        spans = np.repeat(np.arange(some.start, some.stop), counts)
        steps = concatenated_ranges(np.zeros(len(counts), np.intp), counts)
        nearness = self.slopes[spans] * steps + self.nearness[spans]
        if self.limits is not None:
            nearness = np.clip(nearness, *self.limits[:, spans])
        return self.places[spans] + steps, nearness, self.triangles[spans]


@dataclass(frozen=True)
class ScreenTriangles(Columns):
    """Triangles ready to be drawn: coordinates (3, n), and the ranges of pixels they reach.

    Corners are sorted upward. `planes` (3, n) are the nearness at (0, 0) and its derivatives by x
    and y.
    """

    xs: Floats
    ys: Floats
    planes: Floats
    limits: Floats | None
    first: Ids
    counts: Ids
    left: Floats
    right: Floats


def samples(places: Floats, faces: Ids, frames: Frames) -> Iterator[tuple[Ids, Floats, Ids]]:
    """Yield the pixels that triangles cover, in batches: indices, nearness, and triangles.

    Parameters
    ----------
    places : ndarray of float64, shape (3, v)
        Corners: x and y in pixels, with pixel i from i to i + 1, and nearness, which is linear in
        x and y.
    faces : ndarray of intp, shape (3, n)
        Corners of the triangles, as indices of `places`.
    frames : Frames
        Target rectangles, one for all triangles or n.
    """
    for some in blocks(faces.shape[1], _TRIANGLES):
        triangles, numbers = _set_up(places, faces[:, some], frames.of(some))
        own = frames.of(numbers + some.start)
        for part in batched(np.cumsum(triangles.counts), _ROWS):
            spans = _rows_of(triangles[part], own.of(part), numbers[part] + some.start)
            yield from spans.samples()


@np.errstate(all="ignore")
def _set_up(places: Floats, faces: Ids, frames: Frames) -> tuple[ScreenTriangles, Ids]:
    """Return the triangles that may cover a pixel center, and their indices."""
    xs, ys = places[0].take(faces), places[1].take(faces)
    left, bottom, right, top = frames.numbers[:4]
    first, last = _reached(ys, bottom, top)
    begin, end = _reached(xs, left, right)
    (some,) = ((first <= last) & (begin <= end)).nonzero()
    xs, ys, nearness = xs[:, some], ys[:, some], places[2].take(faces[:, some])
    planes, limits, area = _planes(xs, ys, nearness)
    _sort_upward(xs, ys)
    rows, drawn = first[some].astype(np.intp), np.isfinite(area) & (area != 0)
    counts = np.where(drawn, last[some] - rows + 1, 0).astype(np.intp)
    return ScreenTriangles(xs, ys, planes, limits, rows, counts, begin[some], end[some]), some


def _reached(values: Floats, lower: Ids, upper: Ids) -> tuple[Floats, Floats]:
    """Return the first and last pixel centers between the extremes of values (3, n)."""
    least = np.minimum(np.minimum(values[0], values[1]), values[2])
    greatest = np.maximum(np.maximum(values[0], values[1]), values[2])
    first = np.maximum(np.ceil(least - (0.5 + _SLACK)), lower)
    return first, np.minimum(np.floor(greatest - (0.5 - _SLACK)), upper - 1)


def _planes(xs: Floats, ys: Floats, nearness: Floats) -> tuple[Floats, Floats | None, Floats]:
    """Return planes through the corners, limits if any triangle is thin, and doubled areas."""
    x1, y1, near1 = xs[1] - xs[0], ys[1] - ys[0], nearness[1] - nearness[0]
    x2, y2, near2 = xs[2] - xs[0], ys[2] - ys[0], nearness[2] - nearness[0]
    area = x1 * y2 - x2 * y1
    by_x, by_y = (near1 * y2 - near2 * y1) / area, (x1 * near2 - x2 * near1) / area
    size = np.abs(x1) + np.abs(y1) + np.abs(x2) + np.abs(y2)
    thin = np.abs(area) <= _THIN * size * size
    # No underflow: a triangle that reaches a pixel center has coordinates of usual size.
    planes = np.stack((nearness[0] - by_x * xs[0] - by_y * ys[0], by_x, by_y))
    limits = None
    if thin.any():
        least, most = nearness.min(axis=0), nearness.max(axis=0)
        limits = np.stack((np.where(thin, least, -np.inf), np.where(thin, most, np.inf)))
    return planes, limits, area


def _sort_upward(xs: Floats, ys: Floats) -> None:
    for one, other in _SWAPS:
        (wrong,) = (ys[one] > ys[other]).nonzero()
        for rows in (xs, ys):
            lower = rows[other].take(wrong)
            rows[other, wrong] = rows[one].take(wrong)
            rows[one, wrong] = lower


def _edges(xs: Floats, ys: Floats) -> tuple[Floats, Floats]:
    """Return x at y = 0 and its slope by y, for the three edges, (3, n) each.

    Horizontal edges have the x of their first corner and slope 0.
    """
    offsets, slopes = np.empty(xs.shape), np.empty(xs.shape)
    for edge, (one, other) in enumerate(_EDGES):
        rise = ys[other] - ys[one]
        flat = rise == 0
        slopes[edge] = np.where(flat, 0.0, (xs[other] - xs[one]) / rise)
        crossed = (xs[one] * ys[other] - xs[other] * ys[one]) / rise
        offsets[edge] = np.where(flat, xs[one], crossed)
    return offsets, slopes


@np.errstate(all="ignore")
def _rows_of(triangles: ScreenTriangles, frames: Frames, numbers: Ids) -> Spans:
    """Return the spans of all rows; `numbers` are the numbers of the triangles."""
    offsets, slopes = _edges(triangles.xs, triangles.ys)
    which = np.repeat(np.arange(len(numbers)), triangles.counts)
    rows = concatenated_ranges(triangles.first, triangles.counts)
    centers = rows + 0.5
    long = slopes[2].take(which) * centers + offsets[2].take(which)
    middle = triangles.ys[1].take(which)
    short = which + len(numbers) * (centers >= middle)
    broken = slopes[:2].ravel().take(short) * centers + offsets[:2].ravel().take(short)
    low, high = np.minimum(long, broken), np.maximum(long, broken)
    # A row of centers may pass through the middle corner, up to rounding.
    (some,) = (np.abs(centers - middle) <= _SLACK).nonzero()
    corners = triangles.xs[1].take(which[some])
    low[some], high[some] = np.minimum(low[some], corners), np.maximum(high[some], corners)
    begin = np.ceil(low - (0.5 + _SLACK))
    begin = np.maximum(begin, triangles.left.take(which))
    end = np.floor(high - (0.5 - _SLACK))
    end = np.minimum(end, triangles.right.take(which))
    (some,) = (begin <= end).nonzero()
    which, begin, rows = which[some], begin[some], rows[some]
    at, by_x, by_y = (row.take(which) for row in triangles.planes)
    limits = None if triangles.limits is None else triangles.limits[:, which]
    return Spans(
        frames.places(which, rows, begin.astype(np.intp)),
        (end[some] - begin).astype(np.intp) + 1,
        at + by_y * centers[some] + by_x * (begin + 0.5),
        by_x,
        numbers[which],
        limits,
    )
