"""Select in Sphere: a range query for items within a radius of the 3D cursor."""

from typing import Literal

import bpy
import numpy as np

from ...core import Spheres, between, query
from .. import trees
from ..arrays import Ids
from ..built_tree import BuiltTree
from ..cells import keep_tree, triangle_tree_steps
from ..options import enum, real, settings_group, vector
from ..scope import viewport_of
from ..snapshots import SceneTarget, TargetSteps, scene_steps
from ..ui import cursor_place
from .query_operator import VolumeOperator, VolumeOptions


class SphereOptions(VolumeOptions):
    """Options of *Select in Sphere*: `scene.octree.sphere`."""

    center: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Center",
        "Center of the sphere; the 3D cursor if not given",
        settings=None,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    radius: float = real(
        1.0,
        "Radius",
        "Radius of the sphere around the 3D cursor",
        min=0.0,
        soft_max=100.0,
        subtype="DISTANCE",
    )
    relation: Literal["TOUCHING", "CANDIDATES"] = enum(
        "TOUCHING",
        "Precision",
        "How exact the answer is",
        {
            "TOUCHING": ("Exact", "Triangles that touch the sphere"),
            "CANDIDATES": (
                "Whole Cells",
                "Every triangle of the cells that touch the sphere: potential colliders",
            ),
        },
    )


class OCTREE_OT_select_in_sphere(VolumeOperator[SphereOptions], bpy.types.Operator):
    """Select the items near the 3D cursor."""

    bl_idname = "octree.select_in_sphere"
    bl_label = "Select in Sphere"
    bl_description = "Select what is near the 3D cursor"
    key, settings = "sphere", settings_group(SphereOptions, "OctreeSphereSettings")
    _built: BuiltTree | None = None

    def target_steps(self, context: bpy.types.Context) -> TargetSteps:
        self._built = None
        options = self.taken
        if options.relation != "CANDIDATES":
            return (yield from super().target_steps(context))
        if options.of_original:
            raise ValueError("The octree that is built has modifiers: set Ask Meshes to As Shown")
        built = yield from between(0.0, 0.8, triangle_tree_steps(context))
        self._built = built
        target = yield from between(0.8, 1.0, scene_steps(context, viewport_of(context)))
        rows = target.rows_of(built.source.placements)
        return target.only(np.sort(rows[rows >= 0]))

    def items_in(self, target: SceneTarget, relation: str) -> Ids:
        """Return the items in the sphere; for "candidates", all items of cells that touch it."""
        built = self._built
        if built is None:
            return super().items_in(target, relation)
        found = query(built.octree, self._volume, relation=relation)[1]
        return target.renumbered(built.source.placements, built.places_of(found))

    def keep_more(self, context: bpy.types.Context) -> None:
        """Store the octree built for the question, unless the scene has an octree of objects."""
        built = trees.get(context.scene)
        if self._built and self._built is not built and not (built and built.holds_objects):
            keep_tree(context.scene, self._built)

    def volume(self, context: bpy.types.Context) -> Spheres:
        if not self.properties.is_property_set("center"):
            self.put(center=cursor_place(context.scene))
        options = self.taken
        return Spheres([options.center], [options.radius])
