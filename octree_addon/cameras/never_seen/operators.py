"""Find Never Seen, and actions on its result: select, mark, mask, collect, hide, copy."""

from typing import Any, TypeVar

import bpy

from ....core import Steps
from ...answers import verbs
from ...answers.question_operator import StandingQuestionOperator
from ...answers.verb_operators import AnswerOperator
from ...hiding import hide, plan
from ...options import Asking, draw_options
from ...selection import Subjects
from ...ui import (
    RefusingOperator,
    Status,
    column_of,
    mode_obstacle,
    plural,
    settings_of,
)
from .copies import copy_seen
from .masks import mask, masked_objects, unmask
from .question import TITLE, ViewsQuestion
from .report import copy_text, meshes_text, names_text, promise_text, samples_text, saved_text
from .safety import Kept, kept_steps
from .samples import ANSWERS, TOO_SMALL, Samples
from .settings import (
    CopyOptions,
    FindNeverSeenOptions,
    HideOptions,
    MarkOptions,
    Safety,
    SelectOptions,
)

Wanted = TypeVar("Wanted", bound=Safety)


class OCTREE_OT_find_never_seen(
    StandingQuestionOperator[FindNeverSeenOptions], bpy.types.Operator
):
    """Find objects and faces that no view sees, and store the samples for the session."""

    bl_idname = "octree.find_never_seen"
    bl_label = "Find Never Seen"
    bl_description = (
        "Find the objects and faces that no view sees: from outside, from cameras, or from inside"
        " a volume. What is in front of something hides it"
    )
    bl_options = {"REGISTER", "UNDO", "PRESET"}
    doing = "Looking from all views"
    answers = ANSWERS
    key = "never_seen"

    def asked(self, context: bpy.types.Context, options: FindNeverSeenOptions) -> ViewsQuestion:
        return ViewsQuestion.of(context, options)

    def answer_text(self, answer: Samples) -> str:
        return samples_text(answer)


class NeverSeenOperator(Asking[Wanted], AnswerOperator):
    """Mixin of operators on the last samples of the scene and on the objects and faces to keep."""

    answers = ANSWERS
    doing = "Deciding what is kept"

    def samples(self, context: bpy.types.Context) -> Samples:
        """Return the last samples; the operator is disabled without them."""
        found = ANSWERS.get(context.scene)
        assert found is not None
        return found

    def prepared_steps(self, context: bpy.types.Context, answer: Samples) -> Steps[Any]:
        safety = self.take(settings_of(context.scene).never_seen)
        return (yield from kept_steps(context, answer, safety))

    def finish(self, context: bpy.types.Context, result: Any) -> Status:
        status = super().finish(context, result)
        self.write_back(settings_of(context.scene).never_seen)
        return status


class OCTREE_OT_select_never_seen(NeverSeenOperator[SelectOptions], bpy.types.Operator):
    """Select never-seen objects or faces."""

    bl_idname = "octree.select_never_seen"
    bl_label = "Select Never Seen"
    bl_description = "Select the objects, or the faces, that no tested view sees"
    bl_options = {"REGISTER", "UNDO"}
    may_edit = True

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        options = self.taken
        faces = options.selects_faces(context)
        text = verbs.select(context, kept.subjects, options.action, faces=faces)
        return text + saved_text(kept.saved) * faces


class OCTREE_OT_collect_never_seen(NeverSeenOperator[Safety], bpy.types.Operator):
    """Collect never-seen objects in a new collection."""

    bl_idname = "octree.collect_never_seen"
    bl_label = "Collect Never Seen"
    bl_description = (
        "Link the objects that no tested view sees into a new collection; they also stay in"
        " their present collections"
    )
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        return verbs.collect(context, kept.subjects, TITLE)


class OCTREE_OT_hide_never_seen(NeverSeenOperator[HideOptions], bpy.types.Operator):
    """Hide never-seen objects."""

    bl_idname = "octree.hide_never_seen"
    bl_label = "Hide Never Seen"
    bl_description = (
        "Hide the objects that no tested view sees, by the icon that Hide Unseen uses. They are"
        " remembered in the file until they are restored"
    )
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        icon = settings_of(context.scene).hiding.icon
        return verbs.hide(context, kept.subjects, icon, everything=self.taken.everything)


