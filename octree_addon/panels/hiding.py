"""What is hidden by us, with the way back, and how more is hidden."""

import bpy

from .. import visibility
from ..ui import SubPanel, column_of, settings_of


def draw_banner(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Say what is hidden by us and offer to restore it, as long as there is something."""
    counts = visibility.hidden_counts(scene)
    if not counts:
        return
    box = layout.box().column(align=True)
    for icon, count in counts.items():
        box.label(text=banner_text(icon, count), icon="HIDE_ON")
    box.operator("octree.restore_hidden", icon="LOOP_BACK")


def banner_text(icon: str, count: int) -> str:
    """Say how many objects an icon hides."""
    objects = "1 object" if count == 1 else f"{count:,} objects"
    return f"{objects} hidden by the {icon.lower()} icon"


class OCTREE_PT_hiding(SubPanel):
    """Hide what the cameras did not see."""

    bl_label = "Hide"
    bl_order = 80
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        hiding = settings_of(context.scene).hiding
        column = column_of(self)
        column.prop(hiding, "icon")
        column.prop(hiding, "protect")
        column.operator("octree.hide_unseen")
