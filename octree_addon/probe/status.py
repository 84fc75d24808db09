"""Hints in the status bar while the tool is on: what clicks, drags, the wheel and keys do."""

import bpy

from ..ui import settings_of

_DRAG = {
    "sphere": "Drag or Wheel: Radius",
    "box": "Drag: New Box, Wheel: Size",
    "nearest": "",
    "ray": "",
}
_KEYS = "Click: Keep", "Shift Click: Add", "Ctrl Click: Subtract"
_ROWS = "Page Up, Page Down: Results"
# Names of the workspaces whose status text is ours.
_written: set[str] = set()


def show_keys(context: bpy.types.Context) -> None:
    """Say what the keys do."""
    mode = settings_of(context.scene).tab.near
    zoom = "Ctrl Wheel: Zoom" if mode in ("sphere", "box") else ""
    parts = [*_KEYS, _DRAG[mode], zoom, _ROWS, "Esc: End"]
    write(context, "   |   ".join(part for part in parts if part))


def write(context: bpy.types.Context, text: str) -> None:
    """Write into the status bar until `clear`."""
    if context.workspace is not None:
        _written.add(context.workspace.name)
        context.workspace.status_text_set(text)


def clear() -> None:
    """Give the status bar back to Blender."""
    for window in bpy.context.window_manager.windows:
        if window.workspace.name in _written:
            with bpy.context.temp_override(window=window):
                bpy.context.workspace.status_text_set(None)
    _written.clear()
