"""Scenes of placed meshes, and what is true of them: one octree over all baked triangles."""

import numpy as np

from core import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
)

KINDS = ("rigid", "mirrored", "sheared", "uneven", "flat", "huge", "tiny", "far")


def mesh(rng, triangles, *, size=1.0):
    """Make a soup of small triangles around the origin."""
    corners = rng.normal(size=(triangles, 1, 3)) + rng.normal(0, 0.4, (triangles, 3, 3))
    return Triangles(size * corners.reshape(-1, 3), np.arange(3 * triangles).reshape(-1, 3))


def rotation(rng):
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return turn * np.sign(np.linalg.det(turn))


def matrix(rng, kind, spread=4.0):
    """Make a matrix of some kind; turns are in single precision, as Blender's are."""
    turn, shift = rotation(rng).astype(np.float32).astype(float), rng.normal(0, spread, 3)
    scale = np.eye(3) * rng.uniform(0.5, 2)
    if kind == "mirrored":
        scale[0] *= -1
    elif kind == "sheared":
        scale = scale + np.triu(rng.normal(size=(3, 3)), 1)
    elif kind == "uneven":
        scale = np.diag(rng.uniform(0.05, 3, 3))
    elif kind == "flat":
        scale = np.diag([1.0, 1.0, 0.0])
    elif kind == "huge":
        scale, shift = scale * 1e8, shift * 1e8
    elif kind == "tiny":
        scale = scale * 1e-6
    elif kind == "far":
        shift += np.array([1e6, -1e6, 1e6])
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = turn @ scale, shift
    return made


def matrices(rng, kinds):
    return np.array([matrix(rng, kind) for kind in kinds]).reshape(-1, 4, 4)


def scene(rng, *, meshes=3, placements=12, kinds=("rigid",), triangles=60):
    """Many placements of a few meshes of about so many triangles."""
    made = SceneOctree()
    for _ in range(meshes):
        made.add_mesh(mesh(rng, int(rng.integers(1, triangles))))
    chosen = [kinds[i % len(kinds)] for i in range(placements)]
    made.place(rng.integers(meshes, size=placements), matrices(rng, chosen))
    return made


class Baked:
    """One octree over the baked triangles of a scene, which answers by placement and triangle."""

    def __init__(self, scene):
        self.triangles = scene.triangles_of(scene.ids)
        self.tree = build_octree(self.triangles)
        counts = [len(scene.triangles_of([i])) for i in scene.ids]
        self.placements = np.append(np.repeat(scene.ids, counts), -1).astype(np.intp)
        self.numbers = np.concatenate([*map(np.arange, counts), [-1]]).astype(np.intp)

    def named(self, items):
        """Placements and triangles of baked triangles; -1 for -1."""
        return self.placements[items], self.numbers[items]

    def renumbered(self, pairs):
        return np.stack((pairs[0], *self.named(pairs[1])))


def volumes(rng, center, size, count=6):
    """Volumes of every kind about some place, the larger ones about as large as `size`."""
    places = center + rng.normal(0, size, (count, 3))
    sizes = size * rng.uniform(0.02, 1, (count, 3))
    turns = np.array([rotation(rng) for _ in range(count)]).reshape(-1, 3, 3)
    corners = 2.0 * np.array(
        [(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    )
    hexahedra = (corners - 1) * np.where(corners[:, 2:] > 0, 1.5, 0.5)
    solid = places[:, None] + (hexahedra * sizes[:, None]) @ turns
    normals = rng.normal(size=(count, 3))
    offsets = -(normals * places).sum(axis=1)
    return [
        Spheres(places, sizes[:, 0]),
        Spheres(places, 0 * sizes[:, 0]),
        Boxes(places - sizes, places + sizes),
        Boxes(places, places),
        Regions(places - sizes, places + sizes, sizes[:, 1]),
        OrientedBoxes(places, sizes, turns),
        Capsules(places, places + sizes, sizes[:, 2]),
        HalfSpaces(np.column_stack((normals, offsets))),
        Frusta(solid),
    ]
