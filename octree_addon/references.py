"""Weak references to objects: text with names in the file, session ids in memory, no pointers.

A pointer in the file would be a user of the object, so a deleted object would stay in the file.

In a session, objects are identified by session ids, which are stored under the key of the text.
Undo steps keep this key. In another session or scene, objects are found by their indices in
`scene.objects` if all names there agree apart from a numeric suffix, since appending and copying
change these suffixes; else by library and name.
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

# Seconds without a change before names are written again; maximum of stored session ids.
_REST, _MOST_IDS = 0.5, 2_000_000
_GONE = -1
_NUMBER = re.compile(r"\.\d{3,}$")


class Named(NamedTuple):
    """The n objects that a text names.

    Attributes
    ----------
    key : int
        The unique key of the text.
    names : list of str
        The last name of each object.
    libraries : dict of str to str
        The library name of each linked object, by its index in `names`, as text.
    places : list of int
        The index of each object in `scene.objects`; -1 if it is gone.
    among : int
        The number of objects in the scene.
    """

    key: int
    names: list[str]
    libraries: dict[str, str]
    places: list[int]
    among: int


# Session ids by the session id of the scene and the key of the text, the oldest entry first.
_known: SessionStore[list[int]] = SessionStore()
# Functions that yield the properties with such texts: scene, property group and property name.
Holders = Callable[[], Iterator[tuple[bpy.types.Scene, Any, str]]]
_holders: list[Holders] = []
# Objects by session id, until the next undo.
_found: dict[int, bpy.types.Object] = {}
# Scenes whose texts were read, by session id.
_met: SessionStore[bool] = SessionStore()


@lru_cache(maxsize=32)
def named(text: str) -> Named:
    """Parse a text of references; cached."""
    return Named(**json.loads(text)) if text else Named(0, [], {}, [], 0)


at_forgetting(named.cache_clear)


def reference_text(
    scene: bpy.types.Scene, uids: Sequence[int], names: Sequence[str] = (), key: int = 0
) -> str:
    """Return a text that names objects of a scene, given by session ids.

    `names` are the names for objects that are gone. `key` keeps the key of an earlier text.
    """
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
    """Return the name of an object's library; empty without one or if it is the scene's own."""
    return "" if item.library is None or item.library == scene.library else item.library.name


def _remember(scene: bpy.types.Scene, key: int, uids: list[int]) -> None:
    _known[scene.session_uid, key] = uids
    while len(_known) > 1 and sum(map(len, _known.values())) > _MOST_IDS:
        del _known[next(iter(_known))]


def referenced(scene: bpy.types.Scene, text: str) -> list[int]:
    """Return the session ids of the objects in a text; 0 if gone when it was first read."""
    said = named(text)
    known = _known.get((scene.session_uid, said.key))
    if known is None and said.names:
        known = _matched(scene, said)
        _remember(scene, said.key, known)
    return known or []


def _matched(scene: bpy.types.Scene, said: Named) -> list[int]:
    """Return the session ids for a text that this session has not read yet in this scene."""
    objects = list(scene.objects)
    present = {item.session_uid for item in objects}
    for (_, key), uids in _known.items():  # a linked copy of a scene shares the objects
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
    """Return a name without the numeric suffix with which Blender makes it unique."""
    return _NUMBER.sub("", name)


def refreshed(scene: bpy.types.Scene, text: str) -> str:
    """Return a text with current names and indices; the same text if nothing has changed."""
    said = named(text)
    if not said.names:
        return text
    again = reference_text(scene, referenced(scene, text), said.names, said.key)
    return text if named(again) == said else again


def find_object(uid: int, name: str) -> bpy.types.Object | None:
    """Return the object of a session id, cached; None if it is gone.

    `name` is its last known name: under it the search takes O(1), else O(objects). A cached object
    that Blender has freed raises a `ReferenceError`, and is searched again.
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
    """Drop cached objects after an undo, which may have replaced them."""
    _found.clear()


def objects_of(scene: bpy.types.Scene, uids: Iterable[int]) -> list[bpy.types.Object | None]:
    """Return the objects of a scene with these session ids; None for objects that are gone."""
    present = {item.session_uid: item for item in scene.objects}
    return [present.get(uid) for uid in uids]


def hold(holders: Holders) -> None:
    """Register a function that yields properties with texts, to be kept up to date."""
    if holders not in _holders:
        _holders.append(holders)


def note_changes(depsgraph: bpy.types.Depsgraph) -> None:
    """Schedule `refresh` if an update may have changed names or indices; O(1)."""
    if depsgraph.id_type_updated("OBJECT") or depsgraph.id_type_updated("COLLECTION"):
        schedule(refresh, None)
        schedule(refresh, _REST)


def refresh() -> None:
    """Write current names and indices into all texts.

    Also called by a timer, as autosave calls no `save_pre` handler.
    """
    for holders in _holders:
        for scene, owner, name in holders():
            if scene.library is None:
                before = getattr(owner, name)
                after = refreshed(scene, before)
                if after != before:
                    setattr(owner, name, after)


def meet(scenes: Iterable[bpy.types.Scene]) -> bool:
    """Read the texts of new scenes (opened, appended or copied) before objects are renamed.

    Returns whether any scene is new. Writes nothing to Blender's data, which drawing forbids.
    """
    new = {scene.session_uid for scene in scenes if (scene.session_uid,) not in _met}
    for holders in _holders if new else ():
        for scene, owner, name in holders():
            if scene.session_uid in new:
                referenced(scene, getattr(owner, name))
    _met.update(dict.fromkeys(((uid,) for uid in new), True))
    return bool(new)
