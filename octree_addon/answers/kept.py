"""Result store: rows of answers in the file, everything larger in memory, both by number.

The file and each undo step hold the rows of a result and its number. The session holds the rest of
the answer under this number. An undo therefore needs no code: it restores an earlier number, and
answers under other numbers are not looked up. Answers about cameras are the exception: they are
looked up by type (`answers_of`), so that they can be asked again after an undo.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import bpy
import numpy as np

from .. import references
from ..scene_index import (
    Version,
    check_object_count,
    read_if_soon,
    version_asked,
    version_from_file,
    version_of,
    views_version_of,
)
from ..ui import SessionStore, keep_scenes, notify, schedule, settings_of, tag_redraw
from .answer import NO_ROWS, Answer
from .groups import carried_groups, groups_in, groups_text
from .result_kind import kind_of
from .rows import pack
from .view import ShownRows, View

Found = TypeVar("Found")


class _Versions(NamedTuple):
    """The two versions of the scene for an answer: its content, and all that cameras may see."""

    content: Version
    sees: Version | None


# Keys are the session id of the scene and the number of the result. The number is not enough: a
# copy of a scene has results with the same numbers.
_answers: SessionStore[Answer[Any]] = SessionStore()
_versions: SessionStore["_Versions"] = SessionStore(most=1_000)
_views: SessionStore[View] = SessionStore()
# Items that `fill_list` adds to Blender's list in one turn.
_FILLED = 50_000


def keep(
    context: bpy.types.Context,
    answer: Answer[Any],
    name: str = "",
    *,
    kind: type[Any] | None = None,
    most: int = 1,
) -> Any:
    """Save an answer under a new number, show it, and return its result in the file.

    Parameters
    ----------
    context : bpy.types.Context
        The context with the scene that stores the answer.
    answer : Answer
        The answer. It replaces the result with its title as name, unless that is pinned.
    name : str, optional
        Name of the result. A result of this name is replaced, even if pinned.
    kind : type, optional
        Type of `answer.found`, if the session keeps this record; by default it does not.
    most : int, optional
        Number of answers of this type that the session keeps.
    """
    settings = settings_of(context.scene).results
    place = place_for(settings, answer.title, name)
    if place == len(settings.kept):
        settings.kept.add()
    result = settings.kept[place]
    groups = groups_after(context.scene, result, answer)
    result.name, result.title = name or answer.title, answer.title
    result.question, result.options = answer.question, json.dumps(answer.options)
    _views.pop((context.scene.session_uid, result.number), None)
    result.number = secrets.randbelow(2**31 - 1) + 1
    # Process the question's own changes now, so that they do not outdate the answer.
    context.view_layer.update()
    check_object_count()
    read_if_soon(context)  # a slow reading is left to the idle tasks
    answer = replace(answer, version=answer.version or version_asked(context.scene))
    result.fingerprint = answer.version.code
    result.opened, result.picked = "", b""
    write_rows(context.scene, result, replace(answer, groups=groups))
    remember(context.scene, replace(answer, number=result.number), kind, most)
    show_result(settings, place)
    notify()
    return result


def remember(
    scene: bpy.types.Scene, answer: Answer[Any], kind: type[Any] | None, most: int = 1
) -> None:
    """Keep an answer in the session by its number, and the versions of the scene of the answer.

    Without `kind` only the versions are kept. Of the answers of a kind the last `most` stay.
    """
    keep_scenes(bpy.data.scenes)
    if kind is not None:
        key = scene.session_uid, answer.number
        bare = replace(
            answer, rows=NO_ROWS, data=b"", subjects={}, details=b"", marks="", groups=None
        )
        _answers.put(key, bare)
        for former in answers_of(scene, kind)[:-most]:
            del _answers[scene.session_uid, former.number]
    versions = _Versions(answer.version or version_of(scene), answer.sees)
    _versions.put((scene.session_uid, answer.number), versions)


def version_at(scene: bpy.types.Scene, number: int, code: str = "") -> Version:
    """Return the version of the scene that an answer is about.

    If the session does not know it, the version is made from the fingerprint `code` in the file.
    """
    known = _versions.get((scene.session_uid, number))
    return known.content if known is not None else version_from_file(code)


def version_of_result(scene: bpy.types.Scene, result: Any) -> Version:
    """Return the version of the scene that a result is about."""
    return version_at(scene, result.number, result.fingerprint)


def sees_at(scene: bpy.types.Scene, number: int) -> Version | None:
    """Return the version of all that cameras may see for an answer; None if unknown."""
    known = _versions.get((scene.session_uid, number))
    return known.sees if known is not None else None


def put_sees(scene: bpy.types.Scene, number: int, sees: Version) -> None:
    """Replace the version of all that cameras may see for an answer."""
    _versions[scene.session_uid, number] = _versions[scene.session_uid, number]._replace(sees=sees)


@contextmanager
def renewed_versions(context: bpy.types.Context, question: str) -> Iterator[None]:
    """Keep the valid results of one question valid despite changes inside the `with` block."""
    scene, settings = context.scene, settings_of(context.scene).results
    context.view_layer.update()
    read_if_soon(context)
    numbers = [
        each.number
        for each in settings.kept
        if each.question == question and version_of_result(scene, each).is_same(scene)
    ]
    yield
    context.view_layer.update()
    code = read_if_soon(context)
    for result in settings.kept:
        if result.number in numbers:
            sees = sees_at(scene, result.number)
            if sees is not None:
                sees = replace(views_version_of(scene, None), views=sees.views)
            versions = _Versions(version_of(scene), sees)
            _versions[scene.session_uid, result.number] = versions
            result.fingerprint = code


def save_codes(scene: bpy.types.Scene) -> None:
    """Write known fingerprints of the scene into the results that they belong to."""
    here = version_of(scene)
    for result in settings_of(scene).results.kept:
        version = version_of_result(scene, result)
        code = here.code if here.code and version.is_same(scene) else version.code
        if code != result.fingerprint:
            result.fingerprint = code


def answers_of(scene: bpy.types.Scene, kind: type[Found]) -> list[Answer[Found]]:
    """Return the answers of a scene with findings of this type, the last one last.

    Answers that an undo has taken back are included.
    """
    uid = scene.session_uid
    return [
        each for key, each in _answers.items() if key[0] == uid and isinstance(each.found, kind)
    ]


def numbered_answer(
    scene: bpy.types.Scene, number: int, kind: type[Found]
) -> Answer[Found] | None:
    """Return the answer of this number and type; None if the session does not have it."""
    answer = _answers.get((scene.session_uid, number))
    return answer if answer is not None and isinstance(answer.found, kind) else None


def is_any_found(kind: type[Any]) -> bool:
    """Return whether the session has an answer with findings of this type, in any scene."""
    return any(isinstance(each.found, kind) for each in _answers.values())


def place_for(settings: Any, title: str, name: str) -> int:
    """Return the index of the result to replace, or the number of results for a new one.

    With a name, the result of this name is replaced; else the unpinned one named `title`.
    """
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


def write_rows(scene: bpy.types.Scene, result: Any, answer: Answer[Any]) -> None:
    """Write the rows, marks and groups of an answer into its result; each object is named once."""
    rows, data, uids = answer.rows, answer.data, [*answer.subjects]
    if not data:
        distinct, places = np.unique(rows.objects, return_inverse=True)
        data, uids = (
            pack(replace(rows, objects=places.reshape(rows.objects.shape))),
            distinct.tolist(),
        )
    result.subjects = references.reference_text(scene, uids, [*answer.subjects.values()])
    result.data, result.details = data, answer.details
    result.groups = answer.groups or ""
    result.count = len(rows)
    write_marks(scene, result, answer.marks)


def write_marks(scene: bpy.types.Scene, result: Any, marks: str) -> None:
    """Replace the marks of a result, and drop the cached view of its rows."""
    result.marks = marks
    _views.pop((scene.session_uid, result.number), None)


def groups_after(scene: bpy.types.Scene, result: Any, answer: Answer[Any]) -> str:
    """Return the groups by hand of an answer: its own, or those of the result that it replaces."""
    groups = groups_in(result.groups)
    if answer.groups is not None or not groups or result.question != answer.question:
        return answer.groups or ""
    view = view_of(scene, result)
    old = replace(view.rows, objects=np.array(view.uids, np.intp)[view.rows.objects])
    return groups_text(carried_groups(groups, old, answer.rows))


def write_groups(scene: bpy.types.Scene, result: Any, groups: Mapping[str, Sequence[int]]) -> None:
    """Replace the groups by hand of a result."""
    result.groups = groups_text(groups)
    _views.pop((scene.session_uid, result.number), None)
    fit_list()


def show_result(settings: Any, place: int) -> None:
    """Show a result in the list, without an active row."""
    settings.active = place  # the update callback fits the list


def show_numbered(settings: Any, number: int) -> None:
    """Show the result of this number in the list."""
    show_result(settings, [each.number for each in settings.kept].index(number))


def remove_result(settings: Any, place: int) -> None:
    """Remove one result, and show the one that takes its place.

    If the result belongs to the last question, the scene also forgets this question.
    """
    record = settings_of(settings.id_data)
    if settings.kept[place].number == record.question_number:
        record.question_number = 0
    settings.kept.remove(place)
    left = settings.active - (place < settings.active)
    show_result(settings, max(min(left, len(settings.kept) - 1), 0))
    notify()


def clear_results(settings: Any) -> None:
    """Remove all results; the scene also forgets the last question."""
    settings_of(settings.id_data).question_number = 0
    settings.kept.clear()
    show_result(settings, 0)
    notify()


def titled(scene: bpy.types.Scene, name: str) -> str:
    """Return the title of the result of this name; empty if there is none."""
    kept = settings_of(scene).results.kept
    return next((str(each.title) for each in kept if each.name == name), "")


def remove_named(scene: bpy.types.Scene, title: str) -> None:
    """Remove the result that the next answer of this title would replace, if any."""
    settings = settings_of(scene).results
    place = place_for(settings, title, "")
    if place < len(settings.kept):
        remove_result(settings, place)


def result_chosen(settings: Any, _: bpy.types.Context) -> None:
    """Fit the list to the active result, and unset the active row; an update callback."""
    settings.property_unset("row")  # unlike a write, this calls no update and selects nothing
    fit_list()
    tag_redraw()


def list_settings() -> Any:
    """Return the items of Blender's list: settings of the window manager, in no undo step."""
    return bpy.context.window_manager.octree  # type: ignore[attr-defined]


