"""What all questions share: a tree to ask, the answer selected and remembered."""

from collections import Counter
from collections.abc import Generator

import bpy

from .. import answers, trees
from ..answers import Asked
from ..building import TreeSteps, keep, steps_as_set
from ..options import SelectionOptions
from ..properties import bounds_object, build_settings, note_source
from ..reader import count_triangles
from ..scope import visible_objects
from ..selection import Answer, select_faces, select_objects
from ..trees import BuiltTree
from ..ui import Status, SteppedOperator, settings_of
from .reports import asked_text
from .scope import refuse_too_much, viewport_of

AskSteps = Generator[float, None, Asked]
AnswerSteps = Generator[float, None, tuple[BuiltTree, Asked]]


class SelectOperator(SelectionOptions, SteppedOperator):
    """What all questions share: the tree, of what is visible if there is none, and the answer."""

    bl_options = {"REGISTER", "UNDO"}
    invert = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode, or to Edit Mode of a mesh")
            return False
        return True

    def prepare(self, context: bpy.types.Context) -> None:
        """Take the scene's settings, and see that the question can be asked at all."""
        raise NotImplementedError

    def ask_steps(self, context: bpy.types.Context, built: BuiltTree) -> AskSteps:
        """Ask the tree."""
        raise NotImplementedError

    def remember(self, scene: bpy.types.Scene) -> None:
        """Write the settings back to the scene."""
        raise NotImplementedError

    def steps(self, context: bpy.types.Context) -> AnswerSteps:
        """Ask the scene's tree, or one that is built first."""
        self.prepare(context)
        built = trees.get(context.scene) or (yield from self._build_steps(context))
        asked = yield from self.ask_steps(context, built)
        return built, asked

    def _build_steps(self, context: bpy.types.Context) -> TreeSteps:
        refuse_too_much(_count_triangles(context))
        settings = settings_of(context.scene)
        how = build_settings(context.scene, settings.source.source)
        return steps_as_set(
            context.evaluated_depsgraph_get(),
            visible_objects(context),
            settings.source,
            how,
            bounds_object=bounds_object(how),
            viewport=viewport_of(context),
        )

    def finish(self, context: bpy.types.Context, result: tuple[BuiltTree, Asked]) -> Status:
        """Select the answer; a new tree becomes the scene's."""
        built, asked = result
        answer = Answer(built, asked.items, asked.relation == "inside", self.invert)
        counts = self._select(context, answer)
        self.remember(context.scene)
        is_new = trees.get(context.scene) is not built
        if is_new:
            note_source(context.scene, "VISIBLE")
            keep(context.scene, built)
        answers.remember(context.scene, asked)
        text = "; ".join([*asked.notes[:1], asked_text(counts, self.action, built, is_new)])
        self.report({"WARNING"} if built.stale else {"INFO"}, text)
        return {"FINISHED"}

    def _select(self, context: bpy.types.Context, answer: Answer) -> Counter[str]:
        edits = self.kind == "AUTOMATIC" and context.mode == "EDIT_MESH"
        if edits or self.kind == "FACES":
            return select_faces(context, answer, self.action)
        return select_objects(context.view_layer, answer, self.action)


def _count_triangles(context: bpy.types.Context) -> int:
    """Count the triangles to be divided; a tree of objects has none."""
    if settings_of(context.scene).source.source == "OBJECTS":
        return 0
    objects, viewport = visible_objects(context), viewport_of(context)
    return count_triangles(context.evaluated_depsgraph_get(), objects, viewport=viewport)
