"""Building a static octree, whole or in steps.

Items enter, cells are divided level by level, and the levels are put together.
"""

from .api import BuildCancelled, build_octree, build_steps

__all__ = ["BuildCancelled", "build_octree", "build_steps"]
