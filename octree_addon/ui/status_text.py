"""Texts in the status bar: ours are taken away where they were written, those of others never."""

import bpy

# Session ids of the workspaces that were last given a text of ours.
_written: set[int] = set()


def write_status(context: bpy.types.Context, text: str) -> None:
    """Write into the status bar of the context's workspace, until `clear_status`."""
    if context.workspace is not None:
        _written.add(context.workspace.session_uid)
        context.workspace.status_text_set(text)


def clear_status() -> None:
    """Give our status bars back to Blender, those of workspaces too that no window shows."""
    for workspace in bpy.data.workspaces if _written else ():
        if workspace.session_uid in _written:
            # Blender writes into the workspace of the context, whichever is asked.
            with bpy.context.temp_override(workspace=workspace):
                workspace.status_text_set(None)
    _written.clear()


def redraw_status_bars() -> None:
    """Redraw the bottoms of all windows, whoever has written there.

    They are no areas of a screen; but they are drawn again after anything was renamed, even to
    what it is called.
    """
    for screen in {window.screen for window in bpy.context.window_manager.windows}:
        screen.name = screen.name
