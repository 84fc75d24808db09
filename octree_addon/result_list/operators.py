"""Result operators: previous, next, isolate, select, copy, export, refresh, remove, clear."""

import json
from operator import attrgetter
from typing import Any, Literal, TypeVar

import bpy
import numpy as np

from ..answers.kept import (
    active_result,
    clear_results,
    doubt_names,
    remove_result,
    show_result,
    shown_of,
    view_of,
)
from ..answers.verbs import NothingToDoError, go_to, isolate
from ..answers.view import NAME, View
from ..answers.view3d import is_isolated, view3d_areas
from ..arrays import Ids
from ..file_export import FileExport, FileOptions
from ..options import Asking, OptionGroup, enum, integer, string
from ..scene_index import own_changes
from ..selection import Subjects
from ..ui import RefusingOperator, Status, mode_obstacle, plural, settings_of
from .choosing import (
    active_of,
    picked_rows,
    row_subjects,
    rows_meant,
    step_row,
)
from .tables import TABLES, text_table


class ResultOperator(RefusingOperator):
    """An operator on the active result of the scene; a mixin.

    Attributes
    ----------
    button : str
        Label of the button under the list; only for operators in `VERBS`.
    """

    bl_options = {"REGISTER", "UNDO"}
    button = ""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        # Called for each button of each line, so kept cheap.
        settings = settings_of(context.scene).results
        is_there = settings.active < len(settings.kept)
        return "" if is_there else "There is no result: ask a question first"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        """Use the result, and return the text of the report.

        Raise a `ValueError` or `OSError` to refuse, `NothingToDoError` if nothing can be done.
        """
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            text = self.use(context, active_result(context.scene))
        except (ValueError, OSError) as error:
            return self.refuse(error)
        except NothingToDoError as reason:
            self.report({"WARNING"}, str(reason))
            return {"CANCELLED"}
        if text:
            self.report({"INFO"}, text)
        return {"FINISHED"}


