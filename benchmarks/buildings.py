"""Buildings as triangles with an object for each: one generated building and buildings from files.

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
PIPES, PLACES = 6, 7
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


def paths() -> list[Path]:
    """Return the files of buildings that the environment names."""
    return [Path(each) for each in os.environ.get("BUILDINGS", "").split(os.pathsep) if each]


def given() -> list[Building]:
    """Return the buildings that the environment names."""
    found = []
    for path in paths():
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


def stones(count: int, sides: int = 26) -> Building:
    """Make closed stones, no two alike, which touch about three others each."""
    random = np.random.default_rng(11)
    _, faces = _tube(0.0, 1.0, sides, rings=sides)
    down = np.repeat(np.pi * (np.arange(sides) + 0.5) / sides, sides)
    turn = np.tile(2 * np.pi * np.arange(sides) / sides, sides)
    rings = (np.sin(down) * np.cos(turn), np.sin(down) * np.sin(turn), -np.cos(down))
    ball = np.concatenate((np.stack(rings, axis=1), [(0, 0, -1), (0, 0, 1)]))
    places = random.uniform(0.0, (count * 8.2) ** (1 / 3), (count, 3))
    waves = random.normal(size=(count, 3, 3))
    bumps = 1 + 0.2 * np.sin(ball @ waves).mean(axis=2)
    points = ball * bumps[:, :, None] * random.uniform(0.6, 1.2, (count, 1, 1)) + places[:, None]
    starts = len(ball) * np.arange(count)[:, None, None]
    return Building(
        "stones",
        points.reshape(-1, 3),
        (faces + starts).reshape(-1, 3),
        np.repeat(np.arange(count), len(faces)),
    )


@cache
def office(floors: int = FLOORS) -> Building:
    """Make slabs, columns, beams, walls, windows, chairs and pipes: 153 objects a floor."""
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for floor in range(floors):
        for vertices, faces in (*_frame(), *_walls(), *_things(floor)):
            parts.append((vertices + np.array((0, 0, floor * HIGH)), faces))
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
    found, wide = [], BAY - 2 * HALF
    wall = _ring((0, wide), (0, 2.5), 0.8, THICK / 2)
    window = _ring((0.8, wide - 0.8), (0.8, 1.7), 0.1, 0.05)
    for axis in (0, 1):
        for side in (0, BAYS[1 - axis]):
            for bay in range(BAYS[axis]):
                place = np.array((bay * BAY + HALF, side * BAY, 0))
                for vertices, faces in (wall, window):
                    points = vertices + place
                    # A mirror image, turned inside out again.
                    turned = points[:, [1, 0, 2]], faces[:, ::-1]
                    found.append(turned if axis else (points, faces))
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
    return points, np.array(quads)[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)


def _things(floor: int) -> list[Part]:
    """Return the furniture of a floor, the pipes through it, and a few faulty objects."""
    random, wide = np.random.default_rng(floor), BAYS[0] * BAY
    found = []
    for number in range(PLACES):
        at = np.array((1.2 + number * (wide - 2) / PLACES, random.uniform(1, 15), 0))
        vertices, faces = _tube(0.25, 0.8, 96, rings=4)
        # One of them hovers, one is sunk into the floor, one has another inside.
        at[2] = {0: 0.02, 1: -0.03}.get(number, 0.0)
        found.append((vertices + at, faces))
        if number < PLACES - 1:
            vertices, faces = _tube(0.2, 0.5, 64, rings=4)
            size, lift = (0.5, 0.1) if number == 2 else (1.0, 0.8)
            found.append((size * vertices + at + np.array((0, 0, lift)), faces))
    for number in range(PIPES):
        vertices, faces = _tube(0.06, HIGH, 64, rings=2)
        found.append((vertices + np.array((2.1 + 3 * number, 7.0, -THICK / 2)), faces))
    return found


def _tube(radius: float, high: float, sides: int, rings: int) -> Part:
    """Return a closed cylinder with the center of its base at the origin."""
    turn = np.linspace(0, 2 * np.pi, sides, endpoint=False)
    circle = np.stack((radius * np.cos(turn), radius * np.sin(turn)), axis=1)
    points = np.concatenate([np.column_stack((circle, np.full(sides, z)))
                             for z in np.linspace(0, high, rings)])  # fmt: skip
    here = np.arange(sides)
    there = (here + 1) % sides
    parts = []
    for ring in range(rings - 1):
        low, next_low = here + ring * sides, there + ring * sides
        parts += [(low, next_low, next_low + sides), (low, next_low + sides, low + sides)]
    bottom, tip = (np.full(sides, rings * sides + end) for end in (0, 1))
    last = (rings - 1) * sides
    parts += [(there, here, bottom), (here + last, there + last, tip)]
    faces = np.concatenate([np.stack(corners, axis=1) for corners in parts])
    return np.concatenate((points, [(0, 0, 0), (0, 0, high)])), faces
