"""The forest in Blender: three meshes and 2,000 trees, placed by three methods.

Some are objects that share a mesh (Alt+D), some are empties that instance a collection, and some
are instances that geometry nodes set on points.
"""

import bpy
import numpy as np
from mathutils import Vector

from demo import forest, studio, trees

LINKED_COUNT, INSTANCED_COUNT = 1_200, 300  # nodes plant the others
LEAVES = {"Spruce": (0.03, 0.13, 0.07), "Oak": (0.1, 0.22, 0.04), "Birch": (0.3, 0.38, 0.07)}
WOOD, SOIL = (0.16, 0.1, 0.06), (0.25, 0.24, 0.12)
LINKED = "Linked Trees"  # the collection of the trees that are objects
EYE, AHEAD = (-138.0, -50.0, 27.0), (1.0, 0.3, -0.14)  # position and direction of the camera


def planted() -> bpy.types.Object:
    """Fill an empty file with the forest, and return its camera."""
    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    linked = bpy.data.collections.new(LINKED)
    scene.collection.children.link(linked)
    meshes = [_tree_mesh(name) for name in trees.NAMES]
    kinds = [_collection(mesh) for mesh in meshes]
    wood = forest.forest()
    ground = bpy.data.objects.new("Ground", studio.mesh_of("Ground", *forest.ground()))
    ground.data.materials.append(studio.paint("Soil", SOIL))
    scene.collection.objects.link(ground)
    for number in range(LINKED_COUNT + INSTANCED_COUNT):
        kind, is_linked = wood.kinds[number], number < LINKED_COUNT
        name = f"{trees.NAMES[kind]} {number:04}"
        made = bpy.data.objects.new(name, meshes[kind] if is_linked else None)
        if not is_linked:
            made.instance_type, made.instance_collection = "COLLECTION", kinds[kind]
        made.location, made.rotation_euler = wood.places[number], wood.turns[number]
        made.scale = [wood.sizes[number]] * 3
        (linked if is_linked else scene.collection).objects.link(made)
    some = slice(LINKED_COUNT + INSTANCED_COUNT, None)
    scene.collection.objects.link(_seedlings(wood, some))
    camera = _camera()
    bpy.context.view_layer.update()
    return camera


def _tree_mesh(name: str) -> bpy.types.Mesh:
    tree = trees.tree(name)
    mesh = studio.mesh_of(name, tree.vertices, tree.faces)
    mesh.shade_flat()
    for part, color in (("Leaves", LEAVES[name]), ("Wood", WOOD)):
        mesh.materials.append(studio.paint(f"{name} {part}", color))
    mesh.polygons.foreach_set("material_index", tree.is_wood.astype(np.int32))
    return mesh


def _collection(mesh: bpy.types.Mesh) -> bpy.types.Collection:
    """Put one tree into a collection outside all scenes, which only instances show."""
    made = bpy.data.collections.new(mesh.name)
    made.objects.link(bpy.data.objects.new(f"{mesh.name} to Instance", mesh))
    return made


def _seedlings(wood: forest.Forest, some: slice) -> bpy.types.Object:
    """Make points, and nodes that instance a tree on each."""
    mesh = bpy.data.meshes.new("Seedlings")
    mesh.from_pydata(wood.places[some], [], [])
    for name, kind, values in (
        ("kind", "INT", wood.kinds[some].astype(np.int32)),
        ("size", "FLOAT", wood.sizes[some]),
        ("turn", "FLOAT_VECTOR", wood.turns[some]),
    ):
        key = "vector" if kind == "FLOAT_VECTOR" else "value"
        mesh.attributes.new(name, kind, "POINT").data.foreach_set(key, values.ravel())
    made = bpy.data.objects.new("Seedlings", mesh)
    made.modifiers.new("Plant", "NODES").node_group = _planting()
    return made


def _planting() -> bpy.types.NodeTree:
    """Make nodes that instance the trees on points: a collection's children, by their number."""
    group = bpy.data.node_groups.new("Plant", "GeometryNodeTree")
    link, new = group.links.new, group.nodes.new
    for in_out in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=in_out, socket_type="NodeSocketGeometry")
    plant, chosen = new("GeometryNodeInstanceOnPoints"), new("GeometryNodeCollectionInfo")
    nursery = bpy.data.collections.new("Nursery")
    for number, name in enumerate(trees.NAMES):  # children come in the order of their names
        nursery.objects.link(bpy.data.objects.new(f"{number} {name}", bpy.data.meshes[name]))
    chosen.inputs["Collection"].default_value = nursery
    chosen.inputs["Separate Children"].default_value = True
    plant.inputs["Pick Instance"].default_value = True
    link(new("NodeGroupInput").outputs[0], plant.inputs["Points"])
    link(chosen.outputs[0], plant.inputs["Instance"])
    for name, kind, socket in (
        ("kind", "INT", "Instance Index"),
        ("turn", "FLOAT_VECTOR", "Rotation"),
        ("size", "FLOAT", "Scale"),
    ):
        attribute = new("GeometryNodeInputNamedAttribute")
        attribute.data_type = kind
        attribute.inputs["Name"].default_value = name
        link(next(each for each in attribute.outputs if each.enabled), plant.inputs[socket])
    link(plant.outputs[0], new("NodeGroupOutput").inputs[0])
    return group


def _camera() -> bpy.types.Object:
    """Hang a camera above the treetops that looks along the forest, in a wide format."""
    scene, lens = bpy.context.scene, bpy.data.cameras.new("Camera")
    scene.render.resolution_x, scene.render.resolution_y = 1920, 804
    lens.lens, lens.clip_start, lens.clip_end = 38.0, 6.0, 205.0
    made = bpy.data.objects.new("Camera", lens)
    made.location = EYE
    made.rotation_euler = Vector(AHEAD).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(made)
    scene.camera = made
    return made
