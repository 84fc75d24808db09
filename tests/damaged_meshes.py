"""Damaged and odd meshes, as scripts bring them: Blender shows each, and dies of some."""

from collections.abc import Callable, Sequence
from typing import Any

import bpy
import numpy as np
from blender_scenes import CUBE_FACES, mesh_object

STEPS = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (4, 0, 3), (0, 0, 3)]
SIDES = (0, 1, 2, 3)
BOX = [(x, y, z) for x in (0.0, 2.0) for y in (0.0, 2.0) for z in (0.0, 2.0)]
Faces = Sequence[Sequence[int]]


def steps(*faces: Sequence[int], points: Sequence[Any] = STEPS) -> bpy.types.Object:
    """Add a mesh of some points."""
    return mesh_object("Odd", points, faces)


def two_sided() -> bpy.types.Object:
    """Add a square whose back is a second face on its vertices, in another material."""
    item = steps(SIDES, SIDES[::-1])
    for name in ("Front", "Back"):
        item.data.materials.append(bpy.data.materials.new(name))
    item.data.polygons[1].material_index = 1
    return item


def box(*first: float) -> bpy.types.Object:
    """Add a box with its first vertex elsewhere."""
    item = mesh_object("Odd", BOX, CUBE_FACES)
    if first:
        put(item.data.vertices, 0, first)
    item.data.update()
    return item


def put(points: Any, number: int, place: Sequence[float]) -> None:
    """Put a point where Blender lets nobody put it one by one."""
    places = np.empty(3 * len(points), np.float32)
    points.foreach_get("co", places)
    places[3 * number : 3 * number + 3] = place
    points.foreach_set("co", places)


def loose() -> bpy.types.Object:
    """Add a face beside edges and vertices of none, one of which is nowhere."""
    nan = float("nan")
    points = [*STEPS, (9, 9, 9), (9, 8, 9), (nan, 0, 0), (7, 7, 7)]
    item = bpy.data.objects.new("Odd", bpy.data.meshes.new("Odd"))
    item.data.from_pydata(points, [(6, 7), (6, 8), (9, 9)], [SIDES])
    bpy.context.scene.collection.objects.link(item)
    return item


def beyond_the_slots() -> bpy.types.Object:
    """Add a box with one material, and faces of the ninth and of one before the first."""
    item = box()
    item.data.materials.append(bpy.data.materials.new("Only"))
    attribute = item.data.attributes.new("material_index", "INT", "FACE")
    attribute.data.foreach_set("value", np.array([0, 8, 0, -3, 0, 0], np.int32))
    return item


def keyed() -> bpy.types.Object:
    """Add what has a corner twice, with groups and with shape keys, one of which is nowhere."""
    item = steps((1, 0, 5, 0, 4), SIDES, SIDES[::-1])
    for name in ("Basis", "Up", "Lost"):
        item.shape_key_add(name=name)
    item.data.shape_keys.key_blocks["Up"].data[2].co.z = 1.0
    put(item.data.shape_keys.key_blocks["Lost"].data, 2, (0, 0, np.inf))
    item.vertex_groups.new(name="Some").add([0, 2, 4], 0.5, "REPLACE")
    return item


def shaded() -> bpy.types.Object:
    """Add a two-sided square with custom normals and a UV map."""
    item = two_sided()
    item.data.uv_layers.new(name="UVMap")
    item.data.normals_split_custom_set([(0.0, 0.6, 0.8)] * 8)
    return item


def comb() -> bpy.types.Object:
    """Add one polygon around a hole, which it enters and leaves along one edge."""
    outer = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)]
    inner = [(1, 1, 0), (1, 3, 0), (3, 3, 0), (3, 1, 0)]
    return steps((0, 1, 2, 3, 0, 4, 5, 6, 7, 4), points=[*outer, *inner])


MESHES: dict[str, Callable[[], bpy.types.Object]] = {
    "a corner twice": lambda: steps((1, 0, 5, 0, 4)),
    "a corner twice, turned": lambda: steps((0, 1, 4, 0, 5)),
    "figure of eight": lambda: steps((0, 1, 2, 0, 3, 5)),
    "two corners": lambda: steps((0, 1, 0), SIDES),
    "two corners, four times": lambda: steps((0, 1, 0, 1), SIDES),
    "polygon of two": lambda: steps((0, 1), SIDES),
    "two faces on the same vertices": two_sided,
    "three faces on the same vertices": lambda: steps((0, 1, 2), (1, 2, 0), (2, 1, 0), SIDES),
    "loose edges and vertices": loose,
    "a vertex that is no number": lambda: box(np.nan, 0, 0),
    "a vertex at infinity": lambda: box(0, 0, -np.inf),
    "huge coordinates": lambda: box(-3e38, 0, 0),
    "no area": lambda: steps((0, 1, 2), points=[(0, 0, 0), (2, 0, 0), (4, 0, 0)]),
    "one place": lambda: steps((0, 1, 2), (0, 2, 3), points=[(1, 1, 1)] * 4),
    "around a hole": comb,
    "concave": lambda: steps((0, 1, 2, 3), points=[(0, 0, 0), (4, 0, 0), (1, 1, 0), (0, 4, 0)]),
    "not flat": lambda: steps((0, 1, 2, 3), points=[(0, 0, 0), (4, 0, 2), (4, 4, 0), (0, 4, 2)]),
    "three faces at an edge": lambda: steps((0, 1, 2), (0, 1, 4), (1, 0, 3)),
    "materials beyond the slots": beyond_the_slots,
    "custom normals": shaded,
    "shape keys": keyed,
    "no faces but one": lambda: steps((0, 1, 2), points=BOX),
}
