"""Standing answers: answers about cameras with their question, asked again once outdated.

Every action on such an answer first validates it. An answer is valid while both hold:

- No update of the scene has named anything that a camera may see, except updates that the actions
  on the answer have caused. Setting a frame and undoing an action are no such updates.
- The view state is the one of the question, or one that an action on the answer has left.

A fingerprint of the scene cannot decide this: it covers a single frame, and no lenses, materials
or render icons.
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
    """A question with its arguments, which can be asked again; a dataclass."""

    @property
    def options(self) -> AnswerOptions:
        """The options of the operator that asked."""

    def steps(self, context: bpy.types.Context) -> Steps[Kind_co]:
        """Return the work, not yet begun; it yields the fraction done."""

    def keep(self, context: bpy.types.Context, found: Any, sees: Version) -> int:
        """Save the findings as a result in Results; return the number of the answer."""

    def view_state(self, context: bpy.types.Context) -> Hashable:
        """Return the properties that the answer depends on but updates do not name."""


class StandingAnswers(Generic[Kind]):
    """The last answers of one kind in this session, one for each scene.

    An undo leaves the answer in memory, where it counts as outdated. The scene stores the number
    of its last answer, so an undo is recognized by another number.

    Parameters
    ----------
    kind : type
        Type of the findings.
    question : str
        Name of the operator in `bpy.ops.octree` that asks, and of the number in
        `scene.octree.answers`.
    missing : str
        Message of the operators while there is no answer.
    """

    def __init__(self, kind: type[Kind], question: str, missing: str) -> None:
        self.kind, self.question, self.missing = kind, question, missing

    def ask_steps(
        self, context: bpy.types.Context, question: StandingQuestion[Kind]
    ) -> Steps["FreshAnswer[Kind]"]:
        """Ask step by step; the version of the answer is the one at the beginning."""
        sees = views_version_of(context.scene, question.view_state(context))
        found = yield from question.steps(context)
        return FreshAnswer(found, question, sees)

    def keep(self, context: bpy.types.Context, asked: "FreshAnswer[Kind]") -> None:
        """Save a fresh answer with its question, as the last one of the scene."""
        with own_changes(context):
            number = asked.question.keep(context, asked.found, asked.sees)
            self._number(context.scene, number)
        self.accept(context)

    def put(self, scene: bpy.types.Scene, found: Kind) -> None:
        """Keep findings without a question: they are not listed, and cannot be asked again."""
        bpy.context.view_layer.update()  # so that earlier edits do not outdate the answer
        number = secrets.randbelow(2**31 - 1) + 1
        sees = views_version_of(scene, None)
        answer = Answer(found=found, question=self.question, sees=sees, number=number)
        remember(scene, answer, self.kind)
        self._number(scene, number)

    def _number(self, scene: bpy.types.Scene, number: int) -> None:
        """Store the number of the last answer in the scene."""
        setattr(settings_of(scene).answers, self.question, number)

    def get(self, scene: bpy.types.Scene) -> Kind | None:
        """Return the last findings in the scene; None without an answer."""
        return self._last(scene).found if answers_of(scene, self.kind) else None

    def of_result(self, scene: bpy.types.Scene, result: Any) -> Kind | None:
        """Return the last findings if they belong to a result of the list; else None."""
        answer = numbered_answer(scene, result.number, self.kind)
        return answer.found if answer and answer.found is self.get(scene) else None

    def _last(self, scene: bpy.types.Scene) -> Answer[Kind]:
        return answers_of(scene, self.kind)[-1]

    def is_doubtful(self, scene: bpy.types.Scene) -> bool:
        """Return whether an update has named a change, or the answer was undone.

        A check at no cost, for panels; `is_valid` also compares view states.
        """
        answer, number = self._last(scene), getattr(settings_of(scene).answers, self.question)
        sees = sees_at(scene, answer.number)
        is_other = bool(answer.again and answer.number != number)
        return sees is None or is_other or not sees.is_same(scene)

    def is_valid(self, context: bpy.types.Context) -> bool:
        """Return whether the last answer of the context's scene is still valid. O(objects)."""
        context.view_layer.update()
        answer = self._last(context.scene)
        sees = sees_at(context.scene, answer.number)
        if self.is_doubtful(context.scene) or sees is None:
            return False
        if answer.again is None:
            return True
        try:
            return answer.again.view_state(context) in (sees.views or ())
        except ValueError:  # the question cannot be asked now; its steps report the reason
            return False

    def unchanged(
        self, context: bpy.types.Context, question: StandingQuestion[Kind]
    ) -> Answer[Kind] | None:
        """Return the last answer if it is valid, listed, and to the same question; else None."""
        answers = answers_of(context.scene, self.kind)
        if not answers or not are_same(answers[-1].again, question):
            return None
        listed = {each.number for each in settings_of(context.scene).results.kept}
        parts = {each.number for each in answers if each.found is answers[-1].found}
        return answers[-1] if parts <= listed and self.is_valid(context) else None

    def valid_steps(
        self, context: bpy.types.Context
    ) -> Steps["tuple[Kind, FreshAnswer[Kind] | None]"]:
        """Return valid findings, and the fresh answer if the question had to be asked again.

        Asks step by step. Raises a `ValueError` if an outdated answer cannot be asked again.
        """
        answer = self._last(context.scene)
        if self.is_valid(context):
            return answer.found, None
        if answer.again is None:
            raise ValueError("The scene has changed since: ask again first")
        asked = yield from self.ask_steps(context, answer.again)
        return asked.found, asked

    def accept(self, context: bpy.types.Context) -> None:
        """Add the current view state to those with which the answer is valid."""
        answer = self._last(context.scene)
        sees = sees_at(context.scene, answer.number)
        if answer.again is not None and sees is not None:
            state = answer.again.view_state(context)
            sees = replace(sees, views=(sees.views or frozenset()) | {state})
            put_sees(context.scene, answer.number, sees)


def are_same(one: Any, other: Any) -> bool:
    """Return whether two questions are equal, apart from the names of their results."""
    if one is None:
        return False
    unnamed = replace(one, options=replace(one.options, result=other.options.result))
    return bool(unnamed == other)


@dataclass(frozen=True, eq=False)
class FreshAnswer(Generic[Kind]):
    """New findings with their question, and the version at which the work began."""

    found: Kind
    question: StandingQuestion[Kind]
    sees: Version
