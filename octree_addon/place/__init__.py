"""Placement of objects: drop until contact, push apart, fill with copies.

Read units, moves, candidates, turning and bodies first; then falling and fitting, which call the
core; then carrying, telling and placing, which write and report moves; then the operators drop,
push_apart, fill and mending.
"""

import bpy

from .. import audit
from ..result_list import ResultKind
from ..ui import Feature
from .candidates import Ranges
from .carrying import carried_out, read_again
from .drop import OCTREE_OT_drop
from .falling import PARTED, Falls, FallWish, fall_steps
from .fill import OCTREE_OT_fill
from .filling import Filling, FillWish, filling_steps, make_copies
from .fitting import room_named
from .hold import OCTREE_OT_hold, OCTREE_OT_put
from .mending import (
    FixableAuditKind,
    OCTREE_OT_copy_without_duplicates,
    OCTREE_OT_hide_duplicates,
)
from .panel import (
    DropKind,
    DroppableKind,
    MovedKind,
    OCTREE_PT_drop,
    OCTREE_PT_fill,
    OCTREE_PT_push_apart,
    draw_drop,
    draw_fill,
    draw_push_apart,
)
from .push_apart import OCTREE_OT_push_apart, Parting, parting_steps
from .settings import AXES, OctreeDropSettings, OctreeFillSettings, OctreePushApartSettings
from .telling import names_of
from .units import Movers, movers_of, with_faces

__all__ = [
    "AXES",
    "PARTED",
    "FallWish",
    "Falls",
    "FillWish",
    "Filling",
    "Movers",
    "Parting",
    "Ranges",
    "carried_out",
    "draw_drop",
    "draw_fill",
    "draw_push_apart",
    "fall_steps",
    "filling_steps",
    "make_copies",
    "movers_of",
    "names_of",
    "parting_steps",
    "read_again",
    "room_named",
    "with_faces",
]


def draw_menu(menu: bpy.types.Menu, _: bpy.types.Context) -> None:
    """Draw the placement operators in the menu."""
    menu.layout.separator()
    for name in (
        "drop",
        "push_apart",
        "fill",
        "hold",
        "hide_duplicates",
        "copy_without_duplicates",
    ):
        menu.layout.operator(f"octree.{name}")


FEATURE = Feature(
    settings={
        "drop": OctreeDropSettings,
        "push_apart": OctreePushApartSettings,
        "fill": OctreeFillSettings,
    },
    classes=(
        OCTREE_OT_drop,
        OCTREE_OT_push_apart,
        OCTREE_OT_fill,
        OCTREE_OT_put,
        OCTREE_OT_hold,
        OCTREE_OT_hide_duplicates,
        OCTREE_OT_copy_without_duplicates,
        OCTREE_PT_drop,
        OCTREE_PT_push_apart,
        OCTREE_PT_fill,
    ),
    menus=(("OCTREE_MT_object", draw_menu),),
    shortcuts=("octree.drop", "octree.push_apart", "octree.fill", "octree.hold"),
    # The kinds of audits are registered here, because their fixes place objects.
    kinds=(
        DropKind("drop"),
        MovedKind("push_apart"),
        ResultKind("fill"),
        DroppableKind(audit.FLOATING),
        FixableAuditKind(audit.QUESTION),
    ),
)
