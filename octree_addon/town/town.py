"""The example town: houses and trees around a crossing, a camera that drives into it.

Two pairs of objects collide: a car and a house, a fir and the church. The water tower is out of
view in every frame.
"""

import random
from collections.abc import Iterator
from math import pi

import bpy
from mathutils import Matrix, Vector

from .solids import Part, Point, box, gable, mesh_of, revolved

NAME = "Example Town"
_SEED = 12
# Height of objects above a lawn, so that they do not touch it.
_GAP = 0.02
_COLORS = {
    "Lawn": (0.30, 0.48, 0.20),
    "Chalk": (0.85, 0.80, 0.70),
    "Ochre": (0.83, 0.60, 0.30),
    "Rose": (0.80, 0.48, 0.42),
    "Slate": (0.22, 0.27, 0.34),
    "Brick": (0.55, 0.20, 0.14),
    "Glass": (0.35, 0.55, 0.68),
    "Bark": (0.30, 0.20, 0.12),
    "Leaf": (0.22, 0.42, 0.14),
    "Needle": (0.10, 0.30, 0.18),
    "Paint": (0.75, 0.12, 0.10),
    "Steel": (0.55, 0.58, 0.60),
}
# Width of the ground along x, its ends along y, and the number of places that are tried.
_WIDTH, _FRONT, _BACK, _TRIES = 28, -24, 13, 30
# Distances of the centers of buildings from the crossing along each axis, in each block.
_PLACES = (4.0, 7.2, 10.4)
_BALL = ((0.25, 0.75), (0.62, 1.0), (0.75, 1.4), (0.6, 1.8), (0.2, 2.1))
_CONES = ((0.75, 0.5), (0.32, 1.25), (0.58, 1.25), (0.24, 1.9), (0.42, 1.9), (0.02, 2.7))


def build_town(
    scene: bpy.types.Scene, middle: tuple[float, float, float] = (0, 0, 0)
) -> bpy.types.Collection:
    """Add the town to a scene, in a new collection, with a camera that becomes active.

    The crossing is at `middle`.
    """
    town = bpy.data.collections.new(NAME)
    scene.collection.children.link(town)
    dice = random.Random(_SEED)
    meshes = _meshes()
    for name, place, turn, size in _layout(dice):
        item = bpy.data.objects.new(name, meshes[name])
        item.matrix_world = (
            Matrix.Translation(Vector(middle) + Vector(place))
            @ Matrix.Rotation(turn, 4, "Z")
            @ Matrix.Diagonal((*size, 1))
        )
        town.objects.link(item)
    scene.camera = _camera(scene, *middle)
    town.objects.link(scene.camera)
    return town


def free_place(layer: bpy.types.ViewLayer) -> tuple[float, float, float]:
    """Return the first location for the town, from the origin along x, without any object."""
    boxes = [
        [(item.matrix_world @ Vector(corner)).to_2d() for corner in item.bound_box]
        for item in layer.objects
    ]
    for x in range(0, _WIDTH * _TRIES, _WIDTH):
        if not any(_is_in_town(box, x) for box in boxes):
            break
    return x, 0, 0


def _is_in_town(box: list[Vector], x: float) -> bool:
    """Return whether a box, by its corners in top view, overlaps the ground of a town at x."""
    (left, right), (front, back) = (
        (min(each[axis] for each in box), max(each[axis] for each in box)) for axis in (0, 1)
    )
    is_beside = right < x - _WIDTH / 2 or left > x + _WIDTH / 2
    return not (is_beside or back < _FRONT or front > _BACK)


def _meshes() -> dict[str, bpy.types.Mesh]:
    materials = {}
    for name, color in _COLORS.items():
        materials[name] = bpy.data.materials.new(f"Town {name}")
        materials[name].diffuse_color = (*color, 1)
    return {name: mesh_of(name, parts, materials) for name, parts in _models().items()}


