"""CSV files of a visibility table: a line for each row, and one for each item never in view."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Ids
from ...text_formats import delimited
from .table import OUT_OF_VIEW, STATES, Pixels, SeenTable

_HEADER = ("frame", "camera", "object", "instance", "category", "state")
_COUNTS = ("visible_pixels", "amodal_pixels", "extended_pixels")
_FRACTIONS = ("picture_share", "visible_fraction", "truncated_fraction")
_BOX = ("x", "y", "width", "height")
PIXEL_HEADER = (
    *_COUNTS,
    *_FRACTIONS,
    *(f"{kind}_{name}" for kind in ("visible", "amodal") for name in _BOX),
    "distance",
)


def csv_text(table: SeenTable) -> str:
    """Return the table as CSV, ordered by view and item.

    Pixel columns are present only if pixels were counted. An item without any row has one line
    without frame and camera.
    """
    return delimited(_lines(table))


def _lines(table: SeenTable) -> Iterator[list[Any]]:
    yield [*_HEADER, *(PIXEL_HEADER if table.pixels is not None else ())]
    rows, which = table.ordered, table.which
    views = table.views[rows]
    cameras = [which.names[number] for number in which.cameras[views].tolist()]
    states = [STATES[number] for number in table.states[rows].tolist()]
    numbers = _pixel_lines(table, rows)
    frames, items = which.frames[views].tolist(), table.items_of[rows].tolist()
    for line, (frame, camera, item) in enumerate(zip(frames, cameras, items, strict=True)):
        yield [frame, camera, *_item(table, item), states[line], *numbers[line]]
    blank = [""] * (len(PIXEL_HEADER) if table.pixels is not None else 0)
    for item in table.absent.tolist():
        yield ["", "", *_item(table, item), STATES[OUT_OF_VIEW], *blank]


def _item(table: SeenTable, item: int) -> tuple[str, str, str]:
    """Return the name, the persistent id and the category of an item as texts."""
    items = table.items
    return items.names[item], " ".join(map(str, items.instances[item])), items.categories[item]


def _pixel_lines(table: SeenTable, rows: Ids) -> list[list[Any]]:
    """Return the pixel columns of each row; empty lists if pixels were not counted."""
    if table.pixels is None:
        return [[] for _ in range(len(rows))]
    columns = _pixel_columns(table, table.pixels)
    return [
        list(line) for line in zip(*(column[rows].tolist() for column in columns), strict=True)
    ]


def _pixel_columns(table: SeenTable, pixels: Pixels) -> list[Any]:
    distances: Any = pixels.distances.astype(object)
    distances[np.isnan(pixels.distances)] = ""
    return [
        pixels.visible,
        pixels.amodal,
        pixels.extended,
        table.picture_shares,
        pixels.visible_fractions,
        pixels.truncated_fractions,
        *pixels.visible_boxes.T,
        *pixels.amodal_boxes.T,
        distances,
    ]
