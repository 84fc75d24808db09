"""Kept results: written into the scene, read back once a change, sorted and searched."""

import json
import secrets
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import bpy
import numpy as np

from ..arrays import Ids
from ..scene_index import fingerprint_steps, is_read
from ..ui import run, schedule, settings_of, tag_redraw
from .rows import Rows, pack, unpack, unpack_names

NAME = "Name"


@dataclass(eq=False)
class View:
    """The rows of a result as arrays, and the names of their objects; read once a change.

    Attributes
    ----------
    rows : Rows
        Their objects are indices into the lists below.
    uids : list of int
        Session id of each object of the result; 0 if it has left the scene.
    names : list of str
        The name of each, or the last one that it had.
    """

    rows: Rows
    uids: list[int]
    names: list[str]
    _shown: dict[tuple[str, str, bool], "Shown"] = field(default_factory=dict)

    def label(self, row: int, side: int) -> str:
        """Return the name of what a row has on one side, such as "Tree" or "#3 Tree".

        The number of an instance comes first: a narrow list cuts off the end.
        """
        numbers = self.rows.numbers_of(row, side)
        name = self.names[self.rows.objects[side, row]]
        return f"#{'.'.join(str(abs(each)) for each in numbers)} {name}" if numbers else name

    def labels(self, row: int) -> list[str]:
        """Return the names of a row, one or two."""
        return [self.label(row, side) for side in range(len(self.rows.objects))]

    def shown(self, search: str, sort: str, reverse: bool) -> "Shown":
        """Return which rows are shown and in what order; worked out once for each wish."""
        wish = search.casefold(), sort, reverse
        if wish not in self._shown:
            self._shown.clear()
            self._shown[wish] = shown_rows(self, *wish)
        return self._shown[wish]


@dataclass(frozen=True, eq=False)
class Shown:
    """What a list shows of n rows.

    Attributes
    ----------
    rows : ndarray of intp, shape (m,)
        The rows that are shown, from top to bottom.
    flags : list of int
        For each row whether it is shown; empty if all are.
    places : list of int
        Where each row stands among all; empty if they stand as they are.
    """

    rows: Ids
    flags: list[int]
    places: list[int]

    def in_list(self, count: int, length: int) -> tuple[list[int], list[int]]:
        """Return flags and places for a list that is longer than the rows, (count,), are."""
        if length == count:
            return self.flags, self.places
        beyond = range(count, length)
        flags = self.flags or [_SHOWN] * count
        return flags + [0] * len(beyond), [*(self.places or range(count)), *beyond]


# Bit by which Blender's lists know a row that is shown: `UIList.bitflag_filter_item`.
_SHOWN = 1 << 30


def shown_rows(view: View, search: str, sort: str, reverse: bool) -> Shown:
    """Filter and sort; `search` is in lower case. O(n log n), in arrays."""
    count = len(view.rows)
    order = sorted_rows(view, sort, reverse)
    places: list[int] = []
    if order is None:
        order = np.arange(count)
    else:
        where = np.empty(count, np.intp)
        where[order] = np.arange(count)
        places = where.tolist()
    if not search:
        return Shown(order, [], places)
    # A list comprehension over the objects, not over the rows.
    hits = np.array([search in name.casefold() for name in view.names], np.bool_)
    found = hits[view.rows.objects].any(axis=0)
    for column in view.rows.columns:
        if column.words:
            found |= np.array([search in word.casefold() for word in column.words])[column.values]
    return Shown(order[found[order]], np.where(found, _SHOWN, 0).tolist(), places)


def sorted_rows(view: View, sort: str, reverse: bool) -> Ids | None:
    """Return the rows sorted by a column; None if they are to stand as they were found."""
    column = view.rows.column(sort)
    if sort == NAME:
        distinct = sorted(range(len(view.names)), key=lambda number: view.names[number].casefold())
        rank = np.empty(len(distinct), np.intp)
        rank[distinct] = np.arange(len(distinct))
        by = [*view.rows.instances[..., 0][::-1], *rank[view.rows.objects][::-1]]
        order = np.lexsort(by)
    elif column is not None:
        order = np.argsort(column.values, kind="stable")
    else:
        return np.arange(len(view.rows))[::-1] if reverse else None
    return order[::-1] if reverse else order


