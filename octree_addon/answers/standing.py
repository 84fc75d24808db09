"""Standing answers: kept for the session with their question, asked again once they may be old.

The rule of every action on an answer. An answer is valid while no update of the scene names
anything that a camera could see, but what the actions of the answer have done, and the view state
is one with which it was asked or which one of these actions left. Setting a frame and undoing an
action are no such updates. A fingerprint of the scene would not do: it knows nothing of other
frames, of lenses, materials and render icons.
"""

import secrets
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import bpy

from ...core import Steps
from ..scene_index import Version, own_changes, views_version_of
from ..ui import settings_of
from .answer import Answer
from .kept import answers_of, numbered_answer, put_sees, remember, sees_at
from .options import AnswerOptions

Kind = TypeVar("Kind")
Kind_co = TypeVar("Kind_co", covariant=True)


class StandingQuestion(Protocol[Kind_co]):
    """What was asked, to ask the same again; a dataclass."""

    @property
    def options(self) -> AnswerOptions:
        """The options of the operator."""

    def steps(self, context: bpy.types.Context) -> Steps[Kind_co]:
        """Return the work, not yet begun: it yields the fraction done."""

    def keep(self, context: bpy.types.Context, found: Any, sees: Version) -> int:
        """Keep what was found, and list it in Results; return its number."""

    def view_state(self, context: bpy.types.Context) -> Hashable:
        """Return the properties that it depends on and no update of the scene names."""


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

    def ask_steps(
        self, context: bpy.types.Context, question: StandingQuestion[Kind]
    ) -> Steps["FreshAnswer[Kind]"]:
        """Ask step by step; note what cameras may see when the work begins."""
        sees = views_version_of(context.scene, question.view_state(context))
        found = yield from question.steps(context)
        return FreshAnswer(found, question, sees)

    def keep(self, context: bpy.types.Context, asked: "FreshAnswer[Kind]") -> None:
        """Keep what was found with its question, and list it in Results."""
        with own_changes(context):
            number = asked.question.keep(context, asked.found, asked.sees)
            self._number(context.scene, number)
        self.accept(context)

    def put(self, scene: bpy.types.Scene, found: Kind) -> None:
        """Keep what was found by no question: it is not listed, and cannot be asked again."""
        bpy.context.view_layer.update()  # what was done before has been taken into account
        number = secrets.randbelow(2**31 - 1) + 1
        sees = views_version_of(scene, None)
        answer = Answer(found=found, question=self.question, sees=sees, number=number)
        remember(scene, answer, self.kind)
        self._number(scene, number)

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

    def is_doubtful(self, scene: bpy.types.Scene) -> bool:
        """Return whether an update has named a change, or the answer was undone; for panels."""
        answer, number = self._last(scene), getattr(settings_of(scene).answers, self.question)
        sees = sees_at(scene, answer.number)
        is_other = bool(answer.again and answer.number != number)
        return sees is None or is_other or not sees.is_same(scene)

    def is_valid(self, context: bpy.types.Context) -> bool:
        """Return whether the answer of the context's scene still holds. O(objects)."""
        context.view_layer.update()
        answer = self._last(context.scene)
        sees = sees_at(context.scene, answer.number)
        if self.is_doubtful(context.scene) or sees is None:
            return False
        if answer.again is None:
            return True
        try:
            return answer.again.view_state(context) in (sees.views or ())
        except ValueError:  # it cannot even be asked, as its steps will say
            return False

    def unchanged(
        self, context: bpy.types.Context, question: StandingQuestion[Kind]
    ) -> Answer[Kind] | None:
        """Return the last answer if it is valid, listed, and an answer to the same question."""
        answers = answers_of(context.scene, self.kind)
        if not answers or not are_same(answers[-1].again, question):
            return None
        listed = {each.number for each in settings_of(context.scene).results.kept}
        parts = {each.number for each in answers if each.found is answers[-1].found}
        return answers[-1] if parts <= listed and self.is_valid(context) else None

    def valid_steps(
        self, context: bpy.types.Context
    ) -> Steps["tuple[Kind, FreshAnswer[Kind] | None]"]:
        """Return what was found, and the question that was asked again if that was outdated.

        That is done step by step. A `ValueError` says that it is old and cannot be asked again.
        """
        answer = self._last(context.scene)
        if self.is_valid(context):
            return answer.found, None
        if answer.again is None:
            raise ValueError("The scene has changed since: ask again first")
        asked = yield from self.ask_steps(context, answer.again)
        return asked.found, asked

    def accept(self, context: bpy.types.Context) -> None:
        """Let the answer hold with the view state of now, too."""
        answer = self._last(context.scene)
        sees = sees_at(context.scene, answer.number)
        if answer.again is not None and sees is not None:
            state = answer.again.view_state(context)
            sees = replace(sees, views=(sees.views or frozenset()) | {state})
            put_sees(context.scene, answer.number, sees)


def are_same(one: Any, other: Any) -> bool:
    """Return whether two questions are the same, under whatever names their answers are kept."""
    if one is None:
        return False
    unnamed = replace(one, options=replace(one.options, result=other.options.result))
    return bool(unnamed == other)


@dataclass(frozen=True, eq=False)
class FreshAnswer(Generic[Kind]):
    """What was found, with its question and with what cameras might see when the work began."""

    found: Kind
    question: StandingQuestion[Kind]
    sees: Version
