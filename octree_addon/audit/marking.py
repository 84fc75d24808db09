"""Operators that set the status of findings, compare reports, and select duplicates."""

from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np

from ...core import connected_components
from ..answers import verbs
from ..answers.kept import doubt_names
from ..arrays import UNUSED, Ids
from ..file_export import FILE_PATH
from ..options import Asking, OptionGroup, enum, string, when
from ..result_list import ResultOperator, active_row, rows_meant
from ..selection import Subjects
from ..ui import Status, mode_obstacle, plural
from .keeping import active_audit, findings_in, judge, marks_in, rewrite
from .model import (
    DUPLICATE,
    IGNORED,
    STATUSES,
    Findings,
    by_smaller_object,
    compare,
    match_objects,
    read_json,
)


class FindingOperator(ResultOperator):
    """An operator on the findings of the active result; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if active_audit(context.scene) else "Audit the scene first"

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        """Use the findings, and return the report text."""
        raise NotImplementedError

    def use(self, context: bpy.types.Context, result: Any) -> str:
        doubt_names()  # Blender sends no update for a rename
        return self.judge(context, result, findings_in(context.scene, result))


class MarkFindingsOptions(OptionGroup):
    """Options: the findings to mark, and their new status."""

    status: Literal["NEW", "REVIEWED", "IGNORED", "RESOLVED"] = enum(
        "REVIEWED",
        "Status",
        "What is to become of the findings",
        {
            "NEW": ("New", "Nobody has looked at it"),
            "REVIEWED": ("Reviewed", "Somebody has looked at it, and it is to be mended"),
            "IGNORED": ("Ignored", "It may stay as it is"),
            "RESOLVED": ("Resolved", "It is mended"),
        },
    )
    rows: Literal["PICKED", "ACTIVE", "GROUP", "SHOWN"] = enum(
        "PICKED",
        "Findings",
        "Which findings are marked",
        {
            "PICKED": (
                "Picked",
                "Those picked with Shift or Ctrl; without any, the active one",
            ),
            "ACTIVE": ("Active", "The finding that was clicked, or all under a header"),
            "GROUP": ("Of Smaller Object", "All that have the same smaller object"),
            "SHOWN": ("All Shown", "All that the list shows"),
        },
    )
    reason: str = string(
        "",
        "Reason",
        "Why it may stay",
        shown=when(status, "IGNORED"),
        options={"SKIP_SAVE"},
    )


class OCTREE_OT_mark_findings(Asking[MarkFindingsOptions], FindingOperator, bpy.types.Operator):
    """Mark findings as new, reviewed, ignored for a reason, or resolved."""

    bl_idname = "octree.mark_findings"
    bl_label = "Mark Findings"
    bl_description = (
        "Mark findings as new, reviewed, ignored for a reason, or resolved; reports and later"
        " audits keep it"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        options = self.taken
        if options.status == "IGNORED" and not bpy.app.background:
            # The dialog offers the former reason of a finding that has returned.
            row = active_row(context.scene)
            _, reason = marks_in(active_audit(context.scene)).get(row, ("", ""))
            self.put(reason=options.reason or reason)
            return context.window_manager.invoke_props_dialog(self)
        return self.execute(context)

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        options, rows = self.taken, self._rows(context, result, findings)
        status = STATUSES.index(options.status.lower())
        reason = options.reason if status == IGNORED else ""
        judge(context.scene, result, findings, rows, status, reason)
        return f"{plural(len(rows), 'finding')} marked as {STATUSES[status]}"

    def _rows(self, context: bpy.types.Context, result: Any, findings: Findings) -> Ids:
        meant = self.taken.rows
        rows = rows_meant(context.scene, result, meant, "ACTIVE")
        if meant != "GROUP":
            return rows
        groups = by_smaller_object(findings).of
        return np.flatnonzero(groups == groups[rows[0]])


class CompareOptions(OptionGroup):
    """Options: the path of the earlier report."""

    filepath: str = string(
        "", "File", "Path of the .json file", subtype="FILE_PATH", options=FILE_PATH
    )
    filter_glob: str = string("*.json", "", "", options={"HIDDEN", "SKIP_SAVE"})


class OCTREE_OT_compare_audit(Asking[CompareOptions], FindingOperator, bpy.types.Operator):
    """Compare the findings with those of an earlier report."""

    bl_idname = "octree.compare_audit"
    bl_label = "Compare with Report"
    bl_description = (
        "Read an earlier JSON report, of this file or another: what it has keeps its status and"
        " its reason, what is gone is listed as resolved"
    )

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        old, _ = read_json(Path(bpy.path.abspath(self.taken.filepath)).read_bytes())
        compared = compare(old, findings, match_objects(old.objects, findings.objects))
        rewrite(context.scene, result, compared.history())
        same = int((compared.previous >= 0).sum())
        new, gone = int(compared.is_new.sum()), len(compared.resolved)
        return f"{new:,} new, {same:,} still there, {gone:,} resolved"


class DuplicatesOperator(FindingOperator):
    """An operator on duplicates, all but the first of each group; a mixin."""

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return super().obstacle(context) or mode_obstacle(context, may_edit=False)

    def act(self, context: bpy.types.Context, surplus: Subjects) -> str:
        """Apply an action to the duplicates, and return the report text."""
        raise NotImplementedError

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        return self.act(context, self.surplus(context, findings))

    def surplus(self, context: bpy.types.Context, findings: Findings) -> Subjects:
        """Return all duplicates but the first of each group."""
        places = {item.session_uid: at for at, item in enumerate(context.scene.objects)}
        return Subjects(dict.fromkeys(surplus_duplicates(findings, places), 0))


class OCTREE_OT_select_duplicates(DuplicatesOperator, bpy.types.Operator):
    """Select all duplicates but the first of each group."""

    bl_idname = "octree.select_duplicates"
    bl_label = "Select Duplicates but One"
    bl_description = (
        "Select all duplicates that the audit found but the first of each group, and nothing else;"
        " ignored ones stay. Nothing is deleted"
    )

    def act(self, context: bpy.types.Context, surplus: Subjects) -> str:
        return verbs.select(context, surplus)


def surplus_duplicates(findings: Findings, places: dict[int, int]) -> list[int]:
    """Return the session ids of all duplicates but the first of each group.

    Duplicates within a tolerance are not an equivalence relation: A may equal B, and B equal C,
    but A not C. A group is a connected component of duplicate pairs, of which one object stays.

    `places` is the position of each object in the scene. Instances are left out: they cannot be
    selected separately.
    """
    counts = (findings.statuses < IGNORED) & (findings.audit.classes == DUPLICATE)
    objects, pairs = findings.objects, findings.audit.pairs[:, counts]
    end = len(places)
    where = np.array([places.get(uid, end) for uid in objects.uids.tolist()], np.intp)
    # With objects numbered by scene position, the smallest of a component is the one to keep.
    rank = np.argsort(np.argsort(where, kind="stable"))
    is_surplus = connected_components(rank[pairs], len(objects))[rank] != rank
    is_object = (objects.instances == UNUSED).all(axis=1)
    chosen = is_surplus & is_object & (where < end)
    return objects.uids[chosen].tolist()
