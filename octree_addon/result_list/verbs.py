"""Registry of the actions on rows in the list of results."""

from .collect_rows import OCTREE_OT_collect_rows
from .copy_names import OCTREE_OT_copy_names
from .hide_rows import OCTREE_OT_hide_rows
from .mark_rows import OCTREE_OT_mark_rows
from .operators import (
    OCTREE_OT_clear_results,
    OCTREE_OT_copy_rows,
    OCTREE_OT_export_rows,
    ResultOperator,
)

# In the order of the menu and the panel.
VERBS: tuple[type[ResultOperator], ...] = (
    OCTREE_OT_collect_rows,
    OCTREE_OT_mark_rows,
    OCTREE_OT_export_rows,
    OCTREE_OT_copy_rows,
    OCTREE_OT_hide_rows,
    OCTREE_OT_copy_names,
    OCTREE_OT_clear_results,
)
