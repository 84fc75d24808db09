"""Clipping: triangles cut at the walls of cells without cracks, or assigned whole to a cell."""

from .api import assign, clip, clip_steps, piece_counts
from .pieces import Pieces

__all__ = ["Pieces", "assign", "clip", "clip_steps", "piece_counts"]
