"""Column layout: texts of numbers, widths, and the columns and headers that fit the sidebar."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
from bpy.app.translations import pgettext_iface

from ..answers.kept import view_of
from ..answers.rows import Column
from ..answers.view import View
from ..ui import length_text

# Pixels at interface scale 1: least width of one name or two, greatest width of words, width
# beside the list, padding of a text; then widths of a narrow, a wide and any other letter.
_NAMES, _WORDS, _BESIDE, _AROUND = (60.0, 80.0), 80.0, 72.0, 12.0
_NARROW, _WIDE, _LETTER = 3.5, 11.0, 7.0
_NARROW_LETTERS = " .,:;'ijlft()|"
# Abbreviations of headers for a narrow sidebar.
_SHORT = {"Triangles": "Tris", "Distance": "Dist.", "Frames": "Frms", "Nearest": "Near"}


class Fitted(NamedTuple):
    """The columns that the list shows, with headers and widths.

    Attributes
    ----------
    columns : sequence of Column
        The columns that fit.
    headers : sequence of str
        The header of each column, before translation.
    widths : sequence of float
        The relative widths of the names and then of each column.
    room : float
        The width of all together in pixels; infinite in background.
    """

    columns: Sequence[Column]
    headers: Sequence[str]
    widths: Sequence[float]
    room: float

    def pixels(self, width: float) -> float:
        """Return one of the widths in pixels; infinite in background."""
        return width / sum(self.widths) * self.room


def fitted_columns(scene: bpy.types.Scene, result: Any) -> Fitted:
    """Return the columns that the list of a result shows; cached by width, units and language."""
    view, units = view_of(scene, result), scene.unit_settings
    language = bpy.context.preferences.view.language
    told_in = units.system, units.length_unit, units.scale_length, language
    key = room_here(), told_in
    if key not in view.fitted:
        view.fitted.clear()
        view.fitted[key] = _fitted(scene, result, view)
    fitted: Fitted = view.fitted[key]
    return fitted


def _fitted(scene: bpy.types.Scene, result: Any, view: View) -> Fitted:
    kind = view.kind
    if not kind.headers:
        return fit_columns(scene, view, names_width(view))
    columns = [each for each in view.rows.columns if each.name in kind.headers]
    titles = [kind.title(scene, result, each.name) for each in columns]
    ends = sorted({row for rows in view.extremes.values() for row in rows})
    above = [translated(each) for each in titles]
    texts = (above, *(kind.texts(scene, result, row) for row in ends))
    widths = [max(map(text_width, each)) for each in zip(*texts, strict=True)]
    parts = [max(room_left(widths), names_width(view)), *widths]
    return Fitted(columns, titles, parts, room_here())


def room_left(widths: Sequence[float]) -> float:
    """Return the width that remains for names beside columns; 0 in background."""
    room = room_here()
    return room - sum(widths) if room < math.inf else 0.0


def names_width(view: View) -> float:
    """Return the least width of the names of a row, one or two."""
    return _NAMES[len(view.rows.objects) - 1]


def fit_columns(scene: bpy.types.Scene, view: View, names: float) -> Fitted:
    """Return as many columns as fit beside the names, with short headers if needed."""
    columns, room = view.rows.columns, room_here()
    values = [value_width(scene, view, column) for column in columns]
    for count in range(len(columns), 0, -1):
        for short in ({}, _SHORT):
            headers = [short.get(each.name, each.name) for each in columns[:count]]
            above = [text_width(translated(each)) for each in headers]
            widths = [max(each) for each in zip(above, values, strict=False)]
            if sum(widths) + names <= room or (count == 1 and short):
                left = room - sum(widths) if room < math.inf else names
                return Fitted(columns[:count], headers, [max(left, names), *widths], room)
    return Fitted((), (), (1.0,), room)


def room_here() -> float:
    """Return the width for names and columns in the current region, in pixels at scale 1.

    Infinite in background and without a region.
    """
    region = bpy.context.region
    if region is None or bpy.app.background:
        return math.inf
    return region.width / bpy.context.preferences.system.ui_scale - _BESIDE


def shared_widths(wanted: Sequence[float], room: float) -> list[float]:
    """Return the widths of one or two texts side by side.

    Both get half of the room. If only one text fits into its half, it gets its own width, and the
    other text gets the rest.
    """
    half = room / len(wanted)
    if room == math.inf or len(wanted) == 1 or max(wanted) <= half or min(wanted) >= half:
        return [half if room < math.inf else 1.0] * len(wanted)
    short = min(wanted)
    return [short if width == short else room - short for width in wanted]


def value_width(scene: bpy.types.Scene, view: View, column: Column) -> float:
    """Return the width of a column: of its longest word, or of its least and greatest number."""
    if column.words:
        return min(max(map(text_width, column.words)), _WORDS)
    rows = view.extremes[column.name]
    return max((text_width(value_text(scene, column, row)) for row in rows), default=0.0)


def translated(text: str) -> str:
    """Return a label in the language of Blender's interface."""
    shown: Any = pgettext_iface  # the type stubs lack its return value
    return str(shown(text))


def text_width(text: str) -> float:
    """Estimate the width of a text with its padding, in pixels at scale 1."""
    narrow = sum(map(text.count, _NARROW_LETTERS))
    wide = text.count("%")
    if not text.isascii():
        wide += sum(letter > "\u2e80" for letter in text)
    return _AROUND + _NARROW * narrow + _WIDE * wide + _LETTER * (len(text) - narrow - wide)


def cells(layout: bpy.types.UILayout, widths: Sequence[float]) -> list[bpy.types.UILayout]:
    """Return layouts side by side with these relative widths, independent of their content."""
    rest, side_by_side = layout, []
    for number, width in enumerate(widths):
        rest = rest.split(factor=width / sum(widths[number:]), align=True)
        side_by_side.append(rest.row(align=True))
    return side_by_side


def value_text(scene: bpy.types.Scene, column: Column, row: int, precision: int = 4) -> str:
    """Return the text of a column in a row: a word, or a number with its unit."""
    value = column.values[row].item()
    if column.words:
        return column.words[value]
    if column.unit == "PERCENT":
        if 0 < value < 0.1:
            return "~0 %"
        return f"{value:.0f} %" if value >= 9.95 or not value else f"{value:.1f} %"
    if column.power:
        return length_text(scene, value, power=column.power, precision=precision)
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
