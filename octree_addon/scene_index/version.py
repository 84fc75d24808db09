"""Versions: values that tell whether a scene has changed since something was read from it.

    state(scene) --> SAME ------ content changed, undo ------> UNKNOWN -- other code --> CHANGED
                      ^                                           |
                      +-- same code: undone, moved back, loaded --+

`code` is the fingerprint of the content. A version never reads the scene; an idle task or
`confirm_steps` reads it and so resolves UNKNOWN.
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
    """The result of comparing a scene with a version."""

    SAME = auto()
    UNKNOWN = auto()
    CHANGED = auto()


@dataclass(frozen=True, eq=False)
class Version:
    """A content of a view layer, and the part of it that matters to the version's holder.

    Attributes
    ----------
    reading : Reading, optional
        The content; None if a fingerprint does not cover it, such as that of hidden objects.
    stamp : int
        Logical time (`now`) at which the work began.
    objects : frozenset of int, optional
        Session ids of the objects that matter; None stands for all visible objects.
    may_move : bool
        True if moves of these objects are ignored.
    own : bool
        True if the extension's own changes matter, as for drawn copies of objects.
    views : frozenset of Hashable, optional
        View states (`view_state_of`) with the same pictures. If given, the version depends on
        what cameras may see, and on nothing else.
    """

    reading: Reading | None
    stamp: int
    objects: frozenset[int] | None = None
    may_move: bool = False
    own: bool = False
    views: frozenset[Hashable] | None = None

    @property
    def code(self) -> str:
        """The fingerprint of the content; empty until the layer was read."""
        return self.reading.code if self.reading is not None else ""

    def is_same(self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer | None = None) -> bool:
        """Return whether the state is SAME."""
        return self.state(scene, layer) is State.SAME

    def state(self, scene: bpy.types.Scene, layer: bpy.types.ViewLayer | None = None) -> State:
        """Compare with a scene, by default in the shown view layer, without reading the scene."""
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
            _wanted(key)  # an object may have been hidden: an idle task finds out
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
        """Return whether all `objects` are in the scene, as they were at `stamp`."""
        if history.regrouped <= stamp:
            return True
        wanted = self.objects or frozenset()
        return len(wanted.intersection(item.session_uid for item in scene.objects)) == len(wanted)


def layer_key(scene: bpy.types.Scene) -> LayerKey:
    """Return the key of the view layer that the context or a window shows of a scene.

    If no window shows the scene, it is the key of its first view layer.
    """
    context = bpy.context
    if context.scene == scene:
        return scene.session_uid, context.view_layer.name
    for window in context.window_manager.windows:
        if window.scene == scene:
            return scene.session_uid, window.view_layer.name
    return scene.session_uid, scene.view_layers[0].name


def version_of(scene: bpy.types.Scene) -> Version:
    """Return the present version of a scene, in the view layer that the context shows."""
    return Version(_compared(_watch_shown(scene)).now, now())


def views_version_of(scene: bpy.types.Scene, view_state: Hashable) -> Version:
    """Return a version that depends on what cameras may see; to be called before the work."""
    _watch(layer_key(scene))
    history.watches_views = True
    listen_if_needed()
    return Version(None, now(), views=frozenset([view_state]))


# A stack of versions for results of operators that are finishing; None stands for the present one.
_asked: list[Version | None] = []


@witness_work
def begin_work(context: bpy.types.Context) -> Finishing:
    """Record the version at the start of a stepped operator, and return a context for its end.

    If the scene has changed while the operator was waiting, results stored within this context
    get the version of the start. Otherwise these results get the present version, since the
    operator may write to the scene at its end.
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
    """Return the version that a result stored now belongs to."""
    return (_asked[-1] if _asked else None) or version_of(scene)


def version_of_layer(layer: bpy.types.ViewLayer) -> Version:
    """Return the present version of a view layer."""
    key = layer.id_data.session_uid, layer.name
    _watch(key)
    return Version(_compared(key).now, now())


