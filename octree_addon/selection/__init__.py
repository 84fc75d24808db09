"""Answers written into Blender's data: selected objects and faces, collections, marks."""

from .faces import select_faces, select_polygons
from .marks import mark_faces, mark_objects
from .objects import Answer, collect, found_text, select_found, select_objects

__all__ = [
    "Answer",
    "collect",
    "found_text",
    "mark_faces",
    "mark_objects",
    "select_faces",
    "select_found",
    "select_objects",
    "select_polygons",
]
