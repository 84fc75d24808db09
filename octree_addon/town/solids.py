"""Low-poly solids as parts of a mesh: boxes, gable roofs, surfaces of revolution."""

from collections.abc import Iterable
from itertools import pairwise
from math import cos, pi, sin
from typing import NamedTuple

import bpy
import numpy as np

from ..written_meshes import new_mesh

Point = tuple[float, float, float]


class Part(NamedTuple):
    """A closed surface in one color: its corners, its faces, and the name of the color."""

    points: list[Point]
    faces: list[tuple[int, ...]]
    color: str


_BOX_FACES: list[tuple[int, ...]] = [
    (0, 2, 3, 1),
    (4, 5, 7, 6),
    (0, 1, 5, 4),
    (2, 6, 7, 3),
    (0, 4, 6, 2),
    (1, 3, 7, 5),
]
_GABLE_FACES: list[tuple[int, ...]] = [
    (0, 2, 3, 1),
    (0, 1, 5, 4),
    (3, 2, 4, 5),
    (0, 4, 2),
    (1, 3, 5),
]


def box(size: Point, foot: Point, color: str) -> Part:
    """Return a box; `foot` is the center of its base."""
    (width, depth, height), (x, y, z) = size, foot
    points = [
        (x + dx * width / 2, y + dy * depth / 2, z + dz * height)
        for dz in (0, 1)
        for dy in (-1, 1)
        for dx in (-1, 1)
    ]
    return Part(points, _BOX_FACES, color)


def gable(size: Point, foot: Point, color: str) -> Part:
    """Return a roof with its ridge along x; `foot` is the center of its base."""
    (width, depth, height), (x, y, z) = size, foot
    corners = [(x + dx * width / 2, y + dy * depth / 2, z) for dy in (-1, 1) for dx in (-1, 1)]
    ridge = [(x + dx * width / 2, y, z + height) for dx in (-1, 1)]
    return Part(corners + ridge, _GABLE_FACES, color)


def revolved(profile: Iterable[tuple[float, float]], color: str, *, sides: int = 7) -> Part:
    """Return a surface of revolution around z; the profile has radii and heights, from below."""
    rings = list(profile)
    angles = [2 * pi * side / sides for side in range(sides)]
    points = [(radius * cos(a), radius * sin(a), z) for radius, z in rings for a in angles]
    faces: list[tuple[int, ...]] = [tuple(reversed(range(sides)))]
    for low, high in pairwise(range(0, len(points), sides)):
        for side in range(sides):
            after = (side + 1) % sides
            faces.append((low + side, low + after, high + after, high + side))
    faces.append(tuple(range(len(points) - sides, len(points))))
    return Part(points, faces, color)


def mesh_of(
    name: str, parts: Iterable[Part], materials: dict[str, bpy.types.Material]
) -> bpy.types.Mesh:
    """Return a new mesh of all parts, with a material for each color."""
    points: list[Point] = []
    faces: list[tuple[int, ...]] = []
    slots: list[int] = []
    colors: list[str] = []
    for part in parts:
        if part.color not in colors:
            colors.append(part.color)
        faces += [tuple(len(points) + corner for corner in face) for face in part.faces]
        slots += [colors.index(part.color)] * len(part.faces)
        points += part.points
    starts = np.cumsum([0, *map(len, faces)])[:-1]
    corners = [corner for face in faces for corner in face]
    mesh = new_mesh(name, np.array(points), corner_vertices=corners, polygon_starts=starts)
    for color in colors:
        mesh.materials.append(materials[color])
    mesh.polygons.foreach_set("material_index", slots)
    mesh.update()
    return mesh
