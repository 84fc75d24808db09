"""Find what cameras see, in one frame or over a shot."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import shot, trees
from ..building import run
from ..operators.progress import Status, SteppedOperator, Steps
from ..operators.settings import take, take_name, write_back
from ..options import ShotOptions
from ..properties import settings_of
from ..scope import scoped_objects
from ..selection import preserving_staleness
from . import Shot, VisibilityResult
from .use_seen import seen_text


class OCTREE_OT_find_seen(ShotOptions, SteppedOperator, bpy.types.Operator):
    """Find what cameras see, and remember it for the session."""

    bl_idname = "octree.find_seen"
    bl_label = "Find What Cameras See"
    bl_description = (
        "Find the objects that are in view of cameras, in the current frame or over a shot."
        " The answer is kept for the session; nothing in the file changes"
    )
    bl_options = {"REGISTER", "UNDO"}
    doing = "Looking through cameras"

    if TYPE_CHECKING:
        collection: str
    else:
        collection: StringProperty(
            name="Collection",
            description="Name of the collection whose objects the cameras are asked about",
        )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode, or to Edit Mode of a mesh")
            return False
        if context.screen and context.screen.is_animation_playing:
            cls.poll_message_set("Stop the playback first")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        return self.execute(context) if bpy.app.background else self.start(context)

    def execute(self, context: bpy.types.Context) -> Status:
        try:
            seen = run(self.steps(context))
        except ValueError as error:
            return self.refuse(error)
        return self.finish(context, seen)

    def steps(self, context: bpy.types.Context) -> Steps:
        """Return the walk through the frames, not yet begun."""
        settings = settings_of(context.scene).shot
        take(self, settings, ShotOptions)
        take_name(self, settings, "collection")
        question = Shot(
            frames=self._frames(context.scene),
            cameras=self._cameras(context),
            wanted=self._wanted(context),
            exact=self.precision == "EXACT",
            faces=self.faces,
            margin=self.margin,
            angle=self.angle,
        )
        return steps_preserving_staleness(context, question)

    def finish(self, context: bpy.types.Context, result: VisibilityResult) -> Status:
        """Keep the answer, and the settings that it was found with."""
        settings = settings_of(context.scene).shot
        write_back(self, settings, ShotOptions)
        settings.collection = bpy.data.collections.get(self.collection)
        shot.keep(context.scene, result)
        self.report({"INFO"}, seen_text(result))
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        layout.prop(self, "scope")
        if self.scope == "COLLECTION":
            layout.prop_search(self, "collection", bpy.data, "collections")
        layout.prop(self, "cameras")
        layout.prop(self, "span")
        if self.span == "CUSTOM":
            layout.prop(self, "first")
            layout.prop(self, "last")
        if self.span != "CURRENT":
            layout.prop(self, "step")
        for name in ("precision", "faces", "margin", "angle"):
            layout.prop(self, name)

    def _frames(self, scene: bpy.types.Scene) -> tuple[int, ...]:
        if self.span == "CURRENT":
            return (scene.frame_current,)
        if self.span == "CUSTOM":
            return shot.frame_numbers(self.first, self.last, self.step)
        if scene.use_preview_range:
            return shot.frame_numbers(
                scene.frame_preview_start, scene.frame_preview_end, self.step
            )
        return shot.frame_numbers(scene.frame_start, scene.frame_end, self.step)

    def _cameras(self, context: bpy.types.Context) -> tuple[str, ...]:
        """Return the names of the cameras; none stands for the scene's."""
        if self.cameras == "SCENE":
            return ()
        layer = context.view_layer
        objects = layer.objects.selected if self.cameras == "SELECTED" else layer.objects
        names = tuple(item.name for item in objects if item.type == "CAMERA")
        if not names:
            raise ValueError(f"There is no {'selected ' * (self.cameras == 'SELECTED')}camera")
        return names

    def _wanted(self, context: bpy.types.Context) -> frozenset[int] | None:
        """Return the session ids of the objects in question; none stands for all visible ones."""
        if self.scope == "VISIBLE":
            return None
        collection: bpy.types.Collection | None = bpy.data.collections.get(self.collection)
        objects = scoped_objects(context, self.scope, collection)
        if not objects:
            raise ValueError("There are no objects to ask about")
        return frozenset(item.session_uid for item in objects)


def steps_preserving_staleness(
    context: bpy.types.Context, question: Shot
) -> Generator[float, None, VisibilityResult]:
    """Walk through a shot; the way back writes values, but leaves all as the tree knows it."""
    with preserving_staleness(trees.get(context.scene), context.view_layer):
        return (yield from shot.shot_steps(context, question))
