"""Buildings as triangles with an object for each: one that is made here, and those that are given.

`BUILDINGS=first.npz:second.npz` names files with the arrays `vertices` (v, 3) in meters, `faces`
(t, 3) and `object_of_face` (t,), as an IFC file's products give them.
"""

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from core import SceneOctree, Triangles

# Meters: between columns, between floors, half a column, and how thick slabs and walls are.
BAY, HIGH, HALF, THICK = 4.0, 3.0, 0.15, 0.2
BAYS, FLOORS = (6, 4), 5
PIPES, PLACES = 7, 12
BOX = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip


@dataclass(frozen=True)
class Building:
    """Triangles in the world, and whose each is: (v, 3), (t, 3), (t,)."""

    name: str
    vertices: np.ndarray
    faces: np.ndarray
    object_of_face: np.ndarray

    def __len__(self) -> int:
        return int(self.object_of_face.max()) + 1

    @property
    def objects(self) -> list[Triangles]:
        """The mesh of each object."""
        found = []
        for number in range(len(self)):
            used, faces = np.unique(self.faces[self.object_of_face == number], return_inverse=True)
            found.append(Triangles(self.vertices[used], faces.reshape(-1, 3)))
        return found

    def turned(self, angle: float) -> "Building":
        """Return the same turned about the vertical and tipped, so that no face is on an axis."""
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]]) @ turn
        name = f"{self.name}, turned"
        return Building(name, self.vertices @ turn.T, self.faces, self.object_of_face)


def given() -> list[Building]:
    """Return the buildings that the environment names."""
    paths = os.environ.get("BUILDINGS", "").split(os.pathsep)
    found = []
    for path in (Path(each) for each in paths if each):
        with np.load(path) as arrays:
            parts = (arrays[name] for name in ("vertices", "faces", "object_of_face"))
            found.append(Building(path.stem, *(each.copy() for each in parts)))
    return found


def scene_of(meshes: list[Triangles]) -> SceneOctree:
    """Place each mesh where its vertices are."""
    scene = SceneOctree()
    numbers = [scene.add_mesh(mesh) for mesh in meshes]
    scene.place(numbers, np.tile(np.eye(4), (len(numbers), 1, 1)))
    return scene


@cache
def office(floors: int = FLOORS) -> Building:
    """Make slabs, columns, beams, walls, windows, chairs and pipes: 153 objects a floor."""
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for floor in range(floors):
        for vertices, faces in (*_frame(), *_walls(), *_things(floor)):
            parts.append((vertices + (0, 0, floor * HIGH), faces))
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
    return Building(
        "office",
        np.concatenate([vertices for vertices, _ in parts]),
        np.concatenate([faces + start for (_, faces), start in zip(parts, starts, strict=False)]),
        np.repeat(np.arange(len(parts)), [len(faces) for _, faces in parts]),
    )


Part = tuple[np.ndarray, np.ndarray]


def _box(low: tuple, high: tuple) -> Part:
    return np.array(low) + BOX * (np.array(high) - low), BOX_FACES


def _frame() -> list[Part]:
    """Return a slab, the columns on it and the beams between these."""
    wide, deep = (count * BAY for count in BAYS)
    found = [_box((-1, -1, -THICK), (wide + 1, deep + 1, 0))]
    top = HIGH - THICK
    for x in range(BAYS[0] + 1):
        for y in range(BAYS[1] + 1):
            at = np.array((x * BAY, y * BAY))
            found.append(_box((*at - HALF, 0), (*at + HALF, top)))
            for axis in (0, 1):
                if at[axis] < BAYS[axis] * BAY:
                    low, high = at - HALF / 2, at + HALF / 2
                    low[axis], high[axis] = at[axis] + HALF, at[axis] + BAY - HALF
                    found.append(_box((*low, top - 0.3), (*high, top)))
    return found


def _walls() -> list[Part]:
    """Return walls with an opening below the outer beams, and a window in each."""
    found = []
    for axis in (0, 1):
        for side in (0, BAYS[1 - axis]):
            for bay in range(BAYS[axis]):
                start, across = bay * BAY + HALF, side * BAY
                for made in (_ring((0, BAY - 2 * HALF), (0, 2.5), 0.8, THICK / 2),
                             _ring((0.8, BAY - 2 * HALF - 0.8), (0.8, 1.7), 0.1, 0.05)):  # fmt: skip
                    vertices = made[0] + (start, across, 0)
                    if axis:
                        vertices = vertices[:, [1, 0, 2]]
                    found.append((vertices, made[1][:, ::-1] if axis else made[1]))
    return found


def _ring(along: tuple, up: tuple, rim: float, half: float) -> Part:
    """Return a plate with an opening, so wide a rim around it; x along, y through, z up."""
    (left, right), (low, high) = along, up
    outer = [(left, low), (right, low), (right, high), (left, high)]
    inner = [(x + (rim if x == left else -rim), z + (rim if z == low else -rim)) for x, z in outer]
    points = np.array([(x, y, z) for y in (-half, half) for x, z in (*outer, *inner)])
    quads = []
    for i in range(4):
        j = (i + 1) % 4
        quads += [(i, j, j + 4, i + 4), (i + 12, j + 12, j + 8, i + 8),
                  (j, i, i + 8, j + 8), (i + 4, j + 4, j + 12, i + 12)]  # fmt: skip
    return points, np.array([(a, b, c) for a, b, c, d in quads for a, b, c in ((a, b, c), (a, c, d))])


def _things(floor: int) -> list[Part]:
    """Return what stands on the floor, pipes through it, and what is wrong with a few."""
    random, wide = np.random.default_rng(floor), BAYS[0] * BAY
    found = []
    for number in range(PLACES):
        at = np.array((1.2 + number * (wide - 2) / PLACES, random.uniform(1, 15), 0))
        vertices, faces = _tube(0.25, 0.8, 64, rings=3)
        # One of them hovers, one is sunk into the floor, one is stacked in another.
        lift = {0: 0.02, 1: -0.03}.get(number, 0.0)
        found.append((vertices + at + (0, 0, lift), faces))
        if number < PLACES - 1:
            vertices, faces = _tube(0.2, 0.5, 48, rings=4)
            inside = number == 2
            found.append((vertices * (0.5 if inside else 1) + at + (0, 0, 0.1 if inside else 0.8),
                          faces))  # fmt: skip
    for number in range(PIPES):
        vertices, faces = _tube(0.06, HIGH, 64, rings=2)
        found.append((vertices + (2.1 + 3 * number, 7.0, -THICK / 2), faces))
    return found


def _tube(radius: float, high: float, sides: int, rings: int) -> Part:
    """Return a closed cylinder that stands on the origin."""
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    circle = np.stack((radius * np.cos(turn), radius * np.sin(turn)), axis=1)
    points = np.concatenate([np.column_stack((circle, np.full(sides, z)))
                             for z in np.linspace(0, high, rings)])  # fmt: skip
    here = np.arange(sides)
    there = (here + 1) % sides
    parts = []
    for ring in range(rings - 1):
        a, b = ring * sides, (ring + 1) * sides
        parts += [np.stack((here + a, there + a, there + b), 1),
                  np.stack((here + a, there + b, here + b), 1)]  # fmt: skip
    low, top = len(points), len(points) + 1
    last = (rings - 1) * sides
    parts += [np.stack((there, here, np.full(sides, low)), 1),
              np.stack((here + last, there + last, np.full(sides, top)), 1)]  # fmt: skip
    return np.concatenate((points, [(0, 0, 0), (0, 0, high)])), np.concatenate(parts)
