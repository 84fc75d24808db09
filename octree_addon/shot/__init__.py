"""What cameras see over a shot.

Read in this order: seen, frames, unkeyed, local_meshes, placements, scene_reader, views, vertices,
boxes, object_judge, face_judge, look, tables, memory.
"""

from .frames import frame_numbers
from .shot import Shot, shot_steps
from .visibility_result import (
    Seen,
    Subject,
    csv_table,
    forget,
    get,
    intervals,
    json_table,
    keep,
    objects_of,
)

__all__ = [
    "Seen",
    "Shot",
    "Subject",
    "csv_table",
    "forget",
    "frame_numbers",
    "get",
    "intervals",
    "json_table",
    "keep",
    "objects_of",
    "shot_steps",
]
