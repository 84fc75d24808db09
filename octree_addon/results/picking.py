"""Picking: a click on a line of the list, with Shift or Ctrl, or twice; its headers opened."""

import json
import time
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, IntProperty

from ..answers.kept import active_result, list_settings, opened_in, shown_of, view_of
from ..answers.verbs import go_to
from ..answers.view import View
from ..arrays import Flags, Ids
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

# The clock of double clicks, in milliseconds, runs over before an integer does.
_DAY = 86_400_000


class LineOperator(ResultOperator):
    """An operator on one line of the list; a mixin."""

    bl_options = {"INTERNAL", "UNDO"}

    if TYPE_CHECKING:
        line: int
    else:
        line: IntProperty(
            name="Line",
            description="A row by its number, or a header behind all rows",
            options={"HIDDEN"},
        )

    def is_there(self, scene: bpy.types.Scene, result: Any) -> bool:
        """Tell whether there is such a line."""
        return 0 <= self.line < result.count + len(view_of(scene, result).folds)


class OCTREE_OT_click_row(LineOperator, bpy.types.Operator):
    """Make a line of the list the active one, or pick rows."""

    bl_idname = "octree.click_row"
    bl_label = "Click Result Row"
    bl_description = (
        "Click: select what the row is about. Double click: frame it. Shift-click: pick all up to"
        " here. Ctrl-click: pick this one, too, or no more"
    )

    if TYPE_CHECKING:
        extend: bool
        toggle: bool
        frame: bool
    else:
        extend: BoolProperty(
            name="Extend",
            description="Pick all rows from the active one on",
            options={"HIDDEN", "SKIP_SAVE"},
        )
        toggle: BoolProperty(
            name="Toggle",
            description="Pick the row besides those that are picked, or let it go",
            options={"HIDDEN", "SKIP_SAVE"},
        )
        frame: BoolProperty(
            name="Frame",
            description="Turn the view to the objects, whether it follows or not",
            options={"HIDDEN", "SKIP_SAVE"},
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
        self.extend, self.toggle = event.shift, event.ctrl or event.oskey
        self.frame = is_second_click(context, self.line) and not (self.extend or self.toggle)
        return self.execute(context)

    def use(self, context: bpy.types.Context, result: Any) -> str:
        scene, settings = context.scene, settings_of(context.scene).results
        if not self.is_there(scene, result):
            raise ValueError(f"The list has no line {self.line}")
        if not (self.extend or self.toggle):
            settings.row = self.line  # whose update selects
            active = active_of(scene)
            if active and self.frame and not mode_obstacle(context, may_edit=False):
                active.go_to(context, follow=True)
            return ""
        rows = self._picked(scene, result)
        activate_in_place(settings, self.line)
        pick(result, rows)
        if context.mode == "OBJECT":
            go_to(context, row_subjects(scene, view_of(scene, result), rows), follow=False)
        return f"{plural(len(rows), 'row')} picked"

    def _picked(self, scene: bpy.types.Scene, result: Any) -> Ids:
        """Return the rows that are picked after the click."""
        shown, before = shown_of(scene, result), picked_flags_now(scene, result)
        clicked = shown.folds.rows_of(self.line)
        if not self.extend:
            before[clicked] = not before[clicked].all()
            return np.flatnonzero(before)
        ends = shown.place(settings_of(scene).results.row), shown.place(self.line)
        first, last = sorted(max(end, 0) for end in ends)
        between = shown.lines[first : last + 1].tolist()
        rows = np.unique(np.concatenate([shown.folds.rows_of(line) for line in between]))
        return np.union1d(rows, np.flatnonzero(before)) if self.toggle else rows


def picked_flags_now(scene: bpy.types.Scene, result: Any) -> Flags:
    """Return which rows are picked; the active ones where none was picked."""
    if result.picked:
        return picked_flags(result)
    flags, active = np.zeros(result.count, np.bool_), active_of(scene)
    flags[active.rows if active else NO_ROWS] = True
    return flags


def is_second_click(context: bpy.types.Context, line: int) -> bool:
    """Tell whether the same line was clicked a moment ago, and take note of this click."""
    kept, now = list_settings(), time.monotonic_ns() // 1_000_000 % _DAY
    most = context.preferences.inputs.mouse_double_click_time
    is_second = kept.clicked == line and 0 <= now - kept.clicked_at <= most
    kept.clicked, kept.clicked_at = -1 if is_second else line, now
    return is_second


def told(scene: bpy.types.Scene, result: Any, line: int) -> str:
    """Return all that a line has to say, for its tooltip."""
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
    """Return the names of a row, and which of them are gone."""
    gone = (not view.uids[number] for number in view.rows.objects[:, row].tolist())
    names = zip(view.labels(row), gone, strict=True)
    return [f"{name} (deleted)" if is_gone else name for name, is_gone in names]


class OCTREE_OT_fold_row(LineOperator, bpy.types.Operator):
    """Open a header of the list, or close it."""

    bl_idname = "octree.fold_row"
    bl_label = "Open Result Rows"
    bl_description = "Show the rows under this one, or fold them into it. Shift: of all headers"

    if TYPE_CHECKING:
        all: bool
    else:
        all: BoolProperty(
            name="All", description="Open or close all of them", options={"HIDDEN", "SKIP_SAVE"}
        )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        self.all = event.shift
        return self.execute(context)

    def use(self, context: bpy.types.Context, result: Any) -> str:
        folds = view_of(context.scene, result).folds
        header = self.line - result.count
        if not 0 <= header < len(folds):
            raise ValueError(f"The list has no header {self.line}")
        opened = set(opened_in(result))
        keys = set(folds.keys) if self.all else {folds.keys[header]}
        is_open = folds.keys[header] in opened
        opened = opened - keys if is_open else opened | keys
        result.opened = json.dumps(sorted(opened)) if opened else ""
        return ""


class OCTREE_OT_unpick_rows(ResultOperator, bpy.types.Operator):
    """Let no row be picked."""

    bl_idname = "octree.unpick_rows"
    bl_label = "Pick No Result Rows"
    bl_description = "Let no row be picked; what is done is done to all rows again"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        count = len(picked_rows(context.scene, result))
        pick(result, NO_ROWS)
        return f"{plural(count, 'row')} picked no more"
