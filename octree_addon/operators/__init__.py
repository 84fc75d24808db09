"""The operators of the features that have not moved into their own folder yet."""

from ..ui import Feature
from .find_seen import OCTREE_OT_find_seen
from .hide import OCTREE_OT_hide_unseen, OCTREE_OT_restore_hidden
from .make_real import OCTREE_OT_make_real
from .use_seen import (
    OCTREE_OT_collect_seen,
    OCTREE_OT_export_seen,
    OCTREE_OT_mark_seen,
    OCTREE_OT_select_seen,
)

FEATURE = Feature(
    classes=(
        OCTREE_OT_find_seen,
        OCTREE_OT_select_seen,
        OCTREE_OT_collect_seen,
        OCTREE_OT_mark_seen,
        OCTREE_OT_export_seen,
        OCTREE_OT_hide_unseen,
        OCTREE_OT_restore_hidden,
        OCTREE_OT_make_real,
    )
)
