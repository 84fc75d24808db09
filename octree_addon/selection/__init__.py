"""Answers written into Blender's data: selection, collections, attributes."""

from .faces import select_faces, select_polygons
from .marks import mark_faces, mark_objects
from .objects import (
    FoundItems,
    collect,
    found_text,
    select_found,
    select_objects,
    wanted_placements,
)

__all__ = [
    "FoundItems",
    "collect",
    "found_text",
    "mark_faces",
    "mark_objects",
    "select_faces",
    "select_found",
    "select_objects",
    "select_polygons",
    "wanted_placements",
]
