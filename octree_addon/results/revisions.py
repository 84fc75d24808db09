"""Revision counter (dirty flag) of scenes: which answers still hold, and which are in doubt.

An answer holds while nothing has changed since it was asked, or once the scene was compared and is
the same. Between a change and the comparison, which waits for a rest, it is in doubt: nobody shows
it then. O(1) for an update of many objects, O(updates) for one of few.
"""

from collections.abc import Callable, Iterable
from typing import Any

import bpy

from ..reader import EVERYTHING, SceneChanges
from .fingerprints import asked_of, doubt_fingerprints, known_fingerprint

# How often something may have changed; and how many objects there were when that was last counted.
_changes, _population = [0], [0]
_REGROUPED = SceneChanges(frozenset(), frozenset(), reshown=True)
# The change that may have moved or reshaped an object, or reshaped it, by its session id; all of
# them under 0.
_touched: dict[int, int] = {}
_reshaped: dict[int, int] = {}
# By the session id of the scene and the number of a result: the revision that it was asked of.
_asked_at: dict[tuple[int, int], int] = {}
_listeners: list[Callable[[], None]] = []


def listen_to_changes(listener: Callable[[], None]) -> None:
    """Call `listener` after anything may have changed."""
    _listeners.append(listener)


def revision() -> int:
    """Return a number that is another one after each change of anything that answers are about."""
    return _changes[0]


def notice_losses() -> None:
    """Note if there are fewer objects than before, or more, once before anything is shown.

    Of what a script removes no evaluation has told by then.
    """
    count = len(bpy.data.objects)
    if count != _population[0]:
        _population[0] = count
        doubt_fingerprints(has_changed=True)
        note(_REGROUPED)


def note(changes: SceneChanges) -> None:
    """Note what may have changed by now."""
    _changes[0] += 1
    now = _changes[0]
    if changes.moved is None or changes.reshaped is None:
        _touched[0] = now
    if changes.reshaped is None:
        _reshaped[0] = now
    _touched.update(dict.fromkeys((changes.moved or set()) | (changes.reshaped or set()), now))
    _reshaped.update(dict.fromkeys(changes.reshaped or (), now))
    for listener in _listeners:
        listener()


def is_as_at(since: int, uids: Iterable[int], *, may_move: bool = False) -> bool:
    """Tell whether nothing was done to some objects since a revision, but that they were moved."""
    last = _reshaped if may_move else _touched
    return all(last.get(uid, 0) <= since for uid in (0, *uids))


def note_result(scene: bpy.types.Scene, number: int) -> None:
    """Note that a result of this number is of the scene as it is now."""
    _asked_at[scene.session_uid, number] = revision()


def holds(scene: bpy.types.Scene, fingerprint: str, asked_at: int | None) -> bool:
    """Tell whether the scene is as it was asked: of this fingerprint, or at this revision."""
    changed, now = revision() != asked_at, known_fingerprint(scene)
    return now == fingerprint if fingerprint and now else not changed


def result_holds(scene: bpy.types.Scene, result: Any, uids: Iterable[int]) -> bool:
    """Tell whether what a result says of some objects is still so, as far as that is known."""
    asked_at = _asked_at.get((scene.session_uid, result.number))
    if holds(scene, asked_of(scene, result), asked_at):
        return True
    return asked_at is not None and is_as_at(asked_at, uids)


def forget_revisions() -> None:
    """Know of nothing that it is as it was asked."""
    note(EVERYTHING)
    _touched.clear()
    _reshaped.clear()
    _touched[0] = _reshaped[0] = _changes[0]
    _asked_at.clear()
