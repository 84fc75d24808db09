"""Clicks on lines of the list, with Shift, Ctrl or twice; opening and closing of headers."""

import json
import time
from typing import Any, TypeVar

import bpy
import numpy as np

from ..answers.kept import active_result, list_settings, opened_in, shown_of, view_of
from ..answers.verbs import go_to
from ..answers.view import View
from ..arrays import Flags, Ids
from ..options import Asking, OptionGroup, boolean, integer
from ..ui import Status, mode_obstacle, plural, settings_of
from .choosing import (
    NO_ROWS,
    activate_in_place,
    active_of,
    pick,
    picked_flags,
    picked_rows,
    row_subjects,
)
from .columns import translated, value_text
from .operators import ResultOperator

# The clock of double clicks counts milliseconds modulo a day, which fits an IntProperty.
_DAY = 86_400_000


class LineOptions(OptionGroup):
    """The line of the list."""

    line: int = integer(
        0, "Line", "A row by its number, or a header behind all rows", options={"HIDDEN"}
    )


class ClickOptions(LineOptions):
    """The line of the list, and the keys that are held."""

    extend: bool = boolean(
        False, "Extend", "Pick all rows from the active one on", options={"HIDDEN", "SKIP_SAVE"}
    )
    toggle: bool = boolean(
        False,
        "Toggle",
        "Pick the row besides those that are picked, or let it go",
        options={"HIDDEN", "SKIP_SAVE"},
    )
    frame: bool = boolean(
        False,
        "Frame",
        "Turn the view to the objects, whether it follows or not",
        options={"HIDDEN", "SKIP_SAVE"},
    )


class FoldOptions(LineOptions):
    """The headers of the list: one, or all."""

    all: bool = boolean(False, "All", "Open or close all of them", options={"HIDDEN", "SKIP_SAVE"})


OfLine = TypeVar("OfLine", bound=LineOptions)


class LineOperator(Asking[OfLine], ResultOperator):
    """An operator on one line of the list; a mixin."""

    bl_options = {"INTERNAL", "UNDO"}

    def is_there(self, scene: bpy.types.Scene, result: Any) -> bool:
        """Return whether the list has this line."""
        return 0 <= self.taken.line < result.count + len(view_of(scene, result).folds)


class OCTREE_OT_click_row(LineOperator[ClickOptions], bpy.types.Operator):
    """Make a line of the list the active one, or pick rows."""

    bl_idname = "octree.click_row"
    bl_label = "Click Result Row"
    bl_description = (
        "Click: select what the row is about. Double click: frame it. Shift-click: pick all up to"
        " here. Ctrl-click: pick this one, too, or no more"
    )

    @classmethod
    def description(
        cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties
    ) -> str:
        clicked: Any = properties
        result = active_result(context.scene)
        if result is None:
            return cls.bl_description
        return f"{told(context.scene, result, clicked.line)}.\n{cls.bl_description}"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        extend, toggle = event.shift, event.ctrl or event.oskey
        frame = is_second_click(context, self.taken.line) and not (extend or toggle)
        self.put(extend=extend, toggle=toggle, frame=frame)
        return self.execute(context)

    def use(self, context: bpy.types.Context, result: Any) -> str:
        scene, settings = context.scene, settings_of(context.scene).results
        options = self.taken
        if not self.is_there(scene, result):
            raise ValueError(f"The list has no line {options.line}")
        if not (options.extend or options.toggle):
            settings.row = options.line  # the update callback selects
            active = active_of(scene)
            if active and options.frame and not mode_obstacle(context, may_edit=False):
                active.go_to(context, follow=True)
            return ""
        rows = self._picked(scene, result)
        activate_in_place(settings, options.line)
        pick(result, rows)
        if context.mode == "OBJECT":
            go_to(context, row_subjects(scene, view_of(scene, result), rows), follow=False)
        return f"{plural(len(rows), 'row')} picked"

    def _picked(self, scene: bpy.types.Scene, result: Any) -> Ids:
        """Return the rows picked after the click."""
        shown, before = shown_of(scene, result), picked_flags_now(scene, result)
        options = self.taken
        clicked = shown.folds.rows_of(options.line)
        if not options.extend:
            before[clicked] = not before[clicked].all()
            return np.flatnonzero(before)
        ends = shown.place(settings_of(scene).results.row), shown.place(options.line)
        first, last = sorted(max(end, 0) for end in ends)
        between = shown.lines[first : last + 1].tolist()
        rows = np.unique(np.concatenate([shown.folds.rows_of(line) for line in between]))
        return np.union1d(rows, np.flatnonzero(before)) if options.toggle else rows