# By the session id of the scene and the number of the result, which a copied scene has too.
_views: dict[tuple[int, int], View] = {}
# By the session id of the scene: what it is like now, until it changes; which of these are to be
# looked at again. And by both, as above: what it was like when a question was asked, where that
# is not in the file yet; empty until it is known, if nothing has changed.
_fingerprints: dict[int, str] = {}
_doubted: set[int] = set()
_asked_of: dict[tuple[int, int], str] = {}
# Rows that are added to the list at a time.
_FILLED = 50_000
_listeners: list[Callable[[], None]] = []


def listen(listener: Callable[[], None]) -> None:
    """Call `listener` after results came or went."""
    _listeners.append(listener)


def stop_listening(listener: Callable[[], None]) -> None:
    """Take back `listen`."""
    _listeners.remove(listener)


def notify() -> None:
    """Tell the listeners."""
    for listener in _listeners:
        listener()


def keep_result(
    context: bpy.types.Context,
    rows: Rows,
    *,
    title: str,
    question: str,
    options: Mapping[str, Any],
    name: str = "",
) -> None:
    """Keep an answer in the scene and show it; it replaces the last one to the same question.

    Parameters
    ----------
    context : bpy.types.Context
        Its scene keeps the result.
    rows : Rows
        Its objects by session id.
    title : str
        What the user calls the question. It is the name of the result; a result of this name is
        replaced unless it is pinned.
    question : str
        Name of the operator in `bpy.ops.octree` that asks again.
    options : Mapping of str to Any
        What it takes to ask the same.
    name : str, optional
        Keep it under this name, in place of a result that has it, pinned or not.
    """
    settings = settings_of(context.scene).results
    place = place_for(settings, title, name)
    if place == len(settings.kept):
        settings.kept.add()
    result = settings.kept[place]
    result.name, result.title, result.question = name or title, title, question
    result.options = json.dumps(options)
    result.number = secrets.randbelow(2**31 - 1) + 1
    _note_fingerprint(context, result)
    write_rows(context.scene, result, rows)
    show_result(settings, place)
    notify()


def _note_fingerprint(context: bpy.types.Context, result: Any) -> None:
    """Note what the scene is like, or to look at it once it rests, if all has to be read first."""
    key = context.scene.session_uid, result.number
    if is_read(context) or bpy.app.background:
        result.fingerprint = current_fingerprint(context)
    else:
        result.fingerprint, _asked_of[key] = "", ""


def options_of(asking: Any) -> dict[str, Any]:
    """Return what an operator ran with, as values that JSON has."""
    known = asking.properties.bl_rna.properties
    names = [each.identifier for each in known if not (each.is_readonly or each.is_hidden)]
    values = {name: getattr(asking, name) for name in names}
    return {
        name: list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
        for name, value in values.items()
    }


def place_for(settings: Any, title: str, name: str) -> int:
    """Return where a result is replaced, or the end of the list for a new one."""
    results = list(enumerate(settings.kept))
    if name:
        same = [place for place, result in results if result.name == name]
        if settings.active in same:
            return int(settings.active)
    else:
        same = [
            place
            for place, result in results
            if result.name == result.title == title and not result.pinned
        ]
    return same[0] if same else len(results)


def write_rows(scene: bpy.types.Scene, result: Any, rows: Rows) -> None:
    """Write the rows of a result, and pointers to their objects, each once."""
    present = {item.session_uid: item for item in scene.objects}
    uids, places = np.unique(rows.objects, return_inverse=True)
    result.objects.clear()
    items = [present.get(uid) for uid in uids.tolist()]
    for item in items:
        result.objects.add().object = item
    names = [item.name if item else "" for item in items]
    places = places.reshape(rows.objects.shape)
    result.data = pack(replace(rows, objects=places), names)
    result.count = len(rows)


def show_result(settings: Any, place: int) -> None:
    """Let the list show a result, with no row chosen."""
    settings.active = place  # whose update fits the list


def remove_result(settings: Any, place: int) -> None:
    """Remove one result, and show the one that comes to stand in its place."""
    settings.kept.remove(place)
    left = settings.active - (place < settings.active)
    show_result(settings, max(min(left, len(settings.kept) - 1), 0))
    notify()


def titled(scene: bpy.types.Scene, name: str) -> str:
    """Return the title of the result of this name; empty without one."""
    kept = settings_of(scene).results.kept
    return next((str(each.title) for each in kept if each.name == name), "")


