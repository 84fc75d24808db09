"""Benchmark scenes: a terrain with monkeys on it, spheres on its surface, cameras beside it.

The mesh has any size, shared vertices, and Blender's order of faces: half of the triangles are
rolling ground, half are Suzannes, smaller than the ground's waves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils.bvhtree import BVHTree

from benchmarks import scan

HALF_WIDTH = 10.0  # of the terrain


@dataclass(frozen=True)
class Mesh:
    """Triangles, or quads, as arrays: `vertices` (v, 3) float64, `faces` (n, 3) or (n, 4) intp."""

    vertices: np.ndarray
    faces: np.ndarray

    def __len__(self) -> int:
        """Count the faces."""
        return len(self.faces)


def landscape(triangles: int) -> Mesh:
    """Return a terrain with a ring of subdivided monkeys: about `triangles` triangles."""
    monkey = _monkey(level=max(0, round(np.log(triangles / 16_000) / np.log(4))))
    count = round(triangles / 2 / len(monkey))
    parts = [_terrain(triangles - count * len(monkey))]
    for turn in np.arange(count) / count:
        parts.append(_placed(monkey, angle=2 * np.pi * turn, ring=0.4 + 0.35 * (turn * 3 % 1)))
    return _joined(parts)


def shuffled_quads(triangles: int) -> Mesh:
    """Return a terrain of quads, vertices and faces shuffled: about `triangles` triangles."""
    made, random = _quads(triangles), np.random.default_rng(5)
    places = random.permutation(len(made.vertices))
    return Mesh(made.vertices[places.argsort()], places[random.permutation(made.faces)])


def _terrain(triangles: int) -> Mesh:
    quads = _quads(triangles)
    return Mesh(quads.vertices, quads.faces[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


def _quads(triangles: int) -> Mesh:
    side = round(np.sqrt(triangles / 2)) + 1
    line = np.linspace(-HALF_WIDTH, HALF_WIDTH, side)
    x, y = (axis.ravel() for axis in np.meshgrid(line, line))
    z = 0.8 * np.sin(0.7 * x) * np.cos(0.5 * y) + 0.15 * np.sin(2.9 * x + 1.7 * y)
    corner = np.arange(side * side).reshape(side, side)[:-1, :-1].ravel()
    return Mesh(np.stack([x, y, z], axis=1), corner[:, None] + [0, 1, side + 1, side])


def _monkey(level: int) -> Mesh:
    """Suzanne, about 1,000 triangles times four to the power of `level`."""
    bpy.ops.mesh.primitive_monkey_add()
    monkey = bpy.context.object
    if level:
        monkey.modifiers.new("Subdivision", "SUBSURF").levels = level
    mesh = monkey.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    vertices, faces = textbook_arrays(mesh)
    bpy.data.objects.remove(monkey)
    return Mesh(vertices.astype(np.float64), faces.astype(np.intp))


def _placed(monkey: Mesh, angle: float, ring: float) -> Mesh:
    """Turn by `angle` and move to that angle on a ring, given as a share of the half width."""
    cos, sin = np.cos(angle), np.sin(angle)
    turned = monkey.vertices @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]])
    place = np.array([HALF_WIDTH * ring * cos, HALF_WIDTH * ring * sin, 1.5])
    return Mesh(turned + place, monkey.faces)


def _joined(parts: list[Mesh]) -> Mesh:
    starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
    faces = [part.faces + start for part, start in zip(parts, starts, strict=True)]
    vertices = np.concatenate([part.vertices for part in parts])
    # Blender keeps single precision: what both sides are given is exactly the same.
    return Mesh(vertices.astype(np.float32).astype(np.float64), np.concatenate(faces))


def textbook_arrays(mesh: bpy.types.Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (v, 3) float32 and faces (n, 3) int32, read the way that tutorials show."""
    mesh.calc_loop_triangles()
    vertices = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", vertices)
    faces = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", faces)
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)


def blender_object(mesh: Mesh) -> bpy.types.Object:
    """Make a Blender object of a mesh, linked to the scene and evaluated."""
    made = bpy.data.meshes.new("Landscape")
    made.vertices.add(len(mesh.vertices))
    made.vertices.foreach_set("co", mesh.vertices.ravel().astype(np.float32))
    made.loops.add(mesh.faces.size)
    made.loops.foreach_set("vertex_index", mesh.faces.ravel().astype(np.int32))
    made.polygons.add(len(mesh))
    starts = np.arange(0, mesh.faces.size, mesh.faces.shape[1], dtype=np.int32)
    made.polygons.foreach_set("loop_start", starts)
    made.update(calc_edges=True)
    linked = bpy.data.objects.new("Landscape", made)
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.update()
    return linked


def places_on(mesh: Mesh, count: int) -> np.ndarray:
    """Return centers of triangles, drawn with a fixed seed: (count, 3)."""
    chosen = np.random.default_rng(1).integers(len(mesh), size=count)
    return mesh.vertices[mesh.faces[chosen]].mean(axis=1)


