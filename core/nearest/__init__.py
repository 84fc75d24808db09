"""Questions for the nearest items: an approach level by level, and exact closest points."""

from .api import Nearest, nearest

__all__ = ["Nearest", "nearest"]
