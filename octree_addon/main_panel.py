"""Main panel: a button for each question, and their common options, always at the same places."""

from collections.abc import Callable
from typing import NamedTuple

import bpy

from .audit import draw_audit, draw_collisions, draw_floating
from .cameras import draw_shot, never_seen
from .chunks import draw_chunks
from .density import draw_density
from .distances import draw_distances
from .hiding import draw_restore
from .options import draw_options
from .place import draw_drop, draw_fill, draw_push_apart
from .questions import TabOptions, draw_camera, draw_near, near_name
from .ui import (
    Feature,
    OptionsPopover,
    SidebarPanel,
    column_of,
    draw_button,
    draw_popover,
    settings_of,
    working,
)


class Button(NamedTuple):
    """A function that draws a button, and the name of the button's operator."""

    draw: Callable[[bpy.types.UILayout, bpy.types.Context], None]
    name: str


# No fixed name: this button asks one of several questions around the 3D cursor.
_NEAR = ""
# Groups of rows of one or two buttons, from top to bottom, independent of any answer.
BUTTONS = (
    (
        (Button(draw_camera, "octree.select_in_frustum"),),
        (Button(draw_shot, "octree.find_seen"),),
        (Button(never_seen.draw_never_seen, "octree.find_never_seen"),),
    ),
    (
        (Button(draw_near, _NEAR),),
        (
            Button(draw_distances, "octree.measure_distances"),
            Button(draw_density, "octree.density"),
        ),
    ),
    (
        (Button(draw_collisions, "octree.select_collisions"),),
        (Button(draw_audit, "octree.audit"), Button(draw_floating, "octree.select_floating")),
    ),
    (
        (Button(draw_drop, "octree.drop"), Button(draw_fill, "octree.fill")),
        (
            Button(draw_push_apart, "octree.push_apart"),
            Button(draw_chunks, "octree.preview_chunks"),
        ),
    ),
)
_NAMES = frozenset(each.name for group in BUTTONS for row in group for each in row)


class OCTREE_PT_main(SidebarPanel):
    """Questions, each with its options beside it; the answers are shown in Results."""

    bl_label = "Ask"
    # Blender sorts tabs by their panels. Its own panels have order 0, so their tabs come first.
    bl_order = 10

    def draw(self, context: bpy.types.Context) -> None:
        # Not disabled as a whole while an operator runs, since its progress has a Cancel button.
        column, now = self.layout.column(), working()
        row = column.row(align=True)
        if now is None or now.name in _NAMES or now.name == _near_name(context.scene):
            row.enabled = now is None
            row.prop(settings_of(context.scene).tab, "action", text="")
            draw_popover(row, "OCTREE_PT_selection")
            draw_restore(row, context.scene)
        else:  # the running operator has no button below
            draw_button(row, now.name)
        for group in BUTTONS:
            rows = column.column(align=True)
            for beside in group:
                # The progress of a running operator takes the whole row.
                shown = [each for each in beside if now and each.name == now.name] or beside
                row = rows.row(align=True) if len(shown) > 1 else rows
                for each in shown:
                    each.draw(row, context)


def _near_name(scene: bpy.types.Scene) -> str:
    return near_name(settings_of(scene).tab)


class OCTREE_PT_selection(OptionsPopover):
    """Selection and meshes of all questions."""

    bl_label = "Selection"

    def draw(self, context: bpy.types.Context) -> None:
        tab = settings_of(context.scene).tab
        draw_options(column_of(self), tab, TabOptions, without=("near",))


FEATURE = Feature(classes=(OCTREE_PT_main, OCTREE_PT_selection))