def remove_named(scene: bpy.types.Scene, title: str) -> None:
    """Remove the result that the next answer of this title would replace, if there is one."""
    settings = settings_of(scene).results
    place = place_for(settings, title, "")
    if place < len(settings.kept):
        remove_result(settings, place)


def result_chosen(settings: Any, _: bpy.types.Context) -> None:
    """Fit the list to the active result, with no row chosen."""
    settings.property_unset("row")  # which, unlike writing it, selects nothing
    fit_list()
    tag_redraw()


def list_settings() -> Any:
    """Return what Blender's list shows: of no scene, and in no undo step."""
    return bpy.context.window_manager.octree  # type: ignore[attr-defined]


def list_rows() -> Any:
    """Return its rows."""
    return list_settings().rows


def fit_list() -> None:
    """Give the list as many rows as the longest of the active results has, many of them later."""
    schedule(fill_list, fill_list())


def fill_list() -> float | None:
    """Go on with that; return when there is more to do."""
    rows = list_rows()
    counts = [result.count for scene in bpy.data.scenes if (result := active_result(scene))]
    wanted = max(counts, default=0)
    if len(rows) > wanted:
        rows.clear()
    missing = wanted - len(rows)
    for _row in range(missing if bpy.app.background else min(missing, _FILLED)):
        rows.add()
    tag_redraw()
    return 0.0 if len(rows) < wanted else None


def active_result(scene: bpy.types.Scene) -> Any:
    """Return the result that the list shows; None without any."""
    settings = settings_of(scene).results
    return settings.kept[settings.active] if settings.active < len(settings.kept) else None


def view_of(scene: bpy.types.Scene, result: Any) -> View:
    """Return the rows of a result, read again only if objects came, went or were renamed."""
    key = scene.session_uid, result.number
    view = _views.get(key)
    if view is None:
        present = {item.session_uid for item in scene.objects}
        items = [entry.object for entry in result.objects]
        uids = [item.session_uid if item else 0 for item in items]
        # Once an object is gone: the name that it had when it was dropped, or was found.
        last = unpack_names(result.data)
        names = [
            item.name if item else result.objects[number].name or last[number]
            for number, item in enumerate(items)
        ]
        uids = [uid if uid in present else 0 for uid in uids]
        view = _views[key] = View(unpack(result.data), uids, names)
    return view


def shown_of(scene: bpy.types.Scene, result: Any) -> Shown:
    """Return what the list shows of a result."""
    settings = settings_of(scene).results
    return view_of(scene, result).shown(settings.search, settings.sort, settings.reverse)


def drop_lost_objects(scene: bpy.types.Scene) -> None:
    """Keep the names of objects that no scene has, and not the objects: the file would."""
    present = {item.session_uid for each in bpy.data.scenes for item in each.objects}
    for result in settings_of(scene).results.kept:
        for entry in result.objects:
            if entry.object is not None and entry.object.session_uid not in present:
                entry.name, entry.object = entry.object.name, None


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


def has_changed(context: bpy.types.Context, result: Any) -> bool:
    """Tell whether the scene is another than the one that the question was asked of."""
    return asked_of(context.scene, result) != current_fingerprint(context)


def asked_of(scene: bpy.types.Scene, result: Any) -> str:
    """Return the fingerprint of the scene that a question was asked of."""
    return str(result.fingerprint or _asked_of.get((scene.session_uid, result.number), ""))


def write_fingerprints(scene: bpy.types.Scene) -> None:
    """Let the file have those that were found after the question."""
    for result in settings_of(scene).results.kept:
        code = asked_of(scene, result)
        if code != result.fingerprint:
            result.fingerprint = code


def doubt_names() -> None:
    """Read names and objects of results again when they are next needed."""
    _views.clear()


def doubt_fingerprints(*, has_changed: bool = False) -> None:
    """Read the scene again when its fingerprint is next needed."""
    _fingerprints.clear()
    for key in [key for key, code in _asked_of.items() if has_changed and not code]:
        _asked_of[key] = "another"


def doubt_what_is_shown() -> None:
    """Look soon whether objects were hidden; until then nothing has changed."""
    _doubted.update(_fingerprints)


def forget() -> None:
    """Drop all that was read."""
    _views.clear()
    _fingerprints.clear()
    _doubted.clear()
    _asked_of.clear()
