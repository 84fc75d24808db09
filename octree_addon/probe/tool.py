"""Toolbar tool (WorkSpaceTool) for Object Mode and Edit Mode: its keymap and settings."""

from typing import Any

import bpy

from ..ui import settings_of
from . import session
from .operators import SELECT_TOOL, set_tool
from .shapes import shape_asked

_MOVE = ("octree.probe_move", {"type": "MOUSEMOVE", "value": "ANY", "any": True}, None)


def _press(kind: str, **modifiers: bool) -> dict[str, Any]:
    return {"type": kind, "value": "PRESS", **modifiers}


def _with(**properties: Any) -> dict[str, Any]:
    return {"properties": list(properties.items())}


# The keymap is active only while the tool is.
_KEYMAP = (
    _MOVE,
    ("octree.probe_keep", _press("LEFTMOUSE"), None),
    ("octree.probe_keep", _press("LEFTMOUSE", shift=True), _with(action="EXTEND")),
    ("octree.probe_keep", _press("LEFTMOUSE", ctrl=True), _with(action="SUBTRACT")),
    ("octree.probe_size", _press("WHEELUPMOUSE"), _with(factor=1.1)),
    ("octree.probe_size", _press("WHEELDOWNMOUSE"), _with(factor=1 / 1.1)),
    ("view3d.zoom", _press("WHEELUPMOUSE", ctrl=True), _with(delta=1)),
    ("view3d.zoom", _press("WHEELDOWNMOUSE", ctrl=True), _with(delta=-1)),
    ("octree.previous_row", _press("PAGE_UP"), None),
    ("octree.next_row", _press("PAGE_DOWN"), None),
    ("octree.probe_end", _press("ESC"), None),
)


class ProbeTool(bpy.types.WorkSpaceTool):
    """Tool that shows the answer of a question under the pointer."""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = session.TOOL
    bl_label = "Octree Probe"
    bl_description = (
        "Show under the pointer, live, what a sphere, a box, the nearest objects or a ray would"
        " find.\nA click keeps the answer as the result"
    )
    bl_icon = "ops.generic.select_circle"
    bl_cursor = "CROSSHAIR"
    bl_keymap = _KEYMAP

    @staticmethod
    def draw_settings(
        context: bpy.types.Context, layout: bpy.types.UILayout, tool: bpy.types.WorkSpaceTool
    ) -> None:
        """Draw the question, its main setting and the selection mode in the tool header."""
        settings = settings_of(context.scene)
        layout.row().prop(settings.tab, "near", expand=True)
        shape, options = shape_asked(context.scene)
        if shape.reads:
            layout.row().prop(options, shape.reads[0])
        layout.prop(settings.tab, "action", text="")
        if context.mode == "EDIT_MESH":
            layout.prop(settings.tab, "kind", text="")


class ProbeEditTool(ProbeTool):
    """The same tool in Edit Mode."""

    bl_context_mode = "EDIT_MESH"


def register() -> None:
    """Add the tool to the end of the toolbar."""
    for tool in (ProbeTool, ProbeEditTool):
        bpy.utils.register_tool(tool, separator=True)


def unregister() -> None:
    """Remove the tool; windows in which it is active get the select tool."""
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            if session.is_on(bpy.context):
                set_tool(bpy.context, SELECT_TOOL)
    for tool in (ProbeEditTool, ProbeTool):
        bpy.utils.unregister_tool(tool)
