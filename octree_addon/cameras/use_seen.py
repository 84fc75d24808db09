"""Uses of a visibility result: select, collect, mark, or export what cameras saw or missed."""

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
    """An operator on the last visibility result of the scene; a mixin."""

    answers = ANSWERS
    may_edit = True


class SelectSeenOptions(SeenOptions, SelectionOptions):
    """What is selected, and how the selection changes."""


class CollectSeenOptions(SeenOptions):
    """What is collected where."""

    collection: str = string(
        "", "Collection", "Name of the new collection; Seen or Unseen if empty"
    )


class MarkSeenOptions(OptionGroup):
    """What is marked, and by which name."""

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
    """What is written of what cameras saw."""

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
    """Select what cameras saw, or what they did not see."""

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
    """Gather what cameras saw in a new collection."""

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
    """Write into objects, or into faces, how often they were seen."""

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
    """Write a table of what cameras saw, and when."""

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
        """Offer a name that fits the format; the file browser calls this."""
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
        # Names and categories are those of now; no update tells of them.
        items = items_of([*seen.owners], [*seen.table.items.instances])
        table = merged([replace(seen.table, items=items)])  # in the order of the command line
        answer = SeenAnswer(table, {"scene": context.scene.name})
        # First what may be refused: the table then stays as it was.
        count = write_label_pictures(table, path.with_suffix("")) if options.labels else 0
        text = self.write(path, writer, answer, said=plural(len(table.which), "view"))
        return f"{text}, {plural(count, 'label picture')}" if options.labels else text


def form_of(choice: str) -> str:
    """Return the name of a format; empty for a table, of which the file extension decides."""
    return "" if choice == "TABLE" else choice.lower()
