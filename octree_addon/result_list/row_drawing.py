"""Drawing of one list line as buttons: triangle, icons, names and numbers.

A button receives Shift, Ctrl and a second click; Blender's own lists do not pass them to add-ons.
"""

import math
from collections.abc import Sequence
from typing import Any

import bpy

from ..answers import kept
from ..answers.kept import opened_in, shown_of, view_of
from ..answers.view import View
from ..references import find_object
from .choosing import picked_flags
from .columns import (
    cells,
    fitted_columns,
    shared_widths,
    text_width,
    translated,
    value_text,
)

# Width of an icon in pixels; factor of the separator for each level of indentation.
_ICON, _INDENT = 20.0, 1.8
# Pixels around a text that is aligned to one side.
_SLACK = 10.0


class LineDrawing:
    """The drawing of one line of the list, with its buttons.

    Parameters
    ----------
    layout : bpy.types.UILayout
        The layout of the line.
    scene, result
        The scene and the result of the list.
    line : int
        A row, or n + i for header i over n rows.
    """

    def __init__(
        self, layout: bpy.types.UILayout, scene: bpy.types.Scene, result: Any, line: int
    ) -> None:
        self.scene, self.result, self.line = scene, result, line
        view = view_of(scene, result)
        self.row = view.folds.lead_of(line)
        if not names_hold(view, self.row):
            kept.doubt_names()
            view = view_of(scene, result)
        self.view, self.folds = view, view.folds
        self.header = line - result.count
        flags = picked_flags(result) if result.picked else None
        self.is_picked = flags is not None and bool(flags[self.folds.rows_of(line)].all())
        self.level = len(self.folds.chain(line))
        self.layout = layout.row(align=True)

    def draw(self) -> None:
        """Draw the line."""
        kind = self.view.kind
        self.layout.active = not kind.is_quiet(self.scene, self.result, self.row)
        before, behind = kind.icons(self.scene, self.result, self.row)
        if self.level:
            self.layout.separator(factor=_INDENT * self.level)
        is_group = 0 <= self.header < len(self.folds.names)
        taken = _ICON * (self.level + (self.header >= 0) + (1 if is_group else len(before)))
        if self.header >= 0:
            self.draw_triangle()
        for icon in ("FILE_FOLDER",) if is_group else before:
            self.button(self.layout, "", icon)
        self.draw_cells(taken + _ICON * len(behind))
        for icon in behind:
            self.button(self.layout, "", icon)

    def draw_triangle(self) -> None:
        """Draw the triangle that opens or closes the header."""
        is_open = self.folds.keys[self.header] in opened_in(self.result)
        icon: Any = "TRIA_DOWN" if is_open else "TRIA_RIGHT"
        self.layout.operator("octree.fold_row", text="", icon=icon, emboss=False).line = self.line

    def draw_cells(self, taken: float) -> None:
        """Draw names and numbers, in columns aligned with those of other lines."""
        fitted = fitted_columns(self.scene, self.result)
        room = fitted.pixels(fitted.widths[0])
        left = max(1 - taken / room, 0.3) * fitted.widths[0]
        names, *numbers = cells(self.layout, [left, *fitted.widths[1:]])
        self.draw_names(names, fitted.pixels(left))
        kind = self.view.kind
        if kind.headers:
            texts: Sequence[str] = kind.texts(self.scene, self.result, self.row)
        else:
            texts = [self.number(column) for column in fitted.columns]
        for cell, text, width in zip(numbers, texts, fitted.widths[1:], strict=True):
            self.cell(cell, text, fitted.pixels(width), "RIGHT")

    def number(self, column: Any) -> str:
        """Return the text of a column in this line; words are translated."""
        column = self.view.kind.now(self.scene, self.result, column)
        text = value_text(self.scene, column, self.row)
        return translated(text) if column.words else text

    def draw_names(self, layout: bpy.types.UILayout, room: float) -> None:
        """Draw the names of the line; deleted objects are gray, with a trash icon."""
        if 0 <= self.header < len(self.folds.names):
            text = shortened(self.folds.names[self.header], self.counted, room)
            self.cell(layout, text, room, "LEFT")
            return
        *others, last = self.names()
        counted = self.counted
        ends = [""] * len(others) + [counted]
        texts = [*others, last + counted]
        gone = [not self.view.uids[n] for n in self.view.rows.objects[:, self.row].tolist()]
        wanted = [text_width(text) + _ICON * is_gone
                  for text, is_gone in zip(texts, gone, strict=True)]  # fmt: skip
        widths = shared_widths(wanted, room)
        parts = cells(layout, widths)
        named = zip(parts, [*others, last], ends, gone, widths, strict=True)
        for part, name, end, is_gone, width in named:
            left = width - _ICON * is_gone if room < math.inf else room
            if is_gone:
                part.active = False
                self.button(part, "", "TRASH")
            self.cell(part, shortened(name, end, left) if end else name, left, "LEFT")

    @property
    def counted(self) -> str:
        """The number of matching rows under the header, such as " (70)"; empty for a row."""
        if self.header < 0:
            return ""
        return f" ({shown_of(self.scene, self.result).counts[self.header]:,})"

    def names(self) -> list[str]:
        """Return the names of the line; a header has none of the numbers of instances."""
        if self.header < 0:
            return self.view.labels(self.row)
        return [self.view.names[number] for number in self.view.rows.objects[:, self.row].tolist()]

    def cell(self, layout: bpy.types.UILayout, text: str, room: float, side: Any) -> None:
        """Draw a text at one side of a cell, and an empty button in the rest, if any."""
        width = text_width(text) + _SLACK
        if width + _SLACK > room or room == math.inf:
            self.button(layout, text)
            return
        widths = [width, room - width] if side == "LEFT" else [room - width, width]
        parts = cells(layout, widths)
        place = 0 if side == "LEFT" else 1
        parts[place].alignment = side
        self.button(parts[place], text)
        self.button(parts[1 - place], "")

    def button(self, layout: bpy.types.UILayout, text: str, icon: Any = "NONE") -> None:
        """Draw a button that clicks the line; all buttons of a line do the same."""
        layout.operator(
            "octree.click_row",
            text=text,
            icon=icon,
            translate=False,
            emboss=self.is_picked,
            depress=self.is_picked,
        ).line = self.line


def shortened(name: str, end: str, room: float) -> str:
    """Return a name and an ending in the given room; only the name is cut off."""
    if text_width(name + end) <= room:
        return name + end
    kept = next(
        (n for n in range(len(name) - 1, 0, -1) if text_width(name[:n] + "\u2026" + end) <= room),
        1,
    )
    return f"{name[:kept]}\u2026{end}"


def names_hold(view: View, row: int) -> bool:
    """Return whether the objects of a row still exist under the names that were read."""
    for number in view.rows.objects[:, row].tolist():
        item = find_object(view.uids[number], view.names[number])
        if view.uids[number] and (item is None or item.name != view.names[number]):
            return False
    return True
