"""Operators that use the last answer, which is asked again first if it is old."""

from typing import Any, TypeVar

import bpy

from ...core import Steps
from ..options import Asking, OptionGroup, boolean
from ..scene_index import own_changes
from ..ui import Status, SteppedOperator, given_values, mode_obstacle
from .kept import renewed_versions
from .standing import FreshAnswer, StandingAnswers
from .verbs import NothingToDoError

ASKED_AGAIN = "asked again first, as the scene may have changed"
RULE = "If the scene may have changed since, the same is asked again first"


class AnswerOperator(SteppedOperator):
    """An operator on the last answer of the scene; a mixin.

    One rule for all of them: an answer that no longer stands is asked again first, with the same
    settings, and the report says so. What they do themselves puts the answer in no doubt.

    Attributes
    ----------
    answers : StandingAnswers
        Those that it is about.
    reshapes : bool
        Whether it may change what other questions find, in more than in what is hidden.
    may_edit : bool
        Whether it can run in Edit Mode, too.
    """

    answers: StandingAnswers[Any]
    reshapes = False
    may_edit = False

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = "" if cls.answers.get(context.scene) else cls.answers.missing
        return mode_obstacle(context, may_edit=cls.may_edit) or other

    @classmethod
    def description(
        cls, context: bpy.types.Context, properties: bpy.types.OperatorProperties
    ) -> str:
        return f"{cls.bl_description}.\n{RULE}"

    def use(self, context: bpy.types.Context, prepared: Any) -> str:
        """Use what was prepared, and return what to report.

        A `ValueError` or `OSError` refuses it, `NothingToDoError` says that there was nothing.
        """
        raise NotImplementedError

    def prepared_steps(self, context: bpy.types.Context, answer: Any) -> Steps[Any]:
        """Work out what is used; by default the answer itself."""
        yield 1.0
        return answer

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        answer, asked = yield from self._valid_steps(context)
        prepared = yield from self.prepared_steps(context, answer)
        return asked, prepared

    def _valid_steps(
        self, context: bpy.types.Context
    ) -> Steps[tuple[Any, FreshAnswer[Any] | None]]:
        doing, self.doing = self.doing, "Asking again"
        try:
            return (yield from self.answers.valid_steps(context))
        finally:
            self.doing = doing

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        asked, prepared = result
        if asked is not None:
            self.answers.keep(context, asked)
        more = f"; {ASKED_AGAIN}" if asked is not None else ""
        try:
            text = self._use(context, prepared)
        except NothingToDoError as reason:
            self.report({"WARNING"}, f"{reason}{more}")
            return {"CANCELLED"}
        self.report({"INFO"}, text + more)
        return {"FINISHED"}

    def _use(self, context: bpy.types.Context, prepared: Any) -> str:
        renewed = renewed_versions(context, self.answers.question)
        with renewed if self.reshapes else own_changes(context):
            text = self.use(context, prepared)
        self.answers.accept(context)
        return text


class SettledOptions(OptionGroup):
    """Whether an answer stands that the user is asked about."""

    is_settled: bool = boolean(
        False,
        "Settled",
        "Whether the answer was asked again if it was old",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )


Settled = TypeVar("Settled", bound=SettledOptions)


class AskingOperator(Asking[Settled], AnswerOperator):
    """One that asks the user in a dialog, about an answer that stands; a mixin."""

    _settles = False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Ask the cameras again if the answer is old, and then the user."""
        if is_without_window() or self.taken.is_settled or self.answers.is_valid(context):
            return self.ask(context, event)
        self._settles = True
        return self.start(context)

    def ask(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Open the dialog."""
        raise NotImplementedError

    def prepared_steps(self, context: bpy.types.Context, answer: Any) -> Steps[Any]:
        if self._settles:
            return answer
        return (yield from super().prepared_steps(context, answer))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        if not self._settles:
            return super().finish(context, result)
        self._settles = False
        if result[0] is not None:
            self.answers.keep(context, result[0])
        self.report({"INFO"}, ASKED_AGAIN.capitalize())
        again = operator_named(type(self).__name__.rpartition("_OT_")[2])
        again("INVOKE_DEFAULT", **{**given_values(self), "is_settled": True})
        return {"FINISHED"}


def is_without_window() -> bool:
    """Tell whether there is nobody to wait for."""
    return bpy.app.background


def operator_named(name: str) -> Any:
    """Return one of our operators, to be called."""
    return getattr(bpy.ops.octree, name)  # type: ignore[attr-defined]
