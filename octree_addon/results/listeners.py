"""Result listeners: what has changed since, and which objects are gone; only while needed."""

from typing import Any

import bpy

from ..ui import Listeners, listen, schedule, settings_of, tag_redraw
from . import kept


def has_results(scene: bpy.types.Scene) -> bool:
    """Tell whether any result is kept in a scene."""
    return bool(settings_of(scene).results.kept)


def note_changes(_: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Doubt what was read of a scene after an evaluation; it is read again after a rest.

    O(1) while everything moves: the first update that counts is enough.
    """
    updates = depsgraph.updates
    if any(each.is_updated_geometry or each.is_updated_transform for each in updates):
        kept.doubt_fingerprints()
        schedule(compare_later, None)  # drawing sets it again: not before there is a rest
    # Of objects that come and go, Blender names only the collection that they are in.
    if depsgraph.id_type_updated("COLLECTION"):
        kept.doubt_names()


def doubt(*_: Any) -> None:
    """Read everything again after an undo: it does not say what it changed."""
    kept.doubt_fingerprints()
    kept.doubt_names()


def before_load(*_: Any) -> None:
    """Drop what was read before another file is opened; Blender then drops the listeners."""
    kept.forget()


def before_save(*_: Any) -> None:
    """Let the file keep no object alive that the user has deleted."""
    for scene in bpy.data.scenes:
        kept.drop_lost_objects(scene)
    kept.doubt_names()


LISTENERS: Listeners = (
    ("depsgraph_update_post", note_changes),
    ("frame_change_post", note_changes),
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("load_pre", before_load),
    ("save_pre", before_save),
)


def compare_later() -> None:
    """Read what the scenes in windows are like, once they have been at rest for a while."""
    for window in bpy.context.window_manager.windows:
        with bpy.context.temp_override(window=window):
            if has_results(window.scene):
                kept.current_fingerprint(bpy.context)
    tag_redraw()


def listen_if_kept() -> None:
    """Listen only while any scene keeps a result; may be called repeatedly."""
    if any(map(has_results, bpy.data.scenes)):
        listen(LISTENERS, True)
    else:
        uninstall()


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS, False)
    schedule(compare_later, None)
    kept.forget()
