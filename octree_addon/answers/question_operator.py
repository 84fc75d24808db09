"""Operators that ask what stands: with the settings of their panel, and kept to be asked again."""

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
    """An operator that asks a question whose answer stands; a mixin.

    While the last answer to the same question is valid, it is shown, and nothing is asked.

    Attributes
    ----------
    answers : StandingAnswers
        Where the answer is kept.
    key : str
        Name of the settings in `scene.octree`.
    """

    answers: StandingAnswers[Any]
    key: str

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        is_playing = context.screen and context.screen.is_animation_playing
        other = "Stop the playback first" if is_playing else ""
        return mode_obstacle(context, may_edit=True) or other

    def asked(self, context: bpy.types.Context, options: Asked) -> StandingQuestion[Any]:
        """Return what is asked; a `ValueError` refuses."""
        raise NotImplementedError

    def answer_text(self, answer: Any) -> str:
        """Say what was found, in one line."""
        raise NotImplementedError

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        """Return the work, not yet begun; its result is an answer to show if that is valid."""
        options = self.take(getattr(settings_of(context.scene), self.key))
        question = self.asked(context, options)
        # A name is given to ask again, whatever is known.
        unchanged = None if options.result else self.answers.unchanged(context, question)
        if unchanged is not None:
            return unchanged
        return (yield from self.answers.ask_steps(context, question))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Keep the answer and the settings that it was found with, or show the last answer."""
        self.write_back(getattr(settings_of(context.scene), self.key))
        text = self.answer_text(result.found)
        if isinstance(result, FreshAnswer):
            self.answers.keep(context, result)
        else:
            show_numbered(settings_of(context.scene).results, result.number)
            text = f"Unchanged: {text}"
        self.report({"INFO"}, text)
        return {"FINISHED"}
