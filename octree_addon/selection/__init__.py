"""Answers written into Blender's data; read answer, then objects and faces, then the rest."""

from .answer import Answer
from .collections import collect
from .faces import select_faces, select_polygons
from .marks import mark_faces, mark_objects
from .objects import found_text, select_found, select_objects
from .unnoticed import unnoticed

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
    "unnoticed",
]
