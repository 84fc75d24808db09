"""Hints in the status bar while the tool is active: clicks, drags, wheel and keys."""

import bpy

from ..ui import write_status
from .shapes import shape_asked

_KEYS = "Click: Keep", "Shift Click: Add", "Ctrl Click: Subtract"
_ROWS = "Page Up, Page Down: Results"


def show_keys(context: bpy.types.Context) -> None:
    """Write the hints for the active question into the status bar."""
    shape, _ = shape_asked(context.scene)
    zoom = "Ctrl Wheel: Zoom" if shape.size else ""
    parts = [*(_KEYS if shape.question else ()), shape.hint, zoom, _ROWS, "Esc: End"]
    write_status(context, "   |   ".join(part for part in parts if part))
