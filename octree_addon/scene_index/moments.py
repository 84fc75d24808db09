"""Moments of a scene (revision counter and fingerprint): whether it has changed since a question.

The counter is of this session. What was asked holds while nothing has changed since, or once the
scene was read and its fingerprint, which outlives undo and the file, is the same. Between a change
and that reading, which waits for a rest, it is in doubt: nobody shows it then. An update of many
objects costs O(1), one of few O(updates).
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import bpy

from ..reader import EVERYTHING, SceneChanges, names_more_than_tags
from ..ui import SessionStore, at_forgetting, is_any_waiting, is_overtaken, note_meanwhile


@dataclass
class AskedAt:
    """When something was asked of a scene.

    Attributes
    ----------
    revision : int
        Of the session.
    fingerprint : str
        What the scene was like; empty until that is known.
    question : str
        Name of the operator whose answer stands until cameras may see something else; empty for
        an answer that depends on what is there alone.
    is_old : bool
        Whether they may, as far as updates of the scene have told.
    glances : set of Hashable
        What it depends on besides: as it was then, and after verbs of the answer.
    """

    revision: int
    fingerprint: str
    question: str = ""
    is_old: bool = False
    glances: set[Hashable] = field(default_factory=set)


# How often something may have changed; and how many objects there were when that was last counted.
_changes, _population = [0], [0]
# How often a scene was evaluated, also for what is only selected, shown or hidden.
_evaluations = [0]
_REGROUPED = SceneChanges(frozenset(), frozenset(), reshown=True)
# The change that may have moved or reshaped an object, or reshaped it, by its session id; all of
# them under 0.
_touched: dict[int, int] = {}
_reshaped: dict[int, int] = {}
# By the session id of the scene: what it is like now, until it changes; which of these are to be
# looked at again. And by that and the number of a result or another answer: when it was asked.
_fingerprints: dict[int, str] = {}
_doubted: set[int] = set()
_moments: SessionStore[AskedAt] = SessionStore(most=1_000)
# Fingerprints before and after what Octree itself did, which count as one: a code and another one
# of those that are as good. And of what question the answers are that are at work, innermost last;
# empty where what they do makes no answer old.
_as_good: dict[str, str] = {}
at_work: list[str] = []
_listeners: list[Callable[[], None]] = []
# What may change while a question is worked on: what is there, and what cameras see of it. And the
# fingerprint of what no scene is like.
_THERE, _SEEN, _ANOTHER = "there", "seen", "another"


def listen_to_changes(listener: Callable[[], None]) -> None:
    """Call `listener` after anything may have changed."""
    _listeners.append(listener)


def revision() -> int:
    """Return a number that is another one after each change of anything that answers are about."""
    return _changes[0]


def evaluations() -> int:
    """Return a number that is another one after each evaluation, and after an undo."""
    return _evaluations[0]


def note_asked(scene: bpy.types.Scene, number: int, question: str = "") -> None:
    """Note that what has this number is asked of the scene, whatever that is like now.

    With the name of its question it stands until cameras may see something else. What others have
    changed while it was worked on makes it old from the beginning.
    """
    for each in _moments.of(scene) if question else ():
        if each.question == question:  # another answer stands in place of that
            each.question = ""
    moment = AskedAt(revision(), known_fingerprint(scene) or "", question)
    if is_outdated():
        moment.revision, moment.fingerprint = -1, _ANOTHER
    moment.is_old = bool(question) and is_overtaken(_SEEN)
    _moments.put((scene.session_uid, number), moment)


def is_outdated() -> bool:
    """Tell whether others have changed what is there while the work that ends now went on."""
    return is_overtaken(_THERE)


def note_evaluation(changes: SceneChanges) -> None:
    """Note what an evaluation names; what is only selected or hidden is looked at again."""
    _evaluations[0] += 1
    if changes.has_any:
        note_meanwhile(_THERE)
        _doubt(changes, has_changed=True)
    else:
        _doubted.update(_fingerprints)


def note_undo() -> None:
    """Doubt what was read after an undo; of standing answers, numbers in scenes tell."""
    _evaluations[0] += 1
    note_meanwhile(_THERE)
    note_meanwhile(_SEEN)
    _doubt(EVERYTHING)
    standing = [each for each in _moments.values() if each.question and not each.is_old]
    if standing:
        bpy.context.view_layer.update()
    for each in standing:
        each.is_old = False


def notice_losses() -> None:
    """Note if there are fewer objects than before, or more, once before anything is shown.

    Of what a script removes no evaluation has told by then.
    """
    count = len(bpy.data.objects)
    if count != _population[0]:
        _population[0] = count
        _doubt(_REGROUPED, has_changed=True)


def _doubt(changes: SceneChanges, *, has_changed: bool = False) -> None:
    """Note what may have changed by now, or has: the scene is to be read again."""
    _changes[0] += 1
    now = _changes[0]
    _fingerprints.clear()
    for each in _moments.values() if has_changed and not at_work else ():
        each.fingerprint = each.fingerprint or _ANOTHER
    if changes.moved is None or changes.reshaped is None:
        _touched[0] = now
    if changes.reshaped is None:
        _reshaped[0] = now
    _touched.update(dict.fromkeys((changes.moved or set()) | (changes.reshaped or set()), now))
    _reshaped.update(dict.fromkeys(changes.reshaped or (), now))
    for listener in _listeners:
        listener()


def note_sight(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Put standing answers in doubt by what an evaluation names; no frame that was set is one."""
    if (has_standing() or is_any_waiting()) and names_more_than_tags(depsgraph):
        make_old(scene)


