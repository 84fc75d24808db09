"""Item buffers: the triangle and the placement that each pixel of a view shows.

View matrices, vertex stage, scan conversion, renderers by z-buffer or rays, and measurements.
"""

from .evidence import Evidence
from .face_sampling import FaceSamples, face_samples, face_samples_steps
from .pixel_rays import PixelRays
from .renderers import ItemBuffers, ItemRenderer, item_buffers
from .views import sphere_directions, views_around, views_inside
from .visible_pixels import (
    OCCLUDED,
    OUT_OF_VIEW,
    SEEN,
    TOO_SMALL,
    Visibility,
    visibility,
    visibility_steps,
)
from .z_buffer import ZBuffer

__all__ = [
    "OCCLUDED",
    "OUT_OF_VIEW",
    "SEEN",
    "TOO_SMALL",
    "Evidence",
    "FaceSamples",
    "ItemBuffers",
    "ItemRenderer",
    "PixelRays",
    "Visibility",
    "ZBuffer",
    "face_samples",
    "face_samples_steps",
    "item_buffers",
    "sphere_directions",
    "views_around",
    "views_inside",
    "visibility",
    "visibility_steps",
]
