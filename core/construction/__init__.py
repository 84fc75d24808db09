"""Building a static octree, whole or in steps."""

from .api import BuildCancelled, build_octree, build_steps

__all__ = ["BuildCancelled", "build_octree", "build_steps"]
