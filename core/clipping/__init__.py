"""Clipping: triangles cut at the walls of cells, without a crack, or each in one cell whole."""

from .api import assign, clip, clip_steps, piece_counts
from .pieces import Pieces

__all__ = ["Pieces", "assign", "clip", "clip_steps", "piece_counts"]
