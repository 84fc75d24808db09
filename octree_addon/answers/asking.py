"""Operators that ask a question: from the settings of their row to the answer in Results."""

from dataclasses import replace
from typing import Any, TypeVar

import bpy

from ...core import Steps
from ..options import Asking, as_json
from ..ui import Status, SteppedOperator, mode_obstacle, settings_of
from .answer import Answer
from .kept import keep
from .options import AnswerOptions

# An answer, and a line about it.
Told = tuple[Answer[Any], str]
Asked = TypeVar("Asked", bound=AnswerOptions)


class QuestionOperator(Asking[Asked], SteppedOperator):
    """An operator that asks a question and keeps the answer; a mixin.

    Attributes
    ----------
    key : str
        Name of its settings in `scene.octree`.
    keeps : type, optional
        The kind of what was found, which the session keeps; by default it keeps nothing.
    most : int
        Of how many answers of this kind the session keeps what was found.
    may_edit : bool
        Whether it also asks in Edit Mode of a mesh.
    may_play : bool
        Whether it also asks during playback.
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
        """Return the work, not yet begun; a `ValueError` refuses."""
        raise NotImplementedError

    def told(self, context: bpy.types.Context, found: Any, options: Asked) -> Told:
        """Change the scene if the question does so; return the answer, and a line about it.

        The title, the question and the options of the answer may be left to the operator.
        """
        raise NotImplementedError

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        return self.run(context, self.take(self._settings(context)))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        """Keep the answer, and the settings that it was found with."""
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
        """Keep the answer under a name, and return its result in the file."""
        return keep(context, answer, name, kind=self.keeps, most=self.most)

    def _settings(self, context: bpy.types.Context) -> Any:
        return getattr(settings_of(context.scene), self.key)
