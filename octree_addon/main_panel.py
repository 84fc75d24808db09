"""The head of the tab: all questions, a button each, and what they share; nothing in it moves."""

import bpy

from .audit import draw_audit, draw_contacts, draw_floating
from .cameras import draw_shot, never_seen
from .chunks import draw_chunks
from .density import draw_density
from .distances import draw_distances
from .hiding import draw_restore
from .place import draw_drop, draw_fill, draw_push_apart
from .questions import QUESTIONS, draw_camera, draw_collisions, draw_near
from .ui import (
    Feature,
    OptionsPopover,
    SidebarPanel,
    column_of,
    draw_button,
    draw_popover,
    draw_rows,
    settings_of,
    working,
)

# What stands together, from top to bottom: rows of buttons, the same whatever was answered.
BUTTONS = (
    ((draw_camera,), (draw_shot,), (never_seen.draw_never_seen,)),
    ((draw_near,), (draw_distances,)),
    ((draw_collisions,), (draw_audit,), (draw_floating,), (draw_contacts,)),
    ((draw_drop,), (draw_push_apart, draw_fill)),
    ((draw_chunks, draw_density),),
)
# The operators of these buttons, but for the one that is asked around the 3D cursor.
_NAMES = frozenset(
    f"octree.{name}"
    for name in (
        "select_in_frustum",
        "find_seen",
        "find_never_seen",
        "measure_distances",
        "select_collisions",
        "audit",
        "select_floating",
        "contacts_over_frames",
        "preview_chunks",
        "density",
        "drop",
        "push_apart",
        "fill",
    )
)


class OCTREE_PT_main(SidebarPanel):
    """Ask: each button with its options beside it; the answers stand in Results."""

    bl_label = "Ask"
    # Blender puts tabs in the order of their panels; its own have none, and so stand before.
    bl_order = 10

    def draw(self, context: bpy.types.Context) -> None:
        # Not all of it waits while work goes on: its progress has a button.
        column, now = self.layout.column(), working()
        row = column.row(align=True)
        if now is None or now.name in _NAMES or now.name == _near_name(context.scene):
            row.enabled = now is None
            row.prop(settings_of(context.scene).tab, "action", text="")
            draw_popover(row, "OCTREE_PT_selection")
            draw_restore(row, context.scene)
        else:  # it has no button below
            draw_button(row, now.name)
        for group in BUTTONS:
            rows = column.column(align=True)
            for beside in group:
                buttons = rows.row(align=True) if len(beside) > 1 else rows
                for draw in beside:
                    draw(buttons, context)


def _near_name(scene: bpy.types.Scene) -> str:
    near = settings_of(scene).tab.near
    return next(each.bl_idname for each in QUESTIONS if each.key == near)


class OCTREE_PT_selection(OptionsPopover):
    """What all questions select, and of which meshes."""

    bl_label = "Selection"

    def draw(self, context: bpy.types.Context) -> None:
        draw_rows(column_of(self), settings_of(context.scene).tab, ("action", "kind", "meshes"))


FEATURE = Feature(classes=(OCTREE_PT_main, OCTREE_PT_selection))
