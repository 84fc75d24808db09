"""Scene index feature: one for each view layer, kept for the session; read index, then session.

Add-on authors start at `scene_index`.
"""

from .index import Placement, SceneIndex
from .session import (
    doubt,
    fingerprint_steps,
    forget,
    index_steps,
    is_being_read,
    is_read,
    keep_only,
    note_changes,
    scene_index,
    unread_triangles,
)

__all__ = [
    "Placement",
    "SceneIndex",
    "doubt",
    "fingerprint_steps",
    "forget",
    "index_steps",
    "is_being_read",
    "is_read",
    "keep_only",
    "note_changes",
    "scene_index",
    "unread_triangles",
]