class SelectingOperator(ResultOperator):
    """An operator that selects objects and so needs Object Mode; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return super().obstacle(context) or mode_obstacle(context, may_edit=False)


def rows_option(otherwise: str) -> Literal["PICKED", "ACTIVE", "SHOWN"]:
    """Declare the option for `which` of `rows_meant`."""
    return enum(
        "PICKED",
        "Rows",
        "Which rows are meant",
        {
            "PICKED": ("Picked", f"Those picked with Shift or Ctrl; without any, {otherwise}"),
            "ACTIVE": ("Active", "The row that was clicked, or all under a header that was"),
            "SHOWN": ("All Shown", "All rows that the list shows"),
        },
    )


class RowsOptions(OptionGroup):
    """The rows to act on: by default the picked ones, or all shown if none is picked."""

    rows: Literal["PICKED", "ACTIVE", "SHOWN"] = rows_option("all that the list shows")


class RowOptions(OptionGroup):
    """The rows to act on: by default the picked ones, or the active one if none is picked."""

    rows: Literal["PICKED", "ACTIVE", "SHOWN"] = rows_option("the active one")


OfRows = TypeVar("OfRows", bound=RowsOptions)


class SubjectsOperator(Asking[OfRows], SelectingOperator):
    """An operator on the objects of rows; a mixin.

    Its changes of the scene leave results and answers valid.
    """

    def act(self, context: bpy.types.Context, result: Any, rows: Ids, subjects: Subjects) -> str:
        """Act on the objects of these rows, and return the text of the report."""
        raise NotImplementedError

    def use(self, context: bpy.types.Context, result: Any) -> str:
        rows = rows_meant(context.scene, result, self.taken.rows)
        subjects = row_subjects(context.scene, view_of(context.scene, result), rows)
        with own_changes(context):
            return self.act(context, result, rows, subjects) + of_picked(context.scene, result)


def of_picked(scene: bpy.types.Scene, result: Any) -> str:
    """Return a note for reports with the number of picked rows; empty if none is picked."""
    count = len(picked_rows(scene, result))
    return f" ({plural(count, 'picked row')})" if count else ""


class RowOperator(SelectingOperator):
    """An operator that makes the previous or the next line active; a mixin."""

    _step = 0

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = super().obstacle(context)
        if other or len(shown_of(context.scene, active_result(context.scene)).lines):
            return other
        return "The list shows no row"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        row = step_row(context, self._step)
        return "" if row is None else ", ".join(view_of(context.scene, result).labels(row))


class OCTREE_OT_previous_row(RowOperator, bpy.types.Operator):
    """Go to the row above."""

    bl_idname = "octree.previous_row"
    bl_label = "Previous Result Row"
    bl_description = "Select what the row above is about; from the first row go to the last"
    _step = -1


class OCTREE_OT_next_row(RowOperator, bpy.types.Operator):
    """Go to the row below."""

    bl_idname = "octree.next_row"
    bl_label = "Next Result Row"
    bl_description = "Select what the row below is about; from the last row go to the first"
    _step = 1


class OCTREE_OT_isolate_row(SelectingOperator, bpy.types.Operator):
    """Show only the objects of the active row, or all objects again."""

    bl_idname = "octree.isolate_row"
    bl_label = "Isolate Result Row"
    bl_description = (
        "Show only the objects of the active row in the 3D view (local view); press it again to"
        " show all objects"
    )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = super().obstacle(context)
        if other:
            return other
        if next(view3d_areas(context), None) is None:
            return "There is no 3D view in this window"
        active = active_of(context.scene)
        is_there = is_isolated(context) or (active and active.subjects().objects)
        return "" if is_there else "Click a row first"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        follow = settings_of(context.scene).results.follow
        active = active_of(context.scene)
        return isolate(context, active.subjects() if active else Subjects(), follow=follow)


class OCTREE_OT_select_rows(SelectingOperator, bpy.types.Operator):
    """Select the objects of the picked rows, or of all rows that the list shows."""

    bl_idname = "octree.select_rows"
    bl_label = "Select All Result Rows"
    bl_description = (
        "Select the objects of the picked rows, or of all that the list shows, and nothing else"
    )

    def use(self, context: bpy.types.Context, result: Any) -> str:
        rows = rows_meant(context.scene, result)
        subjects = row_subjects(context.scene, view_of(context.scene, result), rows)
        text = go_to(context, subjects, follow=False)
        return text + of_picked(context.scene, result)


# Explanations of columns, by header, for tooltips.
MEANINGS = {
    "Triangles": "how many of its triangles were found",
    "Of": "how many triangles it has",
    "Distance": "how far it is away",
    "Length": "how deep, how far apart or, of faces in one plane, how much area",
    "Contacts": "how many pairs of triangles touch",
    "Seen": "the largest part of it that any picture shows",
    "Share": "the largest part of a picture that it takes",
    "Frames": "in how many frames it is seen",
    "Nearest": "how near it comes to a camera",
    "Hidden": "in how many views others hide it",
    "Out": "in how many views it is out of the picture",
    "Small": "in how many views it is smaller than a pixel",
}


class SortOptions(OptionGroup):
    """The column that the list is sorted by."""

    by: str = string(NAME, "By", "Header of the column")


class OCTREE_OT_sort_rows(Asking[SortOptions], ResultOperator, bpy.types.Operator):
    """Sort the list by a column, or reverse its order."""

    bl_idname = "octree.sort_rows"
    bl_label = "Sort Result Rows"
    bl_description = (
        "Sort the rows by this column; press it again to reverse the order, and a third time"
        " for the order in which they were found"
    )
    bl_options = {"INTERNAL", "UNDO"}

    @classmethod
    def description(
        cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties
    ) -> str:
        by: Any = properties
        meaning = f"{by.by}: {MEANINGS[by.by]}.\n" if by.by in MEANINGS else f"{by.by}.\n"
        return meaning + cls.bl_description

    def use(self, context: bpy.types.Context, result: Any) -> str:
        settings, by = settings_of(context.scene).results, self.taken.by
        column = view_of(context.scene, result).rows.column(by)
        # Ascending for lengths, names and words, else descending.
        first = column is not None and column.unit != "LENGTH" and not column.words
        if settings.sort != by:
            settings.sort, settings.reverse = by, first
        elif settings.reverse == first:
            settings.reverse = not first
        else:
            settings.sort, settings.reverse = "", False
        return ""


class StepOptions(OptionGroup):
    """The number of results to step from the active one."""

    step: int = integer(1, "Step", "How many results to go on; backward if negative")


class OCTREE_OT_show_result(Asking[StepOptions], ResultOperator, bpy.types.Operator):
    """Show another of the results that are kept."""

    bl_idname = "octree.show_result"
    bl_label = "Show Another Result"
    bl_description = "Show the next or the previous of the results that are kept"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        settings = settings_of(context.scene).results
        show_result(settings, (settings.active + self.taken.step) % len(settings.kept))
        return str(settings.kept[settings.active].name)


class OCTREE_OT_copy_rows(ResultOperator, bpy.types.Operator):
    """Copy the rows that the list shows as text."""

    bl_idname = "octree.copy_rows"
    bl_label = "Copy Result Rows"
    bl_description = (
        "Copy the picked rows, or all that the list shows, to the clipboard, as text with tabs"
        " between the columns"
    )
    bl_options = {"REGISTER"}
    button = "Copy"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        doubt_names()  # renaming causes no update
        rows = rows_meant(context.scene, result)
        context.window_manager.clipboard = text_table(context.scene, result, rows)
        return f"{plural(len(rows), 'row')} copied" + of_picked(context.scene, result)


class OCTREE_OT_export_rows(FileExport[FileOptions], ResultOperator, bpy.types.Operator):
    """Write the rows that the list shows to a file."""

    bl_idname = "octree.export_rows"
    bl_label = "Export Result Rows"
    bl_description = (
        "Write the picked rows, or all that the list shows, to a file, as CSV or JSON by the file"
        " extension"
    )
    bl_options = {"REGISTER"}
    stem, button = "results", "Export"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        doubt_names()  # renaming causes no update
        rows = rows_meant(context.scene, result)
        data = context.scene, result, rows
        return self.write(*self.chosen(TABLES), *data, said=plural(len(rows), "row"))


class OCTREE_OT_refresh_result(ResultOperator, bpy.types.Operator):
    """Ask the question of the active result again, of the scene as it is now."""

    bl_idname = "octree.refresh_result"
    bl_label = "Refresh Result"
    bl_description = (
        "Ask the same question again, with the same settings, of the scene as it is now"
    )
    bl_options = {"REGISTER"}  # the question's operator makes the undo step

    def execute(self, context: bpy.types.Context) -> Status:
        result = active_result(context.scene)
        how = "EXEC_DEFAULT" if bpy.app.background else "INVOKE_DEFAULT"
        try:
            ask: Any = attrgetter(f"octree.{result.question}")(bpy.ops)
            known = ask.get_rna_type().properties.keys()
            options = json.loads(result.options)
            given = {name: value for name, value in options.items() if name in known}
            ask(how, True, **given | {"result": result.name or result.title})
        except (AttributeError, KeyError, TypeError, json.JSONDecodeError):
            return self.refuse(ValueError("This version does not know the question"))
        except RuntimeError as error:
            return self.refuse(ValueError(str(error).removeprefix("Error: ").strip()))
        return {"FINISHED"}


class OCTREE_OT_remove_result(ResultOperator, bpy.types.Operator):
    """Remove the active result."""

    bl_idname = "octree.remove_result"
    bl_label = "Remove Result"
    bl_description = "Remove this result from the file; the objects stay as they are"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        settings, name = settings_of(context.scene).results, result.name
        remove_result(settings, settings.active)
        return f"{name} removed"


class OCTREE_OT_clear_results(ResultOperator, bpy.types.Operator):
    """Remove all results of the scene."""

    bl_idname = "octree.clear_results"
    bl_label = "Clear Results"
    bl_description = "Remove all results of the scene, pinned ones too; the objects stay"
    button = "Clear"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        settings = settings_of(context.scene).results
        count = len(settings.kept)
        clear_results(settings)
        return f"{plural(count, 'result')} removed"


class OCTREE_OT_mark_row_frames(Asking[RowOptions], ResultOperator, bpy.types.Operator):
    """Mark on the timeline when cameras see an object, or when two are in contact."""

    bl_idname = "octree.mark_row_frames"
    bl_label = "Mark on Timeline"
    bl_description = (
        "Add markers, named after the objects, to the timeline: at each frame where the object of"
        " the active row comes into view, or its two come into contact, and the last before they"
        " part"
    )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = super().obstacle(context)
        if other:
            return other
        table = view_of(context.scene, active_result(context.scene)).rows
        return "" if table.seen is not None else "This result is not about frames"

    def use(self, context: bpy.types.Context, result: Any) -> str:
        scene, view = context.scene, view_of(context.scene, result)
        rows = rows_meant(scene, result, self.taken.rows, "ACTIVE").tolist()
        marks = [mark for row in rows for mark in marks_of(view, row)]
        for name, frame in marks:
            scene.timeline_markers.new(name, frame=frame)
        return f"{plural(len(marks), 'marker')} added"


def marks_of(view: View, row: int) -> list[tuple[str, int]]:
    """Return names and frames of the timeline markers for a row.

    First the frames in which an object comes into view or a contact begins, ascending; then, for
    pairs, the last frame of each contact.
    """
    rows, labels = view.rows, view.labels(row)
    assert rows.seen is not None
    seen = rows.seen[row]
    begins = np.flatnonzero(seen & ~np.append(False, seen[:-1]))
    if not rows.are_pairs:
        return [(labels[0], frame) for frame in rows.frames[begins].tolist()]
    ends = np.flatnonzero(seen[:-1] & ~seen[1:])
    return [
        (verb.join(labels), frame)
        for verb, places in ((" touches ", begins), (" leaves ", ends))
        for frame in rows.frames[places].tolist()
    ]
