"""The room: subdivided walls, a torus on the left, a sphere on the right, monkeys between them.

After the test map in Kurt Miller's "Octrees for Potential Colliders", 2003: about 20,000
triangles. Copies share their mesh with the original and are turned, mirrored and stretched.
"""

from dataclasses import dataclass
from math import pi

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

from demo.studio import VIEW

SIZE = Vector((12.0, 8.0, 4.0))  # of the room, whose floor is centered at the origin
ENTITY_RADIUS = max(SIZE) / 100
STEP = 0.5  # edge of the quads that walls, floor and ceiling are made of
LANDMARKS = ("Wall Back", "Torus", "Sphere", "Monkey")  # objects that the walk passes closely
STOPS = (  # of the walk: along the back wall, round the torus, over the sphere, round the monkey
    *((5.4, 3.8, 2.8), (-3.0, 3.8, 1.8)),
    *((-3.2, 1.2, 1.0), (-5.2, -0.3, 1.0), (-3.8, -2.3, 0.5), (-1.6, -1.0, 0.6), (-2.8, 1.0, 1.6)),
    *((1.0, -1.2, 1.0), (2.2, -0.6, 1.5), (3.6, -0.5, 2.4), (4.8, -0.4, 1.2), (3.4, 0.7, 0.9)),
    *((2.2, 1.6, 1.7), (0.6, 0.4, 1.6), (-0.8, 1.6, 1.6), (0.7, 2.9, 2.2), (0.8, 1.6, 2.7)),
)

SHELL = {  # name: turn, place on the unit cube about the origin; the normals look inwards
    "Floor": ((0, 0, 0), (0, 0, -1)),
    "Ceiling": ((pi, 0, 0), (0, 0, 1)),
    "Wall Front": ((-pi / 2, 0, 0), (0, -1, 0)),
    "Wall Back": ((pi / 2, 0, 0), (0, 1, 0)),
    "Wall Left": ((pi / 2, 0, pi / 2), (-1, 0, 0)),
    "Wall Right": ((pi / 2, 0, -pi / 2), (1, 0, 0)),
}
COPIES = {  # name: original, place, turn, scale
    "Monkey Turned": ("Monkey", (3.6, 2.8, 1.9), (0.3, 0.2, 0.5), (0.7, 0.7, 0.7)),
    "Monkey Mirrored": ("Monkey", (-1.6, 1.9, 0.62), (-0.6, 0.0, 0.9), (-0.6, 0.6, 0.6)),
    "Torus Stretched": ("Torus", (-4.6, 2.6, 2.2), (pi / 2, 0.0, 0.6), (0.5, 0.7, 1.1)),
    "Sphere Flattened": ("Sphere", (0.7, -1.1, 0.35), (0.0, 0.4, 0.0), (0.7, 0.5, 0.3)),
}


@dataclass(frozen=True)
class Subject:
    """A scene of the demo: the tree's objects, the camera, the stops of the walk."""

    name: str
    objects: list[bpy.types.Object]
    camera: bpy.types.Object | None
    stops: np.ndarray | None = None
    entity: bpy.types.Object | None = None


def room() -> Subject:
    """Fill an empty file with the room."""
    bpy.ops.wm.read_homefile(use_empty=True)
    objects = {name: _panel(name, *where) for name, where in SHELL.items()}
    objects |= {"Torus": _torus(), "Sphere": _sphere(), "Monkey": _monkey()}
    for name, (original, place, turn, scale) in COPIES.items():
        objects[name] = _copy(objects[original], name, place, turn, scale)
    camera, entity = _camera(), _entity()
    _face_the_room()
    bpy.context.view_layer.update()
    return Subject("A room", list(objects.values()), camera, np.array(STOPS), entity)


def _panel(name: str, turn: tuple, place: tuple) -> bpy.types.Object:
    """Lay a grid, turn it upright and move it to its side of the room."""
    rotation = Euler(turn).to_matrix()
    width, height = (abs(rotation.col[axis].dot(SIZE)) for axis in (0, 1))
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=round(width / STEP), y_subdivisions=round(height / STEP), size=1
    )
    scale = Matrix.Diagonal((width, height, 1, 1))
    center = Vector(share * size / 2 for share, size in zip(place, SIZE, strict=True))
    center.z += SIZE.z / 2
    panel = _named(name)
    panel.data.transform(Matrix.Translation(center) @ rotation.to_4x4() @ scale)
    panel.display_type = "WIRE"  # so that one sees into the room
    return panel


def _torus() -> bpy.types.Object:
    bpy.ops.mesh.primitive_torus_add(
        location=(-3.4, -0.6, 0.9),
        rotation=(0.5, 0.25, 0.0),
        major_radius=1.2,
        minor_radius=0.42,
        major_segments=40,
        minor_segments=20,
    )
    return _named("Torus", smooth=True)


def _sphere() -> bpy.types.Object:
    bpy.ops.mesh.primitive_uv_sphere_add(
        location=(3.6, -0.6, 1.2), radius=1.1, segments=40, ring_count=20
    )
    return _named("Sphere", smooth=True)


def _monkey() -> bpy.types.Object:
    bpy.ops.mesh.primitive_monkey_add(
        location=(0.7, 1.6, 1.3), rotation=(-0.2, 0.0, -0.2), size=2.2
    )
    bpy.context.object.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return _named("Monkey", smooth=True)


def _copy(
    original: bpy.types.Object, name: str, place: tuple, turn: tuple, scale: tuple
) -> bpy.types.Object:
    linked = original.copy()
    linked.name = name
    linked.location, linked.rotation_euler, linked.scale = place, turn, scale
    bpy.context.scene.collection.objects.link(linked)
    return linked


def _camera() -> bpy.types.Object:
    """Add a camera in the front corner that looks past the monkey at the right-hand wall."""
    lens = bpy.data.cameras.new("Camera")
    lens.lens, lens.clip_start, lens.clip_end = 50.0, 0.4, 8.5
    camera = bpy.data.objects.new("Camera", lens)
    camera.location = (-2.0, -3.4, 2.3)
    ahead = Vector((5.0, 4.4, -1.2))
    camera.rotation_euler = ahead.to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    return camera


def _face_the_room() -> None:
    """Let the 3D views of the file look at the room as the picture does."""
    for area in bpy.context.screen.areas:
        if area.type == "VIEW_3D":
            view = area.spaces.active.region_3d
            view.view_rotation = VIEW.to_track_quat("Z", "Y")
            view.view_location, view.view_distance = (0, 0, SIZE.z / 2), 1.4 * max(SIZE)


def _entity() -> bpy.types.Object:
    """Make the sphere that walks; it asks the tree, so it is no part of it."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=ENTITY_RADIUS, subdivisions=3)
    return _named("Entity", smooth=True)


def _named(name: str, smooth: bool = False) -> bpy.types.Object:
    made = bpy.context.object
    made.name = made.data.name = name
    if smooth:
        made.data.shade_smooth()
    return made
