"""Make Real for dimensions: a mesh of their lines, and a text object for each length."""

from typing import Any

import bpy
import numpy as np

from ..arrays import Floats
from ..ui import RefusingOperator, Status, mode_obstacle, plural
from ..written_meshes import new_mesh
from .dimensions import shown_lines
from .mesh import mark_as_cells

NAME = "Octree Distances"
# Height of a letter relative to the length of its line.
_LETTER = 0.1


class OCTREE_OT_make_distances_real(RefusingOperator, bpy.types.Operator):
    """Operator that makes a mesh of the displayed dimension lines, and objects of their texts."""

    bl_idname = "octree.make_distances_real"
    bl_label = "Make Distances Real"
    bl_description = (
        "Turn the dimension lines that are shown into a mesh of edges, and their texts into text"
        " objects. They never count as a part of the scene"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=False)

    def execute(self, context: bpy.types.Context) -> Status:
        ends, written = shown_lines(context.scene)
        if not written:
            return self.refuse(ValueError("No distances are shown: measure some first"))
        parent = bpy.data.objects.new(NAME, edges_mesh(ends))
        made: list[Any] = [parent]
        for both, text in zip(ends, written, strict=True):
            made.append(text_object(text, both))
            made[-1].parent = parent
        for item in list(context.view_layer.objects.selected):
            item.select_set(False)
        for item in made:
            mark_as_cells(item)
            context.collection.objects.link(item)
            item.select_set(True)
        context.view_layer.objects.active = parent
        self.report({"INFO"}, f"Mesh of {plural(len(written), 'distance')}")
        return {"FINISHED"}


def edges_mesh(ends: Floats) -> bpy.types.Mesh:
    """Return a mesh with an edge between the two ends, (k, 2, 3), of each distance."""
    return new_mesh(NAME, ends.reshape(-1, 3), np.arange(2 * len(ends)).reshape(-1, 2))


def text_object(text: str, both: Floats) -> bpy.types.Object:
    """Return a text object at the midpoint of a line, (2, 3)."""
    curve: Any = bpy.data.curves.new(f"{NAME} Text", "FONT")
    curve.body, curve.align_x = text, "CENTER"
    length = float(np.linalg.norm(both[1] - both[0]))
    curve.size = max(length * _LETTER, 0.05)
    item = bpy.data.objects.new(f"{NAME} Text", curve)
    item.location = both.mean(axis=0).tolist()
    item.rotation_euler = np.pi / 2, 0, 0  # upright, readable in front view
    return item
