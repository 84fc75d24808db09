"""Three low-poly trees as arrays: a spruce of jagged tiers, an oak of balls, a slim birch."""

from dataclasses import dataclass

import bmesh
import numpy as np

SIDES, TIERS = 6, 4  # of a trunk; of a spruce
POINTS = 14  # of the jagged rim of a tier
BALLS = {  # name: middle and half size of each ball of leaves
    "Oak": (
        ((0.0, 0.0, 7.2), (2.7, 2.6, 2.1)),
        ((1.6, 0.5, 5.7), (1.7, 1.8, 1.4)),
        ((-1.4, -0.9, 5.6), (1.8, 1.6, 1.4)),
    ),
    "Birch": (((0.0, 0.0, 8.2), (1.25, 1.25, 3.9)), ((0.5, 0.3, 6.0), (1.2, 1.2, 1.9))),
}
TRUNKS = {"Spruce": (0.45, 4.0), "Oak": (0.55, 6.5), "Birch": (0.28, 7.0)}  # radius, height
NAMES = tuple(TRUNKS)


@dataclass(frozen=True)
class Tree:
    """Vertices (v, 3) with the foot in the origin, faces (n, 3), and which of these are wood."""

    vertices: np.ndarray
    faces: np.ndarray
    is_wood: np.ndarray


def tree(name: str) -> Tree:
    """Make one of the trees of `NAMES`."""
    random = np.random.default_rng(NAMES.index(name))
    crown = _tiers(random) if name == "Spruce" else [_ball(random, *at) for at in BALLS[name]]
    parts = [_trunk(*TRUNKS[name]), *crown]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in parts[:-1])])
    faces = [faces + start for (_, faces), start in zip(parts, starts, strict=True)]
    vertices, joined = np.concatenate([part[0] for part in parts]), np.concatenate(faces)
    return Tree(vertices, joined, np.arange(len(joined)) < len(faces[0]))


def _trunk(radius: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Make the sides of a tapered prism that begins below the ground."""
    low, high = _ring(SIDES, radius, -1.0), _ring(SIDES, 0.4 * radius, height)
    here, after = np.arange(SIDES), (np.arange(SIDES) + 1) % SIDES
    lower = np.stack([here, after, after + SIDES], axis=1)
    upper = np.stack([here, after + SIDES, here + SIDES], axis=1)
    return np.concatenate([low, high]), np.concatenate([lower, upper])


def _tiers(random: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Make the skirts of a spruce, the widest first, closed below."""
    tiers = []
    for share in np.arange(TIERS) / TIERS:
        rim = _ring(POINTS, 2.9 * (1 - 0.8 * share), 2.0 + 8.5 * share, turn=share * 5)
        rim[1::2, :2] *= 0.72  # every other point stays back, and droops less
        rim[1::2, 2] += 0.45
        rim[:, 2] += random.uniform(-0.15, 0.15, POINTS)
        middle = rim[:, 2].mean()
        ends = [[0, 0, middle + 5.2 * (1 - 0.45 * share)], [0, 0, middle + 0.5]]
        here, after = np.arange(POINTS), (np.arange(POINTS) + 1) % POINTS
        above = np.stack([here, after, np.full(POINTS, POINTS)], axis=1)
        below = np.stack([after, here, np.full(POINTS, POINTS + 1)], axis=1)
        tiers.append((np.concatenate([rim, ends]), np.concatenate([above, below])))
    return tiers


def _ball(
    random: np.random.Generator, middle: tuple, half_size: tuple
) -> tuple[np.ndarray, np.ndarray]:
    """Make a dented ball of 80 triangles."""
    made = bmesh.new()
    bmesh.ops.create_icosphere(made, subdivisions=2, radius=1.0)
    vertices = np.array([vertex.co[:] for vertex in made.verts])
    faces = np.array([[vertex.index for vertex in face.verts] for face in made.faces])
    made.free()
    vertices *= random.uniform(0.82, 1.08, (len(vertices), 1))
    return vertices * half_size + middle, faces


def _ring(count: int, radius: float, height: float, turn: float = 0.0) -> np.ndarray:
    """Return points (count, 3) on a circle about the z axis, counterclockwise."""
    angle = turn + 2 * np.pi * np.arange(count) / count
    rows = radius * np.cos(angle), radius * np.sin(angle), np.full(count, height)
    return np.stack(rows, axis=1)
