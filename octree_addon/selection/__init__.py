"""Answers of the core written into Blender's selection; read answer, then objects and faces."""

from .answer import Answer
from .faces import select_faces
from .objects import select_objects

__all__ = ["Answer", "select_faces", "select_objects"]
