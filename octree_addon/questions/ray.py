"""Select on Ray: ray casting from the 3D cursor, the first hit or all of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatVectorProperty
from mathutils import Vector

from ...core import Capsules, ray_cast, ray_cast_all
from ..arrays import Floats, Ids
from ..targets import Target
from .last_query import HitSteps, Query, flat_octree
from .nearest import CursorOperator, CursorOptions, by_number
from .outlines import Outline, segment_outline


@dataclass(frozen=True, eq=False, kw_only=True)
class RayQuery(Query):
    """The items that a ray meets, the first one or all.

    Attributes
    ----------
    origin, direction : ndarray of float64, shape (3,)
        Where the ray starts, and where it goes.
    max_distance : float
        Where it ends, in scene units; finite.
    is_first : bool
        Whether the first hit is wanted alone.
    """

    origin: Floats
    direction: Floats
    max_distance: float
    is_first: bool

    @property
    def traced(self) -> tuple[Floats, Floats, float]:
        return self.origin, self.direction, self.max_distance

    @cached_property
    def outline(self) -> Outline:
        way = self.max_distance / np.linalg.norm(self.direction) * self.direction
        return segment_outline(self.origin, self.origin + way)

    def hit_steps(self, numbers: Ids) -> HitSteps:
        yield 0.0
        origin, direction, distance = self.traced
        flat = flat_octree(self.target.items)
        crossings = ray_cast_all(flat, [origin], [direction], max_distance=distance)
        return crossings.pairs[1][: 1 if self.is_first else None]


class RayOptions(CursorOptions):
    """What a ray meets: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        direction: Vector
        hits: str
    else:
        direction: FloatVectorProperty(
            name="Direction",
            description="Direction of the ray from the 3D cursor, in world space",
            default=(0.0, 0.0, -1.0),
            subtype="XYZ",
        )
        hits: EnumProperty(
            name="Hits",
            description="Which of the items that the ray hits are found",
            items=(
                ("FIRST", "First", "The first item that the ray hits"),
                ("ALL", "All", "Every item that the ray passes through"),
            ),
            default="FIRST",
        )


class OctreeRaySettings(RayOptions, bpy.types.PropertyGroup):
    """What a ray from the 3D cursor meets."""


class OCTREE_OT_select_on_ray(RayOptions, CursorOperator, bpy.types.Operator):
    """Select what a ray from the 3D cursor hits."""

    bl_idname = "octree.select_on_ray"
    bl_label = "Select on Ray"
    bl_description = "Select what a ray from the 3D cursor hits"
    key, settings = "ray", OctreeRaySettings
    rows = ("origin", "direction", "hits", "max_distance", "kind", "action")
    panel_rows = ("direction", "hits", "max_distance")

    def needed(self, target: Target) -> Ids:
        origin, direction = self._line()
        way = direction * (self._distance(target) / np.linalg.norm(direction))
        return target.near(Capsules([origin], [origin + way], [0.0]))

    def _line(self) -> tuple[Floats, Floats]:
        if not np.array(self.direction).any():
            raise ValueError("The ray needs a direction")
        return np.array(self.origin, np.float64), np.array(self.direction, np.float64)

    def _distance(self, target: Target) -> float:
        return self.max_distance or self._everything_within(target)

    def ask(self, target: Target) -> RayQuery:
        origin, direction = self._line()
        distance = self._distance(target)
        if self.hits == "ALL":
            crossings = ray_cast_all(target.octree, [origin], [direction], max_distance=distance)
            items, distances = target.numbers_crossed(crossings.pairs), crossings.distances
        else:
            hit = ray_cast(target.octree, [origin], [direction], max_distance=distance)
            is_hit = hit.items >= 0
            items, distances = target.numbers_found(hit, is_hit), hit.distances[is_hit]
        items, distances = by_number(items, distances)
        return RayQuery(
            target=target,
            title=self.bl_label,
            items=items,
            distances=distances,
            notes=(f"first hit {distances.min():.4g} away",) if len(distances) else (),
            origin=origin,
            direction=direction,
            max_distance=distance,
            is_first=self.hits == "FIRST",
        )

    def _everything_within(self, target: Target) -> float:
        """Return a finite distance from the origin within which all items lie."""
        bounds = target.bounds()
        farthest = np.maximum(
            np.abs(bounds.lower.min(axis=0, initial=0) - self.origin),
            np.abs(bounds.upper.max(axis=0, initial=0) - self.origin),
        )
        return 2 * float(np.linalg.norm(farthest))
