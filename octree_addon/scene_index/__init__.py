"""Scene index feature: one for each view layer, kept for the session.

Read pending, revision, boxes, placed_octree, index and sources for what a scene is; moments,
glances, session, rest and fingerprints for whether it has changed since. Add-on authors start at
`scene_index`.
"""

from .fingerprints import (
    current_fingerprint,
    has_changed,
    is_soon_told,
    own_writing,
    preserving_staleness,
    walking,
    write_fingerprints,
)
from .glances import glance_at
from .index import Placement, SceneIndex
from .moments import (
    are_same,
    asked_of,
    doubt_results,
    evaluations,
    glances_of,
    holds,
    is_as_at,
    is_doubted,
    is_old,
    is_outdated,
    known_fingerprint,
    listen_to_changes,
    note_asked,
    notice_losses,
    revision,
)
from .rest import at_rest, catch_up, rest_soon, steps_in
from .revision import changed, rows_before
from .session import (
    doubt,
    index_of,
    index_steps,
    keep_only,
    known_index,
    listen_if_needed,
    scene_index,
    subscribe,
    unread_triangles,
    unsubscribe,
    view_layer_named,
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
    "are_same",
    "asked_of",
    "at_rest",
    "box_source",
    "catch_up",
    "changed",
    "comparison_steps",
    "count_triangles",
    "current_fingerprint",
    "doubt",
    "doubt_results",
    "evaluations",
    "glance_at",
    "glances_of",
    "has_changed",
    "holds",
    "index_of",
    "index_steps",
    "is_as_at",
    "is_doubted",
    "is_old",
    "is_outdated",
    "is_soon_told",
    "keep_only",
    "known_fingerprint",
    "known_index",
    "listen_if_needed",
    "listen_to_changes",
    "note_asked",
    "notice_losses",
    "own_writing",
    "preserving_staleness",
    "rest_soon",
    "revision",
    "rows_before",
    "scene_index",
    "steps_in",
    "subscribe",
    "triangle_source_steps",
    "unread_triangles",
    "unsubscribe",
    "view_layer_named",
    "walking",
    "write_fingerprints",
]
