"""Select on Ray: ray casting from the 3D cursor, for the first hit or all hits."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import bpy
import numpy as np

from ...core import Capsules, ray_cast, ray_cast_all
from ..arrays import Floats, Ids
from ..options import enum, nested, pointer, settings_group, vector, when
from ..scope import viewport_of
from ..snapshots import SceneTarget
from ..ui import length_text, named_object
from .last_query import Query
from .nearest import CursorOperator, CursorOptions, ReachOptions, by_number
from .outlines import Outline, segment_outline
from .query_operator import QuerySteps

# Axis of the 3D cursor by ray direction.
_AXES = {"CURSOR_X": 0, "CURSOR_Y": 1, "CURSOR_Z": 2}


@dataclass(frozen=True, eq=False, kw_only=True)
class RayQuery(Query):
    """The first item or all items that a ray hits.

    Attributes
    ----------
    origin, direction : ndarray of float64, shape (3,)
        Start and direction of the ray.
    max_distance : float
        Length of the ray in scene units; finite.
    """

    origin: Floats
    direction: Floats
    max_distance: float

    @property
    def traced(self) -> tuple[Floats, Floats, float]:
        return self.origin, self.direction, self.max_distance

    @cached_property
    def outline(self) -> Outline:
        way = self.max_distance / np.linalg.norm(self.direction) * self.direction
        return segment_outline(self.origin, self.origin + way)


class RayOptions(CursorOptions):
    """Options of *Select on Ray*: `scene.octree.ray`."""

    along: Literal["VECTOR", "VIEW", "CURSOR_X", "CURSOR_Y", "CURSOR_Z", "CAMERA", "OBJECT"] = (
        enum(
            "VECTOR",
            "Along",
            "Where the ray from the 3D cursor goes",
            {
                "VECTOR": ("Direction", "Along a vector in world space"),
                "VIEW": ("View", "Away from the viewer, along the line of sight"),
                "CURSOR_X": ("Cursor X", "Along the X axis of the 3D cursor, as it is turned"),
                "CURSOR_Y": ("Cursor Y", "Along the Y axis of the 3D cursor, as it is turned"),
                "CURSOR_Z": ("Cursor Z", "Along the Z axis of the 3D cursor, as it is turned"),
                "CAMERA": ("To Camera", "To the scene's camera, and no farther"),
                "OBJECT": ("To Object", "To the origin of an object, and no farther"),
            },
        )
    )
    object: str = pointer(
        "objects",
        "Object",
        "The object that the ray goes to",
        shown=when(along, "OBJECT"),
        operator={"description": "Name of the object that the ray goes to"},
    )
    direction: tuple[float, float, float] = vector(
        (0.0, 0.0, -1.0),
        "Direction",
        "Direction of the ray from the 3D cursor, in world space",
        shown=when(along, "VECTOR"),
        subtype="XYZ",
    )
    hits: Literal["FIRST", "ALL"] = enum(
        "FIRST",
        "Hits",
        "Which of the items that the ray hits are found",
        {
            "FIRST": ("First", "The first item that the ray hits"),
            "ALL": ("All", "Every item that the ray passes through"),
        },
    )
    reach: ReachOptions = nested(ReachOptions())


class OCTREE_OT_select_on_ray(CursorOperator[RayOptions], bpy.types.Operator):
    """Select what a ray from the 3D cursor hits."""

    bl_idname = "octree.select_on_ray"
    bl_label = "Select on Ray"
    bl_description = "Select what a ray from the 3D cursor hits"
    key, settings = "ray", settings_group(RayOptions, "OctreeRaySettings")
    _way: Floats = np.zeros(3)
    _reach = 0.0

    def steps(self, context: bpy.types.Context) -> QuerySteps:
        given = self.properties.is_property_set
        if given("direction") and not given("along"):
            self.put(along="VECTOR")
        return super().steps(context)

    def prepare(self, context: bpy.types.Context) -> None:
        super().prepare(context)
        self._way, self._reach = self._way_of(context), 0.0
        if self.taken.along in ("CAMERA", "OBJECT"):
            self._reach = float(np.linalg.norm(self._way))
        if not np.isfinite(self._way).all():
            raise ValueError("The ray leads nowhere")
        if not self._way.any():
            raise ValueError("The ray needs a direction")

    def _way_of(self, context: bpy.types.Context) -> Floats:
        """Return the direction of the ray; for a ray to an object, the vector to its origin."""
        options = self.taken
        if options.along == "VIEW":
            return self._line_of_sight(context)
        if options.along in _AXES:
            return np.array(context.scene.cursor.matrix.col[_AXES[options.along]][:3])
        if options.along in ("CAMERA", "OBJECT"):
            goal = self._goal(context).evaluated_get(context.evaluated_depsgraph_get())
            return np.array(goal.matrix_world.translation) - np.array(options.origin)
        return np.array(options.direction, np.float64)

    def _line_of_sight(self, context: bpy.types.Context) -> Floats:
        viewport = viewport_of(context)
        if viewport is None or viewport.region_3d is None:
            raise ValueError("There is no 3D view to look along: choose another direction")
        view = viewport.region_3d
        eye = view.view_matrix.inverted()
        if view.is_perspective:
            way = np.array(self.taken.origin) - np.array(eye.translation)
            if way.any():
                return way
        return -np.array(eye.col[2][:3])

    def _goal(self, context: bpy.types.Context) -> bpy.types.Object:
        options = self.taken
        if options.along == "OBJECT":
            if not options.object:
                raise ValueError("Choose the object that the ray goes to")
            return named_object(context.scene, options.object)
        if context.scene.camera is None:
            raise ValueError("The scene has no camera")
        return context.scene.camera

    def needed(self, target: SceneTarget) -> Ids:
        origin, direction = self._line()
        way = direction * (self._distance(target) / np.linalg.norm(direction))
        return target.near(Capsules([origin], [origin + way], [0.0]))

    def _line(self) -> tuple[Floats, Floats]:
        return np.array(self.taken.origin, np.float64), self._way

    def _distance(self, target: SceneTarget) -> float:
        limits = [limit for limit in (self.taken.reach.max_distance, self._reach) if limit]
        return min(limits) if limits else self._everything_within(target)

    def ask(self, target: SceneTarget) -> RayQuery:
        origin, direction = self._line()
        distance = self._distance(target)
        if self.taken.hits == "ALL":
            crossings = ray_cast_all(target.octree, [origin], [direction], max_distance=distance)
            items, distances = target.numbers_crossed(crossings.pairs), crossings.distances
        else:
            hit = ray_cast(target.octree, [origin], [direction], max_distance=distance)
            is_hit = hit.items >= 0
            items, distances = target.numbers_found(hit, is_hit), hit.distances[is_hit]
        items, distances = by_number(items, distances)
        nearest = [length_text(bpy.context.scene, each) for each in np.sort(distances)[:1]]
        return RayQuery(
            target=target,
            title=self.bl_label,
            items=items,
            distances=distances,
            notes=tuple(f"first hit {each} away" for each in nearest),
            origin=origin,
            direction=direction,
            max_distance=distance,
        )

    def _everything_within(self, target: SceneTarget) -> float:
        """Return a finite distance from the origin within which all items lie."""
        bounds, origin = target.bounds(), self.taken.origin
        farthest = np.maximum(
            np.abs(bounds.lower.min(axis=0, initial=0) - origin),
            np.abs(bounds.upper.max(axis=0, initial=0) - origin),
        )
        return 2 * float(np.linalg.norm(farthest))
