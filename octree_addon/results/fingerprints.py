"""Fingerprints of scenes: what a question was asked of, and whether it has changed since."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import bpy

from ...core import run
from ..scene_index import fingerprint_steps, is_read
from ..ui import settings_of

# By the session id of the scene: what it is like now, until it changes; which of these are to be
# looked at again. And by that and the number of a result or a question: what it was like when that
# was asked, where this is not in the file yet; empty until it is known, if nothing has changed.
_fingerprints: dict[int, str] = {}
_doubted: set[int] = set()
_asked_of: dict[tuple[int, int], str] = {}
# Fingerprints before and after what Octree itself did, which count as one: a code and another one
# of those that are as good. And how much of that is being done.
_as_good: dict[str, str] = {}
_own: list[bool] = []


def note_asked(scene: bpy.types.Scene, number: int) -> None:
    """Note that a question of this number is asked of the scene, whatever that is like now."""
    _asked_of[scene.session_uid, number] = known_fingerprint(scene) or ""


def noted_fingerprint(scene: bpy.types.Scene, number: int) -> str:
    """Return what the scene was like then; empty if that is not known yet."""
    return _asked_of.get((scene.session_uid, number), "")


def current_fingerprint(context: bpy.types.Context) -> str:
    """Return what tells the scene as it is now from other states of it; read once a change."""
    return run(current_fingerprint_steps(context))


def current_fingerprint_steps(context: bpy.types.Context) -> Generator[float, None, str]:
    """Do the same step by step."""
    uid = context.scene.session_uid
    if uid not in _fingerprints or uid in _doubted:
        _fingerprints[uid] = yield from fingerprint_steps(context)
        _doubted.discard(uid)
        for key, code in _asked_of.items():
            if key[0] == uid and not code:
                _asked_of[key] = _fingerprints[uid]
    return _fingerprints[uid]


def is_doubted(scene: bpy.types.Scene) -> bool:
    """Tell whether it is to be looked at again what a scene is like."""
    return scene.session_uid in _doubted or scene.session_uid not in _fingerprints


def known_fingerprint(scene: bpy.types.Scene) -> str | None:
    """Return the same if it is known without reading the scene."""
    return _fingerprints.get(scene.session_uid)


@contextmanager
def unchanged(context: bpy.types.Context, question: str = "") -> Iterator[None]:
    """Let nothing that is done meanwhile count as a change of the scene.

    With the name of a question that holds for its results alone; without, for all.
    """
    scene = context.scene
    is_known = (is_read(context) or bpy.app.background) and bool(settings_of(scene).results.kept)
    before = current_fingerprint(context) if is_known else ""
    _own.append(True)
    try:
        yield
        context.view_layer.update()
    finally:
        _own.pop()
    after = current_fingerprint(context) if before else ""
    if question:
        for result in settings_of(scene).results.kept:
            if result.question == question and are_same(asked_of(scene, result), before):
                result.fingerprint = after
    elif not are_same(before, after):
        _as_good[_best(before)] = _best(after)


def are_same(one: str, other: str) -> bool:
    """Tell whether two fingerprints are equal but for what Octree itself did."""
    return _best(one) == _best(other)


def _best(code: str) -> str:
    while code in _as_good:
        code = _as_good[code]
    return code


def has_changed(context: bpy.types.Context, result: Any) -> bool:
    """Tell whether the scene is another than the one that the question was asked of."""
    return not are_same(asked_of(context.scene, result), current_fingerprint(context))


def asked_of(scene: bpy.types.Scene, result: Any) -> str:
    """Return the fingerprint of the scene that a question was asked of."""
    return str(result.fingerprint or noted_fingerprint(scene, result.number))


def write_fingerprints(scene: bpy.types.Scene) -> None:
    """Let the file have those that were found after the question, or are as good now."""
    now = known_fingerprint(scene)
    for result in settings_of(scene).results.kept:
        code = asked_of(scene, result)
        if now and are_same(code, now):
            code = now
        if code != result.fingerprint:
            result.fingerprint = code


def doubt_fingerprints(*, has_changed: bool = False) -> None:
    """Read the scene again when its fingerprint is next needed."""
    _fingerprints.clear()
    is_change = has_changed and not _own
    for key in [key for key, code in _asked_of.items() if is_change and not code]:
        _asked_of[key] = "another"


def doubt_what_is_shown() -> None:
    """Look soon whether objects were hidden; until then nothing has changed."""
    _doubted.update(_fingerprints)


def forget_fingerprints() -> None:
    """Drop all that was read."""
    _fingerprints.clear()
    _doubted.clear()
    _asked_of.clear()
    _as_good.clear()
