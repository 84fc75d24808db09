"""Build an octree of triangles or of objects, or again of what it was built from."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import live, trees
from ..building import TreeSteps, keep, steps_as_set
from ..layouts import draw_options
from ..options import ADVANCED, PLAIN, BuildOptions, SourceOptions, UpkeepOptions
from ..properties import (
    OctreeBuildSettings,
    OctreeObjectSettings,
    build_settings,
    note_source,
)
from ..reader import ObjectSource, count_triangles
from ..scope import chosen_objects, scoped_objects
from ..trees import BuiltTree
from ..ui import (
    Status,
    SteppedOperator,
    given_values,
    named_object,
    settings_of,
    take,
    write_back,
)
from .reports import built_text
from .scope import is_too_much, refuse_too_much, viewport_of


class BuildOperator(BuildOptions, UpkeepOptions, SteppedOperator):
    """What building and rebuilding share: all but what the tree is built of."""

    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        bounds_object: str
        any_size: bool
    else:
        bounds_object: StringProperty(
            name="Bounds Object",
            description="Name of the object whose bounding box the octree divides",
        )
        any_size: BoolProperty(
            name="Any Size",
            description="Build even if there are more triangles than the preferences allow",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    def source_of(self, scene: bpy.types.Scene) -> Any:
        """Return the options that say what the tree is built of."""
        raise NotImplementedError

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Return what the tree is built from."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        try:
            triangles = self._count(context)
        except ValueError as error:
            return self.refuse(error)
        if is_too_much(triangles) and not self.any_size:
            self._ask(context, triangles)
            return {"CANCELLED"}
        self._take_settings(context.scene)
        return super().invoke(context, event)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            if not self.any_size:
                refuse_too_much(self._count(context))
        except ValueError as error:
            return self.refuse(error)
        return super().execute(context)

    def steps(self, context: bpy.types.Context) -> TreeSteps:
        """Return the build by the operator's properties, not yet begun."""
        self._take_settings(context.scene)
        return steps_as_set(
            context.evaluated_depsgraph_get(),
            self.objects(context),
            self.source_of(context.scene),
            self,
            bounds_object=self._bounds_object(context.scene),
            viewport=viewport_of(context),
        )

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        """Keep the tree, and the settings that it was built with; one that is live stays so."""
        scene, was_live = context.scene, live.get(context.scene) is not None
        write_back(self, self._settings(scene))
        keep(scene, result)
        if was_live and isinstance(result.source, ObjectSource):
            live.start(scene, context.evaluated_depsgraph_get())
        self.report({"INFO"}, built_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        draw_options(layout, self, (*PLAIN, *ADVANCED[self.source_of(context.scene).source]))
        if self.bounds == "OBJECT":
            layout.prop_search(self, "bounds_object", context.scene, "objects", text="Object")

    def _settings(self, scene: bpy.types.Scene) -> OctreeBuildSettings | OctreeObjectSettings:
        return build_settings(scene, self.source_of(scene).source)

    def _take_settings(self, scene: bpy.types.Scene) -> None:
        take(self, self._settings(scene))

    def _count(self, context: bpy.types.Context) -> int:
        """Count the triangles to be divided; a tree of objects has none."""
        if self.source_of(context.scene).source == "OBJECTS":
            return 0
        depsgraph = context.evaluated_depsgraph_get()
        return count_triangles(depsgraph, self.objects(context), viewport=viewport_of(context))

    def _bounds_object(self, scene: bpy.types.Scene) -> bpy.types.Object | None:
        if self.bounds != "OBJECT":
            return None
        if not self.bounds_object:
            raise ValueError("Choose the object that gives the bounds")
        return named_object(scene, self.bounds_object)

    def _ask(self, context: bpy.types.Context, triangles: int) -> None:
        """Offer to build all the same, in a menu: to move away is to decline."""
        name, given = self.bl_idname, {**given_values(self), "any_size": True}

        def offer(popup: bpy.types.UIPopupMenu, _: bpy.types.Context) -> None:
            popup.layout.operator_context = "INVOKE_DEFAULT"
            button = popup.layout.operator(name, text="Build")
            for key, value in given.items():
                setattr(button, key, value)

        title = f"Build an octree of {triangles:,} triangles?"
        context.window_manager.popup_menu(offer, title=title, icon="QUESTION")


class OCTREE_OT_build(SourceOptions, BuildOperator, bpy.types.Operator):
    """Build an octree of triangles or of whole objects, as they are seen."""

    bl_idname = "octree.build"
    bl_label = "Build Octree"
    bl_description = "Build an octree of triangles or of whole objects, as they are seen"

    if TYPE_CHECKING:
        collection: str
    else:
        collection: StringProperty(
            name="Collection",
            description="Name of the collection whose objects the octree is built of",
        )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode == "SCULPT":
            cls.poll_message_set("Leave Sculpt Mode first")
            return False
        is_selected = settings_of(context.scene).source.scope == "SELECTED"
        if is_selected and not chosen_objects(context):
            cls.poll_message_set("Select at least one object")
            return False
        return True

    def source_of(self, scene: bpy.types.Scene) -> Any:
        take(self, settings_of(scene).source)
        return self

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        return scoped_objects(context, self.scope, bpy.data.collections.get(self.collection))

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        write_back(self, settings_of(context.scene).source)
        note_source(context.scene, self.scope)
        return super().finish(context, result)

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "source")
        layout.prop(self, "scope")
        if self.scope == "COLLECTION":
            layout.prop_search(self, "collection", bpy.data, "collections")
        if self.source == "OBJECTS":
            for name in ("lights", "cameras", "empties"):
                layout.prop(self, name)
        super().draw(context)


class OCTREE_OT_rebuild(BuildOperator, bpy.types.Operator):
    """Build the octree again, of the same objects as they are seen now."""

    bl_idname = "octree.rebuild"
    bl_label = "Rebuild Octree"
    bl_description = "Build the octree again, of the same objects as they are seen now"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not trees.source_objects(context.scene):
            cls.poll_message_set("Build an octree first")
            return False
        return True

    def source_of(self, scene: bpy.types.Scene) -> Any:
        return settings_of(scene).built_of

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        return trees.source_objects(context.scene)
