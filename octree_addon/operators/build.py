"""Build an octree of the selected objects, or again of those that it was built from."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from .. import trees
from ..building import TreeSteps, build_tree_steps, keep, run
from ..options import BuildOptions
from ..properties import build_options, settings_of
from ..reader import count_triangles
from ..trees import BuiltTree
from .progress import Status, SteppedOperator
from .reports import built_text
from .scope import chosen_objects, is_too_much, refuse_too_much, viewport_of
from .settings import given_values, named_object, take, take_name, write_back


class BuildOperator(BuildOptions, SteppedOperator):
    """What building and rebuilding share: all but the objects."""

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

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """Return what the tree is built from."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        triangles = self._count(context)
        if is_too_much(triangles) and not self.any_size:
            self._ask(context, triangles)
            return {"CANCELLED"}
        self._take_settings(context.scene)
        return self.execute(context) if bpy.app.background else self.start(context)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            if not self.any_size:
                refuse_too_much(self._count(context))
            built = run(self.steps(context))
        except ValueError as error:
            return self.refuse(error)
        return self.finish(context, built)

    def steps(self, context: bpy.types.Context) -> TreeSteps:
        """Return the build by the operator's properties, not yet begun."""
        self._take_settings(context.scene)
        return build_tree_steps(
            context.evaluated_depsgraph_get(),
            self.objects(context),
            build_options(self),
            bounds_object=self._bounds_object(context.scene),
            viewport=viewport_of(context),
        )

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        """Keep the tree, and the settings that it was built with."""
        settings = settings_of(context.scene).build
        write_back(self, settings, BuildOptions)
        settings.bounds_object = context.scene.objects.get(self.bounds_object)
        keep(context.scene, result)
        self.report({"INFO"}, built_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("capacity", "max_depth", "min_size", "bounds"):
            layout.prop(self, name)
        if self.bounds == "OBJECT":
            layout.prop_search(self, "bounds_object", context.scene, "objects", text="Object")
        layout.prop(self, "straddlers")
        loose = layout.column()
        loose.enabled = self.straddlers == "KEEP"
        loose.prop(self, "loose_factor")
        if not loose.enabled:
            layout.label(text="Loose cells need Straddlers: Keep", icon="INFO")

    def _take_settings(self, scene: bpy.types.Scene) -> None:
        settings = settings_of(scene).build
        take(self, settings, BuildOptions)
        take_name(self, settings, "bounds_object")

    def _count(self, context: bpy.types.Context) -> int:
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


class OCTREE_OT_build(BuildOperator, bpy.types.Operator):
    """Build an octree of the triangles of the selected objects, as they are seen."""

    bl_idname = "octree.build"
    bl_label = "Build Octree"
    bl_description = "Build an octree of the triangles of the selected objects, as they are seen"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode == "SCULPT":
            cls.poll_message_set("Leave Sculpt Mode first")
            return False
        if not chosen_objects(context):
            cls.poll_message_set("Select at least one object")
            return False
        return True

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        return chosen_objects(context)


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

    def objects(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        return trees.source_objects(context.scene)
