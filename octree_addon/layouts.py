"""How options are laid out, in the sidebar and in the redo panel alike."""

from collections.abc import Iterable
from typing import Any

import bpy

from .ui import draw_hint

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
            draw_hint(layout, "Loose cells need Straddlers: Keep")
