"""The last answer about the cameras of each scene, for as long as the session lasts."""

from collections.abc import Iterable

import bpy

from .seen import Seen

# By the session_uid of the scene; in memory only, for the answer is as large as the shot.
_answers: dict[int, Seen] = {}


def keep(scene: bpy.types.Scene, seen: Seen) -> None:
    """Keep an answer, in place of the scene's last; those of scenes that are gone go."""
    for uid in _answers.keys() - {each.session_uid for each in bpy.data.scenes}:
        del _answers[uid]
    _answers[scene.session_uid] = seen


def get(scene: bpy.types.Scene) -> Seen | None:
    """Return what the scene's cameras saw when they were last asked."""
    return _answers.get(scene.session_uid)


def objects_of(
    seen: Seen, objects: Iterable[bpy.types.Object], *, in_view: bool
) -> list[bpy.types.Object]:
    """Return those of some objects that were seen at all, or those that never were.

    Parameters
    ----------
    seen : Seen
        The answer.
    objects : iterable of bpy.types.Object
        Such as a view layer's.
    in_view : bool
        Whether those that were seen are wanted.

    Returns
    -------
    list of bpy.types.Object
        In their order. Objects that were not asked about are in neither list.
    """
    uids = seen.uids(seen=in_view)
    return [item for item in objects if item.session_uid in uids]


def forget() -> None:
    """Drop every answer."""
    _answers.clear()
