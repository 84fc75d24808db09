"""Standing answers: kept for the session with their question, asked again once they may be old.

The rule of every verb of an answer. An answer stands while nothing has happened that a camera
could see: no update of the scene names anything but what the answer's own verbs have done, and a
glance at what updates do not name shows nothing that was not there when it was asked, or after one
of those verbs. Setting a frame and undoing a verb are no such updates. A fingerprint of the scene
would not do: it knows nothing of other frames, of lenses, materials and render icons.
"""

import secrets
from collections.abc import Hashable
from typing import Any, Generic, Protocol, TypeVar

import bpy

from ...core import Steps
from ..scene_index import glances_of, is_old, listen_if_needed, own_writing
from ..ui import settings_of
from .answer import Answer
from .kept import answers_of, numbered_answer, remember

Kind = TypeVar("Kind")
Kind_co = TypeVar("Kind_co", covariant=True)


class StandingQuestion(Protocol[Kind_co]):
    """What was asked, to ask the same again."""

    def steps(self, context: bpy.types.Context) -> Steps[Kind_co]:
        """Return the work, not yet begun: it yields the fraction done."""

    def keep(self, context: bpy.types.Context, found: Any) -> int:
        """Keep what was found, which stands, and list it in Results; return its number."""

    def glance(self, context: bpy.types.Context) -> Hashable:
        """Return what it depends on of what no update of the scene names."""


class StandingAnswers(Generic[Kind]):
    """The last answer of each scene to a question of one kind, of those of the session.

    An undo leaves it there, to be asked again: a number in the scene tells which answer was the
    last one in that state.

    Parameters
    ----------
    kind : type
        What is found.
    question : str
        Name of the operator in `bpy.ops.octree` that asks; that of the number, too.
    missing : str
        What to do first, without an answer.
    """

    def __init__(self, kind: type[Kind], question: str, missing: str) -> None:
        self.kind, self.question, self.missing = kind, question, missing

    def keep(
        self, context: bpy.types.Context, found: Kind, question: StandingQuestion[Kind]
    ) -> None:
        """Keep what was found with its question, and list it in Results."""
        with own_writing(context):
            number = question.keep(context, found)
            self._number(context.scene, number)
        self.accept(context)

    def put(self, scene: bpy.types.Scene, found: Kind) -> None:
        """Keep what was found by no question: it is not listed, and cannot be asked again."""
        bpy.context.view_layer.update()  # what was done before has been taken into account
        number = secrets.randbelow(2**31 - 1) + 1
        answer = Answer(found=found, question=self.question, stands=True, number=number)
        remember(scene, answer, self.kind)
        self._number(scene, number)
        listen_if_needed()

    def _number(self, scene: bpy.types.Scene, number: int) -> None:
        """Let the scene know which answer is the last."""
        setattr(settings_of(scene).answers, self.question, number)

    def get(self, scene: bpy.types.Scene) -> Kind | None:
        """Return what was found last in the scene."""
        return self._last(scene).found if answers_of(scene, self.kind) else None

    def of_result(self, scene: bpy.types.Scene, result: Any) -> Kind | None:
        """Return what was found last, if that is what a result of the list has."""
        answer = numbered_answer(scene, result.number, self.kind)
        return answer.found if answer and answer.found is self.get(scene) else None

    def _last(self, scene: bpy.types.Scene) -> Answer[Kind]:
        return answers_of(scene, self.kind)[-1]

    def may_be_old(self, scene: bpy.types.Scene) -> bool:
        """Tell whether an update has named a change, or another answer was undone; for panels."""
        answer, number = self._last(scene), getattr(settings_of(scene).answers, self.question)
        return is_old(scene, answer.number) or bool(answer.again and answer.number != number)

    def stands(self, context: bpy.types.Context) -> bool:
        """Tell whether the answer of the context's scene still holds. O(objects)."""
        context.view_layer.update()
        answer = self._last(context.scene)
        if answer.again is None or self.may_be_old(context.scene):
            return answer.again is None and not is_old(context.scene, answer.number)
        try:
            return answer.again.glance(context) in glances_of(context.scene, answer.number)
        except ValueError:  # it cannot even be asked, as its steps will say
            return False

    def standing_steps(self, context: bpy.types.Context) -> Steps[tuple[Kind, bool]]:
        """Return what was found and whether it was asked again, since it no longer stands.

        That is done step by step. A `ValueError` says that it is old and cannot be asked again.
        """
        answer = self._last(context.scene)
        if self.stands(context):
            return answer.found, False
        if answer.again is None:
            raise ValueError("The scene has changed since: ask again first")
        return (yield from answer.again.steps(context)), True

    def keep_again(self, context: bpy.types.Context, found: Kind) -> None:
        """Keep what was found when it was asked again."""
        again = self._last(context.scene).again
        if again is not None:
            self.keep(context, found, again)

    def accept(self, context: bpy.types.Context) -> None:
        """Let the answer stand with what the scene is like now."""
        answer = self._last(context.scene)
        if answer.again is not None:
            glances_of(context.scene, answer.number).add(answer.again.glance(context))
