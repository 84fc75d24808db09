"""Status bar: what the last question found, in words, as long as the scene is as it was asked."""

import bpy

from ..scene_index import check_object_count
from . import last_query


def draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """Say it at the bottom of the window."""
    scene = context.scene
    query = last_query.get(scene) if scene else None
    if query is not None:
        check_object_count()
    if query is not None and last_query.is_current(scene):
        header.layout.label(text=f"{query.title}: {query.words}", icon="VIEWZOOM", translate=False)
