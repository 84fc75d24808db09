"""Operators that build the octree, rebuild it from the same objects, and clear it."""

from collections.abc import Iterator
from typing import Any, TypeVar

import bpy

from .. import trees
from ..built_tree import BuiltTree
from ..options import Asking, OptionGroup, draw_options
from ..scope import (
    chosen_objects,
    is_too_much,
    refuse_too_much,
    scoped_objects,
    too_much_text,
    viewport_of,
)
from ..ui import (
    RefusingOperator,
    Status,
    SteppedOperator,
    named_object,
    offer_anyway,
    plural,
    settings_of,
)
from .settings import (
    BoundsOptions,
    BuildOptions,
    CellOptions,
    NewTreeOptions,
    ObjectOptions,
    PlainBuildOptions,
    PlainObjectOptions,
    RebuildOptions,
    SourceOptions,
)
from .steps import (
    TreeSteps,
    build_settings,
    count_to_divide,
    keep,
    note_source,
    skipped_text,
    steps_for_settings,
)

# Options in panels, by contents of the octree: the frequently changed ones, and all.
_PLAIN: dict[str, type[OptionGroup]] = {
    "TRIANGLES": PlainBuildOptions,
    "OBJECTS": PlainObjectOptions,
}
_ALL: dict[str, type[OptionGroup]] = {"TRIANGLES": BuildOptions, "OBJECTS": ObjectOptions}
# Takes two thirds of the memory of the defaults.
_COARSE: tuple[str, dict[str, Any]] = (
    "Coarse: Kept Whole, by 256",
    {"straddlers": "KEEP", "loose_factor": 1.0, "capacity": 256, "any_size": True},
)


Built = TypeVar("Built", bound=RebuildOptions)


