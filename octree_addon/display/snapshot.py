"""Snapshots: contacts rendered offscreen, one after the other, as small PNG files.

The two objects of a contact are drawn in front of everything else, which is faded. Their faces
have the two colors of a row, with light from the camera (Lambert). The contact curve, or the
touching faces, are drawn over them.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Euler, Matrix, Vector
from numpy.typing import NDArray

from ..arrays import Floats
from ..png import small_png
from ..preferences import Color, colors, limits
from ..reader import PlacedMesh, evaluated_mesh, find_instance, mesh_arrays, triangle_count
from ..result_list import Contact, Side, kind_of, sides_of, view_of
from .active_row import fade
from .contact import draw_contact, read_contact

_SIZE = (480, 360)
# A hundred of these files fit into a page of two megabytes.
MOST_BYTES = 12_000
_LENS, _CLIP = 50.0, (0.001, 1000.0)  # vertical angle in degrees; factors of the distance
_FROM = Euler((np.radians(62), 0.0, np.radians(35))).to_quaternion()
_DARKEST = 0.3  # brightness of a face seen edge-on


def snapshots(
    context: bpy.types.Context, result: Any, rows: Iterable[int]
) -> Iterator[tuple[int, bytes]]:
    """Yield each row with a known contact, and its picture; nothing without a 3D view."""
    area = next((each for each in context.screen.areas if each.type == "VIEW_3D"), None)
    if bpy.app.background or area is None:
        return
    region = next(each for each in area.regions if each.type == "WINDOW")
    offscreen = gpu.types.GPUOffScreen(*_SIZE)
    try:
        with context.temp_override(area=area, region=region), _plain(area.spaces.active):
            for row in rows:
                contact = kind_of(result).contact(context.scene, result, row)
                if contact is not None:
                    sides = sides_of(view_of(context.scene, result), row)
                    yield row, _picture(offscreen, context.scene, contact, sides)
    finally:
        offscreen.free()


@contextmanager
def _plain(space: Any) -> Iterator[None]:
    """Turn off the overlays of a 3D view during the `with` block: grid, cursor, outlines."""
    before = space.overlay.show_overlays
    space.overlay.show_overlays = False
    try:
        yield
    finally:
        space.overlay.show_overlays = before


def _picture(
    offscreen: gpu.types.GPUOffScreen,
    scene: bpy.types.Scene,
    contact: Contact,
    sides: list[Side | None],
) -> bytes:
    context = bpy.context
    view, projection = camera_of(contact.around)
    offscreen.draw_view3d(
        scene,
        context.view_layer,
        context.space_data,
        context.region,
        view,
        projection,
        do_color_management=True,
    )
    with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view)
        gpu.matrix.load_projection_matrix(projection)
        fade()
        _in_front()
        for side, color in zip(sides, colors().pair, strict=False):
            placed = _placed(side) if side is not None else None
            if placed is not None:
                _draw_lit(placed, view, color)
        _in_front()
        draw_contact(read_contact(scene, contact, sides))
    pixels: Any = offscreen.texture_color.read()
    pixels.dimensions = _SIZE[0] * _SIZE[1] * 4
    flat = np.array(pixels, np.uint8).reshape(_SIZE[1], _SIZE[0], 4)
    return small_png(flat[::-1, :, :3], MOST_BYTES)


def _in_front() -> None:
    """Clear the depth buffer, so that later drawings cover earlier ones."""
    gpu.state.active_framebuffer_get().clear(depth=1.0)


def _placed(side: Side) -> PlacedMesh | None:
    """Return the mesh and matrix of an object or an instance; None if missing or too large."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    if not side.object.visible_get():
        return None
    if side.numbers:
        return find_instance(depsgraph, side.object.session_uid, side.numbers)
    evaluated = side.object.evaluated_get(depsgraph)
    if evaluated.type != "MESH":
        return None
    with evaluated_mesh(evaluated) as mesh:
        if not 0 < triangle_count(mesh) <= limits().triangles:
            return None
        return PlacedMesh(np.array(evaluated.matrix_world), mesh_arrays(mesh))


def _draw_lit(placed: PlacedMesh, view: Matrix, color: Color) -> None:
    """Draw triangles with a brightness by their angle to the camera."""
    corners = seen_corners(placed, np.array(view))
    shades = np.ones((len(corners), 3, 4), np.float32)
    shades[..., :3] = lights(corners)[:, None, None] * np.asarray(color, np.float32)
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    layout.attr_add(id="color", comp_type="F32", len=4, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, 3 * len(corners))
    vertices.attr_fill("pos", np.ascontiguousarray(corners.reshape(-1, 3), np.float32))
    vertices.attr_fill("color", shades.reshape(-1, 4))
    shader = gpu.shader.from_builtin("FLAT_COLOR")
    state = gpu.state
    before = state.depth_test_get(), state.depth_mask_get()
    with gpu.matrix.push_pop():
        gpu.matrix.load_identity()
        state.depth_test_set("LESS_EQUAL")
        state.depth_mask_set(True)
        gpu.types.GPUBatch(type="TRIS", buf=vertices).draw(shader)
    state.depth_test_set(before[0])
    state.depth_mask_set(before[1])


def seen_corners(placed: PlacedMesh, view: Floats) -> Floats:
    """Return the corners of triangles in view space, (t, 3, 3).

    They are computed in double precision, since single precision fails far from the origin.
    """
    whole = view @ placed.matrix
    points = placed.mesh.positions @ whole[:3, :3].T + whole[:3, 3]
    corners: Floats = points[placed.mesh.triangles]
    return corners


def lights(corners: Floats) -> Floats:
    """Return the brightness of triangles for a camera at the origin, (t,): from 0.3 to 1."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    middles = corners.mean(axis=1)
    lengths = np.linalg.norm(normals, axis=1) * np.linalg.norm(middles, axis=1)
    facing = np.abs((normals * middles).sum(axis=1))
    cosines = np.divide(facing, lengths, out=np.zeros(len(corners)), where=lengths > 0)
    bright: Floats = _DARKEST + (1 - _DARKEST) * cosines
    return bright


def camera_of(points: NDArray[Any]) -> tuple[Matrix, Matrix]:
    """Return view and projection matrices of a camera that contains all points, (p, 3)."""
    lower, upper = points.min(axis=0), points.max(axis=0)
    radius = max(float(np.linalg.norm(upper - lower)) / 2, 1e-6)
    distance = radius / np.sin(np.radians(_LENS / 2))
    middle = Vector(((lower + upper) / 2).tolist())
    place = middle + _FROM @ Vector((0.0, 0.0, distance))
    view = (Matrix.Translation(place) @ _FROM.to_matrix().to_4x4()).inverted()
    near, far = distance * _CLIP[0], distance * _CLIP[1]
    tall = 1 / np.tan(np.radians(_LENS / 2))
    wide = tall * _SIZE[1] / _SIZE[0]
    depth = (far + near) / (near - far), 2 * far * near / (near - far)
    rows = ((wide, 0, 0, 0), (0, tall, 0, 0), (0, 0, *depth), (0, 0, -1, 0))
    return view, Matrix(rows)