def radius_touching(wanted: float, bvh: BVHTree, centers: np.ndarray) -> float:
    """Return the radius at which spheres about the centers touch `wanted` triangles on average."""
    places = centers.tolist()

    def touched(radius: float) -> float:
        return sum(len(bvh.find_nearest_range(place, radius)) for place in places) / len(places)

    return bisect(wanted, touched, 0.0, HALF_WIDTH / 10)


def bisect(
    wanted: float, measure: Callable[[float], float], low: float, high: float, steps: int = 24
) -> float:
    """Where the growing function `measure` reaches `wanted`."""
    for _ in range(steps):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if measure(middle) < wanted else (low, middle)
    return high


def camera_seeing(share: float, corners: np.ndarray) -> np.ndarray:
    """Find a camera that sees this share of the triangles: its view-projection matrix (4, 4)."""

    def seen(angle: float) -> float:
        return len(scan.touching(corners, planes_of(camera(angle)))) / corners.shape[2]

    return camera(bisect(share, seen, np.radians(1), np.radians(120)))


def planes_of(matrix: np.ndarray) -> np.ndarray:
    """Take the six planes (6, 4) out of a matrix: unit normals, inside where >= 0."""
    rows, last = matrix[:3], matrix[3]
    planes = np.stack([last + rows, last - rows], axis=1).reshape(6, 4)
    return planes / np.linalg.norm(planes[:, :3], axis=1, keepdims=True)


def camera(angle: float, near: float = 0.1, far: float = 100.0) -> np.ndarray:
    """Aim a camera, 16:9, from its fixed place at the middle of the landscape."""
    eye = np.array([-0.9 * HALF_WIDTH, -1.1 * HALF_WIDTH, 0.6 * HALF_WIDTH])
    back = eye / np.linalg.norm(eye)
    right = np.cross([0.0, 0.0, 1.0], back)
    right /= np.linalg.norm(right)
    view = np.eye(4)
    view[:3, :3] = [right, np.cross(back, right), back]
    view[:3, 3] = -view[:3, :3] @ eye
    zoom = 1 / np.tan(angle / 2)
    depth, shift = (far + near) / (near - far), 2 * far * near / (near - far)
    lens = np.array(
        [[zoom, 0, 0, 0], [0, zoom * 16 / 9, 0, 0], [0, 0, depth, shift], [0, 0, -1, 0]]
    )
    return lens @ view


def placed_objects(count: int, meshes: Sequence[bpy.types.Mesh] = ()) -> bpy.types.Scene:
    """Fill a scene of its own with objects of some meshes, by default of five, and show it.

    They float in a cube, rotated and stretched; about half of them touch another object.
    """
    scene = bpy.data.scenes.new("Placed")
    bpy.context.window.scene = scene
    meshes = meshes or five_meshes()
    random = np.random.default_rng(3)
    side = 4.0 * count ** (1 / 3)
    rows = (
        random.uniform(-side / 2, side / 2, (count, 3)),
        random.uniform(-np.pi, np.pi, (count, 3)),
        random.uniform(0.5, 1.5, (count, 3)),
    )
    for number, (place, turn, scale) in enumerate(zip(*rows, strict=True)):
        item = bpy.data.objects.new("Placed", meshes[number % len(meshes)])
        item.location, item.rotation_euler, item.scale = place, turn, scale
        scene.collection.objects.link(item)
    scene.view_layers[0].update()
    return scene


def five_meshes() -> list[bpy.types.Mesh]:
    """Make a monkey, two kinds of balls, a ring and a cube: 756 triangles on average."""
    add = bpy.ops.mesh
    return [
        _mesh_of(add.primitive_monkey_add),
        _mesh_of(add.primitive_ico_sphere_add, subdivisions=4),
        _mesh_of(add.primitive_uv_sphere_add, segments=32, ring_count=16),
        _mesh_of(add.primitive_torus_add, major_segments=24, minor_segments=12),
        _mesh_of(add.primitive_cube_add),
    ]


def ball() -> bpy.types.Mesh:
    """Make a ball of 384 triangles."""
    return _mesh_of(bpy.ops.mesh.primitive_uv_sphere_add, segments=16, ring_count=13)


def _mesh_of(add: Callable[..., object], **options: float) -> bpy.types.Mesh:
    add(**options)
    made = bpy.context.object
    mesh = made.data
    bpy.data.objects.remove(made)
    return mesh


def segments_through(scene: bpy.types.Scene, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rays from anywhere around the objects to anywhere among them: (count, 3) twice."""
    random = np.random.default_rng(4)
    side = 4.0 * len(scene.objects) ** (1 / 3)
    starts = random.normal(size=(count, 3))
    starts *= side / np.linalg.norm(starts, axis=1, keepdims=True)
    return starts, random.uniform(-side / 2, side / 2, (count, 3)) - starts
