"""Triangles shown = of chunks = in files = in the manifest, for all kinds of instances."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, mesh_object, scatter, text, tube
from chunk_folders import octree
from chunk_scenes import chunks
from damaged_writers import FORMS, count, in_order, same, shown

PLATE = [(0, 0, 0), (6, 0, 0), (6, 6, 0.5), (0, 6, 0)]


def plate(name="Plate"):
    return mesh_object(name, PLATE, [(0, 1, 2, 3)])


def nodes(item, kind, *, joined=True):
    """Show a mesh that a node makes on every vertex, by geometry nodes, beside its own faces."""
    tree = bpy.data.node_groups.new("Grow", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    names = ("NodeGroupInput", "NodeGroupOutput", "GeometryNodeInstanceOnPoints",
             "GeometryNodeJoinGeometry", kind)  # fmt: skip
    source, target, place, join, made = (tree.nodes.new(name) for name in names)
    tree.links.new(source.outputs[0], place.inputs["Points"])
    tree.links.new(made.outputs[0], place.inputs["Instance"])
    tree.links.new(place.outputs[0], join.inputs[0])
    if joined:
        tree.links.new(source.outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], target.inputs[0])
    item.modifiers.new("Grow", "NODES").node_group = tree
    return item


def of_collection():
    collection_instance([cube("Part", location=(0.2, 0.1, 0))], location=(3, 0.3, 0.2))


def of_vertices(kind="VERTS"):
    owner, child = plate(), cube("Child", 0.5)
    owner.instance_type, child.parent = kind, owner


def of_objects_by_nodes():
    scatter(cube("Stone", 0.5, location=(0, 20, 0)), plate())


def of_meshes_by_nodes():
    nodes(plate(), "GeometryNodeMeshCone")


def of_meshes_alone():
    nodes(plate(), "GeometryNodeMeshCone", joined=False)


def of_own_mesh():
    """Instances of a mesh with the polygons that the object itself has."""
    nodes(cube("Seed"), "GeometryNodeMeshCube")


def nested():
    """Show a collection once more that has an object whose nodes make instances."""
    collection_instance([nodes(plate(), "GeometryNodeMeshCone"), text("ab", location=(0, 9, 0))])


def nested_twice():
    inner = collection_instance([nodes(plate(), "GeometryNodeMeshCube")], "Inner")
    collection_instance([inner], "Outer", location=(9, 0, 0), rotation_euler=(0, 0, 0.3))


def texts():
    collection_instance([text("cd")], "Words", location=(0, 5, 0))
    text("ef")


def curves():
    collection_instance([tube(location=(0.1, 0.2, 0))], "Rings", location=(0, 5, 0))
    tube(location=(5, 0, 0))


def text_with_nodes():
    nodes(text("l"), "GeometryNodeMeshCone")


def of_particles():
    owner, stone = plate(), cube("Stone", 0.4, location=(0, 20, 0))
    owner.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = owner.particle_systems[0].settings
    settings.type, settings.count, settings.render_type = "HAIR", 9, "OBJECT"
    settings.instance_object, settings.hair_length = stone, 4.0


def of_nodes_with_materials():
    """Equal meshes in a material each, of two objects."""
    for number in range(2):
        item = nodes(plate(f"Plate {number}"), "GeometryNodeMeshCone")
        item.location.x = 10 * number
        item.data.materials.append(bpy.data.materials.new(f"Paint {number}"))


def with_a_modifier_that_makes_none():
    """Geometry nodes that only pass on what they get, of an instance, too."""
    for number in range(2):
        item = cube(f"Part {number}", location=(3 * number, 0, 0))
        tree = bpy.data.node_groups.new("Pass", "GeometryNodeTree")
        for direction in ("INPUT", "OUTPUT"):
            tree.interface.new_socket(
                "Geometry", in_out=direction, socket_type="NodeSocketGeometry"
            )
        source, target = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
        tree.links.new(source.outputs[0], target.inputs[0])
        item.modifiers.new("Pass", "NODES").node_group = tree
        if number:
            collection_instance([item], location=(0, 5, 0))


KINDS = {
    "collection": of_collection,
    "vertices": of_vertices,
    "faces": lambda: of_vertices("FACES"),
    "objects by nodes": of_objects_by_nodes,
    "meshes by nodes": of_meshes_by_nodes,
    "meshes alone": of_meshes_alone,
    "own mesh": of_own_mesh,
    "nested": nested,
    "nested twice": nested_twice,
    "texts": texts,
    "curves": curves,
    "text with nodes": text_with_nodes,
    "particles": of_particles,
    "materials": of_nodes_with_materials,
    "no instances": with_a_modifier_that_makes_none,
}
ONE_CELL = {"triangles": 10**6, "cell": 64.0}


@pytest.mark.parametrize("instances", ["WHOLE", "REAL"])
@pytest.mark.parametrize("kind", KINDS)
def test_chunks_show_what_was_shown(kind, instances):
    KINDS[kind]()
    before = shown()
    assert len(before)
    assert bpy.ops.octree.cut_chunks(**ONE_CELL, instances=instances) == {"FINISHED"}
    same(shown(), before)
    made = chunks()
    assert bpy.ops.octree.cut_chunks(**ONE_CELL, instances=instances) == {"FINISHED"}
    assert chunks() == made  # nothing is made again
    assert bpy.ops.octree.remove_chunks() == {"FINISHED"}
    same(shown(), before)
    assert not [mesh.name for mesh in bpy.data.meshes if not mesh.users]


def exported(folder, forms, *words):
    """Export the scene; return how many triangles the manifests say, which the files have."""
    blend = folder / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    folders = {form: folder / form for form in forms}
    asked = [word for form, place in folders.items() for word in (f"--{form}", place)]
    assert octree("chunks", blend, *words, *asked) == 0
    told = set()
    for place in folders.values():
        said = json.loads((place / "manifest.json").read_text())["chunks"]
        for each in said:
            names = [name for name in each["files"] if not name.endswith(".bin")]
            assert {count(place / name) for name in names} == {each["triangles"]}
        told.add(sum(each["triangles"] for each in said))
    (triangles,) = told
    return triangles


@pytest.mark.parametrize("kind", KINDS)
def test_all_forms_have_what_was_shown(kind, tmp_path):
    KINDS[kind]()
    count = len(shown())
    assert exported(tmp_path, FORMS, "--triangles", 10**6) == count


@pytest.mark.parametrize("words", [(), ("--real",)], ids=["whole", "real"])
@pytest.mark.parametrize("kind", KINDS)
def test_manifests_have_what_was_cut(kind, words, tmp_path):
    KINDS[kind]()
    count = len(shown())
    cuts = ("--triangles", count // 3, "--least-triangles", count // 3, "--least-size", 1.0)
    assert exported(tmp_path, ("glb", "blend"), *cuts, *words) >= count


def test_equal_instances_share_one_mesh():
    nodes(plate(), "GeometryNodeMeshCone")
    bpy.ops.octree.cut_chunks(**ONE_CELL)
    meshes = {item.data for item in chunks()}
    assert (len(chunks()), len(meshes)) == (5, 2)


def test_instances_of_meshes_keep_what_the_mesh_has():
    """Materials and shading, though no object has the mesh."""
    of_nodes_with_materials()
    bpy.ops.octree.cut_chunks(**ONE_CELL)
    plates = [item for item in chunks() if "#" not in item["octree_source"]]
    names = {item.data.materials[0].name for item in plates}
    assert names == {"Paint 0", "Paint 1"}
    assert not [item.name for item in chunks() if item.data.validate()]


def test_triangles_are_compared_whatever_their_order():
    corners = np.random.default_rng(1).random((9, 3, 3))
    turned = np.roll(corners[::-1], 1, axis=1)
    assert np.array_equal(in_order(corners), in_order(turned))
    with pytest.raises(AssertionError):
        same(corners, corners[:, ::-1])


def test_a_linked_object_keeps_its_own_place():
    """What is copied and what is not stands where it was shown."""
    parent = link(bpy.data.objects.new("Parent", None), location=(1, 2, 3))
    nodes(plate(), "GeometryNodeMeshCone").parent = parent
    before = shown()
    bpy.ops.octree.cut_chunks(**ONE_CELL)
    same(shown(), before)
