"""Probe: live answers of questions under the pointer, as a tool; gizmos that resize a question.

Reading order: picture, shapes, pointer, session, drawing, operators, gizmos, tool.
"""

import bpy

from .. import display
from ..ui import Feature
from . import drawing, session, tool  # noqa: F401  # adds its layers
from .gizmos import OCTREE_GGT_resize
from .operators import (
    OCTREE_OT_probe,
    OCTREE_OT_probe_end,
    OCTREE_OT_probe_keep,
    OCTREE_OT_probe_move,
    OCTREE_OT_probe_size,
    OCTREE_OT_resize_answer,
)

__all__ = ["is_asking", "put_away", "register", "unregister"]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the menu entry that starts the tool."""
    menu.layout.separator()
    menu.layout.operator("octree.probe")


def register() -> None:
    """Register the tool, and install the overlays whenever a live session begins."""
    session.listen_to(draw_while_asking)
    tool.register()


def draw_while_asking(is_asking: bool) -> None:
    """Install the overlays when a session begins; at its end, the session redraws its views."""
    if is_asking:
        display.install()


def is_asking() -> bool:
    """Return whether a live session is running."""
    return session.current() is not None


def put_away() -> None:
    """End the session of the tool until the pointer moves again; that of an operator stays."""
    live = session.current()
    if live is not None and not live.is_held:
        session.end()


def unregister() -> None:
    """End the session and unregister the tool."""
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
