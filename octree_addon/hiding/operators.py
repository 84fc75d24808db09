"""Hide Unseen and Restore Hidden: operators, their reports, rows of the tab and its banner."""

from collections import Counter
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from ..results import unchanged
from ..shot.answer_operator import AskingOperator, NothingToDoError
from ..shot.standing import own_writing
from ..shot.use_seen import SeenOperator
from ..shot.visibility_result import VisibilityResult, get, objects_of
from ..ui import (
    RefusingOperator,
    Status,
    column_of,
    draw_rows,
    mode_obstacle,
    plural,
    settings_of,
    take,
    write_back,
)
from .hidden_objects import hidden_counts, hide, is_hiding, restore
from .plan import Plan, plan
from .settings import HidingOptions

_ONE = {
    "lights or cameras": "light or camera",
    "overrides that cannot be edited": "override that cannot be edited",
}


class OCTREE_OT_hide_unseen(AskingOperator, HidingOptions, SeenOperator, bpy.types.Operator):
    """Hide the objects that no camera sees in the last result."""

    bl_idname = "octree.hide_unseen"
    bl_label = "Hide Unseen"
    bl_description = (
        "Hide the objects that no camera sees in the last result. They are counted first, and"
        " remembered in the file until they are restored"
    )
    bl_options = {"REGISTER", "UNDO"}
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

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=False) or super().obstacle(context)

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


class OCTREE_OT_restore_hidden(RefusingOperator, bpy.types.Operator):
    """Show again what Octree has hidden, and nothing else."""

    bl_idname = "octree.restore_hidden"
    bl_label = "Restore Hidden"
    bl_description = (
        "Show again what Octree has hidden in this scene, in all its view layers, and leave"
        " hidden what was hidden before"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if is_hiding(context.scene) else "Nothing is hidden by Octree"

    def execute(self, context: bpy.types.Context) -> Status:
        with unchanged(context), own_writing(context.view_layer):
            shown = restore(context)
        self.report({"INFO"}, restored_text(shown))
        return {"FINISHED"}


def plan_lines(plan: Plan) -> list[str]:
    """Say what would be hidden, and in a line for each reason what not: such as "3 protected"."""
    lines = [f"{plural(len(plan.objects), 'object')} to hide"]
    for reason, count in sorted(plan.left.items()):
        lines.append(f"{count:,} {_ONE.get(reason, reason) if count == 1 else reason}")
    return lines


def hidden_text(plan: Plan, hidden: int) -> str:
    """Say how many objects of a plan were really hidden, in one line."""
    text = hidden_count_text(plan.icon, hidden)
    if hidden < len(plan.objects):
        text += f"; {len(plan.objects) - hidden:,} could not be"
    return "; ".join([text, *plan_lines(plan)[1:]])


def hidden_count_text(icon: str, count: int) -> str:
    """Say how many objects an icon hides."""
    return f"{plural(count, 'object')} hidden by the {icon.lower()} icon"


def restored_text(shown: Counter[str]) -> str:
    """Say how many objects are shown again, by icon, in one line."""
    parts = [
        f"{plural(count, 'object')} restored by the {icon.lower()} icon"
        for icon, count in shown.items()
    ]
    return "; ".join(parts) or "Nothing was left to restore"


def draw_banner(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Say what Octree hides, if anything, and offer to restore it."""
    counts = hidden_counts(scene)
    if not counts:
        return
    box = layout.box().column(align=True)
    for icon, count in counts.items():
        box.label(text=hidden_count_text(icon, count), icon="HIDE_ON")
    box.operator("octree.restore_hidden", icon="LOOP_BACK")


def draw_hide(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    """Offer, under a visibility result, to hide what was not seen."""
    if get(context.scene) is None:
        return
    settings, column = settings_of(context.scene).hiding, column_of(panel)
    row = column.row(align=True)
    row.operator("octree.hide_unseen", icon="HIDE_ON")
    row.prop(settings, "icon", text="", icon_only=True)
    draw_rows(column, settings, ["protect"])
