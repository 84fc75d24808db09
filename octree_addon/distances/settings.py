"""Options of distances: which pairs, how many nearest, and whether dimensions are drawn."""

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty

from ..ui import OWN_WORDS, tag_redraw


class DistanceOptions:
    """Options of distances: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        pairs: str
        count: int
        first_set: str
        second_set: str
    else:
        pairs: EnumProperty(
            name="Between",
            description="Which objects distances are measured between",
            items=(
                ("ACTIVE", "Active and Others", "The active object and each other visible one"),
                ("SELECTED", "Selected", "All pairs of the selected objects"),
                (
                    "NEAREST",
                    "Each and Nearest",
                    "Each selected object, or each visible one if none is selected, and those"
                    " nearest to it",
                ),
                ("SETS", "Two Collections", "The nearest two objects of two collections"),
            ),
            default="ACTIVE",
        )
        count: IntProperty(
            name="Nearest",
            description="How many of the nearest objects are measured for each",
            default=1,
            min=1,
            soft_max=20,
            translation_context=OWN_WORDS,
        )
        first_set: StringProperty(
            name="First Set", description="Name of the collection that is the first set"
        )
        second_set: StringProperty(
            name="Second Set", description="Name of the collection that is the second set"
        )


class OctreeDistanceSettings(DistanceOptions, bpy.types.PropertyGroup):
    """Settings of distances: `scene.octree.distances`."""

    if TYPE_CHECKING:
        show: bool
    else:
        show: BoolProperty(
            name="Dimensions",
            description="Draw the distances of the list as dimension lines, which follow objects"
            " that move",
            default=True,
            update=tag_redraw,
        )


def draw_options(column: bpy.types.UILayout, options: Any) -> None:
    """Show the options that have an effect."""
    column.prop(options, "pairs")
    if options.pairs == "NEAREST":
        column.prop(options, "count")
    if options.pairs == "SETS":
        for name in ("first_set", "second_set"):
            column.prop_search(options, name, bpy.data, "collections")
