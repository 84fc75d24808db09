"""Texts in the status bar: written and cleared by workspace, without touching texts of others."""

import bpy

# Session ids of the workspaces with a text of this module.
_written: set[int] = set()


def write_status(context: bpy.types.Context, text: str) -> None:
    """Write a text into the status bar of the context's workspace, until `clear_status`."""
    if context.workspace is not None:
        _written.add(context.workspace.session_uid)
        context.workspace.status_text_set(text)


def clear_status() -> None:
    """Restore Blender's status bar in all workspaces with a text, visible or not."""
    for workspace in bpy.data.workspaces if _written else ():
        if workspace.session_uid in _written:
            # Blender writes into the workspace of the context, even if called on another one.
            with bpy.context.temp_override(workspace=workspace):
                workspace.status_text_set(None)
    _written.clear()


def redraw_status_bars() -> None:
    """Redraw the status bars of all windows.

    Status bars are no areas of a screen, so they have no `tag_redraw`. Blender redraws them after
    any renaming, even to the same name.
    """
    for screen in {window.screen for window in bpy.context.window_manager.windows}:
        screen.name = screen.name
