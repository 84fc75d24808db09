"""Base of operators that ask a question with their settings, and save the answer in Results."""

from dataclasses import replace
from typing import Any, TypeVar

import bpy

from ...core import Steps
from ..options import Asking, as_json
from ..ui import Status, SteppedOperator, mode_obstacle, settings_of
from .answer import Answer
from .kept import keep
from .options import AnswerOptions

# An answer, and the text of the report.
Told = tuple[Answer[Any], str]
Asked = TypeVar("Asked", bound=AnswerOptions)


class QuestionOperator(Asking[Asked], SteppedOperator):
    """An operator that asks a question and saves the answer; a mixin.

    Attributes
    ----------
    key : str
        Name of the operator's settings in `scene.octree`.
    keeps : type, optional
        Type of `Answer.found`, if the session keeps this record; by default it does not.
    most : int
        Number of answers of this type that the session keeps.
    may_edit : bool
        True if the operator also runs in Edit Mode of a mesh.
    may_play : bool
        True if the operator also runs during playback.
    """

    bl_options = {"REGISTER", "UNDO"}
    key: str
    keeps: type[Any] | None = None
    most = 1
    may_edit = True
    may_play = True

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        is_playing = context.screen and context.screen.is_animation_playing
        other = "Stop the playback first" if is_playing and not cls.may_play else ""
        return mode_obstacle(context, may_edit=cls.may_edit) or other

    def run(self, context: bpy.types.Context, options: Asked) -> Steps[Any]:
        """Return the work as steps, not yet begun; raise a `ValueError` if it is impossible."""
        raise NotImplementedError

    def told(self, context: bpy.types.Context, found: Any, options: Asked) -> Told:
        """Return the answer and the text of the report, after any change that the question makes.

        `finish` fills an empty title, question and options of the answer.
        """
        raise NotImplementedError

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        return self.run(context, self.take(self._settings(context)))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Save the answer, and write the options back to the settings."""
        options = self.taken
        answer, text = self.told(context, result, options)
        self.write_back(self._settings(context))
        self.keep(
            context,
            replace(
                answer,
                title=answer.title or self.bl_label,
                question=answer.question or self._name.partition(".")[2],
                options=answer.options or as_json(options),
            ),
            options.result,
        )
        self.report({"INFO"}, text)
        return {"FINISHED"}

    def keep(self, context: bpy.types.Context, answer: Answer[Any], name: str) -> Any:
        """Save the answer under a name, and return its result in the file."""
        return keep(context, answer, name, kind=self.keeps, most=self.most)

    def _settings(self, context: bpy.types.Context) -> Any:
        return getattr(settings_of(context.scene), self.key)
