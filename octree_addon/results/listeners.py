"""Result listeners: what has changed since, and which objects are gone; only while needed."""

from time import perf_counter
from typing import Any

import bpy

from ...core import Running
from .. import references
from ..reader import EVERYTHING, SceneChanges
from ..scene_index import is_being_read, subscribe, unsubscribe
from ..ui import Listeners, listen, schedule, settings_of, tag_redraw
from . import fingerprints, kept, revisions

# Seconds: of rest after which a scene that has changed is compared with what was asked, and of
# work at a time.
_REST, _SLICE = 0.5, 0.02
# What is being compared.
_comparing: list[Running[str]] = []


def has_results(scene: bpy.types.Scene) -> bool:
    """Tell whether any result is kept in a scene."""
    return bool(settings_of(scene).results.kept)


def note_changes(
    _: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, changes: SceneChanges
) -> None:
    """Doubt what was read of a scene after an evaluation; it is read again after a rest."""
    # What is only selected or hidden is told by the scene alone.
    if changes.has_any:
        fingerprints.doubt_fingerprints(has_changed=True)
        revisions.note(changes)
        schedule(compare_later, None)  # drawing sets it again: not before there is a rest
    else:
        fingerprints.doubt_what_is_shown()
    references.note_changes(depsgraph)
    # Of objects that come and go, Blender names only the collection that they are in.
    if depsgraph.id_type_updated("COLLECTION"):
        kept.doubt_names()


def doubt(*_: Any) -> None:
    """Read everything again after an undo: it does not say what it changed."""
    fingerprints.doubt_fingerprints()
    revisions.note(EVERYTHING)
    references.doubt_objects()
    kept.doubt_names()
    kept.fit_list()


def before_load(*_: Any) -> None:
    """Drop what was read before another file is opened; Blender then drops the listeners."""
    _comparing.clear()
    kept.forget()
    revisions.forget_revisions()
    references.forget()


def before_save(*_: Any) -> None:
    """Let the file have names and fingerprints as they are now, and no rows of the list."""
    references.refresh()
    for scene in (each for each in bpy.data.scenes if each.library is None):
        kept.drop_pointers(scene)
        fingerprints.write_fingerprints(scene)
    kept.doubt_names()
    kept.list_rows().clear()


def after_save(*_: Any) -> None:
    """Fill the list again."""
    kept.fit_list()


LISTENERS: Listeners = (
    ("undo_post", doubt),
    ("redo_post", doubt),
    ("load_pre", before_load),
    ("save_pre", before_save),
    ("save_post", after_save),
)


def compare_soon() -> None:
    """Read what the scenes in windows are like, if that is not known, once nothing has changed."""
    schedule(compare_later, _REST)


def compare_later() -> float | None:
    """Read what the scenes in windows are like, once they have been at rest for a while."""
    for window in bpy.context.window_manager.windows:
        if has_results(window.scene) and fingerprints.is_doubted(window.scene):
            with bpy.context.temp_override(window=window):
                return _compare(bpy.context)
    tag_redraw()
    return None


def _compare(context: bpy.types.Context) -> float:
    """Read for a while, but not while a question reads; return when to go on."""
    if not _comparing:
        if is_being_read():
            return _REST
        _comparing.append(Running(fingerprints.current_fingerprint_steps(context)))
    deadline = perf_counter() + _SLICE
    try:
        while _comparing[0].step() and perf_counter() < deadline:
            pass
    except ValueError:  # a question has begun to read, or the view layer is gone
        _comparing.clear()
        return _REST
    if _comparing[0].is_done:
        _comparing.clear()
    return 0.0


def listen_if_kept() -> None:
    """Listen only while any scene keeps a result; may be called repeatedly."""
    if any(map(has_results, bpy.data.scenes)):
        listen(LISTENERS, True)
        subscribe(note_changes)
    else:
        uninstall()


def uninstall() -> None:
    """Leave nothing behind."""
    listen(LISTENERS, False)
    unsubscribe(note_changes)
    schedule(compare_later, None)
    schedule(kept.fill_list, None)
    _comparing.clear()
    kept.forget()
    revisions.forget_revisions()
    references.doubt_objects()
