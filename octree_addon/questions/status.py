"""Status bar: a summary of the last query, while the scene is unchanged."""

import bpy

from ..scene_index import check_object_count
from . import last_query


def draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """Draw the summary of the last query if the scene is unchanged since."""
    scene = context.scene
    query = last_query.get(scene) if scene else None
    if query is not None:
        check_object_count()
    if query is not None and last_query.is_current(scene):
        header.layout.label(text=f"{query.title}: {query.words}", icon="VIEWZOOM", translate=False)
