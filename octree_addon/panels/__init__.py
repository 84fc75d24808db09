"""The panels of the features that have not moved into their own folder yet."""

from ..ui import Feature
from .display import OCTREE_PT_display, draw_switch
from .hiding import OCTREE_PT_hiding
from .shot import OCTREE_PT_shot

FEATURE = Feature(
    classes=(OCTREE_PT_display, OCTREE_PT_shot, OCTREE_PT_hiding),
    menus=(("VIEW3D_PT_overlay", draw_switch),),
)
