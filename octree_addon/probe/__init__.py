"""Probe feature: what questions find under the pointer, live; a tool, and gizmos that resize.

Read picture, shapes, pointer, then session, drawing, operators, gizmos and tool.
"""

import bpy

from ..ui import Feature
from . import drawing, session, tool
from .gizmos import OCTREE_GGT_resize
from .operators import (
    OCTREE_OT_probe,
    OCTREE_OT_probe_end,
    OCTREE_OT_probe_keep,
    OCTREE_OT_probe_move,
    OCTREE_OT_probe_size,
    OCTREE_OT_resize_answer,
)

__all__ = ["put_away", "register", "unregister"]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Offer the tool."""
    menu.layout.separator()
    menu.layout.operator("octree.probe")


def register() -> None:
    """Add the tool, and draw while it asks."""
    session.listen_to(drawing.switch)
    tool.register()


def put_away() -> None:
    """Show nothing until the pointer moves again, if the tool asks; an operator goes on."""
    live = session.current()
    if live is not None and not live.is_held:
        session.end()


def unregister() -> None:
    """End what is asked, and leave nothing behind."""
    session.stop()
    tool.unregister()


FEATURE = Feature(
    classes=(
        OCTREE_OT_probe,
        OCTREE_OT_probe_move,
        OCTREE_OT_probe_keep,
        OCTREE_OT_probe_size,
        OCTREE_OT_probe_end,
        OCTREE_OT_resize_answer,
        OCTREE_GGT_resize,
    ),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=("octree.probe",),
)
