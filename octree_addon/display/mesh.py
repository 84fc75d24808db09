"""Make Real for cells: a mesh object with their edges, in their colors."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import Octree
from .. import questions, trees
from ..arrays import Ids
from ..reader import NOT_SCENE
from ..ui import RefusingOperator, Status, mode_obstacle, plural, settings_of
from ..written_meshes import new_mesh
from .cells import (
    RAMP,
    box_edges,
    cell_colors,
    cell_corners,
    cell_shades,
    look_of,
    wanted_cells,
)

COLOR_NAME = "Color"


def cells_to_mesh(
    octree: Octree,
    cells: Ids,
    *,
    boxes: str = "TIGHT",
    colors: NDArray[np.float32] | None = None,
    name: str,
) -> bpy.types.Mesh:
    """Make a mesh of the edges of cells, (c,), in world space; no cells give an empty mesh.

    Each cell has 8 vertices, 12 edges and no face. `boxes` is "TIGHT" or "LOOSE". The color
    attribute "Color" of the vertices holds `colors`, (c, 3), by default the colors by depth.
    """
    corners, edges = cell_corners(octree, cells, boxes), box_edges(len(cells))
    mesh = new_mesh(name, corners.reshape(-1, 3), edges)
    if colors is None:
        colors = RAMP[cell_shades(octree, cells, "DEPTH")]
    _color(mesh, colors)
    return mesh


def _color(mesh: bpy.types.Mesh, colors: NDArray[np.float32]) -> None:
    """Give the eight vertices of each cell its color in sRGB, as on the screen."""
    attribute = mesh.color_attributes.new(COLOR_NAME, "FLOAT_COLOR", "POINT")
    opaque = np.pad(colors, ((0, 0), (0, 1)), constant_values=1.0)
    assert isinstance(attribute, bpy.types.FloatColorAttribute)
    attribute.data.foreach_set("color_srgb", np.repeat(opaque, 8, axis=0).ravel())


NAME = "Octree Cells"


def mark_as_cells(item: Any) -> None:
    """Exclude an object and its copies from octrees, questions and views of cameras."""
    item[NOT_SCENE] = True
    item.id_properties_ui(NOT_SCENE).update(
        description="Cells of an octree made real: left out of octrees, questions and views of"
        " cameras. Delete this property to make the object count"
    )


class OCTREE_OT_make_real(RefusingOperator, bpy.types.Operator):
    """Operator that makes a mesh object of the edges of the displayed cells, in their colors."""

    bl_idname = "octree.make_real"
    bl_label = "Make Real"
    bl_description = (
        "Turn the cells that are shown into a mesh object of edges in their colors. It never"
        " counts as a part of the scene, unless its custom property octree_cells is deleted"
    )
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = "" if trees.get(context.scene) else "Build an octree first"
        return mode_obstacle(context, may_edit=False) or other

    def execute(self, context: bpy.types.Context) -> Status:
        scene = context.scene
        octree, query = trees.get(scene).octree, questions.get(scene)
        look = look_of(settings_of(scene).display)
        states = query.states_in(octree) if query else None
        cells = wanted_cells(octree, look, states)
        if not len(cells):
            self.report({"ERROR"}, "No cells are shown")
            return {"CANCELLED"}
        colors = cell_colors(octree, cells, look, states)
        try:
            mesh = cells_to_mesh(octree, cells, boxes=look.boxes, colors=colors, name=NAME)
        except ValueError as error:
            return self.refuse(error)
        item: Any = bpy.data.objects.new(NAME, mesh)
        mark_as_cells(item)
        self._select_only(context, item)
        self.report({"INFO"}, f"Mesh of {plural(len(cells), 'cell')}")
        return {"FINISHED"}

    def _select_only(self, context: bpy.types.Context, item: bpy.types.Object) -> None:
        """Link an object to the active collection; make it active and the only selected one."""
        context.collection.objects.link(item)
        for other in list(context.view_layer.objects.selected):
            other.select_set(False)
        item.select_set(True)
        context.view_layer.objects.active = item
