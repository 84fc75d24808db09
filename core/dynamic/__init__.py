"""Dynamic octree: items are inserted, moved and removed.

Read the files in the order of their imports: items, assignment, placement, then what changes an
assignment (splitting, maintenance), and the class that puts it all together (tree).
"""

from .maintenance import ChangeCounts
from .tree import DynamicOctree

__all__ = ["ChangeCounts", "DynamicOctree"]
