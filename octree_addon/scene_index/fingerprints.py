"""Fingerprints (checksums) of scenes: read once a change, and kept across our own writing."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import bpy

from ...core import Steps, run
from ..ui import settings_of
from . import moments
from .rest import at_rest
from .session import index_of_layer, is_read, known_index, view_layer_named

# How many of us are changing the scene to change it back.
walking: list[None] = []


def current_fingerprint(context: bpy.types.Context) -> str:
    """Return what tells the scene as it is now from other states of it; read once a change."""
    return run(fingerprint_steps(context.scene, context.view_layer))


def fingerprint_steps(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> Steps[str]:
    """Do the same step by step."""
    uid = scene.session_uid
    if not moments.is_doubted(scene):
        return str(moments.known_fingerprint(scene))
    index = index_of_layer(uid, layer.name)
    yield from index.update_steps()
    code = yield from index.fingerprint_steps()  # an undo may have freed the scene by now
    moments.take_fingerprint(uid, code)
    return code


def is_soon_told(context: bpy.types.Context) -> bool:
    """Tell whether what tells the scene is known, or found without making anybody wait."""
    if not moments.is_doubted(context.scene):
        return True
    index = known_index(context.scene.session_uid, context.view_layer.name)
    return index is not None and index.is_soon_told


def has_changed(context: bpy.types.Context, result: Any) -> bool:
    """Tell whether the scene is another than the one that a result is of."""
    now = current_fingerprint(context)
    return not moments.are_same(moments.asked_of(context.scene, result), now)


@contextmanager
def own_writing(context: bpy.types.Context, question: str = "") -> Iterator[None]:
    """Let nothing that is done meanwhile count as a change of the scene, and make no answer old.

    With the name of a question that holds for its own answers alone.
    """
    scene, layer = context.scene, context.view_layer
    layer.update()  # what was done before is to be told from that
    is_known = bool(_results(scene)) and (bpy.app.background or is_read(context))
    before = current_fingerprint(context) if is_known else ""
    moments.at_work.append(question)
    try:
        yield
    finally:
        layer.update()
        moments.at_work.pop()
    after = current_fingerprint(context) if before else ""
    if not question:
        moments.count_as_same(before, after)
    for result in _results(scene) if question else ():
        then = moments.asked_of(scene, result)
        if result.question == question and moments.are_same(then, before):
            result.fingerprint = after


@contextmanager
def preserving_staleness(layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Leave all trees uncompared while we change the scene and change it back."""
    layer.update()
    shown = layer.id_data.session_uid, layer.name
    walking.append(None)
    try:
        yield
    finally:
        with suppress(ValueError):  # steps may have outlived it
            view_layer_named(*shown).update()
        walking.pop()


def write_fingerprints(scene: bpy.types.Scene) -> None:
    """Let the file have those that were found after the question, or are as good now."""
    now = moments.known_fingerprint(scene)
    for result in _results(scene):
        code = moments.asked_of(scene, result)
        if now and moments.are_same(code, now):
            code = now
        if code != result.fingerprint:
            result.fingerprint = code


def _results(scene: bpy.types.Scene) -> Any:
    """Return what the file has of answers to that scene."""
    return settings_of(scene).results.kept


@at_rest
def unread_scene() -> Steps[Any] | None:
    """Return how to read a scene that a window shows and that has results, if it is in doubt."""
    for window in bpy.context.window_manager.windows:
        if _results(window.scene) and moments.is_doubted(window.scene):
            return fingerprint_steps(window.scene, window.view_layer)
    return None
