"""JSON files of a visibility table, version 1: written whole or in chunks, and read back.

| key | holds |
|---|---|
| `format`, `version` | "octree seen", 1 |
| `question` | the question as a dictionary: file, scene, ... |
| `chunk` | number and count of chunks if the frames were split, such as [3, 12]; else null |
| `size` | width and height of a picture |
| `cameras` | names |
| `objects` | for each object `name`, `instance` (the persistent id) and `category` |
| `views` | columns `frame` and `camera` (an index in `cameras`) of all tested views |
| `rows` | columns `view`, `object`, `state`, and the pixel columns of the CSV |

An object without a row in a view was out of view. An object out of view still has a row if a
picture three times as wide and high would show it, since BOP counts these pixels. Boxes are
[x, y, width, height].
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...text_formats import json_lines, json_members, json_text, read_head
from .table import STATES, Items, Pixels, SeenTable, Views

FORMAT, VERSION = "octree seen", 1
_COUNTS = {"visible_pixels": "visible", "amodal_pixels": "amodal", "extended_pixels": "extended"}
_BOXES = {"visible_box": "visible_boxes", "amodal_box": "amodal_boxes"}


@dataclass(frozen=True, eq=False)
class SeenAnswer:
    """A visibility table with its question.

    Attributes
    ----------
    table : SeenTable
    question : dict
        The question without the frames, as JSON values.
    chunk : tuple of int, optional
        Number of the chunk, from 1, and number of all chunks of the frames.
    """

    table: SeenTable
    question: dict[str, Any] = field(default_factory=dict)
    chunk: tuple[int, int] | None = None


def json_texts(answer: SeenAnswer) -> Iterator[str]:
    """Yield pieces of the JSON text, with one column per line."""
    table, which = answer.table, answer.table.which
    head = {
        "format": FORMAT,
        "version": VERSION,
        "question": answer.question,
        "chunk": answer.chunk,
        "size": which.size,
        "cameras": which.names,
    }
    items = table.items
    objects = (
        {"name": name, "instance": instance, "category": category}
        for name, instance, category in zip(
            items.names, items.instances, items.categories, strict=True
        )
    )
    views = {"frame": which.frames, "camera": which.cameras}
    members = [
        *((name, json_text(value)) for name, value in head.items()),
        ("objects", "".join(json_lines([json_text(each) for each in objects] or [""]))),
        ("views", _columns(views)),
        ("rows", _columns(_row_columns(table))),
    ]
    yield from json_lines(json_members(members), "{}")
    yield "\n"


def _columns(columns: dict[str, Any]) -> str:
    texts = ((name, json_text(column.tolist())) for name, column in columns.items())
    return "".join(json_lines(json_members(texts), "{}"))


def _row_columns(table: SeenTable) -> dict[str, Any]:
    rows, pixels = table.ordered, table.pixels
    columns = {
        "view": table.views,
        "object": table.items_of,
        "state": np.array(STATES)[table.states],
    }
    if pixels is not None:
        distances: Any = pixels.distances.astype(object)
        distances[np.isnan(pixels.distances)] = None
        columns |= {name: getattr(pixels, at) for name, at in _COUNTS.items()}
        columns["picture_share"] = table.picture_shares
        columns["visible_fraction"] = pixels.visible_fractions
        columns["truncated_fraction"] = pixels.truncated_fractions
        columns |= {name: getattr(pixels, at) for name, at in _BOXES.items()}
        columns["distance"] = distances
    return {name: column[rows] for name, column in columns.items()}


def read_json(text: str) -> SeenAnswer:
    """Parse a JSON text; raise a `ValueError` if it has another format or is damaged."""
    try:
        data = read_head(text, FORMAT, VERSION)
        chunk = tuple(data["chunk"]) if data["chunk"] else None
        return SeenAnswer(_table(data), data["question"], chunk)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("it is not an answer of octree seen") from error


def _table(data: dict[str, Any]) -> SeenTable:
    objects, views, rows = data["objects"], data["views"], data["rows"]
    items = Items(
        tuple(each["name"] for each in objects),
        tuple(tuple(each["instance"]) for each in objects),
        tuple(each["category"] for each in objects),
    )
    width, height = data["size"]
    which = Views(
        _numbers(views["frame"]), _numbers(views["camera"]), (*data["cameras"],), (width, height)
    )
    pixels = None
    if "visible_pixels" in rows:
        columns = {at: _counts(rows[name]) for name, at in _COUNTS.items()}
        columns |= {
            at: np.array(rows[name], np.int64).reshape(-1, 4) for name, at in _BOXES.items()
        }
        pixels = Pixels(**columns, distances=np.array(rows["distance"], np.float64))
    return SeenTable(
        items,
        which,
        _numbers(rows["view"]),
        _numbers(rows["object"]),
        np.array([STATES.index(state) for state in rows["state"]], np.uint8),
        pixels,
    )


def _counts(values: list[float]) -> Any:
    """Return an integer array, or a float array if any count is fractional."""
    return np.array(values) if values else np.empty(0, np.int64)


def _numbers(values: list[int]) -> Any:
    return np.array(values, np.intp)
