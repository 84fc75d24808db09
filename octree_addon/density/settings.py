"""Options of the operator Density."""

from typing import Literal

from ..answers.options import AnswerOptions
from ..options import enum, integer, real, settings_group, when
from ..ui import OWN_WORDS


class DensityOptions(AnswerOptions):
    """Options of *Density*: `scene.octree.density`."""

    what: Literal["CELLS", "PIXELS"] = enum(
        "CELLS",
        "Where",
        "Where triangles are counted",
        {
            "CELLS": ("In Cells", "In cells of one size, each triangle where its center is"),
            "PIXELS": (
                "Per Pixel",
                "Of objects, against the most pixels that a camera sees of them: find what"
                " cameras really see first",
            ),
        },
    )
    by: Literal["TRIANGLES", "OBJECTS", "MATERIALS", "VOLUME"] = enum(
        "TRIANGLES",
        "Color By",
        "What cells are colored and sorted by",
        {
            "TRIANGLES": ("Triangles", "How many triangles each has"),
            "OBJECTS": ("Objects", "Of how many objects and instances"),
            "MATERIALS": ("Materials", "Of how many materials"),
            "VOLUME": ("Triangles per m\u00b3", "How many triangles to a cubic meter"),
        },
        translation_context=OWN_WORDS,
        shown=when(what, "CELLS"),
    )
    cell: float = real(
        1.0,
        "Cell",
        "How long the edges of cells are, counted from the origin of the world",
        min=1e-4,
        soft_max=1_000.0,
        subtype="DISTANCE",
        shown=when(what, "CELLS"),
    )
    budget: int = integer(
        0,
        "Budget",
        "More triangles than this in a cell are over budget; 0 for no budget",
        min=0,
        soft_max=1_000_000,
        shown=when(what, "CELLS"),
    )
    per_pixel: float = real(
        1.0,
        "Triangles per Pixel",
        "How many triangles a pixel needs, of those that an object would cover were it alone",
        min=0.01,
        soft_max=4.0,
        shown=when(what, "PIXELS"),
    )


OctreeDensitySettings = settings_group(DensityOptions, "OctreeDensitySettings")
