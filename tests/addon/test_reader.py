"""Evaluated triangles against what Blender itself says, one triangle at a time."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    collection_instance,
    cube,
    depsgraph,
    link,
    mesh_object,
    monkey,
    scatter,
    text,
    tube,
)
from reading import only_object, read
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import SUMMED_TOGETHER, Triangles, run, use_kernel
from octree_ext.octree_addon.reader import (
    ReadMesh,
    mesh_arrays,
    meshes,
    object_bounds,
    scene,
)
from octree_ext.octree_addon.scene_index import triangle_source_steps


def own_triangles(item):
    """Ask Blender about one evaluated object, in the slow and plain way."""
    evaluated = item.evaluated_get(depsgraph())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    found = [
        [evaluated.matrix_world @ mesh.vertices[index].co for index in triangle.vertices]
        for triangle in mesh.loop_triangles
    ]
    evaluated.to_mesh_clear()
    return np.array(found).reshape(-1, 3, 3)


def assert_same(source, expected):
    assert np.allclose(source.vertices[source.faces], expected, atol=1e-5)


def test_mesh_arrays_agree_with_the_mesh():
    mesh = monkey(0).data
    arrays = mesh_arrays(mesh)
    assert [array.dtype for array in arrays] == [np.float32, np.int32, np.int32]
    assert np.array_equal(arrays.positions, [tuple(vertex.co) for vertex in mesh.vertices])
    assert np.array_equal(arrays.triangles, [tuple(t.vertices) for t in mesh.loop_triangles])
    assert np.array_equal(arrays.polygons, [t.polygon_index for t in mesh.loop_triangles])


def test_mesh_arrays_of_an_empty_mesh_and_of_loose_vertices():
    for vertices in ([], [(0, 0, 0)]):
        arrays = mesh_arrays(mesh_object("Loose", vertices, []).data)
        assert [array.shape for array in arrays] == [(0, 3), (0, 3), (0,)]


@pytest.mark.parametrize("make", [monkey, text, tube, cube])
def test_reads_what_the_screen_shows(make):
    item = make(location=(1, 2, 3), rotation_euler=(0.1, 0.2, 0.3), scale=(2, -1, 0.5))
    source = read(item)
    assert_same(source, own_triangles(item))
    assert only_object(source).name == item.name
    assert only_object(source).instances == 0


def test_metaballs_are_read_once_with_their_first():
    bpy.ops.object.metaball_add(location=(0, 0, 0))
    first = bpy.context.object
    bpy.ops.object.metaball_add(location=(0.8, 0, 0))
    second = bpy.context.object
    source = read(first, second)
    assert_same(source, own_triangles(first))
    assert source.skipped == {"without faces": 1}


def test_surfaces_are_read():
    bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    assert_same(read(bpy.context.object), own_triangles(bpy.context.object))


def test_shape_keys_and_armatures_come_evaluated():
    item = cube()
    item.shape_key_add(name="Basis")
    item.shape_key_add(name="Up").data[0].co.z = 5
    item.data.shape_keys.key_blocks["Up"].value = 1
    bpy.context.view_layer.update()
    assert read(item).vertices[:, 2].max() == pytest.approx(5)


def test_parents_count():
    parent = link(bpy.data.objects.new("Parent", None), location=(0, 0, 10), scale=(1, 2, 3))
    item = cube(parent=parent, location=(1, 0, 0))
    assert_same(read(item), own_triangles(item))


def test_linked_duplicates_are_each_in_their_place():
    first = cube()
    second = link(bpy.data.objects.new("Second", first.data), location=(5, 0, 0), scale=(-1, 1, 1))
    source = read(first, second)
    assert all(found.editable for found in source.objects)
    assert [found.name for found in source.objects] == ["Cube", "Second"]
    for number, item in enumerate((first, second)):
        mine = source.vertices[source.faces[source.object_of_item == number]]
        assert np.allclose(mine, own_triangles(item))


def test_an_instancer_brings_its_collection():
    empty = collection_instance(
        [cube(location=(1, 0, 0)), text()], location=(0, 0, 4), scale=(-1, 2, 1)
    )
    source = read(empty)
    (found,) = source.objects
    assert (found.name, found.instances, found.editable) == ("Instance", 2, False)
    assert (source.polygon_of_triangle == -1).all()
    assert source.is_instance.all()
    lower = source.vertices[source.faces].min(axis=(0, 1))
    assert lower[0] == pytest.approx(-3.0, abs=1.5)
    assert lower[2] == pytest.approx(3.5)


def test_nested_collection_instances_belong_to_the_outermost():
    inner = collection_instance([cube()], "Inner", location=(0, 0, 2))
    outer = collection_instance([inner], "Outer", location=(0, 3, 0))
    source = read(outer)
    assert (only_object(source).name, only_object(source).instances) == ("Outer", 1)
    center = source.vertices.mean(axis=0)
    assert np.allclose(center, (0, 3, 2))


def test_geometry_nodes_instances_are_read_with_the_object_itself():
    points, pebble = cube("Points", size=4), cube("Pebble", size=0.1, location=(50, 0, 0))
    scatter(pebble, points)
    source = read(points)
    assert (only_object(source).instances, only_object(source).editable) == (8, True)
    assert len(source.faces) == 12 + 8 * 12
    own = source.polygon_of_triangle >= 0
    assert own.sum() == 12
    corners = source.vertices[source.faces[own]].reshape(-1, 3)
    assert np.allclose(np.abs(corners), 2)
    assert np.abs(source.vertices).max() == pytest.approx(2.05)


def test_instances_on_vertices_belong_to_the_instancer():
    points, child = cube("Points", size=4), cube("Child", size=0.1)
    child.parent, points.instance_type = points, "VERTS"
    source = read(points)
    assert only_object(source).instances == 8


def test_a_mesh_of_many_instances_is_read_once(monkeypatch):
    calls = []
    monkeypatch.setattr(scene, "mesh_arrays", lambda mesh: calls.append(1) or mesh_arrays(mesh))
    points, pebble = cube("Points"), cube("Pebble")
    scatter(pebble, points)
    read(points, pebble)
    assert len(calls) == 2


def test_what_gives_no_triangles_is_counted_by_reason():
    hidden, off, empty, lamp = (
        cube("Hidden"),
        cube("Off"),
        mesh_object("Empty", [], []),
        link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))),
    )
    elsewhere = bpy.data.objects.new("Elsewhere", hidden.data)
    hidden.hide_set(True)
    off.hide_viewport = True
    source = read(hidden, off, empty, lamp, elsewhere, cube(), cube())
    assert len(source.objects) == 2
    assert source.skipped == {
        "hidden": 2,
        "without faces": 1,
        "LIGHT": 1,
        "in another view layer": 1,
    }


def test_nothing_at_all():
    source = read()
    assert source.vertices.shape == source.faces.shape == (0, 3)
    assert source.objects == ()
    assert source.object_of_item.shape == (0,)


def test_an_object_named_twice_is_read_once():
    item = cube()
    assert len(read(item, item).faces) == 12


def test_zero_scale_and_vertices_that_are_not_finite_pass():
    flat, broken = cube(scale=(0, 0, 0)), cube("Broken")
    broken.data.vertices[0].co.x = float("nan")
    source = read(flat, broken)
    assert len(source.faces) == 24
    assert np.isnan(source.vertices).any(axis=1).sum() == 1


def test_object_bounds_are_those_of_the_world():
    item = cube(location=(1, 2, 3), scale=(2, 2, -2))
    bounds = object_bounds(depsgraph(), item)
    assert np.allclose(bounds.lower, [(0, 1, 2)])
    assert np.allclose(bounds.upper, [(2, 3, 4)])


def test_an_empty_is_as_large_as_it_is_drawn():
    empty = link(bpy.data.objects.new("Empty", None), location=(1, 0, 0), empty_display_size=3)
    bounds = object_bounds(depsgraph(), empty)
    assert np.allclose(bounds.lower, [(-2, -3, -3)])
    assert np.allclose(bounds.upper, [(4, 3, 3)])


def test_a_digest_is_made_in_pieces():
    random = np.random.default_rng(0)
    arrays = ReadMesh(
        random.random((3_000, 3)).astype(np.float32),
        random.integers(0, 3_000, (5_000, 3)).astype(np.int32),
        np.arange(20_001, dtype=np.int32),
    )
    whole = run(meshes.digest_steps(*arrays))
    assert len(whole) == meshes.DIGEST_BYTES
    assert list(meshes.digest_steps(*arrays)) == []
    with tuned(octree_addon, rows_digested=100):
        assert run(meshes.digest_steps(*arrays)) == whole
        fractions = list(meshes.digest_steps(*arrays))
    # Of eight bytes, two numbers of polygons.
    words = (arrays.positions.size, arrays.triangles.size, arrays.polygons.size // 2)
    assert len(fractions) == sum((count - 1) // SUMMED_TOGETHER for count in words)
    assert fractions == sorted(fractions)


@pytest.mark.parametrize("count", [5, 5_000])
def test_a_digest_is_of_what_is_read_whatever_its_precision(count):
    random = np.random.default_rng(0)
    arrays = ReadMesh(
        random.random((count, 3)).astype(np.float32),
        random.integers(0, count, (count, 3)).astype(np.int32),
        np.arange(count, dtype=np.int32),
    )
    triangles = Triangles(arrays.positions, arrays.triangles)
    whole = run(meshes.digest_steps(*arrays))
    assert run(meshes.digest_steps(triangles.vertices, triangles.faces, arrays.polygons)) == whole
    use_kernel(False)
    try:
        assert run(meshes.digest_steps(*arrays)) == whole
    finally:
        use_kernel(True)
    for array in arrays:
        before = array.flat[count - 1]
        array.flat[count - 1] += 1
        assert run(meshes.digest_steps(*arrays)) != whole
        array.flat[count - 1] = before
    assert run(meshes.digest_steps(*arrays)) == whole


@tuned(octree_addon, objects_read=1)
def test_many_small_meshes_are_read_in_steps():
    items = [cube(f"Cube {x}", size=x + 1, location=(3 * x, 0, 0)) for x in range(12)]
    fractions = list(triangle_source_steps(depsgraph(), items))
    assert len(fractions) >= 6
    assert fractions == sorted(fractions)


def test_triangles_that_are_polygons_are_those_that_blender_makes(ball):
    arrays = mesh_arrays(ball.data)
    ball.data.calc_loop_triangles()
    made = [tuple(each.vertices) for each in ball.data.loop_triangles]
    assert arrays.triangles.tolist() == [list(each) for each in made]
    assert arrays.polygons.tolist() == [each.polygon_index for each in ball.data.loop_triangles]
