"""Select Nearest: the k nearest neighbors (k-NN) of the 3D cursor."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty
from mathutils import Vector

from ...core import Spheres, nearest
from ..arrays import Floats, Ids
from ..targets import Target
from .last_query import HitSteps, Query, flat_octree
from .outlines import Outline, sphere_outline
from .query_operator import QueryOperator, SelectionOptions


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestQuery(Query):
    """The few items nearest to a point.

    Attributes
    ----------
    point : ndarray of float64, shape (3,)
        Where it is.
    count : int
        At most this many items are wanted.
    max_distance : float
        None farther away than this.
    farthest : float
        The distance of the farthest item found.
    """

    point: Floats
    count: int
    max_distance: float
    farthest: float

    @property
    def traced(self) -> Spheres:
        return Spheres([self.point], [self.farthest])

    @cached_property
    def outline(self) -> Outline:
        return sphere_outline(self.point, self.farthest)

    def hit_steps(self, numbers: Ids) -> HitSteps:
        yield 0.0
        flat, count = flat_octree(self.target.items), self.count
        found = nearest(flat, [self.point], count=count, max_distance=self.max_distance)
        return found.items[found.items >= 0]


def by_number(items: Ids, distances: Floats) -> tuple[Ids, Floats]:
    """Sort items by their numbers, and their distances with them."""
    order = np.argsort(items, kind="stable")
    return items[order], distances[order]


class CursorOptions(SelectionOptions):
    """How far to look from the 3D cursor."""

    if TYPE_CHECKING:
        max_distance: float
    else:
        max_distance: FloatProperty(
            name="Max Distance",
            description="Maximum distance; unlimited if 0",
            default=0.0,
            min=0.0,
            soft_max=100.0,
            subtype="DISTANCE",
        )


class CursorOperator(QueryOperator):
    """A question from the 3D cursor; a mixin."""

    if TYPE_CHECKING:
        origin: Vector
        max_distance: float
    else:
        origin: FloatVectorProperty(
            name="Origin",
            description="Where to start; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    def prepare(self, context: bpy.types.Context) -> None:
        if not self.properties.is_property_set("origin"):
            self.origin = context.scene.cursor.location


class NearestOptions(CursorOptions):
    """What is nearest to the 3D cursor: the scene's settings and the operator's properties."""

    if TYPE_CHECKING:
        count: int
    else:
        count: IntProperty(
            name="Count",
            description="How many triangles or objects to find",
            default=1,
            min=1,
            soft_max=100,
        )


class OctreeNearestSettings(NearestOptions, bpy.types.PropertyGroup):
    """What is nearest to the 3D cursor."""


class OCTREE_OT_select_nearest(NearestOptions, CursorOperator, bpy.types.Operator):
    """Select what is nearest to the 3D cursor."""

    bl_idname = "octree.select_nearest"
    bl_label = "Select Nearest"
    bl_description = "Select what is nearest to the 3D cursor"
    key, settings = "nearest", OctreeNearestSettings
    rows = ("origin", "count", "max_distance", "kind", "action")
    panel_rows = ("count", "max_distance")

    def needed(self, target: Target) -> Ids:
        bounds, point = target.bounds(), np.array(self.origin, np.float64)
        # Each box holds an item: so many lie no farther away than the far corners of so many.
        corners = np.maximum(np.abs(bounds.lower - point), np.abs(bounds.upper - point))
        farthest = np.sort(np.linalg.norm(corners, axis=1))[: self.count].max(initial=0.0)
        radius = min(farthest * (1 + 1e-9), self.max_distance or np.inf)
        return target.near(Spheres([point], [radius]))

    def ask(self, target: Target) -> NearestQuery:
        point, max_distance = np.array(self.origin), self.max_distance or np.inf
        count = min(self.count, max(len(target), 1))
        found = nearest(target.octree, [point], count=count, max_distance=max_distance)
        hits = found.items[0] >= 0
        items, distances = by_number(target.numbers_found(found, hits), found.distances[0][hits])
        farthest = float(distances.max(initial=0.0))
        return NearestQuery(
            target=target,
            title=self.bl_label,
            items=items,
            distances=distances,
            notes=(f"{farthest:.4g} away",) if hits.any() else (),
            point=point,
            count=count,
            max_distance=max_distance,
            farthest=farthest,
        )
