"""Rays through pixels of a 3D view, and their points nearest to axes or on planes."""

from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils

from ...core import ray_cast
from ..arrays import Floats
from ..snapshots import SceneTarget
from .shapes import Shape, Sight, shape_at

# Smallest sine (planes) or squared sine (axes) of the angle that an intersection needs.
_PARALLEL = 1e-4


class Spot(NamedTuple):
    """A pixel of the main region of a 3D view.

    Attributes
    ----------
    window, area, region : int
        Addresses, as `as_pointer` returns them.
    x, y : float
        Position in the region.
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
    """Return a pixel of the current region; None if this is not the main one of a 3D view."""
    window, area, region = context.window, context.area, context.region
    if not (window and area and region) or (area.type, region.type) != ("VIEW_3D", "WINDOW"):
        return None
    return Spot(window.as_pointer(), area.as_pointer(), region.as_pointer(), x, y)


class Ray(NamedTuple):
    """A line of sight: origin at the eye, or far in front of the scene; direction of length 1."""

    origin: Floats
    direction: Floats

    def on_plane(self, point: Floats, normal: Floats) -> Floats | None:
        """Return the intersection with a plane in front of the eye; None without one."""
        slope = float(self.direction @ normal)
        if abs(slope) < _PARALLEL:
            return None
        way = float((point - self.origin) @ normal) / slope
        return self.origin + way * self.direction if way > 0 else None

    def along(self, point: Floats, axis: Floats) -> float | None:
        """Return the position on an axis, from a point, nearest to the ray; None if parallel."""
        cosine = float(self.direction @ axis)
        if 1 - cosine**2 < _PARALLEL:
            return None
        between = point - self.origin
        return float(cosine * (between @ self.direction) - between @ axis) / (1 - cosine**2)


def ray_through(context: bpy.types.Context, x: float, y: float) -> Ray:
    """Return the line of sight through a pixel of the current region."""
    region, view = context.region, view_of(context)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, (x, y))
    direction = np.array(view3d_utils.region_2d_to_vector_3d(region, view, (x, y)))
    return Ray(np.array(origin), direction / np.linalg.norm(direction))


def line_of_sight(context: bpy.types.Context) -> Floats:
    """Return the direction in which the view looks, (3,)."""
    return -np.array(view_of(context).view_matrix.inverted().col[2][:3])


def view_of(context: bpy.types.Context) -> bpy.types.RegionView3D:
    """Return the view of the current region."""
    view: Any = context.region_data
    return view


def shape_under(context: bpy.types.Context, spot: Spot, target: SceneTarget) -> Shape:
    """Return the question of the settings at the surface under a pixel, else in free space.

    In free space, the point is as far away as the 3D cursor, as elsewhere in Blender.
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
    """Return the point under a pixel in the plane of the 3D cursor that faces the view."""
    region, view, cursor = context.region, view_of(context), context.scene.cursor.location
    return np.array(view3d_utils.region_2d_to_location_3d(region, view, (spot.x, spot.y), cursor))
