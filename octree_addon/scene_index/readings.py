"""Readings: the contents that view layers had, each between two notices of a change.

A reading is shared by all that was read of a view layer while it lasted. Its fingerprint is filled
in once. An evaluation of many objects costs O(1), one of few O(updates).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from weakref import WeakValueDictionary

import bpy

from ..reader import EVERYTHING, SceneChanges, names_more_than_tags
from ..ui import at_forgetting, is_any_waiting

# The session id of a scene, and the name of a view layer of it.
LayerKey = tuple[int, str]


@dataclass(eq=False)
class Reading:
    """One content of one view layer.

    Attributes
    ----------
    stamp : int
        The last moment at which the layer was known to have it; 0 if only a file tells.
    code : str
        Its fingerprint; empty until the index has read it.
    before : Reading, optional
        The content before our own hiding, if that alone has made this one.
    """

    stamp: int
    code: str = ""
    before: "Reading | None" = None

    @property
    def root(self) -> "Reading":
        """The content before all of our own hiding."""
        found = self
        while found.before is not None:
            found = found.before
        return found


class Tag(IntEnum):
    """Notices after which a layer may have the same content."""

    NONE = 0
    SELECTED = 1  # objects were selected, rarely shown or hidden
    REGROUPED = 2  # objects may have come, gone, or been shown or hidden


@dataclass(eq=False)
class WatchedLayer:
    """A view layer since somebody asked about it.

    Attributes
    ----------
    now : Reading
        Its content at the last notice.
    tag : Tag
        A notice since then that has not been compared.
    is_ours : bool
        Whether our own writing alone has given the tag.
    visibility : bytes, optional
        The objects that are visible in `now`, if they were counted.
    is_wanted : bool
        Whether something that is drawn waits for the fingerprint.
    """

    now: Reading
    tag: Tag = Tag.NONE
    is_ours: bool = False
    visibility: bytes | None = None
    is_wanted: bool = False

    def replace(self, reading: Reading) -> None:
        """Take another content."""
        self.now, self.tag, self.visibility = reading, Tag.NONE, None


@dataclass(eq=False)
class _History:
    """All that evaluations have told in this session.

    Attributes
    ----------
    layers : dict
        The layers that are watched.
    codes : WeakValueDictionary
        The reading with each fingerprint, by layer and fingerprint.
    linked : dict of str to str
        Fingerprints after our own hiding, and the one before.
    touched, reshaped : dict of int to int
        The last moment at which an object was moved or reshaped, or reshaped; key 0 is all.
    seen : dict of int to int
        The last moment at which cameras of a scene may have come to see something else.
    regrouped : int
        The last moment at which objects may have come or gone.
    watches_views : bool
        Whether any version depends on `seen`.
    evaluations, foreign : int
        Evaluations and undos; those while work of ours waited for its next turn.
    objects : int
        Objects of the file when they were last counted.
    writes, walks : int
        How many of us are writing what is no change, or change the scene and change it back.
    """

    layers: dict[LayerKey, WatchedLayer] = field(default_factory=dict)
    codes: WeakValueDictionary[tuple[LayerKey, str], Reading] = field(
        default_factory=WeakValueDictionary
    )
    linked: dict[str, str] = field(default_factory=dict)
    touched: dict[int, int] = field(default_factory=dict)
    reshaped: dict[int, int] = field(default_factory=dict)
    seen: dict[int, int] = field(default_factory=dict)
    regrouped: int = 0
    watches_views: bool = False
    evaluations: int = 0
    foreign: int = 0
    objects: int = 0
    writes: int = 0
    walks: int = 0

    def forget(self) -> None:
        """Forget what was noted; numbers that count on stay."""
        for known in (self.layers, self.linked, self.touched, self.reshaped, self.seen):
            known.clear()
        self.codes.clear()
        self.watches_views = False


history = _History()
_clock = count(1)


def now() -> int:
    """Return the present moment; each is later than all before."""
    return next(_clock)


def evaluations() -> int:
    """Return a number that is another one after each evaluation, and after an undo."""
    return history.evaluations


def is_walking() -> bool:
    """Return whether the scene is being changed to be changed back."""
    return history.walks > 0


def watch(key: LayerKey) -> WatchedLayer:
    """Return what is known of a layer, and notice its changes from now on."""
    if key not in history.layers:
        if not history.layers:  # nobody has listened
            _touch(EVERYTHING)
            history.regrouped = now()
        history.seen.setdefault(key[0], now())
        history.layers[key] = WatchedLayer(Reading(now()))
    return history.layers[key]


def note(key: LayerKey, changes: SceneChanges) -> None:
    """Note what an evaluation of a layer names."""
    history.evaluations += 1
    history.foreign += is_any_waiting()
    is_ours = history.writes > 0
    if changes.reshown and not changes.by_hand:
        history.regrouped = now()
    if changes.has_any and not is_ours:
        _touch(changes)
    layer = history.layers.get(key)
    if layer is None:
        return
    if changes.has_any:
        layer.replace(Reading(now(), before=layer.now if is_ours else None))
    elif changes.reshown:
        layer.is_ours = is_ours and (layer.is_ours or layer.tag is Tag.NONE)
        layer.tag = max(layer.tag, Tag.SELECTED if changes.by_hand else Tag.REGROUPED)


def note_undo() -> None:
    """Note that anything may have changed; what cameras see is told by numbers in the scene."""
    history.evaluations += 1
    history.foreign += is_any_waiting()
    _note_anything()
    if history.watches_views:
        seen = dict(history.seen)
        bpy.context.view_layer.update()
        history.seen.update(seen)


def check_object_count() -> None:
    """Note if objects have gone or come that no evaluation has told of; before all drawing."""
    objects = len(bpy.data.objects)
    if objects != history.objects:
        history.objects, history.regrouped = objects, now()
        for layer in history.layers.values():
            layer.replace(Reading(now()))


def _note_anything() -> None:
    _touch(EVERYTHING)
    history.regrouped = now()
    for layer in history.layers.values():
        layer.replace(Reading(now()))


def _touch(changes: SceneChanges) -> None:
    moment = now()
    for known, named in (
        (history.touched, (changes.moved, changes.reshaped)),
        (history.reshaped, (changes.reshaped,)),
    ):
        for each in named:
            known.update(dict.fromkeys((0,) if each is None else each, moment))


def note_sight(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Note that cameras may see something else, if an evaluation names more than tags."""
    if history.watches_views and not history.writes and names_more_than_tags(depsgraph):
        note_seen(scene)


