"""Scene index feature: one `SceneIndex` for each view layer, kept for the session.

The modules pending, revision, boxes, placed_octree, index and sources read the content of a
scene. The modules readings, session, rest, version and view_state track whether the scene has
changed since then. Add-on authors start at `scene_index`.
"""

from .index import Placement, SceneIndex
from .readings import check_object_count, evaluations, forget_readings, is_walking
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
from .version import (
    State,
    Version,
    changed_back,
    confirm_steps,
    layer_key,
    own_changes,
    read_if_soon,
    version_asked,
    version_from_file,
    version_of,
    version_of_layer,
    views_version_of,
)
from .view_state import view_state_of

__all__ = [
    "Placement",
    "SceneIndex",
    "Source",
    "SourceObject",
    "State",
    "Version",
    "at_rest",
    "box_source",
    "catch_up",
    "changed",
    "changed_back",
    "check_object_count",
    "comparison_steps",
    "confirm_steps",
    "count_triangles",
    "doubt",
    "evaluations",
    "forget_readings",
    "index_of",
    "index_steps",
    "is_walking",
    "keep_only",
    "known_index",
    "layer_key",
    "listen_if_needed",
    "own_changes",
    "read_if_soon",
    "rest_soon",
    "rows_before",
    "scene_index",
    "steps_in",
    "subscribe",
    "triangle_source_steps",
    "unread_triangles",
    "unsubscribe",
    "version_asked",
    "version_from_file",
    "version_of",
    "version_of_layer",
    "view_layer_named",
    "view_state_of",
    "views_version_of",
]
