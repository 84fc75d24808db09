"""Properties of results in the file, and settings of the list."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    IntProperty,
    StringProperty,
)

from ..answers.kept import result_chosen
from ..ui import tag_redraw
from .choosing import choose_line, line_of, row_chosen


class OctreeResultRow(bpy.types.PropertyGroup):
    """An empty item of Blender's list; the rows themselves are packed in the result."""


class OctreeListSettings(bpy.types.PropertyGroup):
    """State of Blender's list: `window_manager.octree`, in no undo step."""

    if TYPE_CHECKING:
        rows: Any  # of OctreeResultRow
        clicked: int
        clicked_at: int
    else:
        rows: CollectionProperty(
            type=OctreeResultRow, name="Rows", description="As many as the active result has lines"
        )
        clicked: IntProperty(description="The line that was clicked last", default=-1)
        clicked_at: IntProperty(description="When, in milliseconds of a clock that runs over")


class OctreeResult(bpy.types.PropertyGroup):
    """One answer in the file: its question, and its rows packed into bytes."""

    if TYPE_CHECKING:
        title: str
        question: str
        options: str
        number: int
        fingerprint: str
        count: int
        data: bytes
        details: bytes
        subjects: str
        marks: str
        groups: str
        opened: str
        picked: bytes
        pinned: bool
    else:
        name: StringProperty(
            name="Name",
            description="Name of the result. One that was renamed is not replaced when the same"
            " question is asked again",
        )
        title: StringProperty(description="What the user calls the question")
        question: StringProperty(description="The operator that asked")
        options: StringProperty(description="What it was called with, as JSON")
        number: IntProperty(description="A number that no other result has")
        fingerprint: StringProperty(description="What the scene was like when it was asked")
        count: IntProperty(description="How many rows there are")
        data: StringProperty(subtype="BYTE_STRING", description="The rows, packed")
        details: StringProperty(
            subtype="BYTE_STRING", description="What else was found of each row, packed"
        )
        subjects: StringProperty(description="The objects that rows name: references")
        marks: StringProperty(description="What the user has said of rows, as JSON")
        groups: StringProperty(description="The rows of each group by hand, as JSON")
        opened: StringProperty(description="Which headers of the list are open, as JSON")
        picked: StringProperty(
            subtype="BYTE_STRING", description="Which rows are picked, a bit for each"
        )
        pinned: BoolProperty(
            name="Keep",
            description="Keep this result beside the new one when the question is asked again",
        )


class OctreeResultsSettings(bpy.types.PropertyGroup):
    """The results of a scene, and the settings of the list: `scene.octree.results`."""

    if TYPE_CHECKING:
        kept: Any  # of OctreeResult
        active: int
        row: int
        line: int
        search: str
        sort: str
        reverse: bool
        follow: bool
        outline: bool
        dim: bool
    else:
        kept: CollectionProperty(
            type=OctreeResult, name="Results", description="The answers that are kept, by name"
        )
        active: IntProperty(
            name="Active Result",
            description="Which of the results the list shows",
            min=0,
            update=result_chosen,
        )
        row: IntProperty(
            name="Row",
            description="Which row is active: its number, or behind all rows that of a header",
            default=-1,
            min=-1,
            update=row_chosen,
        )
        line: IntProperty(
            name="Line",
            description="Where the active row stands in the list",
            min=-1,
            get=line_of,
            set=choose_line,
        )
        search: StringProperty(
            name="Search",
            description="Show only the rows with this text in a name",
            options={"TEXTEDIT_UPDATE"},
            update=tag_redraw,
        )
        sort: StringProperty(
            name="Sort By",
            description="Header of the column that the rows are sorted by; as found if empty",
            update=tag_redraw,
        )
        reverse: BoolProperty(
            name="Reverse",
            description="Sort from the largest to the smallest, or from Z to A",
            update=tag_redraw,
        )
        follow: BoolProperty(
            name="Follow",
            description="Turn the view to what is clicked, so that it fills the view",
            default=True,
        )
        outline: BoolProperty(
            name="Color Row",
            description="Color the objects of the active row, with boxes that are seen through all"
            " else: the first yellow, the second of a pair vermilion",
            default=True,
            update=tag_redraw,
        )
        dim: BoolProperty(
            name="Dim Others",
            description="Fade all else while the pair of the active row is colored",
            default=True,
            update=tag_redraw,
        )
