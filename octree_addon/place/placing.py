"""The base of operators that move objects: choice of objects, one undo step, kept result."""

from collections.abc import Mapping
from typing import Any, TypeVar

import bpy

from ...core import Steps, between
from ..answers.asking import QuestionOperator
from ..answers.kept import active_result
from ..result_list import active_of, kind_of
from ..scope import viewport_of
from ..snapshots import scene_steps
from ..ui import Status
from .carrying import carry_out
from .settings import MoveOptions

Moving = TypeVar("Moving", bound=MoveOptions)


class PlacingOperator(QuestionOperator[Moving]):
    """An operator that moves objects until they touch; a mixin."""

    may_edit = False

    def plan_steps(
        self, context: bpy.types.Context, target: Any, left: Mapping[int, str]
    ) -> Steps[Any]:
        """Return a plan of the moves, without the objects in `left`; write nothing."""
        raise NotImplementedError

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Return the objects to move, by the option `whose`; raise `ValueError` without any."""
        whose = self.taken.whose
        if whose == "ALL":
            return [item for item in context.view_layer.objects if item.visible_get()]
        if whose == "ROW":
            active = active_of(context.scene)
            found = active.subjects().among(context.view_layer.objects) if active else []
            if not found:
                raise ValueError("Click a row first whose objects are still there")
            return found
        found = list(context.view_layer.objects.selected)
        if not found:
            raise ValueError("Select the objects to move")
        return found

    def run(self, context: bpy.types.Context, options: Moving) -> Steps[Any]:
        return self._steps(context, {})

    def _steps(self, context: bpy.types.Context, left: Mapping[int, str]) -> Steps[Any]:
        target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
        return (yield from between(0.3, 1.0, self.plan_steps(context, target.frozen(), left)))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        plan = carry_out(context, result, lambda left: self._steps(context, left))
        if self.taken.whose != "ROW":
            return super().finish(context, plan)
        _, text = self.told(context, plan, self.taken)
        self.write_back(self._settings(context))
        self.report({"INFO"}, f"{text}; {check_again(context)}")
        return {"FINISHED"}


def check_again(context: bpy.types.Context) -> str:
    """Refresh the active result, and return a text with its number of rows."""
    again: Any = bpy.ops.octree  # type: ignore[attr-defined]
    result = active_result(context.scene)
    getattr(again, kind_of(result).refresh)("EXEC_DEFAULT", False)
    result = active_result(context.scene)
    return f"{result.name} asked again: {result.count:,} left"
