"""Operators that ask what stands: with the settings of their panel, and kept to be asked again."""

from typing import Any, TypeVar

import bpy

from ...core import Steps
from ..options import Asking, OptionGroup
from ..ui import Status, SteppedOperator, mode_obstacle, settings_of
from .standing import StandingAnswers, StandingQuestion

Asked = TypeVar("Asked", bound=OptionGroup)


class StandingQuestionOperator(Asking[Asked], SteppedOperator):
    """An operator that asks a question whose answer stands; a mixin.

    Attributes
    ----------
    answers : StandingAnswers
        Where the answer is kept.
    key : str
        Name of the settings in `scene.octree`.
    """

    answers: StandingAnswers[Any]
    key: str
    _question: StandingQuestion[Any]

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
        """Return the work, not yet begun."""
        options = self.take(getattr(settings_of(context.scene), self.key))
        self._question = self.asked(context, options)
        return self.answers.ask_steps(context, self._question)

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Keep the answer, and the settings that it was found with."""
        self.write_back(getattr(settings_of(context.scene), self.key))
        self.answers.keep(context, result)
        self.report({"INFO"}, self.answer_text(result.found))
        return {"FINISHED"}
