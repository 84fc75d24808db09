"""An octree whose items come, move and go.

Read on in the order of the files' imports: cells, layout, residents, placement, then what changes
a layout (splitting, merging, rooting), and the class that puts it all together (tree).
"""

from .tree import DynamicOctree
from .upkeep import Turnover

__all__ = ["DynamicOctree", "Turnover"]
