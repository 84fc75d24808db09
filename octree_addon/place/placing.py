"""The part that all buttons which move objects share: whose, one undo step, what is kept."""

from collections.abc import Mapping
from typing import Any, TypeVar

import bpy

from ...core import Steps, between
from ..answers.kept import active_result, keep
from ..options import Asking, as_json
from ..results import active_of, kind_of
from ..scope import viewport_of
from ..targets import scene_steps
from ..ui import (
    Status,
    SteppedOperator,
    mode_obstacle,
    settings_of,
)
from .carrying import carry_out
from .settings import MoveOptions
from .telling import answer_of

Moving = TypeVar("Moving", bound=MoveOptions)


class PlacingOperator(Asking[Moving], SteppedOperator):
    """An operator that moves objects until they touch; a mixin.

    Attributes
    ----------
    key : str
        The name of its settings in `scene.octree`, and of the operator.
    """

    bl_options = {"REGISTER", "UNDO"}
    key: str
    _left: Mapping[int, str]

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=False)

    def plan_steps(
        self, context: bpy.types.Context, target: Any, left: Mapping[int, str]
    ) -> Steps[Any]:
        """Work out where everything goes, without some objects; nothing is written."""
        raise NotImplementedError

    def told(self, context: bpy.types.Context, plan: Any) -> tuple[Any, str]:
        """Return the rows of the list, and what to report."""
        raise NotImplementedError

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Return whose move is asked for; a `ValueError` if nobody's."""
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

    def steps(self, context: bpy.types.Context) -> Steps[Any]:
        self.take(getattr(settings_of(context.scene), self.key))
        return (yield from self._steps(context, {}))

    def _steps(self, context: bpy.types.Context, left: Mapping[int, str]) -> Steps[Any]:
        target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
        return (yield from between(0.3, 1.0, self.plan_steps(context, target.frozen(), left)))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        plan = carry_out(context, result, lambda left: self._steps(context, left))
        self.write_back(getattr(settings_of(context.scene), self.key))
        options, (rows, text) = self.taken, self.told(context, plan)
        if options.whose == "ROW":
            text += f"; {check_again(context)}"
        else:
            answer = answer_of(self.key, self.bl_label, as_json(options), rows)
            keep(context, answer, options.result)
        self.report({"INFO"}, text)
        return {"FINISHED"}


def check_again(context: bpy.types.Context) -> str:
    """Ask the question of the active result again, which keeps its place; say what it has now."""
    again: Any = bpy.ops.octree  # type: ignore[attr-defined]
    result = active_result(context.scene)
    getattr(again, kind_of(result).refresh)("EXEC_DEFAULT", False)
    result = active_result(context.scene)
    return f"{result.name} asked again: {result.count:,} left"
