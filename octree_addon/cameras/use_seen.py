"""Actions on a visibility result: select, collect, mark or export seen or unseen objects."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import bpy

from ..answers import verbs
from ..answers.verb_operators import AnswerOperator, AskingOperator, SettledOptions
from ..file_export import FileExport, FileOptions
from ..options import Asking, OptionGroup, boolean, enum, string
from ..selection import SelectionOptions, Subjects
from ..ui import Status, plural
from ..written_files import writer_of
from .seen_items import items_of
from .settings import SeenOptions
from .table import FORMATS, SeenAnswer, merged, write_label_pictures
from .visibility_result import ANSWERS, VisibilityResult


class SeenOperator(AnswerOperator):
    """Mixin of operators on the last visibility result of the scene."""

    answers = ANSWERS
    may_edit = True


class SelectSeenOptions(SeenOptions, SelectionOptions):
    """Options for selecting seen or unseen objects or faces."""


class CollectSeenOptions(SeenOptions):
    """Options for collecting seen or unseen objects."""

    collection: str = string(
        "", "Collection", "Name of the new collection; Seen or Unseen if empty"
    )


class MarkSeenOptions(OptionGroup):
    """Options for marking objects or faces with the number of frames that saw them."""

    kind: Literal["OBJECTS", "FACES"] = enum(
        "OBJECTS",
        "Mark",
        "What is marked",
        {
            "OBJECTS": ("Objects", "A custom property of each object"),
            "FACES": ("Faces", "A face attribute of each mesh"),
        },
    )
    attribute: str = string(
        "frames_seen", "Attribute", "Name of the custom property or attribute", maxlen=63
    )


class ExportSeenOptions(SettledOptions, FileOptions):
    """Options for exporting a visibility result."""

    format: Literal["TABLE", "COCO", "BOP"] = enum(
        "TABLE",
        "Format",
        "What is written; COCO and BOP, as .json, need pixels",
        {
            "TABLE": ("Table", "CSV or JSON by the file extension"),
            "COCO": ("COCO", "Images, categories, and annotations with masks"),
            "BOP": ("BOP", "The scene_gt_info.json of one camera"),
        },
    )
    labels: bool = boolean(
        False,
        "Label Pictures",
        "Also write a 16-bit PNG of each view into a folder that is called as the"
        " file: 0 for nothing, else the number of the object plus one",
    )


class OCTREE_OT_select_seen(Asking[SelectSeenOptions], SeenOperator, bpy.types.Operator):
    """Select seen or unseen objects or faces."""

    bl_idname = "octree.select_seen"
    bl_label = "Select Seen"
    bl_description = "Select what the cameras see in the last result, or what they do not see"
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        options = self.taken
        subjects = seen.subjects(seen=options.part == "SEEN")
        faces = options.selects_faces(context)
        return verbs.select(context, subjects, options.action, faces=faces)


class OCTREE_OT_collect_seen(Asking[CollectSeenOptions], SeenOperator, bpy.types.Operator):
    """Collect seen or unseen objects in a new collection."""

    bl_idname = "octree.collect_seen"
    bl_label = "Collect Seen"
    bl_description = (
        "Link what the cameras saw, or did not see, into a new collection; the objects also"
        " stay in their present collections"
    )
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        options = self.taken
        subjects = seen.subjects(seen=options.part == "SEEN")
        return verbs.collect(context, subjects, options.collection or options.part.capitalize())


class OCTREE_OT_mark_seen(Asking[MarkSeenOptions], SeenOperator, bpy.types.Operator):
    """Write the number of frames with a view of an object or face to a property or attribute."""

    bl_idname = "octree.mark_seen"
    bl_label = "Mark Seen"
    bl_description = (
        "Write the number of frames in which each object was seen to a custom property, or each"
        " face to an attribute of its mesh"
    )
    may_edit = False
    bl_options = {"REGISTER", "UNDO"}

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        frames = zip(seen.objects, seen.frame_counts.tolist(), strict=True)
        objects = {tested.session_uid: count for tested, count in frames}
        subjects = Subjects(objects, lambda _: seen.faces)
        options = self.taken
        return verbs.mark(context, subjects, options.attribute, faces=options.kind == "FACES")


class OCTREE_OT_export_seen(
    AskingOperator[ExportSeenOptions],
    FileExport[ExportSeenOptions],
    SeenOperator,
    bpy.types.Operator,
):
    """Write a table with a row for each object in each view."""

    bl_idname = "octree.export_seen"
    bl_label = "Export Seen"
    bl_description = (
        "Write a line for each object in each view, as CSV or JSON by the file extension, in the"
        " form of the command octree seen; if Behind Others was asked, a line for each object or"
        " instance, with its pixels"
    )
    bl_options = {"REGISTER"}
    stem = "seen"

    def ask(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        """Open the file browser."""
        return FileExport.invoke(self, context, event)

    def check(self, context: bpy.types.Context) -> bool:
        """Fit the file name to the format; called by the file browser."""
        try:
            writer_of(FORMATS, self.taken.filepath, form_of(self.taken.format))
        except ValueError:
            self.put(filepath=str(Path(self.taken.filepath).with_suffix(".json")))
            return True
        return False

    def use(self, context: bpy.types.Context, seen: VisibilityResult) -> str:
        options = self.taken
        if seen.pixels is None and (options.format != "TABLE" or options.labels):
            raise ValueError("There are no pixels: ask with Behind Others")
        path, writer = self.chosen(FORMATS, form_of(options.format))
        # Read names and categories again, since no scene update reports their changes.
        items = items_of([*seen.owners], [*seen.table.items.instances])
        table = merged([replace(seen.table, items=items)])  # sorted, as on the command line
        answer = SeenAnswer(table, {"scene": context.scene.name})
        # Write label pictures first: if they fail, an existing table file stays unchanged.
        count = write_label_pictures(table, path.with_suffix("")) if options.labels else 0
        text = self.write(path, writer, answer, said=plural(len(table.which), "view"))
        return f"{text}, {plural(count, 'label picture')}" if options.labels else text


def form_of(choice: str) -> str:
    """Return the name of a format; empty for a table, as its format depends on the extension."""
    return "" if choice == "TABLE" else choice.lower()
