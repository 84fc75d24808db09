"""What a user can do, each an operator; read in this order: settings, progress, build, select."""

import bpy

from ..display.mesh import OCTREE_OT_make_real
from ..hiding.operators import OCTREE_OT_hide_unseen, OCTREE_OT_restore_hidden
from ..shot.find_seen import OCTREE_OT_find_seen
from ..shot.use_seen import (
    OCTREE_OT_collect_seen,
    OCTREE_OT_export_seen,
    OCTREE_OT_mark_seen,
    OCTREE_OT_select_seen,
)
from . import menus
from .build import OCTREE_OT_build, OCTREE_OT_rebuild
from .clear import OCTREE_OT_clear
from .collide import OCTREE_OT_select_collisions
from .cursor import OCTREE_OT_select_nearest, OCTREE_OT_select_on_ray
from .live import OCTREE_OT_live
from .prove import OCTREE_OT_prove_it
from .select import OCTREE_OT_select_in_frustum, OCTREE_OT_select_in_sphere

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


def register() -> None:
    """Register the operators, then the menus that offer them."""
    for operator in OPERATORS:
        bpy.utils.register_class(operator)
    menus.register()


def unregister() -> None:
    """Take the menus back, then the operators."""
    menus.unregister()
    for operator in reversed(OPERATORS):
        bpy.utils.unregister_class(operator)
