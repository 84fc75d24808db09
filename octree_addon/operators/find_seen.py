"""Find what cameras see, in one frame or over a shot."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from .. import shot, trees
from ..options import ShotOptions
from ..scope import scoped_objects
from ..selection import unnoticed
from ..shot import Seen, Shot
from ..ui import Status, SteppedOperator, Steps, settings_of, take, write_back
from .seen_reports import seen_text


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

    def steps(self, context: bpy.types.Context) -> Steps:
        """Return the walk through the frames, not yet begun."""
        settings = settings_of(context.scene).shot
        take(self, settings)
        question = Shot(
            frames=self._frames(context.scene),
            cameras=self._cameras(context),
            wanted=self._wanted(context),
            exact=self.precision == "EXACT",
            faces=self.faces,
            margin=self.margin,
            angle=self.angle,
        )
        return unnoticed_steps(context, question)

    def finish(self, context: bpy.types.Context, result: Seen) -> Status:
        """Keep the answer, and the settings that it was found with."""
        write_back(self, settings_of(context.scene).shot)
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


def unnoticed_steps(context: bpy.types.Context, question: Shot) -> Generator[float, None, Seen]:
    """Walk through a shot; the way back writes values, but leaves all as the tree knows it."""
    with unnoticed(trees.get(context.scene), context.view_layer):
        return (yield from shot.shot_steps(context, question))
