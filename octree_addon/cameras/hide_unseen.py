"""Hide Unseen: an operator that asks before it hides everything, and its row in the panel."""

import bpy

from ..answers import verbs
from ..answers.verb_operators import AskingOperator, SettledOptions
from ..hiding import EverythingOption, HidingOptions, Plan, plan, plan_lines
from ..options import draw_options
from ..ui import (
    OptionsPopover,
    Status,
    column_of,
    draw_popover,
    settings_of,
)
from .use_seen import SeenOperator
from .visibility_result import VisibilityResult, get


class HideUnseenOptions(HidingOptions, EverythingOption, SettledOptions):
    """Options for hiding unseen objects."""


class OCTREE_OT_hide_unseen(AskingOperator[HideUnseenOptions], SeenOperator, bpy.types.Operator):
    """Hide the objects that no camera sees in the last result."""

    bl_idname = "octree.hide_unseen"
    bl_label = "Hide Unseen"
    bl_description = (
        "Hide the objects that no camera sees in the last result. They are remembered in the file"
        " until they are restored; if nothing would stay visible, this asks first"
    )
    bl_options = {"REGISTER", "UNDO"}
    may_edit = False
    _is_asking = False

    def ask(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Hide without asking, as undo restores all; open a dialog if nothing would stay."""
        self.take(settings_of(context.scene).hiding)
        if not self._planned(context).is_everything:
            return self.start(context)
        self._is_asking = True
        return context.window_manager.invoke_props_dialog(
            self, width=320, title=self.bl_label, confirm_text="Hide"
        )

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        self._is_asking = False
        settings = settings_of(context.scene).hiding
        options = self.take(settings)
        unseen = seen.subjects(seen=False)
        text = verbs.hide(context, unseen, options.icon, everything=options.everything)
        self.write_back(settings)
        return text

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the dialog with the objects to hide, or the redo panel."""
        self.layout.use_property_split = True
        self.layout.prop(self, "icon")
        if self._is_asking:
            self._draw_plan(context)

    def _draw_plan(self, context: bpy.types.Context) -> None:
        planned, column = self._planned(context), self.layout.column(align=True)
        if self.taken.is_settled:
            column.label(text="The cameras were asked again")
        for line in plan_lines(planned):
            column.label(text=line)
        if planned.is_everything:
            self.layout.label(text="Nothing would stay visible", icon="ERROR")
            self.layout.prop(self, "everything")

    def _planned(self, context: bpy.types.Context) -> Plan:
        seen = get(context.scene)
        assert seen is not None  # the operator is disabled without a result
        unseen = seen.subjects(seen=False).among(context.scene.objects)
        return plan(context, unseen, self.taken.icon)


def draw_hide(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the row with the button that hides unseen objects."""
    row = layout.row(align=True)
    row.operator("octree.hide_unseen", icon="HIDE_ON")
    row.prop(settings_of(context.scene).hiding, "icon", text="", icon_only=True)
    draw_popover(row, "OCTREE_PT_hiding")


class OCTREE_PT_hiding(OptionsPopover):
    """Objects that are never hidden, and the icon that hides the others."""

    bl_label = "Hiding"

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), settings_of(context.scene).hiding, HidingOptions)
