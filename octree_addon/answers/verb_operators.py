"""Base of operators that use the last answer, and first ask again if it is outdated."""

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

    If the answer is no longer valid, the operator first asks again with the same settings, and
    says so in its report. The operator's own changes leave the answer valid.

    Attributes
    ----------
    answers : StandingAnswers
        The store of the answer.
    reshapes : bool
        True if the operator may change more than the visibility of objects, and so the findings
        of other questions.
    may_edit : bool
        True if the operator also runs in Edit Mode.
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
        """Use the result of `prepared_steps`, and return the text of the report.

        Raise a `ValueError` or `OSError` to refuse, `NothingToDoError` if nothing can be done.
        """
        raise NotImplementedError

    def prepared_steps(self, context: bpy.types.Context, answer: Any) -> Steps[Any]:
        """Compute the argument of `use` step by step; by default the answer itself."""
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
    """A hidden option: the answer was already validated before the dialog opened."""

    is_settled: bool = boolean(
        False,
        "Settled",
        "Whether the answer was asked again if it was old",
        settings=None,
        options={"HIDDEN", "SKIP_SAVE"},
    )


Settled = TypeVar("Settled", bound=SettledOptions)


class AskingOperator(Asking[Settled], AnswerOperator):
    """An operator with a dialog, which opens only once the answer is valid; a mixin."""

    _settles = False

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Ask the question again if the answer is outdated, and then open the dialog."""
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
    """Return whether Blender runs in background, so that no dialog can be shown."""
    return bpy.app.background


def operator_named(name: str) -> Any:
    """Return the callable of an operator in `bpy.ops.octree`."""
    return getattr(bpy.ops.octree, name)  # type: ignore[attr-defined]
