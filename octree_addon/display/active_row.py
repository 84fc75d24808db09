"""Active row of the results: its objects filled in two colors, with boxes in front."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import bpy
import gpu
import numpy as np
from mathutils import Matrix

from .. import result_list
from ..arrays import Floats
from ..preferences import colors, limits
from ..reader import (
    evaluated_box,
    evaluated_mesh,
    find_instance,
    mesh_arrays,
    triangle_count,
)
from ..result_list import Side
from ..scene_index import State, Version, version_of
from ..ui import settings_of
from . import painted_objects
from .batches import OPACITY, draw_paint, nearer
from .cells import box_corners, box_edges
from .layers import Redraw, keep_uploads, put_upload, upload_of
from .lines import (
    blended,
    draw_plain,
    line_batch,
    line_shader,
    triangle_batch,
    vertex_buffer,
)

_FILL, _LINE, _WIDTH = 0.45, 0.9, 2.0
# Part of a key that tells a request for the instances of a row from one for an answer.
_ROW = -1
# Default fading of everything else into the background.
_FADE = 0.6
_SCREEN = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, -1, 0), (1, 1, 0), (-1, 1, 0)])


class Filled(NamedTuple):
    """Uploaded triangles of one side of a row, and the version of the scene they were read from.

    Attributes
    ----------
    version : Version
        Depends on the shape of the object; for an instance, on everything visible.
    batch : GPUBatch, optional
        The triangles in local space.
    matrix, bounds : ndarray of float64, optional
        World matrix and local box of an instance; None for an object, which is asked itself.
    """

    version: Version
    batch: gpu.types.GPUBatch | None = None
    matrix: Floats | None = None
    bounds: Floats | None = None


_NAME = "active row"


def is_drawn(redraw: Redraw) -> bool:
    """Return whether the objects of an active row are drawn in colors."""
    active = redraw.active if redraw.settings.results.outline else None
    return active is not None and any(active.sides())


def draw_active_row(redraw: Redraw) -> None:
    """Draw the objects of the active row in their present places."""
    scene, is_wanted = redraw.scene, redraw.settings.results.outline
    sides = redraw.active.sides() if redraw.active and is_wanted else []
    keys = [key_of(scene, side) if side else () for side in sides]
    keep_uploads(_NAME, scene, ((_NAME, *key) for key in keys))
    is_shown = [side is not None and side.object.visible_get() for side in sides]
    if len(sides) == 2 and any(is_shown) and settings_of(scene).results.dim:
        fade()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    for side, key, color, is_visible in zip(sides, keys, colors().pair, is_shown, strict=False):
        if is_visible:
            draw_side(side, key, depsgraph, color)
    for request in _instances_of(scene, sides) if sides else ():
        paint = painted_objects.paint_of(request)
        if paint is not None:
            draw_paint(paint, False, _FILL / OPACITY)


@painted_objects.paint_for
def instances_of_row(scene: bpy.types.Scene) -> list[painted_objects.PaintRequest]:
    """Return requests to paint the instances of the objects of the active row, if it is shown."""
    active = result_list.active_of(scene) if settings_of(scene).results.outline else None
    return _instances_of(scene, active.sides()) if active else []


def _instances_of(
    scene: bpy.types.Scene, sides: list[Side | None]
) -> list[painted_objects.PaintRequest]:
    return [
        painted_objects.PaintRequest(
            (*key_of(scene, side), _ROW),
            partial(list, [side.object.session_uid]),
            color,
            only_instances=True,
        )
        for side, color in zip(sides, colors().pair, strict=False)
        if side is not None and not side.numbers
    ]


def key_of(scene: bpy.types.Scene, side: Side) -> tuple[int, ...]:
    """Return a cache key of a side that does not depend on the row."""
    return (scene.session_uid, side.object.session_uid, *side.numbers)


def fade(part: float = _FADE) -> None:
    """Blend all that is drawn with the background of the theme, which hides it if `part` is 1."""
    shade = bpy.context.preferences.themes[0].view_3d.space.gradients.high_gradient
    color = shade[0], shade[1], shade[2], part
    screen = gpu.types.GPUBatch(type="TRIS", buf=vertex_buffer(_SCREEN.astype(np.float32)))
    with gpu.matrix.push_pop(), gpu.matrix.push_pop_projection(), blended("NONE"):
        gpu.matrix.load_identity()
        gpu.matrix.load_projection_matrix(Matrix.Identity(4))
        draw_plain(screen, color)


def draw_side(
    side: Side,
    key: tuple[int, ...],
    depsgraph: bpy.types.Depsgraph,
    color: tuple[float, float, float],
) -> None:
    """Fill an object or an instance, and draw its box in front."""
    filled = filled_of(side, key, depsgraph)
    if side.numbers and filled.matrix is None:
        return
    matrix, bounds = filled.matrix, filled.bounds
    if matrix is None or bounds is None:
        matrix = np.array(side.object.evaluated_get(depsgraph).matrix_world)
        bounds = evaluated_box(side.object, depsgraph).reshape(2, 3)
    if filled.batch is not None:
        fill(filled.batch, matrix, color)
    corners = corners_of(bounds, matrix)
    if np.isfinite(corners).all():
        with blended("NONE"):
            shader = line_shader(_WIDTH)
            shader.uniform_float("color", (*color, _LINE))
            line_batch(corners.astype(np.float32), box_edges(1)).draw(shader)


def fill(batch: gpu.types.GPUBatch, matrix: Floats, color: tuple[float, float, float]) -> None:
    """Draw triangles under a matrix, slightly in front of their own surface."""
    with gpu.matrix.push_pop(), blended("LESS_EQUAL"), nearer():
        gpu.matrix.multiply_matrix(Matrix(matrix.tolist()))
        draw_plain(batch, (*color, _FILL))


def corners_of(bounds: Floats, matrix: Floats) -> Floats:
    """Return the corners, (8, 3), of a local box, (2, 3), under a matrix."""
    corners = box_corners(bounds[:1], bounds[1:], np.zeros(1, np.intp)).reshape(-1, 3)
    placed: Floats = corners @ matrix[:3, :3].T + matrix[:3, 3]
    return placed


def filled_of(side: Side, key: tuple[int, ...], depsgraph: bpy.types.Depsgraph) -> Filled:
    """Return the triangles of a side; none if they may be outdated, until the scene is at rest."""
    scene = bpy.context.scene
    known: Filled | None = upload_of((_NAME, *key))
    state = known.version.state(scene) if known is not None else State.CHANGED
    if state is not State.CHANGED:
        return known if state is State.SAME else Filled(known.version)
    version = version_of(scene)
    if side.numbers:
        filled = read_instance(side, depsgraph, version)
    else:
        uids = frozenset([side.object.session_uid])
        filled = read_object(side, depsgraph, replace(version, objects=uids, may_move=True))
    put_upload((_NAME, *key), filled)
    return filled


def read_instance(side: Side, depsgraph: bpy.types.Depsgraph, version: Version) -> Filled:
    """Upload the triangles of an instance; none if it no longer exists."""
    found = find_instance(depsgraph, side.object.session_uid, side.numbers)
    if found is None:
        return Filled(version)
    return Filled(
        version,
        triangle_batch(found.mesh.positions, found.mesh.triangles),
        found.matrix,
        found.bounds,
    )


def read_object(side: Side, depsgraph: bpy.types.Depsgraph, version: Version) -> Filled:
    """Upload the triangles of an evaluated mesh in local space; none if they are too many."""
    evaluated = side.object.evaluated_get(depsgraph)
    if evaluated.type != "MESH":
        return Filled(version)
    with evaluated_mesh(evaluated) as mesh:
        if not 0 < triangle_count(mesh) <= limits().triangles:
            return Filled(version)
        arrays = mesh_arrays(mesh)
        return Filled(version, triangle_batch(arrays.positions, arrays.triangles))
