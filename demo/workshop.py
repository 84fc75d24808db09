"""The workshop: a few things that stand where they should, and one of each wrong."""

from math import pi

import bpy
import numpy as np

from demo import studio

BOXES = {  # name: from corner, to corner
    "Floor": ((-5.0, -3.0, -0.2), (5.0, 3.0, 0.0)),
    "Wall": ((-5.0, 3.0, -0.2), (5.0, 3.2, 3.0)),
    "Beam": ((-4.8, 1.5, 2.2), (-1.0, 1.8, 2.55)),
    "Post Left": ((-4.8, 1.5, 0.0), (-4.5, 1.8, 2.2)),
    "Post Right": ((-1.3, 1.5, 0.0), (-1.0, 1.8, 2.2)),
    "Table Top": ((-0.2, -0.6, 0.78), (1.6, 0.6, 0.85)),
    "Leg 1": ((-0.15, -0.55, 0.0), (-0.05, -0.45, 0.78)),
    "Leg 2": ((1.45, -0.55, 0.0), (1.55, -0.45, 0.78)),
    "Leg 3": ((-0.15, 0.45, 0.0), (-0.05, 0.55, 0.78)),
    "Leg 4": ((1.45, 0.45, 0.0), (1.55, 0.55, 0.78)),
    "Cabinet": ((2.9, -1.9, 0.0), (4.5, -0.6, 1.5)),
}
SHEETS = {"Poster": (0.7, 2.0), "Poster 2": (1.5, 2.35)}  # name: x and z of the middle

MARKS = ((-5, -3, -0.2), (5, -3, -0.2), (-5, 3, 3), (5, 3, 3))  # in the picture


def built() -> bpy.types.Object:
    """Fill an empty file with the workshop, and return its camera."""
    bpy.ops.wm.read_homefile(use_empty=True)
    for name, corners in BOXES.items():
        _box(name, *(np.array(corner) for corner in corners))
    for name, (x, z) in SHEETS.items():
        _poster(name, x, z)
    _pipe("Pipe", (-3.2, 1.65, 2.3), (pi / 2 - 0.35, 0.0, 0.5))
    _pipe("Pipe 2", (-2.2, 0.9, 2.4), (pi / 2, 0.0, -0.2))
    bpy.ops.mesh.primitive_cube_add(
        size=0.9, location=(-3.4, -1.2, 0.33), rotation=(0.1, 0.2, 0.5)
    )
    bpy.context.object.name = "Sunken Crate"
    for x in (-1.6, -0.78):
        bpy.ops.mesh.primitive_cylinder_add(
            vertices=48, radius=0.4, depth=1.1, location=(x, -1.7, 0.55)
        )
        bpy.context.object.name = "Barrel"
    _monkey("Bust", (0.7, 0.0, 1.24), 0.5)
    _monkey("Bust 2", (0.7, 0.0, 1.24), 0.5)
    _monkey("Forgotten", (3.7, -1.25, 0.75), 0.45)
    bpy.context.view_layer.update()
    camera = studio.eye(np.array(MARKS))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    return camera


def _box(name: str, low: np.ndarray, high: np.ndarray) -> None:
    bpy.ops.mesh.primitive_cube_add(size=1, location=(low + high) / 2, scale=high - low)
    bpy.context.object.name = name


def _poster(name: str, x: float, z: float) -> None:
    """Hang a sheet of paper a finger's breadth before the wall."""
    bpy.ops.mesh.primitive_plane_add(size=1.2, location=(x, 2.9, z), rotation=(pi / 2, 0, 0))
    bpy.context.object.name = name


def _pipe(name: str, place: tuple, turn: tuple) -> None:
    bpy.ops.mesh.primitive_cylinder_add(
        vertices=32, radius=0.11, depth=2.4, location=place, rotation=turn
    )
    bpy.context.object.name = name


def _monkey(name: str, place: tuple, size: float) -> None:
    bpy.ops.mesh.primitive_monkey_add(size=size, location=place, rotation=(0, 0, 0.4))
    bpy.context.object.name = name
