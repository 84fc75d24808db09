"""Audit panel, and the list of findings: icons, names, amounts, details."""

from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface

from ...core import FINDING_MEASURES
from ..answers.hints import Hint, draw_hints, instances_text, wrapped
from ..answers.kept import numbered_answer
from ..arrays import Floats
from ..options import draw_options
from ..questions import draw_asking, draw_question
from ..result_list import (
    Column,
    Contact,
    ResultKind,
    Rows,
    active_row,
    no_instances,
    value_text,
    view_of,
)
from ..ui import (
    OptionsPopover,
    column_of,
    draw_button,
    draw_hint,
    length_text,
    settings_of,
    working,
)
from .auditing import Looked
from .collisions import OCTREE_OT_select_collisions
from .keeping import kept_record, marks_in, read_rows, scale_of, severity_of
from .model import IGNORED, NEW, RESOLVED, STATUSES
from .settings import AuditOptions, GroundOptions

# Icons by class: a narrow list has no room for words.
_KINDS: tuple[Any, ...] = (
    "SELECT_INTERSECT", "META_CUBE", "DUPLICATE", "FACESEL", "NORMALS_FACE", "SNAP_FACE",
    "DRIVER_DISTANCE", "MOD_BOOLEAN",
)  # fmt: skip
_ICONS: tuple[Any, ...] = ("RADIOBUT_OFF", "RADIOBUT_ON", "HIDE_ON", "CHECKMARK")
_CLASS, _LENGTH, _AREA, _STATUS = "Class", "Length", "Area", "Status"


class OCTREE_PT_audit(OptionsPopover):
    """Options of *Audit*."""

    bl_label = "Audit"

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), settings_of(context.scene).audit, AuditOptions)


class OCTREE_PT_floating(OptionsPopover):
    """Options of *Floating*."""

    bl_label = "Floating"

    def draw(self, context: bpy.types.Context) -> None:
        settings = settings_of(context.scene).floating
        draw_options(column_of(self), settings, GroundOptions)


class OCTREE_PT_collisions(OptionsPopover):
    """Options of *Collisions*."""

    bl_label = "Collisions"

    def draw(self, context: bpy.types.Context) -> None:
        draw_question(column_of(self), context.scene, OCTREE_OT_select_collisions)


