"""Result listeners: which objects are gone, and what they are called now; only while needed."""

from typing import Any

import bpy

from .. import references
from ..answers import kept
from ..reader import SceneChanges
from ..scene_index import forget_readings, subscribe, unsubscribe
from ..ui import Listeners, is_listening, listen, schedule, settings_of


def has_results(scene: bpy.types.Scene) -> bool:
    """Tell whether any result is kept in a scene."""
    return bool(settings_of(scene).results.kept)


def note_changes(
    _: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges
) -> None:
    """Doubt which objects there are, and their names, after an evaluation."""
    references.note_changes(depsgraph)
    # Of objects that come and go, Blender names only the collection that they are in.
    if depsgraph.id_type_updated("COLLECTION"):
        kept.doubt_names()


def doubt(*_: Any) -> None:
    """Read everything again after an undo: it does not say what it changed."""
    references.doubt_objects()
    kept.doubt_names()
    kept.fit_list()


def before_save(*_: Any) -> None:
    """Let the file have names and fingerprints as they are now, and no rows of the list."""
    references.refresh()
    for scene in (each for each in bpy.data.scenes if each.library is None):
        kept.save_codes(scene)
    kept.doubt_names()
    kept.list_settings().rows.clear()


def after_save(*_: Any) -> None:
    """Fill the list again."""
    kept.fit_list()


LISTENERS: Listeners = (
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("save_pre", before_save),
    ("save_post", after_save),
)


def listen_if_kept() -> bool:
    """Listen only while any scene keeps a result; tell whether the last one has just gone."""
    if any(map(has_results, bpy.data.scenes)):
        listen(LISTENERS, True)
        subscribe(note_changes)
        return False
    has_ended = is_listening(LISTENERS)
    if has_ended:
        uninstall()
    return has_ended


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS, False)
    unsubscribe(note_changes)
    schedule(kept.fill_list, None)
    kept.doubt_names()
    forget_readings()
    references.doubt_objects()
