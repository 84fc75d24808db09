"""Active row of the results in two colors: its objects filled, with boxes seen through all."""

from typing import NamedTuple

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from .. import results
from ..arrays import Floats
from ..preferences import limits
from ..reader import evaluated_box, evaluated_mesh, mesh_arrays, triangle_count
from ..ui import settings_of
from .batches import nearer
from .cells import DOUBT, IN, box_corners, box_edges
from .lines import blended, line_batch, line_shader, vertex_buffer

_COLORS = (IN, DOUBT)
_FILL, _LINE, _WIDTH = 0.45, 0.9, 2.0
# How much all else fades into the background.
_FADE = 0.6
_SCREEN = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, -1, 0), (1, 1, 0), (-1, 1, 0)])


class Filled(NamedTuple):
    """The triangles of one object in its own space, and the state of the scene they are of."""

    fingerprint: str | None
    batch: gpu.types.GPUBatch | None


# By the session id of the object; those of the active row alone.
_filled: dict[int, Filled] = {}


def draw_active_row(scene: bpy.types.Scene) -> None:
    """Draw the objects of the active row where they are now."""
    sides = results.active_sides(scene)
    for uid in _filled.keys() - {item.session_uid for item in sides if item}:
        del _filled[uid]
    depsgraph = bpy.context.evaluated_depsgraph_get()
    if len(sides) == 2 and settings_of(scene).results.dim:
        fade()
    for item, color in zip(sides, _COLORS, strict=False):
        if item is not None and item.visible_get():
            draw_object(item, depsgraph, color)


def fade() -> None:
    """Let all that is drawn so far fade into the background of the theme."""
    theme = bpy.context.preferences.themes[0].view_3d.space
    color = (*theme.gradients.high_gradient[:], _FADE)
    screen = gpu.types.GPUBatch(type="TRIS", buf=vertex_buffer(_SCREEN.astype(np.float32)))
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection(), blended(in_front=True):
        gpu.matrix.load_identity()
        gpu.matrix.load_projection_matrix(Matrix.Identity(4))
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        shader.uniform_float("color", color)
        screen.draw(shader)


def draw_object(
    item: bpy.types.Object, depsgraph: bpy.types.Depsgraph, color: tuple[float, float, float]
) -> None:
    """Fill an object and draw its box."""
    evaluated = item.evaluated_get(depsgraph)
    batch = batch_of(item, evaluated)
    with gpu.matrix.push_pop():
        gpu.matrix.multiply_matrix(evaluated.matrix_world)
        if batch is not None:
            with blended(in_front=False), nearer():
                shader = gpu.shader.from_builtin("UNIFORM_COLOR")
                shader.bind()
                shader.uniform_float("color", (*color, _FILL))
                batch.draw(shader)
    corners = corners_of(evaluated_box(item, depsgraph), evaluated.matrix_world)
    if np.isfinite(corners).all():
        with blended(in_front=True):
            shader = line_shader(_WIDTH)
            shader.uniform_float("color", (*color, _LINE))
            line_batch(corners.astype(np.float32), box_edges(1)).draw(shader)


def corners_of(box: Floats, matrix: Matrix) -> Floats:
    """Return the corners, (8, 3), of a box, (6,), that a matrix has placed."""
    corners = box_corners(box[None, :3], box[None, 3:], np.zeros(1, np.intp)).reshape(-1, 3)
    placed = np.array(matrix)
    where: Floats = corners @ placed[:3, :3].T + placed[:3, 3]
    return where


def batch_of(item: bpy.types.Object, evaluated: bpy.types.Object) -> gpu.types.GPUBatch | None:
    """Return the triangles of a mesh, read again after the scene has changed and come to rest."""
    known, now = _filled.get(item.session_uid), results.known_fingerprint(bpy.context.scene)
    if known is None or (now is not None and known.fingerprint != now):
        known = _filled[item.session_uid] = Filled(now, make_batch(evaluated))
    return known.batch


def make_batch(evaluated: bpy.types.Object) -> gpu.types.GPUBatch | None:
    """Upload the triangles of an evaluated mesh in its own space; none of too many."""
    if evaluated.type != "MESH":
        return None
    with evaluated_mesh(evaluated) as mesh:
        if not 0 < triangle_count(mesh) <= limits().triangles:
            return None
        arrays = mesh_arrays(mesh)
    faces = np.ascontiguousarray(arrays.triangles, np.uint32)
    vertices = vertex_buffer(np.ascontiguousarray(arrays.positions))
    indices = gpu.types.GPUIndexBuf(type="TRIS", seq=faces)
    return gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=indices)


def forget() -> None:
    """Leave nothing on the graphics card."""
    _filled.clear()