def fit_list() -> None:
    """Give Blender's list as many items as the longest active result needs, in several turns."""
    schedule(fill_list, fill_list())


def fill_list() -> float | None:
    """Add missing items to Blender's list, or clear surplus ones; a timer.

    Returns the seconds until the next turn; None once the list is full.
    """
    rows = list_settings().rows
    wanted = max(map(lines_wanted, bpy.data.scenes), default=0)
    if len(rows) > wanted:
        rows.clear()
    missing = wanted - len(rows)
    for _row in range(missing if bpy.app.background else min(missing, _FILLED)):
        rows.add()
    tag_redraw()
    return 0.0 if len(rows) < wanted else None


def lines_wanted(scene: bpy.types.Scene) -> int:
    """Return the number of list items that a scene needs: the rows, or more lines if drawn."""
    result = active_result(scene)
    if result is None:
        return 0
    view = _views.get((scene.session_uid, result.number))
    return max(int(result.count), view.most_lines if view else 0)


def active_result(scene: bpy.types.Scene) -> Any:
    """Return the result that the list shows; None without results."""
    settings = settings_of(scene).results
    return settings.kept[settings.active] if settings.active < len(settings.kept) else None


def view_of(scene: bpy.types.Scene, result: Any) -> View:
    """Return the rows of a result; cached until `doubt_names`, or a change of the result."""
    key = scene.session_uid, result.number
    view = _views.get(key)
    if view is None:
        uids, names = subjects_now(scene, result)
        groups, kind = groups_in(result.groups), kind_of(result)
        rows = kind.rows(scene, result, uids, names)
        view = _views[key] = View(rows, uids, names, groups, kind)
    return view


