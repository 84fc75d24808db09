"""Place: objects moved until they touch, never into each other: drop, push apart, fill.

Read units, moves, candidates, turning and bodies; falling and fitting for what is asked of the
core; carrying, telling and placing for what comes of it; then drop, push_apart, fill and mending.
"""

import bpy

from .. import audit, results
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
    OCTREE_OT_copy_without_duplicates,
    OCTREE_OT_hide_duplicates,
    offer_mends,
)
from .panel import (
    OCTREE_PT_drop,
    OCTREE_PT_fill,
    OCTREE_PT_push_apart,
    draw_drop,
    draw_fill,
    draw_push_apart,
    offer_drop,
    offer_push_apart,
    say_moves,
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
    """Offer to place."""
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


audit.MENDS.append(offer_mends)
results.ANSWERS["drop"] = results.Said(say_moves, offer_push_apart)
results.ANSWERS["push_apart"] = results.Said(say_moves, lambda *_: None)
results.ANSWERS["select_floating"] = results.Said(audit.say_floating, offer_drop)
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
)