class OCTREE_OT_mark_never_seen(NeverSeenOperator[MarkOptions], bpy.types.Operator):
    """Write the number of samples to a face attribute or to a custom property of objects."""

    bl_idname = "octree.mark_never_seen"
    bl_label = "Mark Samples"
    bl_description = (
        "Write how many samples saw each face to an attribute of its mesh, or each object to a"
        " custom property. -1 is glass that was counted as open, -2 is too small to tell"
    )
    bl_options = {"REGISTER", "UNDO"}

    def prepared_steps(self, context: bpy.types.Context, answer: Samples) -> Steps[Any]:
        self.take(settings_of(context.scene).never_seen)
        return (yield from kept_steps(context, answer, Safety(rings=0)))

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        found, options = self.samples(context), self.taken
        faces = options.mark == "FACES"
        counts = {**found.objects, **dict.fromkeys(found.small_objects, TOO_SMALL)}
        subjects = Subjects(counts, lambda _: found.meshes)
        text = verbs.mark(context, subjects, options.attribute, faces=faces)
        meshes = [mesh for mesh in bpy.data.meshes if mesh.session_uid in found.meshes]
        return text + _linked_text([mesh.name for mesh in meshes if mesh.library]) * faces

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), self, MarkOptions, without=Safety.flat)


class OCTREE_OT_mask_never_seen(NeverSeenOperator[Safety], bpy.types.Operator):
    """Hide never-seen faces with a vertex group and a Mask modifier."""

    bl_idname = "octree.mask_never_seen"
    bl_label = "Mask Never Seen"
    bl_description = (
        "Hide the faces that no tested view sees by a Mask modifier and a vertex group, which"
        " can be removed again. Faces between kept vertices stay"
    )
    bl_options = {"REGISTER", "UNDO"}
    reshapes = True

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        tested = self.samples(context).objects
        objects = [item for item in context.view_layer.objects if item.session_uid in tested]
        counts = mask(objects, kept.meshes)
        text = f"{plural(counts['faces'], 'face')} of {plural(counts['objects'], 'object')} masked"
        if counts["staying"]:
            text += f"; {counts['staying']:,} more between kept vertices stay"
        names = [key.partition(": ")[2] for key in counts if key.startswith("refused: ")]
        text += saved_text(kept.saved) + _changed_text(self.samples(context))
        return text + _linked_text(names)


class OCTREE_OT_unmask_never_seen(RefusingOperator, bpy.types.Operator):
    """Remove the modifiers and vertex groups of masks."""

    bl_idname = "octree.unmask_never_seen"
    bl_label = "Remove Masks"
    bl_description = "Remove the modifiers and vertex groups that Mask Never Seen has made"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = "" if masked_objects() else "Nothing is masked"
        return mode_obstacle(context, may_edit=False) or other

    def execute(self, context: bpy.types.Context) -> Status:
        count = unmask(masked_objects())
        self.report({"INFO"}, f"{plural(count, 'mask')} removed")
        return {"FINISHED"}


class OCTREE_OT_copy_never_seen(NeverSeenOperator[CopyOptions], bpy.types.Operator):
    """Copy objects into a new collection, without never-seen objects and faces."""

    bl_idname = "octree.copy_never_seen"
    bl_label = "Delete in Copy"
    bl_description = (
        "Copy the tested objects into a new collection, and delete there what no tested view"
        " sees. The originals are not changed; they can be hidden"
    )
    bl_options = {"REGISTER", "UNDO"}
    reshapes = True

    def use(self, context: bpy.types.Context, kept: Kept) -> str:
        found = self.samples(context)
        objects = [
            item for item in context.view_layer.objects if item.session_uid in found.objects
        ]
        options = self.taken
        name = options.collection or "Seen"
        collection, copies = copy_seen(context, objects, kept, options, name)
        if options.originals == "HIDE":
            hide_originals(context, objects, found)
        text = f"{plural(len(copies.objects), 'object')} copied into {collection.name} "
        text += copy_text(copies.counts) + saved_text(kept.saved)
        return f"{text}. {promise_text(found.facts)}"


def hide_originals(
    context: bpy.types.Context, objects: list[bpy.types.Object], found: Samples
) -> None:
    """Hide objects in viewports and renders; objects with instanced meshes in viewports only.

    Otherwise the render icon would also hide the instances.
    """
    hide(context, plan(context, objects, "EYE"))
    single = [
        item
        for item in objects
        if item.data is None or item.data.session_uid not in found.instanced
    ]
    hide(context, plan(context, single, "RENDER"))


def _linked_text(names: list[str]) -> str:
    return f"; linked from another file: {names_text(names)}" if names else ""


def _changed_text(found: Samples) -> str:
    count = len(found.changed)
    return f"; {meshes_text(count)} changed by modifiers left alone" if count else ""
