"""Dynamic octree: items are inserted, moved and removed.

Read on in the order of the imports: items, assignment, placement, maintenance, tree.
"""

from .maintenance import ChangeCounts
from .tree import DynamicOctree

__all__ = ["ChangeCounts", "DynamicOctree"]