class BuildOperator(Asking[Built], SteppedOperator):
    """Base of the operators that build and rebuild, with all options except the objects."""

    bl_options = {"REGISTER", "UNDO"}

    def source_of(self, scene: bpy.types.Scene) -> Any:
        """Return the options for the contents of the octree."""
        raise NotImplementedError

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Return the objects to build from."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        try:
            triangles = self._count(context)
        except ValueError as error:
            return self.refuse(error)
        if is_too_much(triangles) and not self.taken.any_size:
            title = f"Build an octree of {too_much_text(triangles)}?"
            offer_anyway(context, self, title, self.smaller(context))
            return {"CANCELLED"}
        self.take(self._settings(context.scene))
        return super().invoke(context, event)

    def smaller(self, context: bpy.types.Context) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield alternatives to a build that is too large: the text and options of a button."""
        yield _COARSE

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            if not self.taken.any_size:
                refuse_too_much(self._count(context))
        except ValueError as error:
            return self.refuse(error)
        return super().execute(context)

    def steps(self, context: bpy.types.Context) -> TreeSteps:
        """Return the steps of the build with the operator's options."""
        options = self.take(self._settings(context.scene))
        return steps_for_settings(
            context.evaluated_depsgraph_get(),
            self.objects(context),
            self.source_of(context.scene),
            self,
            bounds_object=bounds_object(context.scene, options.box),
            viewport=viewport_of(context),
        )

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        """Store the octree, and the settings that it was built with."""
        self.write_back(self._settings(context.scene))
        keep(context.scene, result)
        self.report({"INFO"}, built_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the options in the redo panel."""
        self.layout.use_property_split = True
        source = self.source_of(context.scene).source
        draw_plain(self.layout, self, source)
        draw_advanced(self.layout, self, source)

    def _settings(self, scene: bpy.types.Scene) -> Any:
        return build_settings(scene, self.source_of(scene).source)

    def _count(self, context: bpy.types.Context) -> int:
        return count_to_divide(context, self.source_of(context.scene), self.objects(context))


def bounds_object(scene: bpy.types.Scene, options: BoundsOptions) -> bpy.types.Object | None:
    """Return the object whose box is the root; None if the bounds are automatic."""
    if options.bounds != "OBJECT":
        return None
    if not options.bounds_object:
        raise ValueError("Choose the object that gives the bounds")
    return named_object(scene, options.bounds_object)


class OCTREE_OT_build(BuildOperator[NewTreeOptions], bpy.types.Operator):
    """Operator that builds an octree of the evaluated triangles, or of whole objects."""

    bl_idname = "octree.build"
    bl_label = "Build Octree"
    bl_description = "Build an octree of the evaluated triangles, or of whole objects"
    bl_options = {"REGISTER", "UNDO", "PRESET"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        if context.mode == "SCULPT":
            return "Leave Sculpt Mode first"
        is_selected = settings_of(context.scene).source.scope == "SELECTED"
        return "Select at least one object" if is_selected and not chosen_objects(context) else ""

    def source_of(self, scene: bpy.types.Scene) -> Any:
        self.take(settings_of(scene).source)
        return self

    def smaller(self, context: bpy.types.Context) -> Iterator[tuple[str, dict[str, Any]]]:
        yield "Whole Objects", {"source": "OBJECTS"}
        chosen, options = chosen_objects(context), self.taken
        if chosen and options.scope != "SELECTED":
            triangles = count_to_divide(context, options, chosen)
            if not is_too_much(triangles):
                yield "Selected Objects Only", {"scope": "SELECTED"}
        yield _COARSE

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        options = self.taken
        collection: bpy.types.Collection | None = bpy.data.collections.get(options.collection)
        return scoped_objects(context, options.scope, collection)

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        self.write_back(settings_of(context.scene).source)
        note_source(context.scene, self.taken.scope)
        return super().finish(context, result)

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        draw_options(self.layout, self, SourceOptions)
        super().draw(context)


class OCTREE_OT_rebuild(BuildOperator[RebuildOptions], bpy.types.Operator):
    """Operator that builds the octree again from the same objects as they are now."""

    bl_idname = "octree.rebuild"
    bl_label = "Rebuild Octree"
    bl_description = "Build the octree again from the same objects as they are now"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return "" if trees.source_objects(context.scene) else "Build an octree first"

    def source_of(self, scene: bpy.types.Scene) -> Any:
        return settings_of(scene).built_of

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        return trees.source_objects(context.scene)


class OCTREE_OT_clear(RefusingOperator, bpy.types.Operator):
    """Operator that removes the octree of the scene and the last answer."""

    bl_idname = "octree.clear"
    bl_label = "Clear Octree"
    bl_description = "Remove the octree and the last answer, in memory and on the screen"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        settings = settings_of(context.scene)
        is_there = settings.tree_number or settings.question_number
        return "" if is_there else "There is no octree"

    def execute(self, context: bpy.types.Context) -> Status:
        settings_of(context.scene).question_number = 0
        trees.clear(context.scene)
        return {"FINISHED"}


def built_text(built: BuiltTree) -> str:
    """Return a text about a new octree, and about the objects that it leaves out."""
    found, source = built.statistics, built.source
    parts = [
        f"Octree of {plural(found.items, source.noun)}: {plural(found.cells, 'cell')},"
        f" {found.references_per_item:.2f} copies per {source.noun},"
        f" {built.build_seconds:.2f} s"
    ]
    if found.invalid:
        parts.append(f"{plural(found.invalid, source.noun)} without finite coordinates left out")
    without_faces = sum(not each.editable for each in source.objects)
    if without_faces and not built.holds_objects:
        parts.append(f"{plural(without_faces, 'object')} without faces to select")
    if source.skipped:
        parts.append(f"{skipped_text(source)} left out")
    return "; ".join(parts)


def draw_plain(layout: bpy.types.UILayout, owner: Any, source: str) -> None:
    """Draw the frequently changed build options of settings or of an operator."""
    draw_options(layout, owner, CellOptions)
    column = layout.column(align=True)
    column.label(text=f"Overlapping {source.title()}")
    column.prop(owner, "straddlers", text="")
    draw_options(layout, owner, _PLAIN[source], without=(*CellOptions.flat, "straddlers"))


def draw_advanced(layout: bpy.types.UILayout, owner: Any, source: str) -> None:
    """Draw the rarely changed build options."""
    draw_options(layout, owner, _ALL[source], without=_PLAIN[source].flat)
