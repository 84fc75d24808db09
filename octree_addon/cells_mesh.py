"""Cells made real: the edges of cells as a mesh, in their colors."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core import Octree
from .cells import RAMP, box_edges, cell_corners, cell_shades

COLOR_NAME = "Color"


def cells_to_mesh(
    octree: Octree,
    cells: NDArray[np.intp],
    *,
    boxes: str = "TIGHT",
    colors: NDArray[np.float32] | None = None,
    name: str,
) -> bpy.types.Mesh:
    """Make a mesh of the edges of cells.

    Parameters
    ----------
    octree : Octree
        The tree.
    cells : ndarray of intp, shape (c,)
        Cell numbers. No cells give an empty mesh.
    boxes : str, default "TIGHT"
        "TIGHT" or "LOOSE".
    colors : ndarray of float32, shape (c, 3), optional
        One for each cell; by default, by depth.
    name : str
        Name of the mesh.

    Returns
    -------
    bpy.types.Mesh
        8 vertices and 12 edges for each cell, in world space, no faces. The color attribute
        "Color" of the vertices holds the colors.
    """
    mesh = bpy.data.meshes.new(name)
    corners, edges = cell_corners(octree, cells, boxes), box_edges(len(cells))
    mesh.vertices.add(8 * len(cells))
    mesh.vertices.foreach_set("co", corners.ravel())
    mesh.edges.add(len(edges))
    mesh.edges.foreach_set("vertices", edges.ravel())
    mesh.update()
    if colors is None:
        colors = RAMP[cell_shades(octree, cells, "DEPTH")]
    _color(mesh, colors)
    return mesh


def _color(mesh: bpy.types.Mesh, colors: NDArray[np.float32]) -> None:
    """Give the eight vertices of each cell its color, as seen on the screen."""
    attribute = mesh.color_attributes.new(COLOR_NAME, "FLOAT_COLOR", "POINT")
    opaque = np.pad(colors, ((0, 0), (0, 1)), constant_values=1.0)
    assert isinstance(attribute, bpy.types.FloatColorAttribute)
    attribute.data.foreach_set("color_srgb", np.repeat(opaque, 8, axis=0).ravel())