def draw_audit(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the buttons *Audit* and *Re-check*."""
    row = layout.row(align=True)
    draw_button(row, "octree.audit", "OCTREE_PT_audit")
    again = row.row(align=True)
    again.enabled = working() is None
    again.operator("octree.recheck", text="", icon="FILE_REFRESH")


def draw_floating(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Select Floating*."""
    draw_button(layout, "octree.select_floating", "OCTREE_PT_floating")


def choose_ground(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the choice of the ground."""
    settings = settings_of(context.scene).floating
    column = layout.column()
    column.use_property_split = True
    draw_options(column, settings, GroundOptions)


def draw_collisions(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the button *Select Collisions*."""
    draw_asking(layout, context.scene, OCTREE_OT_select_collisions, "OCTREE_PT_collisions")


def hints_of(scene: bpy.types.Scene, result: Any) -> list[Hint]:
    """Return hints about pairs that an audit left out, each with a button that includes them."""
    answer = numbered_answer(scene, result.number, Looked)
    if answer is None or answer.found.wish.instances:
        return []
    placements = answer.found.target.placements
    text = instances_text(placements.owners, placements.is_instance)
    options = {"instances": True, "result": result.name}
    return [Hint(text, "Between Instances", "octree.audit", options)] if text else []


def count_words(scene: bpy.types.Scene, result: Any) -> list[str]:
    """Return the counts of open findings by class, such as "2 overlap", then of settled ones."""
    classes, statuses = (columns_of(scene, result)[name] for name in (_CLASS, _STATUS))
    is_open = statuses.values < IGNORED
    counts = np.bincount(classes.values[is_open], minlength=len(classes.words)).tolist()
    words = [f"{n:,} {word}" for word, n in zip(classes.words, counts, strict=True) if n]
    for status in (IGNORED, RESOLVED):
        count = int((statuses.values == status).sum())
        if count:
            words.append(f"{count:,} {STATUSES[status]}")
    return words


def tolerance_lines(scene: bpy.types.Scene, result: Any) -> list[str]:
    """Return the tolerance as text, and the number of findings for which precision widened it."""
    kept = kept_record(scene, result)
    if np.isnan(kept.audit.band):
        return []
    stated, count = kept.audit.band / scale_of(scene, kept), int(kept.widened.sum())
    text = length_text(scene, stated, precision=6) if stated else "by precision"
    return [f"Tolerance {text}" + (f", {count:,} by precision" if count else "")]


def columns_of(scene: bpy.types.Scene, result: Any) -> dict[str, Column]:
    """Return the columns of an audit by name."""
    return {each.name: each for each in view_of(scene, result).rows.columns}


def amount_text(
    scene: bpy.types.Scene, columns: dict[str, Column], row: int, precision: int = 4
) -> str:
    """Return a finding's depth, distance or area as text, in the scene's units."""
    area = columns[_AREA]
    column = columns[_LENGTH] if np.isnan(area.values[row]) else area
    return value_text(scene, column, row, precision)


def details_of(scene: bpy.types.Scene, result: Any, row: int) -> list[str]:
    """Return the lines about a finding that are drawn below the list."""
    view, columns = view_of(scene, result), columns_of(scene, result)
    names = list(dict.fromkeys(view.labels(row)))
    smaller = columns["Smaller Object"]
    count = int((smaller.values == smaller.values[row]).sum())
    words = {name: columns[name].words[columns[name].values[row]] for name in (_CLASS, _STATUS)}
    collections = columns["Collections"].words[columns["Collections"].values[row]]
    lines = [f"{words[_CLASS]}, {amount_text(scene, columns, row)}", *names]
    if " / " in collections:
        lines.append(collections)
    if count > 1:
        lines.append(f"{count:,} findings of {smaller.words[smaller.values[row]]}")
    kept = kept_record(scene, result)
    if kept.widened[row]:
        band = kept.audit.bands[row] / scale_of(scene, kept)
        lines.append(f"tolerance {length_text(scene, band)}, by precision")
    _, reason = marks_in(result).get(row, ("", ""))
    return [*lines, f"{words[_STATUS]}: {reason}" if reason else words[_STATUS]]


class FloatingKind(ResultKind):
    """The result kind of floating objects, which have no path of contacts to the ground."""

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the number of rows, and the object used as ground."""
        super().summary(layout, context, result)
        if result.details:
            ground: Any = pgettext_iface("Ground")  # type: ignore[func-returns-value]
            for line in wrapped(f"{ground}: {bytes(result.details).decode()}"):
                layout.label(text=line, translate=False)


class AuditKind(ResultKind):
    """The result kind of audits."""

    headers = (_LENGTH,)
    refresh = "recheck"

    def rows(
        self, scene: bpy.types.Scene, result: Any, uids: Sequence[int], names: Sequence[str]
    ) -> Rows:
        """Return a row for each finding, from the stored record and the user's marks.

        A damaged record has no rows; `summary` reports it.
        """
        try:
            return read_rows(scene, result, uids, names)
        except ValueError:
            return Rows(np.empty((2, 0), np.intp), no_instances(0, 2))

    def summary(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the tolerance, the number of open findings by class, and of settled ones.

        Lines are wrapped for a narrow sidebar.
        """
        if not len(view_of(context.scene, result).rows) and result.count:
            layout.label(text="The findings cannot be read", icon="ERROR")
            return
        words = count_words(context.scene, result) or ["nothing was found"]
        for line in (*tolerance_lines(context.scene, result), *wrapped(", ".join(words))):
            layout.label(text=line, translate=False)
        draw_hints(layout, hints_of(context.scene, result))

    def offer(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the actions for the active finding, and for all findings."""
        self._offer_marks(layout, context, result)
        row = layout.row(align=True)
        row.operator("octree.recheck")
        row.operator("octree.export_audit", text="Export")
        layout.operator("octree.select_duplicates")
        layout.operator("octree.compare_audit")

    def title(self, scene: bpy.types.Scene, result: Any, name: str) -> str:
        """Return the title of the amounts: "Depth", say, or "Amount" if measures differ."""
        if not len(view_of(scene, result).rows):
            return "Amount"
        measures = np.unique(kept_record(scene, result).audit.measures)
        return FINDING_MEASURES[measures[0]].capitalize() if len(measures) == 1 else "Amount"

    def texts(self, scene: bpy.types.Scene, result: Any, row: int) -> tuple[str]:
        """Return the amount of a finding as a short text."""
        return (amount_text(scene, columns_of(scene, result), row, precision=2),)

    def icons(
        self, scene: bpy.types.Scene, result: Any, row: int
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the icon of the class; and after the texts that of a status, unless it is new."""
        columns = columns_of(scene, result)
        status = int(columns[_STATUS].values[row])
        return (_KINDS[columns[_CLASS].values[row]],), (_ICONS[status],) * (status != NEW)

    def is_quiet(self, scene: bpy.types.Scene, result: Any, row: int) -> bool:
        """Return whether a finding is ignored or resolved."""
        return bool(columns_of(scene, result)[_STATUS].values[row] >= IGNORED)

    def contact(self, scene: bpy.types.Scene, result: Any, row: int) -> Contact | None:
        """Return the contact of a finding's objects, in scene units."""
        kept = kept_record(scene, result)
        scale = scale_of(scene, kept)
        segments, place = kept.segments_of(row) / scale, kept.audit.places[row] / scale
        points = np.concatenate((segments.reshape(-1, 3), place[None]))
        lower, upper = points.min(axis=0), points.max(axis=0)
        # A margin around the contact, so that parts of its objects are in view.
        size = float(kept.objects.sizes[kept.audit.pairs[:, row]].min()) / scale
        margin = max(0.25 * size, 0.2 * float((upper - lower).max()), 1e-4)
        around = np.stack((lower - margin, upper + margin))
        key = scene.session_uid, result.number, result.count, row
        return Contact(around, segments, (kept.faces_of(row, 0), kept.faces_of(row, 1)), key)

    def severity(self, rows: Rows) -> Floats:
        """Return the severity of each finding, (n,)."""
        return severity_of(rows)

    def _offer_marks(
        self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any
    ) -> None:
        """Draw the sort buttons, the active finding's details, and the buttons for its status."""
        scene, row = context.scene, active_row(context.scene)
        order = layout.row(align=True)
        for name, text in (
            (_CLASS, "Class"), ("Smaller Object", "Smaller"), (_STATUS, "Status"),
        ):  # fmt: skip
            order.operator("octree.sort_rows", text=text).by = name
        by_collections = order.operator("octree.sort_rows", text="", icon="OUTLINER_COLLECTION")
        by_collections.by = "Collections"
        if row < 0:
            draw_hint(layout, "Click a finding")
            return
        box = layout.box().column(align=True)
        for text in details_of(scene, result, row):
            box.label(text=text, translate=False)
        for some in (
            (("REVIEWED", "Reviewed"), ("IGNORED", "Ignore")),
            (("RESOLVED", "Resolved"), ("NEW", "New")),
        ):
            marks = box.row(align=True)
            for status, text in some:
                marks.operator("octree.mark_findings", text=text).status = status
        self.fixes(box, context, result)
