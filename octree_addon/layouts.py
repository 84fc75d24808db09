"""How options are laid out, in the sidebar and in the redo panel alike."""

from collections.abc import Iterable
from typing import Any, Literal

import bpy

# Options that count with one policy for straddlers only.
_NEEDED = {"loose_factor": "KEEP", "hybrid_limit": "HYBRID"}


def draw_options(layout: bpy.types.UILayout, options: Any, names: Iterable[str]) -> None:
    """Show build options, those greyed that count for nothing at present.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where they are shown.
    options : BuildOptions or ObjectOptions
        The scene's settings, or an operator.
    names : iterable of str
        Which of them, in this order.
    """
    for name in names:
        counts = options.straddlers == _NEEDED.get(name, options.straddlers)
        column = layout.column()
        column.enabled = counts
        column.prop(options, name)
        if name == "loose_factor" and not counts:
            say(layout, "Loose cells need Straddlers: Keep")


def say(layout: bpy.types.UILayout, text: str, icon: Literal["INFO", "ERROR"] = "INFO") -> None:
    """Put a sentence under the properties that it is about.

    Parameters
    ----------
    layout : bpy.types.UILayout
        Where the properties are.
    text : str
        The sentence.
    icon : str
        What stands before it.
    """
    row = layout.row()
    row.alignment = "RIGHT"
    row.label(text=text, icon=icon)