def note_seen(scene: bpy.types.Scene) -> None:
    """Note that cameras of a scene may see something else."""
    history.seen[scene.session_uid] = now()


def is_untouched(objects: Iterable[int], stamp: int, *, may_move: bool) -> bool:
    """Return whether nothing was done to some objects since, but that they were moved."""
    last = history.reshaped if may_move else history.touched
    return all(last.get(uid, 0) <= stamp for uid in (0, *objects))


def take_code(key: LayerKey, code: str) -> None:
    """Take over the fingerprint of a layer, as the index has just read it."""
    layer = watch(key)
    is_other = layer.now.code not in ("", code)
    if is_other or (not layer.now.code and layer.tag is Tag.REGROUPED):
        layer.replace(Reading(now(), before=layer.now if layer.is_ours else None))
    reading = history.codes.setdefault((key, code), layer.now)
    if reading is not layer.now:
        layer.replace(reading)
    reading.code, reading.stamp = code, now()
    layer.tag, layer.is_wanted = Tag.NONE, False
    before = reading.before
    if before is not None and before.code:
        link(code, before.code)


def link(code: str, before: str) -> None:
    """Count two fingerprints as one: our own hiding alone has made the first of the second."""
    if root_code(code) != root_code(before):
        history.linked[root_code(code)] = root_code(before)


def root_code(code: str) -> str:
    """Return the fingerprint before all of our own hiding."""
    while code in history.linked:
        code = history.linked[code]
    return code


@at_forgetting
def forget_readings() -> None:
    """Forget all that was noted: nobody listens any more."""
    history.forget()
