"""Findings written into Blender's data: selection, collections, custom properties, attributes."""

from .faces import select_faces
from .found_items import FoundItems, wanted_placements
from .marks import mark_faces, mark_objects
from .objects import found_text, link_to_new, select_objects
from .options import SelectionOptions
from .subjects import Subjects

__all__ = [
    "FoundItems",
    "SelectionOptions",
    "Subjects",
    "found_text",
    "link_to_new",
    "mark_faces",
    "mark_objects",
    "select_faces",
    "select_objects",
    "wanted_placements",
]