def _models() -> dict[str, list[Part]]:
    """Return the models of the town, each at the origin, facing the negative y axis."""
    return {
        # Divided into tiles, so that a part of the lawn can be in view.
        "Lawn": [
            box((2.08, 2.08, 0.2), (2.08 * x, 2.08 * y, -0.2), "Lawn")
            for x in range(-2, 3)
            for y in range(-2, 3)
        ],
        "House": _house("Chalk", "Brick", 1.3),
        "Shop": _house("Ochre", "Slate", 1.8),
        "Villa": _house("Rose", "Slate", 1.0),
        "Tree": [revolved(((0.16, 0), (0.1, 0.8)), "Bark"), revolved(_BALL, "Leaf")],
        "Fir": [revolved(((0.14, 0), (0.1, 0.6)), "Bark"), revolved(_CONES, "Needle")],
        "Lamp": [
            revolved(((0.07, 0), (0.04, 1.9)), "Steel", sides=5),
            revolved(((0.06, 1.9), (0.16, 2.1), (0.04, 2.25)), "Ochre", sides=5),
        ],
        "Car": [
            box((0.8, 1.7, 0.38), (0, 0, 0.14), "Paint"),
            box((0.7, 0.8, 0.28), (0, 0.1, 0.52), "Glass"),
            *(
                box((0.14, 0.36, 0.3), (x, y, 0), "Slate")
                for x in (-0.38, 0.38)
                for y in (-0.5, 0.5)
            ),
        ],
        "Church": [
            *_house("Chalk", "Slate", 1.9),
            box((0.9, 0.9, 4.2), (1.1, 0, 0), "Chalk"),
            gable((1.1, 1.1, 0.9), (1.1, 0, 4.2), "Brick"),
        ],
        "Water Tower": [
            revolved(((0.5, 0), (0.35, 2.6)), "Steel", sides=8),
            revolved(((0.4, 2.6), (1.2, 3.0), (1.2, 4.2), (0.2, 4.8)), "Brick", sides=10),
        ],
    }


def _house(wall: str, roof: str, height: float) -> list[Part]:
    windows = [box((0.36, 0.06, 0.42), (x, -0.8, 0.55), "Glass") for x in (-0.55, 0.55)]
    return [
        box((1.9, 1.6, height), (0, 0, 0), wall),
        gable((2.15, 1.9, 0.75), (0, 0, height), roof),
        box((0.32, 0.06, 0.7), (0, -0.8, 0), "Bark"),
        box((0.22, 0.22, 0.7), (0.5, 0.3, height + 0.25), "Brick"),
        *windows,
    ]


def _layout(dice: random.Random) -> Iterator[tuple[str, Point, float, Point]]:
    """Yield the objects of the town: name, location, rotation around z, and scale."""
    for block, (sx, sy) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        yield "Lawn", (7.2 * sx, 7.2 * sy, 0), 0, (1, 1, 1)
        places = [(sx * x, sy * y) for x in _PLACES for y in _PLACES]
        # The corner at the crossing always has a building, since the car collides with its wall.
        groves = dice.sample(places[1:], 3)
        for x, y in places:
            if (x, y) in groves:
                yield from _grove(dice, x, y)
            else:
                yield _building(dice, x, y, block)
        yield "Lamp", (2.3 * sx, 5.6 * sy, _GAP), 0, (1, 1, 1)
    yield "Car", (-2.72, -4.0, _GAP), pi / 2, (1, 1, 1)
    yield "Car", (0.9, 7.0, -0.18), 0, (1, 1, 1)
    yield "Fir", (-5.0, 3.3, _GAP), 0, (0.85, 0.85, 1)
    yield "Water Tower", (6.0, -21.0, -0.2), 0, (1, 1, 1)


def _building(
    dice: random.Random, x: float, y: float, block: int
) -> tuple[str, Point, float, Point]:
    """Return a building that faces the street at x = 0."""
    turn = pi / 2 if x < 0 else -pi / 2
    if block == 2 and (abs(x), abs(y)) == (4.0, 4.0):
        return "Church", (x, y, _GAP), turn, (1, 1, 1)
    name = dice.choice(("House", "House", "Shop", "Villa"))
    return name, (x, y, _GAP), turn, (1, dice.uniform(0.95, 1.1), dice.uniform(0.9, 1.5))


def _grove(dice: random.Random, x: float, y: float) -> Iterator[tuple[str, Point, float, Point]]:
    """Yield two trees, apart from each other and from the houses around."""
    turn = dice.choice((-1, 1))
    for side in (-1, 1):
        name, size = dice.choice(("Tree", "Fir")), dice.uniform(0.75, 1.05)
        place = (x + 0.85 * side, y + 0.6 * side * turn, _GAP)
        yield name, place, dice.uniform(0, pi), (size, size, size * dice.uniform(0.9, 1.3))


def _camera(scene: bpy.types.Scene, x: float, y: float, z: float) -> bpy.types.Object:
    """Return a camera that drives toward the crossing over the frame range of the scene."""
    data = bpy.data.cameras.new("Town Camera")
    data.lens = 35
    camera = bpy.data.objects.new("Town Camera", data)
    # The last keyframe is set first, so that the camera is left at its start.
    for frame, way, turn in ((scene.frame_end, -7.0, -0.35), (scene.frame_start, -15.5, 0.0)):
        camera.location, camera.rotation_euler = (x, y + way, z + 1.6), (1.5, 0, turn)
        for path in ("location", "rotation_euler"):
            camera.keyframe_insert(path, frame=frame)
    return camera
