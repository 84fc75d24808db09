"""What is registered with Blender while anything is hidden by us: a warning at every render."""

import logging
from typing import Any

import bpy

from .memory import drop_lost_objects, hidden_counts, is_hiding


def warning_of(scene: bpy.types.Scene) -> str:
    """Say what is strange about a render of the scene now; nothing if nothing is hidden by us."""
    counts = hidden_counts(scene)
    missing, back = counts["RENDER"], counts["EYE"] + counts["MONITOR"]
    parts = [f"{missing:,} missing from the render"] if missing else []
    parts += [f"{back:,} hidden in viewports only, and rendered"] if back else []
    return f"Hidden by Octree: {'; '.join(parts)}" if parts else ""


def warn(scene: bpy.types.Scene, *_: Any) -> None:
    """Warn when a render starts: in a popup or, in background, in the log."""
    text = warning_of(scene)
    if text and bpy.app.background:
        logging.getLogger(__name__).warning(text)
    elif text and not bpy.app.timers.is_registered(show_warning):
        # The render has a thread of its own, which may not touch the window.
        bpy.app.timers.register(show_warning)


def show_warning() -> None:
    """Pop the warning up in the first window."""
    window = bpy.context.window_manager.windows[0]
    text = warning_of(window.scene)
    with bpy.context.temp_override(window=window):
        window.id_data.popup_menu(
            lambda menu, _: menu.layout.label(text=text), title="Render", icon="ERROR"
        )


def before_save(*_: Any) -> None:
    """Keep no object alive in the file that the user has deleted."""
    for scene in bpy.data.scenes:
        drop_lost_objects(scene)


LISTENERS = (("render_init", warn), ("save_pre", before_save))


def follow() -> None:
    """Be awake exactly while anything is hidden by us in any scene; again is no more than once."""
    if not any(map(is_hiding, bpy.data.scenes)):
        uninstall()
        return
    for name, listener in LISTENERS:
        listeners = getattr(bpy.app.handlers, name)
        if listener not in listeners:
            listeners.append(listener)


def uninstall() -> None:
    """Leave nothing behind."""
    for name, listener in LISTENERS:
        listeners = getattr(bpy.app.handlers, name)
        if listener in listeners:
            listeners.remove(listener)
    if bpy.app.timers.is_registered(show_warning):
        bpy.app.timers.unregister(show_warning)
