"""Nearest-item queries: branch and bound level by level, then exact closest points."""

from .api import Nearest, nearest

__all__ = ["Nearest", "nearest"]
