"""Hide Unseen: an operator that counts first, and its row under a visibility result."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from ..answers.verb_operators import AskingOperator, NothingToDoError
from ..hiding import HidingOptions, Plan, hidden_text, hide, plan, plan_lines
from ..ui import (
    OptionsPopover,
    Status,
    column_of,
    draw_popover,
    draw_rows,
    settings_of,
    take,
    write_back,
)
from .use_seen import SeenOperator
from .visibility_result import VisibilityResult, get, objects_of


class OCTREE_OT_hide_unseen(AskingOperator, HidingOptions, SeenOperator, bpy.types.Operator):
    """Hide the objects that no camera sees in the last result."""

    bl_idname = "octree.hide_unseen"
    bl_label = "Hide Unseen"
    bl_description = (
        "Hide the objects that no camera sees in the last result. They are counted first, and"
        " remembered in the file until they are restored"
    )
    bl_options = {"REGISTER", "UNDO"}
    may_edit = False
    _is_asking = False

    if TYPE_CHECKING:
        everything: bool
    else:
        everything: BoolProperty(
            name="Hide Everything",
            description="Hide the objects even if no surface stays visible",
            default=False,
            options={"SKIP_SAVE"},
        )

    def ask(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Open the dialog, which counts first."""
        take(self, settings_of(context.scene).hiding)
        self._is_asking = True
        return context.window_manager.invoke_props_dialog(
            self, width=320, title=self.bl_label, confirm_text="Hide"
        )

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        self._is_asking = False
        settings = settings_of(context.scene).hiding
        take(self, settings)
        plan = self.plan(context)
        if not plan.objects:
            raise NothingToDoError("; ".join(plan_lines(plan)))
        if plan.is_everything and not self.everything:
            raise ValueError("Nothing would stay visible; turn on Hide Everything")
        hidden = hide(context, plan)
        write_back(self, settings)
        return hidden_text(plan, hidden)

    def plan(self, context: bpy.types.Context) -> Plan:
        """Count what would be hidden."""
        seen = get(context.scene)
        assert seen is not None  # without it the operator cannot run
        unseen = objects_of(seen, context.view_layer.objects, in_view=False)
        return plan(context, unseen, self.icon)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the dialog, with what would be hidden, and the redo panel."""
        self.layout.use_property_split = True
        self.layout.prop(self, "icon")
        if self._is_asking:
            self._draw_plan(self.plan(context))

    def _draw_plan(self, plan: Plan) -> None:
        column = self.layout.column(align=True)
        if self.is_settled:
            column.label(text="The cameras were asked again")
        for line in plan_lines(plan):
            column.label(text=line)
        if plan.is_everything:
            self.layout.label(text="Nothing would stay visible", icon="ERROR")
            self.layout.prop(self, "everything")


def draw_hide(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Offer to hide what was not seen, in a row."""
    row = layout.row(align=True)
    row.operator("octree.hide_unseen", icon="HIDE_ON")
    row.prop(settings_of(context.scene).hiding, "icon", text="", icon_only=True)
    draw_popover(row, "OCTREE_PT_hiding")


class OCTREE_PT_hiding(OptionsPopover):
    """What is never hidden, and by which icon all else is."""

    bl_label = "Hiding"

    def draw(self, context: bpy.types.Context) -> None:
        draw_rows(column_of(self), settings_of(context.scene).hiding, ("icon", "protect"))
