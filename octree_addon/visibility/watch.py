"""What is registered with Blender while anything is hidden by us: a warning at every render."""

import logging
from typing import Any

import bpy

from .memory import forget_the_rest, has_memory, memories


def warnings_of(scene: bpy.types.Scene) -> list[str]:
    """Say what is strange about a render of the scene now; nothing if nothing is hidden by us."""
    hidden = [(item, memory.icon) for memory in memories(scene) for item in memory.objects()]
    lacking = {item.session_uid for item, icon in hidden if icon == "RENDER"}
    showing = {item.session_uid for item, _ in hidden if not item.hide_render}
    told = {"lacks": len(lacking), "shows": len(showing)}
    return [
        f"Objects hidden by Octree that this render {verb}: {count:,}"
        for verb, count in told.items()
        if count
    ]


def warn(scene: bpy.types.Scene, *_: Any) -> None:
    """Warn when a render starts: in a popup or, in background, in the log."""
    lines = warnings_of(scene)
    if bpy.app.background:
        for line in lines:
            logging.getLogger(__name__).warning(line)
    elif lines and not bpy.app.timers.is_registered(show_warning):
        # The render has a thread of its own, which may not touch the window.
        bpy.app.timers.register(show_warning)


def show_warning() -> None:
    """Pop the warning up in the first window."""
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window):
        window.id_data.popup_menu(draw_warning, title="Rendering", icon="ERROR")


def draw_warning(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    """Draw the popup."""
    for line in warnings_of(context.scene):
        menu.layout.label(text=line)


def before_save(*_: Any) -> None:
    """Keep no object alive in the file that the user has deleted."""
    for scene in bpy.data.scenes:
        forget_the_rest(scene)


LISTENERS = (("render_init", warn), ("save_pre", before_save))


def follow() -> None:
    """Be awake exactly while anything is hidden by us in any scene; again is no more than once."""
    if not any(map(has_memory, bpy.data.scenes)):
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
