"""Options of distances: which pairs, how many nearest, and whether dimensions are drawn."""

from typing import Literal

from ..answers.options import AnswerOptions
from ..options import OptionGroup, boolean, enum, integer, settings_group, string, when
from ..ui import OWN_WORDS, tag_redraw


class DistanceOptions(OptionGroup):
    """Options for the pairs of objects to measure."""

    pairs: Literal["ACTIVE", "SELECTED", "NEAREST", "SETS"] = enum(
        "ACTIVE",
        "Between",
        "Which objects distances are measured between",
        {
            "ACTIVE": ("Active and Others", "The active object and each other visible one"),
            "SELECTED": ("Selected", "All pairs of the selected objects"),
            "NEAREST": (
                "Each and Nearest",
                "Each selected object, or each visible one if none is selected, and those"
                " nearest to it",
            ),
            "SETS": ("Two Collections", "The nearest two objects of two collections"),
        },
    )
    count: int = integer(
        1,
        "Nearest",
        "How many of the nearest objects are measured for each",
        min=1,
        soft_max=20,
        translation_context=OWN_WORDS,
        shown=when(pairs, "NEAREST"),
    )
    first_set: str = string(
        "",
        "First Set",
        "Name of the collection that is the first set",
        data="collections",
        shown=when(pairs, "SETS"),
    )
    second_set: str = string(
        "",
        "Second Set",
        "Name of the collection that is the second set",
        data="collections",
        shown=when(pairs, "SETS"),
    )


class MeasureOptions(DistanceOptions, AnswerOptions):
    """Options of the operator *Measure Distances*."""


class DimensionOptions(DistanceOptions):
    """Options of distances, with the drawing of dimensions: `scene.octree.distances`."""

    show: bool = boolean(
        True,
        "Dimensions",
        "Draw the distances of the list as dimension lines, which follow objects that move",
        settings={"update": tag_redraw},
        operator=None,
    )


OctreeDistanceSettings = settings_group(DimensionOptions, "OctreeDistanceSettings")
