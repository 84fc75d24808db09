"""Density settings: what is counted, in which cells or of which objects, and a snapshot of it."""

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty

from ..ui import OWN_WORDS


class DensityOptions:
    """What is counted: the scene's settings and the operator's properties."""

    if TYPE_CHECKING:
        what: str
        by: str
        cell: float
        budget: int
        per_pixel: float
    else:
        what: EnumProperty(
            name="Where",
            description="Where triangles are counted",
            items=(
                ("CELLS", "In Cells", "In cells of one size, each triangle where its center is"),
                (
                    "PIXELS",
                    "Per Pixel",
                    "Of objects, against the most pixels that a camera sees of them: find what"
                    " cameras really see first",
                ),
                ("SPARSE", "Sparse Objects", "Of large objects, whose boxes are nearly empty"),
            ),
            default="CELLS",
        )
        by: EnumProperty(
            name="Color By",
            description="What cells are colored and sorted by",
            items=(
                ("TRIANGLES", "Triangles", "How many triangles each has"),
                ("OBJECTS", "Objects", "Of how many objects and instances"),
                ("MATERIALS", "Materials", "Of how many materials"),
                ("VOLUME", "Triangles per m\u00b3", "How many triangles to a cubic meter"),
            ),
            default="TRIANGLES",
            translation_context=OWN_WORDS,
        )
        cell: FloatProperty(
            name="Cell",
            description="How long the edges of cells are, counted from the origin of the world",
            default=1.0,
            min=1e-4,
            soft_max=1_000.0,
            subtype="DISTANCE",
        )
        budget: IntProperty(
            name="Budget",
            description="More triangles than this in a cell are over budget; 0 for no budget",
            default=0,
            min=0,
            soft_max=1_000_000,
        )
        per_pixel: FloatProperty(
            name="Triangles per Pixel",
            description="How many triangles a pixel needs, of those that an object would cover"
            " were it alone",
            default=1.0,
            min=0.01,
            soft_max=4.0,
        )


class OctreeDensitySettings(DensityOptions, bpy.types.PropertyGroup):
    """What is counted, and what was: `scene.octree.density`."""

    if TYPE_CHECKING:
        snapshot: str
    else:
        snapshot: StringProperty(
            name="Snapshot", description="Counts that later ones are compared with, as JSON"
        )


def density_rows(options: DensityOptions) -> list[str]:
    """Return the names of the options that count, from top to bottom."""
    by_kind = {"CELLS": ["by", "cell", "budget"], "PIXELS": ["per_pixel"], "SPARSE": []}
    return ["what", *by_kind[options.what]]