def version_from_file(code: str) -> Version:
    """Return the version with a fingerprint that was stored in a file."""
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
    """Return the state of a watched layer, after comparing its visible objects if cheap."""
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
    """Return `visibility_of` of a layer.

    Returns None if the layer is gone, has no index, has instances or has too many objects.
    """
    index = known_index(*key)
    if index is None or index.shown.is_instance.any():
        return None
    with suppress(ValueError):
        layer = view_layer_named(*key)
        if len(layer.objects) <= tuning.current.objects_compared:
            return visibility_of(layer)
    return None


def _wanted(key: LayerKey) -> State:
    """Request that an idle task reads a layer; return UNKNOWN."""
    history.layers[key].is_wanted = True
    rest_soon()
    return State.UNKNOWN


def code_steps(scene: bpy.types.Scene, layer: bpy.types.ViewLayer) -> Steps[str]:
    """Return the present fingerprint of a view layer; read the layer only if it has changed."""
    key = scene.session_uid, layer.name
    _watch(key)
    known = _compared(key)
    if known.now.code and known.tag is Tag.NONE:
        return known.now.code
    index = index_of_layer(*key)
    yield from index.update_steps()
    code = yield from index.fingerprint_steps()  # `scene` may be freed by now, after an undo
    take_code(key, code)
    return code


def confirm_steps(context: bpy.types.Context, version: Version) -> Steps[State]:
    """Return the state of a version; if it is UNKNOWN, read the scene first.

    A version with `views` may stay UNKNOWN, since fingerprints do not cover views.
    """
    scene = context.scene
    context.view_layer.update()
    if version.state(scene) is State.UNKNOWN and version.views is None:
        yield from code_steps(scene, context.view_layer)
    return version.state(scene)


def is_soon_read(context: bpy.types.Context) -> bool:
    """Return whether the fingerprint is known, or can be read without noticeable delay.

    In background mode a delay does not matter.
    """
    key = context.scene.session_uid, context.view_layer.name
    known = history.layers.get(key)
    if known is not None and known.now.code and known.tag is Tag.NONE:
        return True
    index = known_index(*key)
    return bpy.app.background or (index is not None and index.is_soon_told)


def read_if_soon(context: bpy.types.Context) -> str:
    """Return the fingerprint of the scene if it is cheap.

    Otherwise return an empty string and leave the reading to an idle task.
    """
    if not is_soon_read(context):
        _wanted(_watch_shown(context.scene))
        return ""
    return run(code_steps(context.scene, context.view_layer))


@contextmanager
def own_changes(context: bpy.types.Context) -> Iterator[None]:
    """Exclude the edits in the `with` block from changes of the scene."""
    scene, layer = context.scene, context.view_layer
    layer.update()  # evaluate earlier edits, which do count
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
    """Restore all versions at the end of a block that changes the scene and changes it back.

    If the scene changes otherwise while the block waits, versions are not restored.
    """
    layer.update()
    key = layer.id_data.session_uid, layer.name
    watched, foreign = history.layers.get(key), history.foreign
    before = (watched.now, watched.tag, watched.visibility) if watched is not None else None
    touched, reshaped = dict(history.touched), dict(history.reshaped)
    history.walks += 1
    try:
        yield
    finally:
        with suppress(ValueError):  # the view layer may be gone by now
            view_layer_named(*key).update()
        history.walks -= 1
        if watched is not None and before is not None and foreign == history.foreign:
            watched.now, watched.tag, watched.visibility = before
            history.touched, history.reshaped = touched, reshaped


@at_rest
def unread_layer() -> Steps[str] | None:
    """Return steps that read a shown view layer if an overlay waits for its fingerprint."""
    if is_walking():
        return None
    for window in bpy.context.window_manager.windows:
        known = history.layers.get((window.scene.session_uid, window.view_layer.name))
        if known is not None and known.is_wanted:
            return code_steps(window.scene, window.view_layer)
    return None
