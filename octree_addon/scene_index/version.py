"""Versions: one value that says whether a scene still is as something was read from it.

    state(scene) --> SAME ------ content changed, undo ------> UNKNOWN -- other code --> CHANGED
                      ^                                           |
                      +-- same code: undone, moved back, loaded --+

A version reads nothing. UNKNOWN ends once the scene has come to rest, or by `confirm_steps`.
"""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto

import bpy

from ...core import Steps, run
from .. import tuning
from ..reader import visibility_of
from ..ui import Finishing, settings_of, witness_work
from .readings import (
    LayerKey,
    Reading,
    Tag,
    WatchedLayer,
    history,
    is_untouched,
    is_walking,
    now,
    root_code,
    take_code,
    watch,
)
from .rest import at_rest, rest_soon
from .session import index_of_layer, is_read, known_index, listen_if_needed, view_layer_named


class State(Enum):
    """Whether a scene is as it was read."""

    SAME = auto()
    UNKNOWN = auto()
    CHANGED = auto()


@dataclass(frozen=True, eq=False)
class Version:
    """A content of a view layer, and what of it its holder depends on.

    Attributes
    ----------
    reading : Reading, optional
        The content; None if no fingerprint can tell, as of hidden objects.
    stamp : int
        When the work began.
    objects : frozenset of int, optional
        Session ids of the objects that count; None are all that are visible.
    may_move : bool
        Whether these may stand elsewhere.
    own : bool
        Whether our own hiding counts, as for copies that are drawn.
    views : frozenset of Hashable, optional
        View states (`view_state_of`) with which the same is seen: then only what cameras may see
        counts.
    """

    reading: Reading | None
    stamp: int
    objects: frozenset[int] | None = None
    may_move: bool = False
    own: bool = False
    views: frozenset[Hashable] | None = None

    @property
    def code(self) -> str:
        """The fingerprint of the content; empty until it was read."""
        return self.reading.code if self.reading is not None else ""

    def is_same(self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer | None = None) -> bool:
        """Return whether the state is SAME."""
        return self.state(scene, layer) is State.SAME

    def state(self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer | None = None) -> State:
        """Compare with a scene, by default in the view layer that is shown; nothing is read."""
        key = layer_key(scene) if layer is None else (scene.session_uid, layer.name)
        if key not in history.layers:
            _watch(key)
            return State.UNKNOWN if self.views is not None else _wanted(key)
        if self.views is not None:
            return State.SAME if history.seen.get(key[0], 0) <= self.stamp else State.UNKNOWN
        if self.reading is None:
            return self._state_by_stamps(scene)
        watched = _compared(key)
        if self.objects is not None and self._is_untouched(scene, self.reading.stamp):
            return State.SAME
        if watched.tag is Tag.REGROUPED:
            return _wanted(key)
        if watched.tag is not Tag.NONE:
            _wanted(key)  # an object may have been hidden: known at rest
        return self._state_of(self.reading, watched.now, key)

    def _state_of(self, then: Reading, reading: Reading, key: LayerKey) -> State:
        if reading is then or (not self.own and reading.root is then.root):
            return State.SAME
        if not then.code:
            return State.CHANGED if then.stamp else State.UNKNOWN
        if not reading.code:
            return _wanted(key)
        codes = then.code, reading.code
        one, other = codes if self.own else map(root_code, codes)
        return State.SAME if one == other else State.CHANGED

    def _state_by_stamps(self, scene: bpy.types.Scene) -> State:
        if not self._are_there(scene, self.stamp):
            return State.CHANGED
        if is_untouched(self.objects or (), self.stamp, may_move=self.may_move):
            return State.SAME
        last = history.reshaped if self.may_move else history.touched
        named = any(last.get(uid, 0) > self.stamp for uid in self.objects or ())
        return State.CHANGED if named else State.UNKNOWN

    def _is_untouched(self, scene: bpy.types.Scene, stamp: int) -> bool:
        is_same = is_untouched(self.objects or (), stamp, may_move=self.may_move)
        return is_same and self._are_there(scene, stamp)

    def _are_there(self, scene: bpy.types.Scene, stamp: int) -> bool:
        """Return whether all objects that count are in the scene, as they were at a moment."""
        if history.regrouped <= stamp:
            return True
        wanted = self.objects or frozenset()
        return len(wanted.intersection(item.session_uid for item in scene.objects)) == len(wanted)


def layer_key(scene: bpy.types.Scene) -> LayerKey:
    """Return the key of the view layer of a scene that the context or a window shows."""
    context = bpy.context
    if context.scene == scene:
        return scene.session_uid, context.view_layer.name
    for window in context.window_manager.windows:
        if window.scene == scene:
            return scene.session_uid, window.view_layer.name
    return scene.session_uid, scene.view_layers[0].name


def version_of(scene: bpy.types.Scene) -> Version:
    """Return the version of a scene as it is now, in the view layer that the context shows."""
    return Version(_compared(_watch_shown(scene)).now, now())


def views_version_of(scene: bpy.types.Scene, view_state: Hashable) -> Version:
    """Return a version that depends on what cameras may see; made when the work begins."""
    _watch(layer_key(scene))
    history.watches_views = True
    listen_if_needed()
    return Version(None, now(), views=frozenset([view_state]))


# The versions that answers of the work that ends now are of; None is the present one.
_asked: list[Version | None] = []


