"""Questions for the nearest items: an approach level by level, and exact closest points."""

from .questions import Nearest, nearest

__all__ = ["Nearest", "nearest"]
