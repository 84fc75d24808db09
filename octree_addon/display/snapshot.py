"""Snapshots: the 3D view drawn offscreen onto contacts, one after the other, as PNG files."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import bpy
import gpu
import numpy as np
from mathutils import Euler, Matrix, Vector
from numpy.typing import NDArray

from ..preferences import colors
from ..results import LINES, sides_of
from .active_row import draw_side, fade, key_of
from .contact import draw_contact, read_contact

_SIZE = (640, 480)
_LENS, _CLIP = 50.0, (0.001, 1000.0)  # degrees from top to bottom; of the distance
_FROM = Euler((np.radians(62), 0.0, np.radians(35))).to_quaternion()


def snapshots(
    context: bpy.types.Context, result: Any, rows: Iterable[int]
) -> Iterator[tuple[int, bytes]]:
    """Yield each row whose contact is known, and a picture of it; nothing without a 3D view."""
    area = next((each for each in context.screen.areas if each.type == "VIEW_3D"), None)
    if bpy.app.background or area is None:
        return
    region = next(each for each in area.regions if each.type == "WINDOW")
    offscreen = gpu.types.GPUOffScreen(*_SIZE)
    try:
        with context.temp_override(area=area, region=region):
            for row in rows:
                contact = LINES[result.question].contact(context.scene, result, row)
                if contact is not None:
                    yield row, _picture(offscreen, context.scene, result, row)
    finally:
        offscreen.free()


def _picture(
    offscreen: gpu.types.GPUOffScreen, scene: bpy.types.Scene, result: Any, row: int
) -> bytes:
    contact = LINES[result.question].contact(scene, result, row)
    assert contact is not None
    sides = sides_of(scene, result, row)
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
    depsgraph = context.evaluated_depsgraph_get()
    with offscreen.bind(), gpu.matrix.push_pop(), gpu.matrix.push_pop_projection():
        gpu.matrix.load_matrix(view)
        gpu.matrix.load_projection_matrix(projection)
        fade()
        for side, color in zip(sides, colors().pair, strict=False):
            if side is not None and side.object.visible_get():
                draw_side(side, key_of(scene, side), depsgraph, color)
        draw_contact(read_contact(contact, sides))
    pixels: Any = offscreen.texture_color.read()
    pixels.dimensions = _SIZE[0] * _SIZE[1] * 4
    flat = np.array(pixels, np.uint8).reshape(_SIZE[1], _SIZE[0], 4)
    return png_bytes(flat[::-1, :, :3])


def camera_of(points: NDArray[Any]) -> tuple[Matrix, Matrix]:
    """Return view and projection of a camera that sees all of some points, (p, 3)."""
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


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """Return (h, w, 3) pixels, the top row first, as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # no filter
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
