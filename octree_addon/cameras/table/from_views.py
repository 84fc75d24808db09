"""Conversion of arrays over views x items, as item buffers give them, to visibility tables."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ids
from .table import OUT_OF_VIEW, Count, Items, LabelPicture, Pixels, SeenTable, Views


def table_from_views(
    items: Items,
    which: Views,
    *,
    states: NDArray[np.uint8],
    visible: NDArray[Count],
    amodal: NDArray[Count],
    whole: NDArray[Count],
    depths: Floats,
    visible_boxes: Ids,
    amodal_boxes: Ids,
    labels: Callable[[int], LabelPicture] | None = None,
) -> SeenTable:
    """Return a table with a row for each item in view or with pixels beyond the border.

    Parameters
    ----------
    items, which : Items, Views
        The n items and the v views.
    states : ndarray of uint8, shape (v, n)
        Numbers in `STATES`.
    visible, amodal, whole : ndarray of int64 or float64, shape (v, n)
        Visible pixels of each item, pixels of the item drawn without other items, and the latter
        in a picture extended beyond the border.
    depths : ndarray of float64, shape (v, n)
        Depth of the nearest visible point; infinity or NaN if there is none.
    visible_boxes, amodal_boxes : ndarray of intp, shape (v, n, 4)
        Left, bottom, right, top relative to the lower left corner of the picture. Right and top
        are exclusive; all zeros stand for no box. The table has boxes relative to the upper left
        corner.
    labels : callable, optional
        As in `SeenTable`.
    """
    views, numbers = np.nonzero((states != OUT_OF_VIEW) | (whole > 0))
    at, height = (views, numbers), which.size[1]
    # Rounding at edges may differ between both passes, so `visible` may exceed `amodal`.
    inside = np.maximum(amodal, visible)
    pixels = Pixels(
        visible[at],
        inside[at],
        np.maximum(whole, inside)[at],
        _from_top(visible_boxes[at], height),
        _from_top(amodal_boxes[at], height),
        np.where(np.isfinite(depths), depths, np.nan)[at],
    )
    return SeenTable(items, which, views, numbers, states[at], pixels, labels)


def _from_top(boxes: Ids, height: int) -> NDArray[np.int64]:
    """Return boxes as x, y, width, height relative to the upper left corner, (r, 4)."""
    left, bottom, right, top = boxes.astype(np.int64).T
    is_there = (right > left) & (top > bottom)
    there = np.stack((left, height - top, right - left, top - bottom), axis=1)
    return there * is_there[:, None]
