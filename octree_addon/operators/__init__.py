"""What a user can do, each an operator; read in this order: settings, progress, build, select."""

from ..ui import Feature
from . import menus
from .build import OCTREE_OT_build, OCTREE_OT_rebuild
from .clear import OCTREE_OT_clear
from .collide import OCTREE_OT_select_collisions
from .cursor import OCTREE_OT_select_nearest, OCTREE_OT_select_on_ray
from .find_seen import OCTREE_OT_find_seen
from .hide import OCTREE_OT_hide_unseen, OCTREE_OT_restore_hidden
from .live import OCTREE_OT_live
from .make_real import OCTREE_OT_make_real
from .prove import OCTREE_OT_prove_it
from .select import OCTREE_OT_select_in_frustum, OCTREE_OT_select_in_sphere
from .use_seen import (
    OCTREE_OT_collect_seen,
    OCTREE_OT_export_seen,
    OCTREE_OT_mark_seen,
    OCTREE_OT_select_seen,
)

OPERATORS = (
    OCTREE_OT_build,
    OCTREE_OT_rebuild,
    OCTREE_OT_clear,
    OCTREE_OT_live,
    OCTREE_OT_select_in_frustum,
    OCTREE_OT_select_in_sphere,
    OCTREE_OT_find_seen,
    OCTREE_OT_select_seen,
    OCTREE_OT_collect_seen,
    OCTREE_OT_mark_seen,
    OCTREE_OT_export_seen,
    OCTREE_OT_select_nearest,
    OCTREE_OT_select_on_ray,
    OCTREE_OT_select_collisions,
    OCTREE_OT_hide_unseen,
    OCTREE_OT_restore_hidden,
    OCTREE_OT_prove_it,
    OCTREE_OT_make_real,
)

FEATURE = Feature(classes=OPERATORS, menus=menus.ENTRIES)
