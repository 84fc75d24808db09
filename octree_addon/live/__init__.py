"""Live: octrees of objects that follow the scene.

Reading order: follower, session, pairs, panel.

An octree follows from the moment it is switched on until it is switched off or cleared; if it is
built again, the new one follows. This state is not stored in the file, so that nothing runs in a
file that was only opened.
"""

from ..ui import Feature
from .follower import Follower, Pairs
from .pairs import left_out, shown_pairs
from .panel import OCTREE_OT_live, OCTREE_PT_live, OctreeLiveSettings
from .session import (
    follow,
    get,
    keep_following,
    merge_deferred,
    merge_interval,
    start,
    stop,
    stop_all,
)

__all__ = [
    "Follower",
    "Pairs",
    "follow",
    "get",
    "keep_following",
    "left_out",
    "merge_deferred",
    "merge_interval",
    "shown_pairs",
    "start",
    "stop",
    "stop_all",
]

FEATURE = Feature(settings={"live": OctreeLiveSettings}, classes=(OCTREE_OT_live, OCTREE_PT_live))
