"""Readings: the contents of view layers over time, one between two change notifications.

Everything that was read of a view layer between two notifications shares one reading. The index
sets its fingerprint once. Recording an evaluation costs O(updates), and O(1) if it has many.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count
from weakref import WeakValueDictionary

import bpy

from ..reader import EVERYTHING, SceneChanges, names_more_than_tags
from ..ui import at_forgetting, is_any_waiting

# The session id of a scene, and the name of one of its view layers.
LayerKey = tuple[int, str]


@dataclass(eq=False)
class Reading:
    """One content of one view layer.

    Attributes
    ----------
    stamp : int
        Logical time at which the layer was last known to have this content; 0 if the content is
        known from a file only.
    code : str
        Fingerprint of the content; empty until the index has read the layer.
    before : Reading, optional
        The content before the extension's own changes, if only these led to this content.
    """

    stamp: int
    code: str = ""
    before: "Reading | None" = None

    @property
    def root(self) -> "Reading":
        """The content before all of the extension's own changes."""
        found = self
        while found.before is not None:
            found = found.before
        return found


class Tag(IntEnum):
    """Change notifications after which a layer may still have the same content."""

    NONE = 0
    SELECTED = 1  # objects were selected, or (rarely) shown or hidden
    REGROUPED = 2  # objects may have been added, removed, shown or hidden


@dataclass(eq=False)
class WatchedLayer:
    """The state of a view layer whose changes are tracked.

    Attributes
    ----------
    now : Reading
        The present content, as far as known.
    tag : Tag
        The strongest notification since then that has not been checked.
    is_ours : bool
        True if only the extension's own changes have set the tag.
    visibility : bytes, optional
        The visible objects in `now` (see `visibility_of`), if they were recorded.
    is_wanted : bool
        True if an overlay waits for the fingerprint.
    """

    now: Reading
    tag: Tag = Tag.NONE
    is_ours: bool = False
    visibility: bytes | None = None
    is_wanted: bool = False

    def replace(self, reading: Reading) -> None:
        """Set a new content and clear the tag."""
        self.now, self.tag, self.visibility = reading, Tag.NONE, None


@dataclass(eq=False)
class _History:
    """Changes recorded in this session, in units of a logical clock (`now`).

    Attributes
    ----------
    layers : dict
        The watched layers.
    codes : WeakValueDictionary
        The reading with each fingerprint, by layer and fingerprint.
    linked : dict of str to str
        Maps the fingerprint after the extension's own changes to the fingerprint before them.
    touched, reshaped : dict of int to int
        Time of the last change of each object by session id: any move or new shape in `touched`,
        only new shapes in `reshaped`. Key 0 stands for all objects.
    seen : dict of int to int
        Time of the last change that may affect what cameras of a scene see, by session id of the
        scene.
    regrouped : int
        Time at which objects may last have been added or removed.
    watches_views : bool
        True if any version depends on `seen`.
    evaluations, foreign : int
        The number of evaluations and undos, and of those made while a stepped operator was
        waiting.
    objects : int
        The number of objects in the file at the last count.
    writes, walks : int
        The number of active `own_changes` and `changed_back` contexts.
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
        """Clear all records; counters keep their values."""
        for known in (self.layers, self.linked, self.touched, self.reshaped, self.seen):
            known.clear()
        self.codes.clear()
        self.watches_views = False


history = _History()
_clock = count(1)


def now() -> int:
    """Advance the logical clock and return its time."""
    return next(_clock)


def evaluations() -> int:
    """Return a counter that changes with each evaluation and each undo."""
    return history.evaluations


def is_walking() -> bool:
    """Return whether the scene is being changed temporarily, by `changed_back`."""
    return history.walks > 0


def watch(key: LayerKey) -> WatchedLayer:
    """Return the state of a layer; start to track its changes if necessary."""
    if key not in history.layers:
        if not history.layers:  # changes were not recorded until now
            _touch(EVERYTHING)
            history.regrouped = now()
        history.seen.setdefault(key[0], now())
        history.layers[key] = WatchedLayer(Reading(now()))
    return history.layers[key]


def note(key: LayerKey, changes: SceneChanges) -> None:
    """Record the changes of an evaluation of a layer."""
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
    """Record that an undo may have changed anything.

    `history.seen` is left as it is: numbers stored in the scene, which undo restores, identify
    the results about cameras.
    """
    history.evaluations += 1
    history.foreign += is_any_waiting()
    _note_anything()
    if history.watches_views:
        seen = dict(history.seen)
        bpy.context.view_layer.update()
        history.seen.update(seen)


def check_object_count() -> None:
    """Record additions and removals of objects that no evaluation has reported.

    Called before each redraw.
    """
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
    """Record that cameras may see something else, if an evaluation names more than tags."""
    if history.watches_views and not history.writes and names_more_than_tags(depsgraph):
        note_seen(scene)


def note_seen(scene: bpy.types.Scene) -> None:
    """Record that cameras of a scene may see something else."""
    history.seen[scene.session_uid] = now()


def is_untouched(objects: Iterable[int], stamp: int, *, may_move: bool) -> bool:
    """Return whether some objects, by session id, are unchanged since `stamp`.

    With `may_move`, moves are ignored and only new shapes count.
    """
    last = history.reshaped if may_move else history.touched
    return all(last.get(uid, 0) <= stamp for uid in (0, *objects))


def take_code(key: LayerKey, code: str) -> None:
    """Store the fingerprint of a layer that the index has just read."""
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
    """Treat two fingerprints as equal: only own changes led from `before` to `code`."""
    if root_code(code) != root_code(before):
        history.linked[root_code(code)] = root_code(before)


def root_code(code: str) -> str:
    """Return the fingerprint before all of the extension's own changes."""
    while code in history.linked:
        code = history.linked[code]
    return code


@at_forgetting
def forget_readings() -> None:
    """Clear all records, because changes are no longer recorded."""
    history.forget()