def make_old(scene: bpy.types.Scene) -> None:
    """Put the standing answers of a scene in doubt, but those that are at work."""
    note_meanwhile(_SEEN)
    for moment in _moments.of(scene):
        if not {"", moment.question} & set(at_work):
            moment.is_old = True


def has_standing() -> bool:
    """Tell whether any answer stands until cameras may see something else."""
    return any(moment.question for moment in _moments.values())


def glances_of(scene: bpy.types.Scene, number: int) -> set[Hashable]:
    """Return with what a standing answer stands of what no update names, to be added to."""
    moment = _moments.get((scene.session_uid, number))
    return moment.glances if moment else set()


def is_old(scene: bpy.types.Scene, number: int) -> bool:
    """Tell whether cameras may see something else than when a standing answer was asked."""
    moment = _moments.get((scene.session_uid, number))
    return moment is None or moment.is_old


def is_as_at(since: int, uids: Iterable[int], *, may_move: bool = False) -> bool:
    """Tell whether nothing was done to some objects since a revision, but that they were moved."""
    last = _reshaped if may_move else _touched
    return all(last.get(uid, 0) <= since for uid in (0, *uids))


def holds(
    scene: bpy.types.Scene,
    number: int,
    fingerprint: str = "",
    uids: Iterable[int] | None = None,
) -> bool:
    """Tell whether what was asked is still so, as far as that is known.

    Parameters
    ----------
    scene : bpy.types.Scene
        It was asked of that.
    number : int
        Of the result or the question.
    fingerprint : str, optional
        What the scene was like, if the file knows.
    uids : iterable of int, optional
        Session ids of the objects that it is about: it is so while nothing is done to these.
    """
    moment, now = _moments.get((scene.session_uid, number)), known_fingerprint(scene)
    then = fingerprint or (moment.fingerprint if moment else "")
    if then and now:
        is_same = then == now
    else:
        is_same = moment is not None and moment.revision == revision()
    if is_same or moment is None or uids is None:
        return is_same
    return is_as_at(moment.revision, uids)


def asked_of(scene: bpy.types.Scene, result: Any) -> str:
    """Return the fingerprint of the scene that a result is of; empty if that is not known yet."""
    moment = _moments.get((scene.session_uid, result.number))
    return str(result.fingerprint or (moment.fingerprint if moment else ""))


def is_doubted(scene: bpy.types.Scene) -> bool:
    """Tell whether it is to be looked at again what a scene is like."""
    return scene.session_uid in _doubted or scene.session_uid not in _fingerprints


def known_fingerprint(scene: bpy.types.Scene) -> str | None:
    """Return what tells the scene from other states of it, if it is known without reading."""
    return _fingerprints.get(scene.session_uid)


def take_fingerprint(uid: int, code: str) -> None:
    """Take over what the scene with this session id is like, as it was read."""
    _fingerprints[uid] = code
    _doubted.discard(uid)
    for key, moment in _moments.items():
        if key[0] == uid:
            moment.fingerprint = moment.fingerprint or code


def are_same(one: str, other: str) -> bool:
    """Tell whether two fingerprints are equal but for what Octree itself did."""
    return _best(one) == _best(other)


def count_as_same(before: str, after: str) -> None:
    """Let two fingerprints count as one."""
    if not are_same(before, after):
        _as_good[_best(before)] = _best(after)


def _best(code: str) -> str:
    while code in _as_good:
        code = _as_good[code]
    return code


def doubt_results() -> None:
    """Know of nothing that it is as it was asked: nobody listens any more."""
    _doubt(EVERYTHING, has_changed=True)


@at_forgetting
def drop_moments() -> None:
    """Drop everything."""
    doubt_results()
    for known in (_touched, _reshaped, _doubted, _as_good):
        known.clear()
    _touched[0] = _reshaped[0] = revision()
