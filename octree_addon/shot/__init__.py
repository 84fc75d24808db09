"""What cameras see over a shot: frustum culling of objects and faces, frame by frame.

Read in this order: visibility_result, frames, placements, scene_reader, box_culling,
object_culling, shot.
"""

from .frames import frame_numbers
from .shot import Shot, shot_steps
from .visibility_result import (
    TestedObject,
    VisibilityResult,
    csv_table,
    forget,
    get,
    intervals,
    json_table,
    keep,
    objects_of,
)

__all__ = [
    "Shot",
    "TestedObject",
    "VisibilityResult",
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
