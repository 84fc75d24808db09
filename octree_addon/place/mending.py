"""Fixes of audit findings: push overlaps apart, hide duplicates, or leave them out of a copy."""

from typing import Any, TypeVar

import bpy

from ...core import FINDING_CLASSES
from .. import audit, hiding
from ..answers import verbs
from ..answers.verbs import NothingToDoError
from ..audit.keeping import judge
from ..audit.marking import DuplicatesOperator
from ..audit.model import CONTAINED, DUPLICATE, RESOLVED, Findings
from ..options import Asking, string
from ..reader import outside_views
from ..result_list import active_row, rows_meant, view_of
from ..result_list.operators import RowOptions
from ..selection import Subjects, link_to_new
from ..ui import plural, settings_of
from .copies import copy_unit
from .placing import check_again

_PARTED = (FINDING_CLASSES.index("overlap"), CONTAINED)


class WithoutOptions(RowOptions):
    """The findings to fix, and the name of the collection without their duplicates."""

    collection: str = string("Without Duplicates", "Collection", "Name of the new collection")


OfRow = TypeVar("OfRow", bound=RowOptions)


class MendingOperator(Asking[OfRow], DuplicatesOperator):
    """An operator that fixes the duplicates of rows and marks the rows as resolved; a mixin."""

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        rows = rows_meant(context.scene, result, self.taken.rows, "ACTIVE")
        surplus = self.surplus(context, findings.take(rows))
        if not surplus.objects:
            raise NothingToDoError("No object here is a duplicate that stands by itself")
        text = self.act(context, surplus)
        # A later audit leaves findings of hidden objects as they are.
        mended = rows[findings.audit.classes[rows] == DUPLICATE]
        judge(context.scene, result, findings, mended, RESOLVED)
        return f"{text}; {check_again(context)}"


class OCTREE_OT_hide_duplicates(MendingOperator[RowOptions], bpy.types.Operator):
    """Hide all duplicates but the first object of each."""

    bl_idname = "octree.hide_duplicates"
    bl_label = "Hide Duplicate"
    bl_description = (
        "Hide all but the first of the objects that stand there twice, by the icon that Hide"
        " Unseen uses, and check again. They are remembered until they are restored"
    )

    def act(self, context: bpy.types.Context, surplus: Subjects) -> str:
        return verbs.hide(context, surplus, settings_of(context.scene).hiding.icon)


class OCTREE_OT_copy_without_duplicates(MendingOperator[WithoutOptions], bpy.types.Operator):
    """Copy all visible objects except duplicates, and hide the originals."""

    bl_idname = "octree.copy_without_duplicates"
    bl_label = "Delete in Copy"
    bl_description = (
        "Make linked copies of all visible objects in a new collection, without those that stand"
        " there twice, hide the originals, and check again. Nothing of the originals is changed"
    )

    def act(self, context: bpy.types.Context, surplus: Subjects) -> str:
        layer = context.view_layer
        with outside_views():
            shown = [item for item in layer.objects if item.visible_get(view_layer=layer)]
        kept = [item for item in shown if item.session_uid not in surplus.objects]
        copies = copy_unit((), kept, [], link=False)
        collection = link_to_new(context.scene, copies, self.taken.collection)
        hiding.hide(context, hiding.plan(context, shown, "EYE"))
        hiding.hide(context, hiding.plan(context, shown, "RENDER"))
        return (
            f"{plural(len(copies), 'object')} copied into {collection.name} without"
            f" {plural(len(surplus.objects), 'duplicate')}; the originals are hidden"
        )


class FixableAuditKind(audit.AuditKind):
    """Findings of an audit, with the buttons that fix them."""

    def fixes(self, layout: bpy.types.UILayout, context: bpy.types.Context, result: Any) -> None:
        """Draw the buttons that fix the active finding, by its class."""
        row = active_row(context.scene)
        classes = view_of(context.scene, result).rows.column("Class")
        if classes is None or row < 0:
            return
        kind = int(classes.values[row])
        if kind in _PARTED:
            layout.operator("octree.push_apart").whose = "ROW"
        elif kind == DUPLICATE:
            both = layout.row(align=True)
            both.operator("octree.hide_duplicates", text="Hide")
            both.operator("octree.copy_without_duplicates")
