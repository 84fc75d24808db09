"""Hints in the status bar while the tool is on: what clicks, drags, the wheel and keys do."""

import bpy

from ..ui import settings_of, write_status

_DRAG = {
    "sphere": "Drag or Wheel: Radius",
    "box": "Drag: New Box, Wheel: Size",
    "nearest": "",
    "ray": "",
}
_KEYS = "Click: Keep", "Shift Click: Add", "Ctrl Click: Subtract"
_ROWS = "Page Up, Page Down: Results"


def show_keys(context: bpy.types.Context) -> None:
    """Say what the keys do."""
    mode = settings_of(context.scene).tab.near
    zoom = "Ctrl Wheel: Zoom" if mode in ("sphere", "box") else ""
    parts = [*_KEYS, _DRAG[mode], zoom, _ROWS, "Esc: End"]
    write_status(context, "   |   ".join(part for part in parts if part))
