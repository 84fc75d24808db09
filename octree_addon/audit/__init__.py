"""Clash audit: findings in the list of results, re-checks of changes, reports.

Read model first, which needs no Blender, then rules, auditing, keeping, settings, operators,
marking, floating, export and panel; for collisions film and collisions.
"""

import bpy

from ..ui import Feature
from .auditing import audited_steps, look_steps
from .collisions import COLLISIONS, CollisionsKind, OCTREE_OT_select_collisions
from .export import OCTREE_OT_export_audit, about_of
from .floating import FLOATING, OCTREE_OT_select_floating
from .keeping import QUESTION, grouped_by_hand
from .marking import (
    OCTREE_OT_compare_audit,
    OCTREE_OT_mark_findings,
    OCTREE_OT_select_duplicates,
)
from .operators import OCTREE_OT_audit, OCTREE_OT_recheck
from .panel import (
    AuditKind,
    FloatingKind,
    OCTREE_PT_audit,
    OCTREE_PT_collisions,
    OCTREE_PT_floating,
    choose_ground,
    draw_audit,
    draw_collisions,
    draw_floating,
)
from .rules import Wish
from .settings import (
    OctreeAuditSettings,
    OctreeCollisionSettings,
    OctreeFloatingSettings,
    usual_band,
)

__all__ = [
    "FLOATING",
    "QUESTION",
    "AuditKind",
    "FloatingKind",
    "Wish",
    "about_of",
    "audited_steps",
    "choose_ground",
    "draw_audit",
    "draw_collisions",
    "draw_floating",
    "grouped_by_hand",
    "look_steps",
    "usual_band",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the operators of audits and findings in the menu."""
    menu.layout.separator()
    for name in (
        "audit", "recheck", "mark_findings", "compare_audit", "export_audit", "select_duplicates",
        "select_floating", "select_collisions",
    ):  # fmt: skip
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={
        "audit": OctreeAuditSettings,
        "collisions": OctreeCollisionSettings,
        "floating": OctreeFloatingSettings,
    },
    classes=(
        OCTREE_OT_audit,
        OCTREE_OT_recheck,
        OCTREE_OT_mark_findings,
        OCTREE_OT_compare_audit,
        OCTREE_OT_export_audit,
        OCTREE_OT_select_duplicates,
        OCTREE_OT_select_floating,
        OCTREE_OT_select_collisions,
        OCTREE_PT_audit,
        OCTREE_PT_collisions,
        OCTREE_PT_floating,
    ),
    menus=(("OCTREE_MT_select", draw_menu),),
    shortcuts=(OCTREE_OT_select_collisions.bl_idname,),
    kinds=(CollisionsKind(COLLISIONS),),  # `place` registers the others: their fixes place objects
)
