"""What is done with what cameras saw: selected, collected, marked, or written to a file."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from .. import shot, trees
from ..options import SeenOptions
from ..questions import SelectionOptions
from ..selection import (
    collect,
    found_text,
    mark_faces,
    mark_objects,
    select_found,
    select_polygons,
)
from ..shot import Seen
from ..ui import RefusingOperator, Status
from .seen_reports import collected_text, marked_text

TABLES = {".csv": shot.csv_table, ".json": shot.json_table}
# From 4.5 on Blender wants to be told that a path may begin with "//", the folder of the file.
PATH = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5) else set()


class SeenOperator(RefusingOperator):
    """What uses the last answer about the scene's cameras; a mixin."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode, or to Edit Mode of a mesh")
            return False
        if shot.get(context.scene) is None:
            cls.poll_message_set("Find what the cameras see first")
            return False
        return True

    def seen(self, context: bpy.types.Context) -> Seen:
        """Return the answer, without which `poll` would have failed."""
        answer = shot.get(context.scene)
        assert answer is not None
        return answer


class OCTREE_OT_select_seen(SelectionOptions, SeenOptions, SeenOperator, bpy.types.Operator):
    """Select what cameras saw, or what they did not see."""

    bl_idname = "octree.select_seen"
    bl_label = "Select Seen"
    bl_description = (
        "Select what the cameras saw when they were last asked, or what they did not see"
    )
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Status:
        seen = self.seen(context)
        edits = self.kind == "AUTOMATIC" and context.mode == "EDIT_MESH"
        try:
            if edits or self.kind == "FACES":
                faces = seen.face_flags(seen=self.part == "SEEN")
                counts = select_polygons(context, faces, self.action, trees.get(context.scene))
            else:
                uids = dict.fromkeys(seen.uids(seen=self.part == "SEEN"), 0)
                counts = select_found(context.view_layer, uids, self.action)
        except ValueError as error:
            return self.refuse(error)
        self.report({"INFO"}, found_text(counts, self.action))
        return {"FINISHED"}


class OCTREE_OT_collect_seen(SeenOptions, SeenOperator, bpy.types.Operator):
    """Gather what cameras saw in a new collection."""

    bl_idname = "octree.collect_seen"
    bl_label = "Collect Seen"
    bl_description = (
        "Link what the cameras saw, or did not see, into a new collection; the objects stay in"
        " the collections that they are in"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        collection: str
    else:
        collection: StringProperty(
            name="Collection",
            description="Name of the new collection; that of the part if empty",
        )

    def execute(self, context: bpy.types.Context) -> Status:
        uids = self.seen(context).uids(seen=self.part == "SEEN")
        objects = [item for item in context.view_layer.objects if item.session_uid in uids]
        collection = collect(context.scene, objects, self.collection or self.part.capitalize())
        self.report({"INFO"}, collected_text(collection.name, len(objects), len(uids)))
        return {"FINISHED"}


class OCTREE_OT_mark_seen(SeenOperator, bpy.types.Operator):
    """Write into objects, or into faces, how often they were seen."""

    bl_idname = "octree.mark_seen"
    bl_label = "Mark Seen"
    bl_description = (
        "Write in how many frames each object was seen into a custom property, or each face into"
        " an attribute of its mesh"
    )
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        kind: str
        attribute: str
    else:
        kind: EnumProperty(
            name="Mark",
            description="What is marked",
            items=(
                ("OBJECTS", "Objects", "A custom property of each object"),
                ("FACES", "Faces", "A face attribute of each mesh"),
            ),
            default="OBJECTS",
        )
        attribute: StringProperty(
            name="Attribute",
            maxlen=63,
            description="Name of the custom property or attribute",
            default="frames_seen",
        )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode != "OBJECT":
            cls.poll_message_set("Go to Object Mode")
            return False
        return super().poll(context)

    def execute(self, context: bpy.types.Context) -> Status:
        seen = self.seen(context)
        try:
            if self.kind == "FACES":
                counts = mark_faces(context, seen.faces, self.attribute, trees.get(context.scene))
            else:
                frames = zip(seen.objects, seen.frame_counts.tolist(), strict=True)
                values = {subject.session_uid: count for subject, count in frames}
                counts = mark_objects(context.view_layer, values, self.attribute)
        except ValueError as error:
            return self.refuse(error)
        self.report({"INFO"}, marked_text(counts, self.attribute))
        return {"FINISHED"}


class OCTREE_OT_export_seen(SeenOperator, bpy.types.Operator):
    """Write a table of what cameras saw, and when."""

    bl_idname = "octree.export_seen"
    bl_label = "Export Seen"
    bl_description = (
        "Write a table with the frames in which each object is in view of each camera, as CSV or"
        " JSON by the ending of the file name"
    )
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        filepath: str
        check_existing: bool
        filter_glob: str
    else:
        filepath: StringProperty(
            name="File",
            description="Path of the file, which ends in .csv or .json",
            subtype="FILE_PATH",
            options=PATH,
        )
        check_existing: BoolProperty(default=True, options={"HIDDEN", "SKIP_SAVE"})
        filter_glob: StringProperty(default="*.csv;*.json", options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        if not self.filepath:
            blend = Path(bpy.data.filepath or "untitled.blend")
            self.filepath = str(blend.with_name(f"{blend.stem}_seen.csv"))
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Status:
        path = Path(bpy.path.abspath(self.filepath))
        table = TABLES.get(path.suffix.lower())
        if table is None:
            return self.refuse(ValueError("The name of the file does not end in .csv or .json"))
        try:
            path.write_text(table(self.seen(context)), encoding="utf-8", newline="")
        except OSError as error:
            return self.refuse(error)
        self.report({"INFO"}, f"Written to {path}")
        return {"FINISHED"}
