"""Select what is nearest to the 3D cursor, or what a ray from it meets."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import FloatVectorProperty
from mathutils import Vector

from ...core import Octree, nearest, ray_cast, ray_cast_all
from ..answers import Asked, Nearby, Ray
from ..options import NearestOptions, RayOptions
from ..trees import BuiltTree
from ..ui import settings_of, take, write_back
from .asking import AskSteps, SelectOperator


class CursorOperator(SelectOperator):
    """What questions from the 3D cursor share: where it is."""

    if TYPE_CHECKING:
        origin: Vector
        max_distance: float
    else:
        origin: FloatVectorProperty(
            name="Origin",
            description="Where to look from; the 3D cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    def prepare(self, context: bpy.types.Context) -> None:
        self.take_settings(context.scene)
        if not self.properties.is_property_set("origin"):
            self.origin = context.scene.cursor.location

    def take_settings(self, scene: bpy.types.Scene) -> None:
        """Take the scene's settings where the caller gave none."""
        raise NotImplementedError

    def ask(self, octree: Octree) -> Asked:
        """Ask the tree."""
        raise NotImplementedError

    def ask_steps(self, context: bpy.types.Context, built: BuiltTree) -> AskSteps:
        asked = self.ask(built.octree)
        yield 1.0
        return asked

    def reach(self, octree: Octree) -> float:
        """Return how far to look: where all items are within reach, if it is all the same."""
        if self.max_distance > 0:
            return self.max_distance
        bounds = octree.arranged.bounds()
        farthest = np.maximum(
            np.abs(bounds.lower.min(axis=0, initial=0) - self.origin),
            np.abs(bounds.upper.max(axis=0, initial=0) - self.origin),
        )
        return 2 * float(np.linalg.norm(farthest))


class OCTREE_OT_select_nearest(NearestOptions, CursorOperator, bpy.types.Operator):
    """Select what is nearest to the 3D cursor."""

    bl_idname = "octree.select_nearest"
    bl_label = "Select Nearest"
    bl_description = "Select what is nearest to the 3D cursor"

    def take_settings(self, scene: bpy.types.Scene) -> None:
        take(self, settings_of(scene).nearest)

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).nearest)

    def ask(self, octree: Octree) -> Asked:
        point, reach = np.array(self.origin), self.max_distance or np.inf
        count = min(self.count, max(len(octree), 1))
        found = nearest(octree, [point], count=count, max_distance=reach)
        hits = found.items[0] >= 0
        farthest = float(found.distances[0][hits].max(initial=0.0))
        note = (f"{farthest:.4g} away",) if hits.any() else ()
        question = Nearby(point, count, reach, farthest)
        items = np.sort(found.items[0][hits])
        return Asked(octree, self.bl_label, question, items, notes=note)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("origin", "count", "max_distance", "kind", "action"):
            layout.prop(self, name)


class OCTREE_OT_select_on_ray(RayOptions, CursorOperator, bpy.types.Operator):
    """Select what a ray from the 3D cursor meets."""

    bl_idname = "octree.select_on_ray"
    bl_label = "Select on Ray"
    bl_description = "Select what a ray from the 3D cursor meets"

    def take_settings(self, scene: bpy.types.Scene) -> None:
        take(self, settings_of(scene).ray)

    def remember(self, scene: bpy.types.Scene) -> None:
        write_back(self, settings_of(scene).ray)

    def ask(self, octree: Octree) -> Asked:
        origin, direction = np.array(self.origin), np.array(self.direction)
        if not direction.any():
            raise ValueError("The ray needs a direction")
        reach = self.reach(octree)
        if self.hits == "ALL":
            crossings = ray_cast_all(octree, [origin], [direction], max_distance=reach)
            items, distances = crossings.pairs[1], crossings.distances
        else:
            hit = ray_cast(octree, [origin], [direction], max_distance=reach)
            items, distances = hit.items[hit.items >= 0], hit.distances[hit.items >= 0]
        note = (f"first hit {distances.min():.4g} away",) if len(items) else ()
        ray = Ray(origin, direction, reach, self.hits == "FIRST")
        return Asked(octree, self.bl_label, ray, np.sort(items), notes=note)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        layout = self.layout
        layout.use_property_split = True
        for name in ("origin", "direction", "hits", "max_distance", "kind", "action"):
            layout.prop(self, name)
