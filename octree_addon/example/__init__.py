"""Example feature: a small town to try everything on; read solids, town, then operator."""

from ..ui import Feature
from .operator import OCTREE_OT_add_example, draw_offer

__all__ = ["draw_offer"]

FEATURE = Feature(classes=(OCTREE_OT_add_example,))