@witness_work
def begin_work(context: bpy.types.Context) -> Finishing:
    """Note of which version the answers of stepped work are that begins now.

    It is the version at the beginning if others have changed the scene meanwhile; else the present
    one, since finishing the work may write to the scene.
    """
    version = version_of(context.scene)

    @contextmanager
    def finishing(context: bpy.types.Context) -> Iterator[None]:
        if version.state(context.scene) is State.UNKNOWN:
            read_if_soon(context)
        _asked.append(None if version.is_same(context.scene) else version)
        try:
            yield
        finally:
            _asked.pop()

    return finishing


def version_asked(scene: bpy.types.Scene) -> Version:
    """Return the version of a scene that an answer kept now is of."""
    return (_asked[-1] if _asked else None) or version_of(scene)


def version_of_layer(layer: bpy.types.ViewLayer) -> Version:
    """Return the version of a view layer as it is now."""
    key = layer.id_data.session_uid, layer.name
    _watch(key)
    return Version(_compared(key).now, now())


def version_from_file(code: str) -> Version:
    """Return the version of a fingerprint that a file holds."""
    return Version(Reading(0, code), 0)


def _watch_shown(scene: bpy.types.Scene) -> LayerKey:
    key = layer_key(scene)
    _watch(key)
    return key


def _watch(key: LayerKey) -> WatchedLayer:
    is_new = key not in history.layers
    layer = watch(key)
    if is_new:
        listen_if_needed()
    return layer


def _compared(key: LayerKey) -> WatchedLayer:
    """Return what is known of a layer, after a look at what is visible if that is cheap."""
    layer = history.layers[key]
    if layer.tag is Tag.NONE and layer.visibility is not None:
        return layer
    visible = _visibility(key)
    if visible is None or (layer.tag is not Tag.NONE and layer.visibility is None):
        return layer
    if layer.tag is not Tag.NONE and visible != layer.visibility:
        layer.replace(Reading(now(), before=layer.now if layer.is_ours else None))
    layer.tag, layer.visibility = Tag.NONE, visible
    return layer


def _visibility(key: LayerKey) -> bytes | None:
    """Return what is visible in a layer; None if it takes long, or instances are there."""
    index = known_index(*key)
    if index is None or index.shown.is_instance.any():
        return None
    with suppress(ValueError):
        layer = view_layer_named(*key)
        if len(layer.objects) <= tuning.current.objects_compared:
            return visibility_of(layer)
    return None


def _wanted(key: LayerKey) -> State:
    """Have a layer read once it has come to rest."""
    history.layers[key].is_wanted = True
    rest_soon()
    return State.UNKNOWN


def code_steps(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> Steps[str]:
    """Return the fingerprint of a view layer as it is now; read once a change."""
    key = scene.session_uid, layer.name
    _watch(key)
    known = _compared(key)
    if known.now.code and known.tag is Tag.NONE:
        return known.now.code
    index = index_of_layer(*key)
    yield from index.update_steps()
    code = yield from index.fingerprint_steps()  # an undo may have freed the scene by now
    take_code(key, code)
    return code


def confirm_steps(context: bpy.types.Context, version: Version) -> Steps[State]:
    """Return the state of a version that is not UNKNOWN: the scene is read first if need be."""
    scene = context.scene
    context.view_layer.update()
    if version.state(scene) is State.UNKNOWN and version.views is None:
        yield from code_steps(scene, context.view_layer)
    return version.state(scene)


def is_soon_read(context: bpy.types.Context) -> bool:
    """Return whether the fingerprint is known, or read without making anybody wait."""
    key = context.scene.session_uid, context.view_layer.name
    known = history.layers.get(key)
    if known is not None and known.now.code and known.tag is Tag.NONE:
        return True
    index = known_index(*key)
    return bpy.app.background or (index is not None and index.is_soon_told)


def read_if_soon(context: bpy.types.Context) -> str:
    """Return the fingerprint of the scene if it is soon read; else have it read at rest."""
    if not is_soon_read(context):
        _wanted(_watch_shown(context.scene))
        return ""
    return run(code_steps(context.scene, context.view_layer))


@contextmanager
def own_changes(context: bpy.types.Context) -> Iterator[None]:
    """Let nothing that is done meanwhile count as a change of the scene."""
    scene, layer = context.scene, context.view_layer
    layer.update()  # earlier edits are told apart from ours
    key = layer_key(scene)
    _watch(key)
    _compared(key)
    is_known = bool(settings_of(scene).results.kept) and (bpy.app.background or is_read(context))
    if is_known:
        run(code_steps(scene, layer))
    history.writes += 1
    try:
        yield
    finally:
        layer.update()
        history.writes -= 1
    _compared(key)
    if is_known:
        run(code_steps(scene, layer))


@contextmanager
def changed_back(layer: bpy.types.ViewLayer) -> Iterator[None]:
    """Change the scene and change it back: all versions are as before, unless others change it."""
    layer.update()
    key = layer.id_data.session_uid, layer.name
    watched, foreign = history.layers.get(key), history.foreign
    before = (watched.now, watched.tag, watched.visibility) if watched is not None else None
    touched, reshaped = dict(history.touched), dict(history.reshaped)
    history.walks += 1
    try:
        yield
    finally:
        with suppress(ValueError):  # steps may have outlived it
            view_layer_named(*key).update()
        history.walks -= 1
        if watched is not None and before is not None and foreign == history.foreign:
            watched.now, watched.tag, watched.visibility = before
            history.touched, history.reshaped = touched, reshaped


@at_rest
def unread_layer() -> Steps[str] | None:
    """Return how to read a layer that a window shows, if something drawn waits for that."""
    if is_walking():
        return None
    for window in bpy.context.window_manager.windows:
        known = history.layers.get((window.scene.session_uid, window.view_layer.name))
        if known is not None and known.is_wanted:
            return code_steps(window.scene, window.view_layer)
    return None