def picked_flags_now(scene: bpy.types.Scene, result: Any) -> Flags:
    """Flag the picked rows, (n,); the active rows if none is picked."""
    if result.picked:
        return picked_flags(result)
    flags, active = np.zeros(result.count, np.bool_), active_of(scene)
    flags[active.rows if active else NO_ROWS] = True
    return flags


def is_second_click(context: bpy.types.Context, line: int) -> bool:
    """Return whether this click makes a double click on the line, and store its time."""
    kept, now = list_settings(), time.monotonic_ns() // 1_000_000 % _DAY
    most = context.preferences.inputs.mouse_double_click_time
    is_second = kept.clicked == line and 0 <= now - kept.clicked_at <= most
    kept.clicked, kept.clicked_at = -1 if is_second else line, now
    return is_second


def told(scene: bpy.types.Scene, result: Any, line: int) -> str:
    """Return the tooltip of a line: names, all columns and, for a header, the number of rows."""
    view = view_of(scene, result)
    row = view.folds.lead_of(line)
    if not 0 <= row < len(view.rows):
        return ""
    names = " | ".join(told_names(view, row))
    numbers = ", ".join(
        f"{translated(column.name)} {value_text(scene, column, row)}"
        for column in view.rows.columns
        if column.words or np.isfinite(column.values[row])
    )
    text = f"{names}\n{numbers}" if numbers else names
    if line < len(view.rows):
        return text
    header, count = line - len(view.rows), len(view.folds.rows_of(line))
    group = f"{view.folds.names[header]}: " if header < len(view.folds.names) else ""
    return f"{group}{plural(count, 'row')}, of which the worst is {text}"


def told_names(view: View, row: int) -> list[str]:
    """Return the labels of a row, with "(deleted)" after objects that are gone."""
    gone = (not view.uids[number] for number in view.rows.objects[:, row].tolist())
    names = zip(view.labels(row), gone, strict=True)
    return [f"{name} (deleted)" if is_gone else name for name, is_gone in names]


class OCTREE_OT_fold_row(LineOperator[FoldOptions], bpy.types.Operator):
    """Open a header of the list, or close it."""

    bl_idname = "octree.fold_row"
    bl_label = "Open Result Rows"
    bl_description = "Show the rows under this one, or fold them into it. Shift: of all headers"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        self.put(all=event.shift)
        return self.execute(context)

    def use(self, context: bpy.types.Context, result: Any) -> str:
        folds, options = view_of(context.scene, result).folds, self.taken
        header = options.line - result.count
        if not 0 <= header < len(folds):
            raise ValueError(f"The list has no header {options.line}")
        opened = set(opened_in(result))
        keys = set(folds.keys) if options.all else {folds.keys[header]}
        is_open = folds.keys[header] in opened
        opened = opened - keys if is_open else opened | keys
        result.opened = json.dumps(sorted(opened)) if opened else ""
        return ""


class OCTREE_OT_unpick_rows(ResultOperator, bpy.types.Operator):
    """Unpick all rows."""

    bl_idname = "octree.unpick_rows"
    bl_label = "Pick No Result Rows"
    bl_description = "Let no row be picked; what is done is done to all rows again"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        count = len(picked_rows(context.scene, result))
        pick(result, NO_ROWS)
        return f"{plural(count, 'row')} picked no more"
