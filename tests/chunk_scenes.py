"""Meshes with every layer that a chunk has to keep, and what their chunks are asked for."""

from typing import Any

import bpy
import numpy as np
from blender_scenes import mesh_object

from octree_ext.octree_addon.chunks.made import chunks_in, made_collection
from octree_ext.octree_addon.reader import ATTRIBUTE_KINDS, mesh_layers

FINE = {"least_triangles": 0, "least_size": 0.01, "cell": 1.0}


def bumpy(name: str = "Bumpy", size: int = 12, seed: int = 3) -> bpy.types.Object:
    """Add a sheet of quads that are not flat, triangles and hexagons, with all layers."""
    random = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(-1.3, 1.7, size), np.linspace(-1.1, 1.9, size))
    z = 0.3 * np.sin(3 * x) * np.cos(2 * y) + 0.05 * random.random(x.shape)
    points = np.stack((x, y, z), axis=-1).reshape(-1, 3)
    faces: list[tuple[int, ...]] = []
    for row in range(size - 1):
        for column in range(size - 1):
            a = row * size + column
            quad = (a, a + 1, a + size + 1, a + size)
            if column % 5 == 4:
                faces += [quad[:3], (quad[0], *quad[2:])]
            elif column % 5 == 2 and column + 2 < size:
                b = a + 1
                faces.append((a, b, b + 1, b + size + 1, b + size, a + size))
            elif column % 5 != 3 or column == size - 2:
                faces.append(quad)
    item = mesh_object(name, points, faces)
    decorate(item, random)
    return item


def decorate(item: bpy.types.Object, random: np.random.Generator) -> None:
    """Give a mesh two UV maps, attributes of all kinds, marks, materials and groups."""
    mesh: Any = item.data
    for kind, domain in (
        ("FLOAT2", "CORNER"), ("FLOAT2", "CORNER"), ("FLOAT_COLOR", "POINT"),
        ("BYTE_COLOR", "CORNER"), ("FLOAT", "POINT"), ("FLOAT_VECTOR", "CORNER"),
        ("INT", "FACE"), ("INT", "POINT"), ("BOOLEAN", "FACE"), ("FLOAT", "EDGE"),
        ("INT8", "CORNER"), ("STRING", "FACE"), ("BOOLEAN", "POINT"),
    ):  # fmt: skip
        attribute = mesh.attributes.new(f"{kind}_{domain}", kind, domain)
        if kind == "STRING":
            for number, element in enumerate(attribute.data):
                element.value = str(number).encode()
            continue
        field, width, dtype = ATTRIBUTE_KINDS[kind]
        values = random.random(width * len(attribute.data))
        if dtype is not np.float32:
            values = values * 100
        attribute.data.foreach_set(field, values.astype(dtype))
    for name in (".sculpt_face_set", "material_index"):
        attribute = mesh.attributes.get(name) or mesh.attributes.new(name, "INT", "FACE")
        count = len(mesh.polygons)
        attribute.data.foreach_set("value", (np.arange(count) * 5 // count * 2).astype(np.int32))
    for number in range(9):
        mesh.materials.append(bpy.data.materials.new(f"Material {number}"))
    for number, edge in enumerate(mesh.edges):
        edge.use_seam, edge.use_edge_sharp = number % 7 == 0, number % 11 == 0
    mesh.shade_smooth()
    for group in ("One", "Other"):
        numbers = random.permutation(len(mesh.vertices))[: len(mesh.vertices) // 2]
        made = item.vertex_groups.new(name=group)
        for number in numbers.tolist():
            made.add([number], float(random.random()), "REPLACE")


def textured(name: str, values: tuple[float, ...], *, image: str = "wood") -> bpy.types.Material:
    """Return a material with a picture of its own."""
    picture = bpy.data.images.new(image, 4, 4)
    picture.pixels[:] = np.resize(np.array(values, np.float32), 64).tolist()
    picture.pack()
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):
        material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = picture
    shader = next(each for each in tree.nodes if each.type == "BSDF_PRINCIPLED")
    tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return material


def chunks() -> list[bpy.types.Object]:
    """Return the chunks of the scene."""
    return chunks_in(made_collection(bpy.context.scene))


def cut(**options: Any) -> list[bpy.types.Object]:
    """Cut the scene and return the chunks."""
    assert bpy.ops.octree.cut_chunks(**{**FINE, **options}) == {"FINISHED"}
    bpy.context.view_layer.update()
    return chunks()


def world(item: bpy.types.Object) -> np.ndarray:
    """Return the corners of an object's triangles in the world, (t, 3, 3)."""
    layers = mesh_layers(item.data)
    matrix = np.array(item.matrix_world, np.float64)
    points = layers.positions @ matrix[:3, :3].T + matrix[:3, 3]
    return points[layers.corner_vertices[layers.triangle_corners]]


def areas(corners: np.ndarray) -> np.ndarray:
    """Return the areas of triangles."""
    sides = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.linalg.norm(np.cross(*sides), axis=1) / 2


def barycentric(point: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return the coordinates of a point in each triangle, (t, 3), and how far off its plane."""
    one, two = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    to = point - corners[:, 0]
    a, b, c = (one * one).sum(1), (one * two).sum(1), (two * two).sum(1)
    d, e = (to * one).sum(1), (to * two).sum(1)
    v, w = (c * d - b * e) / (a * c - b * b), (a * e - b * d) / (a * c - b * b)
    found = np.stack((1 - v - w, v, w), axis=1)
    off = np.linalg.norm(to - v[:, None] * one - w[:, None] * two, axis=1)
    return np.column_stack((found, off))


def open_length(items: list[bpy.types.Object]) -> float:
    """Return the length of edges that one triangle has, of all objects by place."""
    corners = np.concatenate([world(item) for item in items])
    ends = np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2, 3)
    keys: dict[tuple[bytes, bytes], int] = {}
    for start, end in ends:
        key = tuple(sorted((start.tobytes(), end.tobytes())))
        keys[key] = keys.get(key, 0) + 1
    lengths = [
        np.linalg.norm(np.frombuffer(one) - np.frombuffer(other))
        for (one, other), count in keys.items()
        if count == 1
    ]
    return float(np.sum(lengths))
