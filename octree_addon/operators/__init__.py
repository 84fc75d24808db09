"""What a user can do, each an operator; read in this order: settings, progress, build, select."""

from ..ui import Feature
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
    OCTREE_OT_select_nearest,
    OCTREE_OT_select_on_ray,
    OCTREE_OT_select_collisions,
    OCTREE_OT_prove_it,
)

FEATURE = Feature(classes=OPERATORS, menus=menus.ENTRIES)
