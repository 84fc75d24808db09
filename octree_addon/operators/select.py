"""Select what a camera sees, or what is near the 3D cursor, by asking the scene's octree."""

from collections import Counter
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from mathutils import Vector

from ...core import Frusta, Octree, Spheres, query
from .. import answers, trees
from ..answers import Asked
from ..building import TreeSteps, keep, run, steps_as_set
from ..camera import camera_frusta
from ..options import FrustumOptions, SelectionOptions, SphereOptions
from ..properties import bounds_object, settings_of
from ..reader import count_triangles
from ..scope import visible_objects
from ..selection import Answer, select_faces, select_objects
from ..trees import BuiltTree
from .progress import Status, SteppedOperator
from .reports import asked_text
from .scope import refuse_too_much, viewport_of
from .settings import named_object, take, take_name, write_back


class SelectOperator(SelectionOptions, SteppedOperator):
    """What all questions share: the tree, of what is visible if there is none, and the answer."""

    bl_options = {"REGISTER", "UNDO"}
    invert = False

    if TYPE_CHECKING:
        relation: str

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode, or to Edit Mode of a mesh")
            return False
        return True

    def volume(self, context: bpy.types.Context) -> Frusta | Spheres:
        """Take the scene's settings, and return what is asked about by them."""
        raise NotImplementedError

    def remember(self, scene: bpy.types.Scene) -> None:
        """Write the settings back to the scene."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        at_once = trees.get(context.scene) or bpy.app.background
        return self.execute(context) if at_once else self.start(context)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            built = trees.get(context.scene) or run(self.steps(context))
        except ValueError as error:
            return self.refuse(error)
        return self.finish(context, built)

    def steps(self, context: bpy.types.Context) -> TreeSteps:
        """Return the build of what is visible, if the question can be asked at all."""
        self.volume(context)
        refuse_too_much(_count_triangles(context))
        settings = settings_of(context.scene)
        how = settings.how(settings.source.source)
        return steps_as_set(
            context.evaluated_depsgraph_get(),
            visible_objects(context),
            settings.source,
            how,
            bounds_object=bounds_object(how),
            viewport=viewport_of(context),
        )

    def finish(self, context: bpy.types.Context, result: BuiltTree) -> Status:
        """Ask the tree, and select the answer; a new tree becomes the scene's."""
        try:
            asked = self.ask(context, result.octree)
            answer = Answer(result, asked.items, self.relation == "INSIDE", self.invert)
            counts = self._select(context, answer)
        except ValueError as error:
            return self.refuse(error)
        self.remember(context.scene)
        is_new = trees.get(context.scene) is not result
        if is_new:
            settings_of(context.scene).note_source("VISIBLE")
            keep(context.scene, result)
        answers.remember(context.scene, asked)
        text = asked_text(counts, self.action, result, is_new)
        self.report({"WARNING"} if result.stale else {"INFO"}, text)
        return {"FINISHED"}

    def ask(self, context: bpy.types.Context, octree: Octree) -> Asked:
        """Ask one question of the tree."""
        volume, relation = self.volume(context), self.relation.lower()
        _, items = query(octree, volume, relation=relation)
        return Asked(octree, self.bl_label, volume, relation, items)

    def _select(self, context: bpy.types.Context, answer: Answer) -> Counter[str]:
        edits = self.kind == "AUTOMATIC" and context.mode == "EDIT_MESH"
        if edits or self.kind == "FACES":
            return select_faces(context, answer, self.action)
        return select_objects(context.view_layer, answer, self.action)


class OCTREE_OT_select_in_frustum(FrustumOptions, SelectOperator, bpy.types.Operator):
    """Select what a camera sees."""

    bl_idname = "octree.select_in_frustum"
    bl_label = "Select in Camera Frustum"
    bl_description = "Select what a camera sees"

    if TYPE_CHECKING:
        camera: str
    else:
        camera: StringProperty(
            name="Camera",
            description="Name of the camera whose view is asked; the scene's camera if empty",
        )

    def volume(self, context: bpy.types.Context) -> Frusta:
        scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
        settings = settings_of(scene).frustum
        take(self, settings, FrustumOptions)
        take_name(self, settings, "camera")
        camera = named_object(scene, self.camera) if self.camera else scene.camera
        if camera is None:
            raise ValueError("The scene has no camera")
        return camera_frusta(
            camera.evaluated_get(depsgraph),
            scene,
            depsgraph,
            margin=self.margin,
            angle=self.angle,
        )

    def remember(self, scene: bpy.types.Scene) -> None:
        settings = settings_of(scene).frustum
        write_back(self, settings, FrustumOptions)
        settings.camera = scene.objects.get(self.camera) if self.camera else None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop_search(self, "camera", context.scene, "objects")
        for name in ("margin", "angle", "relation", "kind", "action", "invert"):
            layout.prop(self, name)


class OCTREE_OT_select_in_sphere(SphereOptions, SelectOperator, bpy.types.Operator):
    """Select what is near the 3D cursor."""

    bl_idname = "octree.select_in_sphere"
    bl_label = "Select in Sphere"
    bl_description = "Select what is near the 3D cursor"

    if TYPE_CHECKING:
        center: Vector
    else:
        center: FloatVectorProperty(
            name="Center",
            description="Center of the sphere; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    def volume(self, context: bpy.types.Context) -> Spheres:
        take(self, settings_of(context.scene).sphere, SphereOptions)
        if not self.properties.is_property_set("center"):
            self.center = context.scene.cursor.location
        return Spheres([self.center[:]], [self.radius])

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).sphere, SphereOptions)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("center", "radius", "relation", "kind", "action"):
            layout.prop(self, name)


def _count_triangles(context: bpy.types.Context) -> int:
    """Count the triangles to be divided; a tree of objects has none."""
    if settings_of(context.scene).source.source == "OBJECTS":
        return 0
    objects, viewport = visible_objects(context), viewport_of(context)
    return count_triangles(context.evaluated_depsgraph_get(), objects, viewport=viewport)
