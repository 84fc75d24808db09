"""Base of operators whose answers are kept with their question, to be asked again if outdated."""

from typing import Any, TypeVar

import bpy

from ...core import Steps
from ..options import Asking
from ..ui import Status, SteppedOperator, mode_obstacle, settings_of
from .kept import show_numbered
from .options import AnswerOptions
from .standing import FreshAnswer, StandingAnswers, StandingQuestion

Asked = TypeVar("Asked", bound=AnswerOptions)


class StandingQuestionOperator(Asking[Asked], SteppedOperator):
    """An operator that keeps its answer in `StandingAnswers`; a mixin.

    If the last answer is valid and to the same question, the operator shows it and asks nothing.

    Attributes
    ----------
    answers : StandingAnswers
        The store of the answers.
    key : str
        Name of the operator's settings in `scene.octree`.
    """

    answers: StandingAnswers[Any]
    key: str

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        is_playing = context.screen and context.screen.is_animation_playing
        other = "Stop the playback first" if is_playing else ""
        return mode_obstacle(context, may_edit=True) or other

    def asked(self, context: bpy.types.Context, options: Asked) -> StandingQuestion[Any]:
        """Return the question; raise a `ValueError` if it cannot be asked."""
        raise NotImplementedError

    def answer_text(self, answer: Any) -> str:
        """Return a line of text about the findings."""
        raise NotImplementedError

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        """Ask step by step; the result is a `FreshAnswer`, or the last `Answer` if still valid."""
        options = self.take(getattr(settings_of(context.scene), self.key))
        question = self.asked(context, options)
        # Refresh passes the name of the result, and always asks.
        unchanged = None if options.result else self.answers.unchanged(context, question)
        if unchanged is not None:
            return unchanged
        return (yield from self.answers.ask_steps(context, question))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Save the answer and its settings, or show the last answer."""
        self.write_back(getattr(settings_of(context.scene), self.key))
        text = self.answer_text(result.found)
        if isinstance(result, FreshAnswer):
            self.answers.keep(context, result)
        else:
            show_numbered(settings_of(context.scene).results, result.number)
            text = f"Unchanged: {text}"
        self.report({"INFO"}, text)
        return {"FINISHED"}
