"""Select in Box: items that touch an oriented bounding box (OBB), or a box at the 3D cursor.

The box is a hexahedron of eight corners, so its matrix may be sheared, mirrored or flat.
"""

from typing import Literal

import bpy
import numpy as np

from ...core import Frusta
from ..arrays import Floats
from ..options import enum, settings_group, string, vector, when
from ..reader import evaluated_box
from ..ui import OWN_WORDS, active_name, cursor_place, named_object
from .query_operator import VolumeOperator, VolumeOptions, within

# The corners in the order of `Frusta`, from -1 to 1.
_SIGNS = np.array([(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
# Thickness of a flat box relative to its largest coordinate: below float32 precision.
_THICKNESS = 2.0**-30


class BoxOptions(VolumeOptions):
    """Options of *Select in Box*: `scene.octree.box`."""

    around: Literal["ACTIVE", "CURSOR"] = enum(
        "ACTIVE",
        "Box",
        "Which box is tested",
        {
            "ACTIVE": (
                "Active Object",
                "The bounding box of the active object, turned and scaled as the object is;"
                " the object itself is not found",
            ),
            "CURSOR": ("3D Cursor", "A box around the 3D cursor, along the axes of the world"),
        },
        translation_context=OWN_WORDS,
    )
    object: str = string(
        "",
        "Object",
        "Name of the object that gives the box; the active one if not given",
        data="objects",
        shown=when(around, "ACTIVE"),
        settings=None,
        options={"SKIP_SAVE"},
    )
    center: tuple[float, float, float] = vector(
        (0.0, 0.0, 0.0),
        "Center",
        "Center of a box around the 3D cursor; the cursor if not given",
        shown=when(around, "CURSOR"),
        settings=None,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    size: tuple[float, float, float] = vector(
        (2.0, 2.0, 2.0),
        "Size",
        "Lengths of the edges of the box around the 3D cursor",
        shown=when(around, "CURSOR"),
        min=0.0,
        soft_max=100.0,
        subtype="XYZ_LENGTH",
    )
    relation: Literal["TOUCHING", "INSIDE"] = within("in the box")


class OCTREE_OT_select_in_box(VolumeOperator[BoxOptions], bpy.types.Operator):
    """Select what is in the bounding box of an object, or in a box around the 3D cursor."""

    bl_idname = "octree.select_in_box"
    bl_label = "Select in Box"
    bl_description = (
        "Select what is in the bounding box of the active object, except that object itself, or"
        " what is in a box around the 3D cursor"
    )
    key, settings = "box", settings_group(BoxOptions, "OctreeBoxSettings")

    def volume(self, context: bpy.types.Context) -> Frusta:
        if self.taken.around == "ACTIVE":
            return self._box_of_object(context)
        if not self.properties.is_property_set("center"):
            self.put(center=cursor_place(context.scene))
        options, self._uid = self.taken, 0
        center, half = np.array(options.center), np.array(options.size) / 2
        return box_of(np.stack((center - half, center + half)), np.eye(4))

    def _box_of_object(self, context: bpy.types.Context) -> Frusta:
        if not self.taken.object:
            self.put(object=active_name(context))
        item = named_object(context.scene, self.taken.object)
        depsgraph = context.evaluated_depsgraph_get()
        limits = evaluated_box(item, depsgraph)
        matrix = np.array(item.evaluated_get(depsgraph).matrix_world)
        if not limits.any() or not np.isfinite([*limits, *matrix.flat]).all():
            raise ValueError(f"{item.name} has no bounding box")
        self._uid = item.session_uid
        return box_of(limits.reshape(2, 3), matrix)


def box_of(limits: Floats, matrix: Floats) -> Frusta:
    """Return a box under an affine matrix, (4, 4); give a flat box the least possible thickness.

    `limits`, (2, 3), are the box's lower and upper corner in local space.
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