def subjects_now(scene: bpy.types.Scene, result: Any) -> tuple[list[int], list[str]]:
    """Return session ids and current names of the objects of a result.

    Objects that have left the scene have the session id 0 and their last name.
    """
    uids, names = subjects_of(scene, result)
    present = {item.session_uid: item.name for item in scene.objects}
    names = [present.get(uid, name) for uid, name in zip(uids, names, strict=True)]
    return [uid if uid in present else 0 for uid in uids], names


def subjects_of(scene: bpy.types.Scene, result: Any) -> tuple[list[int], list[str]]:
    """Return session ids and last known names of the objects of a result."""
    return references.referenced(scene, result.subjects), references.named(result.subjects).names


def named_subjects() -> Iterator[tuple[bpy.types.Scene, Any, str]]:
    """Yield each property with references to objects of results: scene, owner and name."""
    for scene in bpy.data.scenes:
        for result in settings_of(scene).results.kept:
            yield scene, result, "subjects"


references.hold(named_subjects)


def shown_of(scene: bpy.types.Scene, result: Any) -> ShownRows:
    """Return the rows and lines that the list shows of a result."""
    settings, opened = settings_of(scene).results, frozenset(opened_in(result))
    return view_of(scene, result).shown(settings.search, settings.sort, settings.reverse, opened)


def opened_in(result: Any) -> list[str]:
    """Return the keys of the open headers of a result."""
    return list(json.loads(result.opened)) if result.opened else []


def doubt_names() -> None:
    """Drop cached names and objects of all results; they are read again when needed."""
    _views.clear()
