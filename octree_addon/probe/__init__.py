"""Probe feature: what questions find under the pointer, live; a tool, and gizmos that resize.

Read picture, shapes, pointer, then session, drawing, operators, gizmos and tool.
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
    """Offer the tool."""
    menu.layout.separator()
    menu.layout.operator("octree.probe")


def register() -> None:
    """Add the tool, and draw while it asks."""
    session.listen_to(draw_while_asking)
    tool.register()


def draw_while_asking(is_asking: bool) -> None:
    """Draw in every 3D view from now on; when the session ends, its views are redrawn."""
    if is_asking:
        display.install()


def is_asking() -> bool:
    """Return whether anything is asked under the pointer."""
    return session.current() is not None


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
