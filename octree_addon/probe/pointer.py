"""Rays through pixels of a 3D view, and where they meet axes and planes."""

from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils

from ...core import ray_cast
from ..arrays import Floats
from ..snapshots import SceneTarget
from .shapes import Shape, Sight, shape_at

# Lines this near to parallel do not tell where they meet.
_PARALLEL = 1e-4


class Spot(NamedTuple):
    """A pixel of the main region of a 3D view; what it is of goes by address.

    Attributes
    ----------
    window, area, region : int
        What `as_pointer` says of each.
    x, y : float
        Where it is in the region.
    """

    window: int
    area: int
    region: int
    x: float
    y: float

    def at(self, x: float, y: float) -> "Spot":
        """Return another pixel of the same region."""
        return self._replace(x=x, y=y)


def spot_of(context: bpy.types.Context, x: float, y: float) -> Spot | None:
    """Return a pixel of the context's region; None if that is not the main one of a 3D view."""
    window, area, region = context.window, context.area, context.region
    if not (window and area and region) or (area.type, region.type) != ("VIEW_3D", "WINDOW"):
        return None
    return Spot(window.as_pointer(), area.as_pointer(), region.as_pointer(), x, y)


class Ray(NamedTuple):
    """A line of sight: from the eye, or from far before the scene, in a direction of length 1."""

    origin: Floats
    direction: Floats

    def on_plane(self, point: Floats, normal: Floats) -> Floats | None:
        """Return where it meets a plane in front of the eye; None if it does not."""
        slope = float(self.direction @ normal)
        if abs(slope) < _PARALLEL:
            return None
        way = float((point - self.origin) @ normal) / slope
        return self.origin + way * self.direction if way > 0 else None

    def along(self, point: Floats, axis: Floats) -> float | None:
        """Return how far along an axis from a point it passes nearest; None if parallel."""
        cosine = float(self.direction @ axis)
        if 1 - cosine**2 < _PARALLEL:
            return None
        between = point - self.origin
        return float(cosine * (between @ self.direction) - between @ axis) / (1 - cosine**2)


def ray_through(context: bpy.types.Context, x: float, y: float) -> Ray:
    """Return the line of sight of a pixel of the context's region."""
    region, view = context.region, view_of(context)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, (x, y))
    direction = np.array(view3d_utils.region_2d_to_vector_3d(region, view, (x, y)))
    return Ray(np.array(origin), direction / np.linalg.norm(direction))


def line_of_sight(context: bpy.types.Context) -> Floats:
    """Return where the view looks, (3,)."""
    return -np.array(view_of(context).view_matrix.inverted().col[2][:3])


def view_of(context: bpy.types.Context) -> bpy.types.RegionView3D:
    """Return how the context's 3D view is turned."""
    view: Any = context.region_data
    return view


def shape_under(context: bpy.types.Context, spot: Spot, target: SceneTarget) -> Shape:
    """Return what the settings ask where a pixel shows a surface or, of none, at the 3D cursor.

    There the pixel is taken to be as far away as the 3D cursor is, as Blender does.
    """
    ray = ray_through(context, spot.x, spot.y)
    hit = ray_cast(target.octree, [ray.origin], [ray.direction])
    if is_hit := bool(hit.items[0] >= 0):
        point, normal = hit.positions[0], hit.normals[0]
        normal = normal * -np.sign(normal @ ray.direction)
    else:
        normal = np.zeros(3)
        point = free_point(context, spot)
    return shape_at(context.scene, Sight(point, ray.direction, ray.origin, is_hit, normal))


def free_point(context: bpy.types.Context, spot: Spot) -> Floats:
    """Return the place of a pixel in the plane of the 3D cursor."""
    region, view, cursor = context.region, view_of(context), context.scene.cursor.location
    return np.array(view3d_utils.region_2d_to_location_3d(region, view, (spot.x, spot.y), cursor))
