"""Select in Box: what touches an oriented bounding box (OBB), or a box at the 3D cursor.

The box is a hexahedron of eight corners: any matrix will do, sheared, mirrored or flat.
"""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatVectorProperty, StringProperty
from mathutils import Vector

from ...core import Frusta
from ..arrays import Floats
from ..reader import evaluated_box
from ..ui import OWN_WORDS, SelectionOptions, cursor_place, named_object
from .query_operator import VolumeOperator, within

# The corners in the order of `Frusta`, from -1 to 1.
_SIGNS = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
# A flat box is made this thick, as a part of its largest coordinate: less than floats can show.
_THICKNESS = 2.0**-30


class BoxOptions(SelectionOptions):
    """Options of a box: the scene's settings and the properties of the operator."""

    if TYPE_CHECKING:
        around: str
        size: Vector
        relation: str
    else:
        around: EnumProperty(
            name="Box",
            translation_context=OWN_WORDS,
            description="Which box is tested",
            items=(
                (
                    "ACTIVE",
                    "Active Object",
                    "The bounding box of the active object, turned and scaled as the object is;"
                    " the object itself is not found",
                ),
                ("CURSOR", "3D Cursor", "A box around the 3D cursor, along the axes of the world"),
            ),
            default="ACTIVE",
        )
        size: FloatVectorProperty(
            name="Size",
            description="Lengths of the edges of the box around the 3D cursor",
            default=(2.0, 2.0, 2.0),
            min=0.0,
            soft_max=100.0,
            subtype="XYZ_LENGTH",
        )
        relation: within("in the box")


class OctreeBoxSettings(BoxOptions, bpy.types.PropertyGroup):
    """Settings of the question about a box: `scene.octree.box`."""


class OCTREE_OT_select_in_box(BoxOptions, VolumeOperator, bpy.types.Operator):
    """Select what is in the bounding box of an object, or in a box around the 3D cursor."""

    bl_idname = "octree.select_in_box"
    bl_label = "Select in Box"
    bl_description = (
        "Select what is in the bounding box of the active object, except that object itself, or"
        " what is in a box around the 3D cursor"
    )
    key, settings = "box", OctreeBoxSettings

    if TYPE_CHECKING:
        object: str
        center: Vector
    else:
        object: StringProperty(
            name="Object",
            description="Name of the object that gives the box; the active one if not given",
            options={"SKIP_SAVE"},
        )
        center: FloatVectorProperty(
            name="Center",
            description="Center of a box around the 3D cursor; the cursor if not given",
            subtype="TRANSLATION",
            options={"SKIP_SAVE"},
        )

    @classmethod
    def rows_of(cls, options: BoxOptions) -> tuple[str, ...]:
        given_by = ("object",) if options.around == "ACTIVE" else ("center", "size")
        return ("around", *given_by, "relation", "kind", "action")

    def volume(self, context: bpy.types.Context) -> Frusta:
        if self.around == "ACTIVE":
            return self._box_of_object(context)
        if not self.properties.is_property_set("center"):
            self.center = cursor_place(context.scene)
        center, half, self._uid = np.array(self.center), np.array(self.size) / 2, 0
        return box_of(np.stack((center - half, center + half)), np.eye(4))

    def _box_of_object(self, context: bpy.types.Context) -> Frusta:
        if not self.object:
            if context.object is None:
                raise ValueError("There is no active object")
            self.object = context.object.name
        item = named_object(context.scene, self.object)
        depsgraph = context.evaluated_depsgraph_get()
        limits = evaluated_box(item, depsgraph)
        matrix = np.array(item.evaluated_get(depsgraph).matrix_world)
        if not limits.any() or not np.isfinite([*limits, *matrix.flat]).all():
            raise ValueError(f"{item.name} has no bounding box")
        self._uid = item.session_uid
        return box_of(limits.reshape(2, 3), matrix)


def box_of(limits: Floats, matrix: Floats) -> Frusta:
    """Return a box that a matrix has placed; if it is flat, then as thin as a volume can be.

    `limits` are its lower and upper corner in its own space, (2, 3); `matrix`, (4, 4), is affine.
    """
    linear, origin = matrix[:3, :3].astype(np.float64), matrix[:3, 3]
    corners = np.where(_SIGNS < 0, *limits) @ linear.T + origin
    edges = linear * (limits[1] - limits[0]) / 2
    turn, lengths, own = np.linalg.svd(edges)
    least = _THICKNESS * max(np.abs(corners).max(), _THICKNESS)
    if lengths.min() < least:
        edges = turn * np.maximum(lengths, least) @ own
        corners = corners.mean(axis=0) + _SIGNS @ edges.T
    return Frusta([corners])
