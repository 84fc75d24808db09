"""Weak references to objects: names in the file, session ids in memory; never a pointer.

A pointer in the file would be a user of the object, and keep the name of one that was deleted.
Text is neither. In a session it is the session ids that count, remembered by the key of the text,
which undo steps have too. In another session, or another scene, objects are found again by their
places among those of the scene, if all have the right names up to a number (appending and copying
number names anew), else by their libraries and names.
"""

import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

import bpy
import numpy as np

from .ui import SessionStore, at_forgetting, schedule

# Seconds of rest after which names are written again; session ids that are remembered at most.
_REST, _MOST_IDS = 0.5, 2_000_000
_GONE = -1
_NUMBER = re.compile(r"\.\d{3,}$")


class Named(NamedTuple):
    """The objects that a text names.

    Attributes
    ----------
    key : int
        What no other text has.
    names : list of str
        The last name of each.
    libraries : dict of str to str
        The name of the library of those that are linked, by their numbers.
    places : list of int
        Where each stands among the objects of the scene; -1 once it is gone.
    among : int
        How many objects the scene has.
    """

    key: int
    names: list[str]
    libraries: dict[str, str]
    places: list[int]
    among: int


# By the session id of the scene and the key of the text, the oldest first: session ids.
_known: SessionStore[list[int]] = SessionStore()
# Each yields what has such texts: the scene, the property group and the name of the property.
Holders = Callable[[], Iterator[tuple[bpy.types.Scene, Any, str]]]
_holders: list[Holders] = []
# By session id, until the next undo.
_found: dict[int, bpy.types.Object] = {}
# By the session id of a scene: its texts were read.
_met: SessionStore[bool] = SessionStore()


@lru_cache(maxsize=32)
def named(text: str) -> Named:
    """Read a text."""
    return Named(**json.loads(text)) if text else Named(0, [], {}, [], 0)


at_forgetting(named.cache_clear)


def reference_text(
    scene: bpy.types.Scene, uids: Sequence[int], names: Sequence[str] = (), key: int = 0
) -> str:
    """Write objects of a scene as text, by their session ids; those that are gone by `names`."""
    objects = list(scene.objects)
    places = {item.session_uid: place for place, item in enumerate(objects)}
    at = [places.get(uid, _GONE) for uid in uids]
    last = [*names, *[""] * (len(uids) - len(names))]
    key = key or secrets.randbelow(2**31 - 1) + 1
    written = Named(
        key,
        [name if place < 0 else objects[place].name for name, place in zip(last, at, strict=True)],
        {
            str(number): library
            for number, place in enumerate(at)
            if place >= 0 and (library := _library(scene, objects[place]))
        },
        at,
        len(objects),
    )
    _remember(scene, key, list(uids))
    return json.dumps(written._asdict(), separators=(",", ":"))


def _library(scene: bpy.types.Scene, item: bpy.types.Object) -> str:
    """Return the name of the library of an object; empty for that of the scene itself."""
    return "" if item.library is None or item.library == scene.library else item.library.name


def _remember(scene: bpy.types.Scene, key: int, uids: list[int]) -> None:
    _known[scene.session_uid, key] = uids
    while len(_known) > 1 and sum(map(len, _known.values())) > _MOST_IDS:
        del _known[next(iter(_known))]


def referenced(scene: bpy.types.Scene, text: str) -> list[int]:
    """Return the session ids of what a text names; 0 for what was gone when it was first read."""
    said = named(text)
    known = _known.get((scene.session_uid, said.key))
    if known is None and said.names:
        known = _matched(scene, said)
        _remember(scene, said.key, known)
    return known or []


def _matched(scene: bpy.types.Scene, said: Named) -> list[int]:
    """Find objects again in a scene that this session has not read the text of."""
    objects = list(scene.objects)
    present = {item.session_uid for item in objects}
    for (_, key), uids in _known.items():  # a linked copy of a scene has the same objects
        if key == said.key and not present.isdisjoint(uids):
            return uids
    if said.among == len(objects) and all(
        place < 0 or _stem(objects[place].name) == _stem(name)
        for name, place in zip(said.names, said.places, strict=True)
    ):
        return [0 if place < 0 else objects[place].session_uid for place in said.places]
    by_name = {(_library(scene, item), item.name): item.session_uid for item in objects}
    return [
        0 if place < 0 else by_name.get((said.libraries.get(str(number), ""), name), 0)
        for number, (name, place) in enumerate(zip(said.names, said.places, strict=True))
    ]


def _stem(name: str) -> str:
    """Return a name without the number that Blender appends to make it unique."""
    return _NUMBER.sub("", name)


def refreshed(scene: bpy.types.Scene, text: str) -> str:
    """Return a text with the names and places of today; the same one if they have not changed."""
    said = named(text)
    if not said.names:
        return text
    again = reference_text(scene, referenced(scene, text), said.names, said.key)
    return text if named(again) == said else again


def find_object(uid: int, name: str) -> bpy.types.Object | None:
    """Return the object of a session id, whose name is known or was until a moment ago.

    To look for one takes a walk through all, so it is remembered. Python knows what Blender has
    freed since: that raises a `ReferenceError`.
    """
    with suppress(ReferenceError):
        if uid in _found and _found[uid].session_uid == uid:
            return _found[uid]
    item = _look_for(uid, name) if uid else None
    if item is not None:
        _found[uid] = item
    return item


def _look_for(uid: int, name: str) -> bpy.types.Object | None:
    item: bpy.types.Object | None = bpy.data.objects.get(name)
    if item is not None and item.session_uid == uid:
        return item
    uids = np.empty(len(bpy.data.objects), np.intc)
    bpy.data.objects.foreach_get("session_uid", uids)
    places = np.flatnonzero(uids.astype(np.uint32) == uid)
    return bpy.data.objects[int(places[0])] if len(places) else None


@at_forgetting
def doubt_objects() -> None:
    """Look for objects again after an undo, which may have put others in their place."""
    _found.clear()


def objects_of(scene: bpy.types.Scene, uids: Iterable[int]) -> list[bpy.types.Object | None]:
    """Return the objects of a scene with these session ids; None for what it has no more."""
    present = {item.session_uid: item for item in scene.objects}
    return [present.get(uid) for uid in uids]


def hold(holders: Holders) -> None:
    """Keep the texts of these up to date from now on."""
    if holders not in _holders:
        _holders.append(holders)


def note_changes(depsgraph: bpy.types.Depsgraph) -> None:
    """Write names and places again after a rest, if an update may be about them: O(1)."""
    if depsgraph.id_type_updated("OBJECT") or depsgraph.id_type_updated("COLLECTION"):
        schedule(refresh, None)
        schedule(refresh, _REST)


def refresh() -> None:
    """Let the file have the names and places of today: autosave calls no `save_pre`."""
    for holders in _holders:
        for scene, owner, name in holders():
            if scene.library is None:
                before = getattr(owner, name)
                after = refreshed(scene, before)
                if after != before:
                    setattr(owner, name, after)


def meet(scenes: Iterable[bpy.types.Scene]) -> bool:
    """Read the texts of scenes that were opened, appended or copied, before anything is renamed.

    Tells whether there was any new scene. Writes nothing: it may be called while drawing.
    """
    new = {scene.session_uid for scene in scenes if (scene.session_uid,) not in _met}
    for holders in _holders if new else ():
        for scene, owner, name in holders():
            if scene.session_uid in new:
                referenced(scene, getattr(owner, name))
    _met.update(dict.fromkeys(((uid,) for uid in new), True))
    return bool(new)
