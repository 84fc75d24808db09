"""An octree whose items come, move and go.

Read on in the order of the files' imports: cells, layout, residents, placement, then what changes
a layout (splitting, merging, rooting), and the class that puts it all together (tree).
"""

from .maintenance import ChangeCounts
from .tree import DynamicOctree

__all__ = ["ChangeCounts", "DynamicOctree"]
