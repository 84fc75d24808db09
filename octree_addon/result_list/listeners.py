"""Result listeners: keep names and objects of results up to date while any result exists."""

from typing import Any

import bpy

from .. import references
from ..answers import kept
from ..reader import SceneChanges
from ..scene_index import forget_readings, subscribe, unsubscribe
from ..ui import Listeners, is_listening, listen, schedule, settings_of


def has_results(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has any result."""
    return bool(settings_of(scene).results.kept)


def note_changes(
    _: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges
) -> None:
    """Invalidate cached names and objects after an evaluation that may have changed them."""
    references.note_changes(depsgraph)
    # If objects are added or removed, Blender names only their collection.
    if depsgraph.id_type_updated("COLLECTION"):
        kept.doubt_names()


def doubt(*_: Any) -> None:
    """Invalidate all names and objects after an undo, which does not name its changes."""
    references.doubt_objects()
    kept.doubt_names()
    kept.fit_list()


def before_save(*_: Any) -> None:
    """Write current names and fingerprints into the file, and empty Blender's list."""
    references.refresh()
    for scene in (each for each in bpy.data.scenes if each.library is None):
        kept.save_codes(scene)
    kept.doubt_names()
    kept.list_settings().rows.clear()


def after_save(*_: Any) -> None:
    """Fill Blender's list again."""
    kept.fit_list()


LISTENERS: Listeners = (
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("save_pre", before_save),
    ("save_post", after_save),
)


def listen_if_kept() -> bool:
    """Install the listeners while any scene has a result, else remove them.

    Returns whether they were just removed.
    """
    if any(map(has_results, bpy.data.scenes)):
        listen(LISTENERS, True)
        subscribe(note_changes)
        return False
    has_ended = is_listening(LISTENERS)
    if has_ended:
        uninstall()
    return has_ended


def uninstall() -> None:
    """Remove the listeners and drop all that they keep."""
    listen(LISTENERS, False)
    unsubscribe(note_changes)
    schedule(kept.fill_list, None)
    kept.doubt_names()
    forget_readings()
    references.doubt_objects()
