"""Scene index feature: one for each view layer, kept for the session.

Read pending, revision, boxes, index and session, then sources. Add-on authors start at
`scene_index`.
"""

from .index import Placement, SceneIndex
from .revision import changed, rows_before
from .session import (
    doubt,
    fingerprint_steps,
    forget,
    index_of,
    index_steps,
    is_being_read,
    is_read,
    keep_only,
    known_index,
    scene_index,
    seconds_at_rest,
    subscribe,
    unread_triangles,
    unsubscribe,
)
from .sources import (
    Source,
    SourceObject,
    box_source,
    comparison_steps,
    count_triangles,
    triangle_source_steps,
)

__all__ = [
    "Placement",
    "SceneIndex",
    "Source",
    "SourceObject",
    "box_source",
    "changed",
    "comparison_steps",
    "count_triangles",
    "doubt",
    "fingerprint_steps",
    "forget",
    "index_of",
    "index_steps",
    "is_being_read",
    "is_read",
    "keep_only",
    "known_index",
    "rows_before",
    "scene_index",
    "seconds_at_rest",
    "subscribe",
    "triangle_source_steps",
    "unread_triangles",
    "unsubscribe",
]
