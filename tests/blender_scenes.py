"""Small scenes in Blender for the add-on's tests."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
import numpy as np

CUBE_FACES = [(0, 1, 3, 2), (2, 3, 7, 6), (6, 7, 5, 4), (4, 5, 1, 0), (2, 6, 4, 0), (7, 3, 1, 5)]


def link(item: bpy.types.Object, **values: Any) -> bpy.types.Object:
    """Put an object into the scene, with properties set."""
    bpy.context.scene.collection.objects.link(item)
    for name, value in values.items():
        setattr(item, name, value)
    return item


def mesh_object(
    name: str, vertices: Iterable[Sequence[float]], faces: Iterable[Sequence[int]], **values: Any
) -> bpy.types.Object:
    """Add an object of a new mesh."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(vertex) for vertex in vertices], [], list(faces))
    return link(bpy.data.objects.new(name, mesh), **values)


def cube(name: str = "Cube", size: float = 1.0, **values: Any) -> bpy.types.Object:
    """Add a cube of twelve triangles."""
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return mesh_object(name, signs * size / 2, CUBE_FACES, **values)


def monkey(levels: int = 1, **values: Any) -> bpy.types.Object:
    """Add a monkey, subdivided by a modifier."""
    bpy.ops.mesh.primitive_monkey_add()
    item = bpy.context.object
    if levels:
        item.modifiers.new("Subdivision", "SUBSURF").levels = levels
    for name, value in values.items():
        setattr(item, name, value)
    return item


def text(body: str = "Octree", **values: Any) -> bpy.types.Object:
    """Add a filled text."""
    curve = bpy.data.curves.new("Text", "FONT")
    curve.body = body
    return link(bpy.data.objects.new("Text", curve), **values)


def tube(**values: Any) -> bpy.types.Object:
    """Add a curve with a round bevel."""
    bpy.ops.curve.primitive_bezier_circle_add()
    item = bpy.context.object
    item.data.bevel_depth = 0.1
    for name, value in values.items():
        setattr(item, name, value)
    return item


def collection_instance(
    items: Iterable[bpy.types.Object], name: str = "Instance", **values: Any
) -> bpy.types.Object:
    """Move objects into a collection of their own that only an empty shows."""
    collection = bpy.data.collections.new(name)
    for item in items:
        for user in item.users_collection:
            user.objects.unlink(item)
        collection.objects.link(item)
    empty = bpy.data.objects.new(name, None)
    empty.instance_type, empty.instance_collection = "COLLECTION", collection
    return link(empty, **values)


def scatter(instanced: bpy.types.Object, points: bpy.types.Object) -> None:
    """Show an object on every vertex of another, by geometry nodes, beside its own faces."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    names = ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeObjectInfo")
    source, target, info = (tree.nodes.new(name) for name in names)
    place, join = (
        tree.nodes.new(f"GeometryNode{name}") for name in ("InstanceOnPoints", "JoinGeometry")
    )
    info.inputs["Object"].default_value = instanced
    info.inputs["As Instance"].default_value = True
    tree.links.new(source.outputs[0], place.inputs["Points"])
    tree.links.new(info.outputs["Geometry"], place.inputs["Instance"])
    tree.links.new(place.outputs[0], join.inputs[0])
    tree.links.new(source.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], target.inputs[0])
    points.modifiers.new("Scatter", "NODES").node_group = tree


def select_only(*items: bpy.types.Object) -> None:
    """Select these objects and no other; the first becomes the active one."""
    layer = bpy.context.view_layer
    layer.update()  # what is not known to be visible is not selected
    for item in layer.objects:
        item.select_set(item in items)
    layer.objects.active = items[0] if items else None


def depsgraph() -> bpy.types.Depsgraph:
    """Return the scene as it is now."""
    return bpy.context.evaluated_depsgraph_get()


def camera(kind: str = "PERSP", **values: Any) -> bpy.types.Object:
    """Add a camera and make it the scene's."""
    lens = bpy.data.cameras.new("Camera")
    lens.type = kind
    item = link(bpy.data.objects.new("Camera", lens), **values)
    bpy.context.scene.camera = item
    return item


def lamp(**values: Any) -> bpy.types.Object:
    """Add a light, which has no shape."""
    return link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")), **values)


def selected() -> set[str]:
    """Return the names of the selected objects."""
    return {item.name for item in bpy.context.view_layer.objects.selected}


def world_triangles() -> dict[str, np.ndarray]:
    """Return what each object of the scene shows, (n, 3, 3), one triangle at a time."""
    found: dict[str, list[Any]] = {}
    for instance in depsgraph().object_instances:
        owner = (instance.parent if instance.is_instance else instance.object).original.name
        if instance.object.type != "MESH":
            continue
        mesh = instance.object.data
        mesh.calc_loop_triangles()
        for triangle in mesh.loop_triangles:
            corners = [mesh.vertices[index].co for index in triangle.vertices]
            found.setdefault(owner, []).append([instance.matrix_world @ co for co in corners])
    return {name: np.array(triangles) for name, triangles in found.items()}
