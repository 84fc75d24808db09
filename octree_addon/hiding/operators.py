"""Restore Hidden: the operator, its button in the tab, and the reports of hiding operators."""

from collections import Counter

import bpy
from bpy.app.translations import pgettext_iface

from ..scene_index import own_changes
from ..ui import (
    RefusingOperator,
    Status,
    plural,
)
from .hidden_objects import hidden_count, is_hiding, restore, still_hidden
from .plan import Plan

_ONE = {
    "lights or cameras": "light or camera",
    "overrides that cannot be edited": "override that cannot be edited",
}


class OCTREE_OT_restore_hidden(RefusingOperator, bpy.types.Operator):
    """Show the objects that Octree has hidden, and no others."""

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
        with own_changes(context):
            count = len(still_hidden(context.scene))
            shown = restore(context)
        self.report({"INFO"}, restored_text(shown, count))
        return {"FINISHED"}


def plan_lines(plan: Plan) -> list[str]:
    """Return the number of objects to hide, and a line per reason for others: "3 protected"."""
    lines = [f"{plural(len(plan.objects), 'object')} to hide"]
    for reason, count in sorted(plan.left.items()):
        lines.append(f"{count:,} {_ONE.get(reason, reason) if count == 1 else reason}")
    return lines


def hidden_text(plan: Plan, hidden: int) -> str:
    """Return a report of how many objects of a plan were hidden, in one line."""
    text = hidden_count_text(plan.icon, hidden)
    if hidden < len(plan.objects):
        text += f"; {len(plan.objects) - hidden:,} could not be"
    return "; ".join([text, *plan_lines(plan)[1:]])


def hidden_count_text(icon: str, count: int) -> str:
    """Return a sentence with the number of objects hidden by an icon."""
    return f"{plural(count, 'object')} hidden by the {icon.lower()} icon"


def restored_text(shown: Counter[str], count: int) -> str:
    """Return the report of a restoration: the number of distinct objects, and those by icon."""
    if not shown:
        return "Nothing was left to restore"
    if len(shown) == 1:
        return f"{plural(count, 'object')} restored by the {next(iter(shown)).lower()} icon"
    icons = ", ".join(f"{number:,} by the {icon.lower()} icon" for icon, number in shown.items())
    return f"{plural(count, 'object')} restored: {icons}"


def draw_restore(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Draw the button that restores hidden objects, with their number; always shown."""
    count = hidden_count(scene)
    said = "Restore" if count else "Restore Hidden"  # short, because the number follows
    text = str(pgettext_iface(said, "Operator"))  # type: ignore[func-returns-value]
    layout.operator(
        "octree.restore_hidden",
        text=f"{text} ({count:,})" if count else text,
        icon="LOOP_BACK",
        translate=False,
    )
