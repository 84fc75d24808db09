"""Standing answers: kept for the session with their question, asked again once they may be old.

The rule of every verb of an answer. An answer stands while nothing has happened that a camera
could see: no update of the scene names anything but what the answer's own verbs have done, and a
glance at what updates do not name shows nothing that was not there when it was asked, or after one
of those verbs. Setting a frame and undoing a verb are no such updates. A fingerprint of the scene
would not do: it knows nothing of other frames, of lenses, materials and render icons.
"""

import secrets
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import bpy

from ...core import Steps
from ..built_tree import preserving_staleness
from ..scene_index import is_old, note_standing, own_writing
from ..ui import SessionStore, keep_scenes, settings_of

Kind = TypeVar("Kind")
Kind_co = TypeVar("Kind_co", covariant=True)


class StandingQuestion(Protocol[Kind_co]):
    """What was asked, to ask the same again."""

    def steps(self, context: bpy.types.Context) -> Steps[Kind_co]:
        """Return the work, not yet begun: it yields the fraction done."""

    def list_rows(self, context: bpy.types.Context, answer: Any) -> None:
        """List an answer in Results."""

    def glance(self, context: bpy.types.Context) -> Hashable:
        """Return what it depends on of what no update of the scene names."""


@dataclass(eq=False)
class _Kept(Generic[Kind]):
    """An answer, how to ask again, and what tells whether it stands."""

    answer: Kind
    question: StandingQuestion[Kind] | None
    number: int
    glances: set[Hashable] = field(default_factory=set)


class StandingAnswers(Generic[Kind]):
    """The last answer of each scene to a question of one kind.

    They are in memory only, since they are as large as the scene. What undo takes back is known by
    a number in the scene: it tells which answer was the last one in that state.

    Parameters
    ----------
    question : str
        Name of the operator in `bpy.ops.octree` that asks; that of the number, too.
    missing : str
        What to do first, without an answer.
    """

    def __init__(self, question: str, missing: str) -> None:
        self.question, self.missing = question, missing
        self._kept: SessionStore[_Kept[Kind]] = SessionStore()

    def keep(
        self, context: bpy.types.Context, answer: Kind, question: StandingQuestion[Kind]
    ) -> None:
        """Keep an answer with its question, and list it in Results."""
        with own_writing(context):
            self.put(context.scene, answer, question)
            question.list_rows(context, answer)
        self.accept(context)

    def put(
        self, scene: bpy.types.Scene, answer: Kind, question: StandingQuestion[Kind] | None = None
    ) -> None:
        """Keep the answer of a scene instead of its last, and drop those of deleted scenes.

        Without its question it cannot be asked again.
        """
        keep_scenes(bpy.data.scenes)
        bpy.context.view_layer.update()  # what was done before has been taken into account
        number = secrets.randbelow(2**31 - 1) + 1
        setattr(settings_of(scene).answers, self.question, number)
        self._kept[scene.session_uid,] = _Kept(answer, question, number)
        note_standing(scene, number, self.question)

    def get(self, scene: bpy.types.Scene) -> Kind | None:
        """Return the last answer of the scene."""
        kept = self._kept.get((scene.session_uid,))
        return kept.answer if kept else None

    def may_be_old(self, scene: bpy.types.Scene) -> bool:
        """Tell whether an update has named a change, or another answer was undone; for panels."""
        kept = self._kept[scene.session_uid,]
        last = getattr(settings_of(scene).answers, self.question)
        return is_old(scene, kept.number) or bool(kept.question and kept.number != last)

    def stands(self, context: bpy.types.Context) -> bool:
        """Tell whether the answer of the context's scene still holds. O(objects)."""
        context.view_layer.update()
        kept = self._kept[context.scene.session_uid,]
        if kept.question is None or self.may_be_old(context.scene):
            return kept.question is None and not is_old(context.scene, kept.number)
        try:
            return kept.question.glance(context) in kept.glances
        except ValueError:  # it cannot even be asked, as its steps will say
            return False

    def standing_steps(self, context: bpy.types.Context) -> Steps[tuple[Kind, bool]]:
        """Return the answer and whether it was asked again, since it no longer stands.

        That is done step by step. A `ValueError` says that it is old and cannot be asked again.
        """
        kept = self._kept[context.scene.session_uid,]
        if self.stands(context):
            return kept.answer, False
        if kept.question is None:
            raise ValueError("The scene has changed since: ask again first")
        return (yield from kept.question.steps(context)), True

    def keep_again(self, context: bpy.types.Context, answer: Kind) -> None:
        """Keep an answer that was asked again."""
        kept = self._kept[context.scene.session_uid,]
        if kept.question is not None:
            self.keep(context, answer, kept.question)

    def accept(self, context: bpy.types.Context) -> None:
        """Let the answer stand with what the scene is like now."""
        kept = self._kept[context.scene.session_uid,]
        if kept.question is not None:
            kept.glances.add(kept.question.glance(context))


def steps_preserving_staleness(context: bpy.types.Context, steps: Steps[Kind]) -> Steps[Kind]:
    """Walk through frames, which are set and set back: that leaves no tree outdated."""
    with preserving_staleness(context.view_layer):
        return (yield from steps)
