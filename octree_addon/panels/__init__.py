"""The Octree tab in the sidebar of the 3D view: it shows and offers, and computes nothing."""

from ..ui import Feature
from .answers import OCTREE_PT_answer
from .build import OCTREE_PT_advanced, OCTREE_PT_main, state_of
from .live import OCTREE_PT_live
from .questions import OCTREE_PT_camera, OCTREE_PT_collisions, OCTREE_PT_cursor
from .statistics import REFERENCES_WARNING, OCTREE_PT_statistics, table_of

__all__ = ["REFERENCES_WARNING", "state_of", "table_of"]

PANELS = (
    OCTREE_PT_main,
    OCTREE_PT_advanced,
    OCTREE_PT_live,
    OCTREE_PT_camera,
    OCTREE_PT_cursor,
    OCTREE_PT_collisions,
    OCTREE_PT_answer,
    OCTREE_PT_statistics,
)

FEATURE = Feature(classes=PANELS)
