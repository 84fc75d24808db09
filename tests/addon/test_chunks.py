"""Chunks keep all that their source has: surface, attributes, marks, groups, keys and normals."""

import bpy
import numpy as np
import pytest
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    mesh_object,
    monkey,
    select_only,
    text,
)
from chunk_scenes import FINE, areas, barycentric, bumpy, chunks, cut, open_length, world
from costs import lines_run
from mathutils import Matrix

from octree_ext.octree_addon.chunks.names import safe_name
from octree_ext.octree_addon.reader import GroupWeights, mesh_layers
from octree_ext.octree_addon.written_meshes import write_groups

BLENDED = ("FLOAT2", "FLOAT_COLOR", "BYTE_COLOR", "FLOAT", "FLOAT_VECTOR")


def columns(layers):
    return {each.name: each for each in layers.columns}


def source_of(layers, corners, triangle):
    """Return the triangle of the source that a chunk's lies in, and weights of its corners."""
    found = np.stack([barycentric(point, corners) for point in triangle])
    fits = (found[:, :, :3] > -1e-4).all(axis=(0, 2)) & (found[:, :, 3] < 1e-5).all(axis=0)
    assert fits.any()
    at = int(fits.argmax())
    return at, found[:, at, :3]


@pytest.mark.parametrize("placed", ["ORIGIN", "TURNED"])
def test_attributes_are_those_of_barycentric_interpolation(placed):
    item = bumpy()
    if placed == "TURNED":
        item.location, item.rotation_euler = (5.1, -2.2, 0.3), (0.3, 0.2, 0.7)
        bpy.context.view_layer.update()
    before, corners = mesh_layers(item.data, groups=True), world(item)
    made = cut(triangles=60)
    assert len(made) > 4
    tested = 0
    for chunk in made:
        layers = mesh_layers(chunk.data, groups=True)
        assert not chunk.data.validate()
        own, theirs = columns(layers), columns(before)
        assert own.keys() == theirs.keys()
        for number, triangle in enumerate(world(chunk)[::3]):
            at, weights = source_of(before, corners, triangle)
            here = layers.triangle_corners[3 * number]
            there = before.triangle_corners[at]
            for name, column in theirs.items():
                kind, domain = column.kind, column.domain
                if kind in BLENDED and domain in ("POINT", "CORNER"):
                    rows = (here, there)
                    if domain == "POINT":
                        rows = layers.corner_vertices[here], before.corner_vertices[there]
                    wanted = weights @ column.values[rows[1]]
                    close = 1.5 / 255 if kind == "BYTE_COLOR" else 2e-5
                    assert own[name].values[rows[0]] == pytest.approx(wanted, abs=close), name
                elif domain == "FACE" and name != "material_index":
                    polygons = layers.triangle_polygons[3 * number], before.triangle_polygons[at]
                    assert (own[name].values[polygons[0]] == column.values[polygons[1]]).all()
            tested += 1
    assert tested > 100


def test_the_arithmetic_of_blending_is_exact_to_a_millionth():
    """The same, with the weights that the core has found in double precision."""
    from octree_ext.core import run
    from octree_ext.octree_addon.chunks import ChunkOptions, cut_steps
    from octree_ext.octree_addon.written_meshes.layers import _column_values

    bumpy()
    found = run(cut_steps(bpy.context, ChunkOptions.of({**FINE, "triangles": 60})))
    layers = found.layers[0]
    for part in found.parts:
        for column in layers.columns:
            if column.kind in BLENDED and column.domain in ("POINT", "CORNER"):
                blend = part.arrays.corners if column.domain == "CORNER" else part.arrays.points
                wanted = (column.values[blend.rows] * blend.weights[..., None]).sum(axis=1)
                assert np.abs(_column_values(column, part.arrays) - wanted).max() < 1e-6


def test_the_surface_stays_and_seams_are_closed():
    item = bumpy()
    before, length = world(item), open_length([item])
    made = cut(triangles=60)
    after = np.concatenate([world(chunk) for chunk in made])
    assert areas(after).sum() == pytest.approx(areas(before).sum(), rel=1e-7)
    assert open_length(made) == pytest.approx(length, rel=1e-6)


def test_each_vertex_is_in_its_closed_cell_in_single_precision():
    bumpy()
    made = cut(triangles=60)
    for chunk in made:
        level, *place = map(int, chunk["octree_chunk"].split("_"))
        lower = np.array(place) * 2.0**level
        corners = world(chunk).reshape(-1, 3)
        assert (corners >= lower).all()
        assert (corners <= lower + 2.0**level).all()


def test_polygons_that_no_wall_crosses_stay():
    item = bumpy()
    made = cut(triangles=60)
    sizes = [len(polygon.vertices) for chunk in made for polygon in chunk.data.polygons]
    assert {3, 4, 6} == set(sizes)
    inside = 0
    for polygon in item.data.polygons:
        points = np.array([item.data.vertices[number].co for number in polygon.vertices])
        for chunk in made:
            level, *place = map(int, chunk["octree_chunk"].split("_"))
            lower = np.array(place) * 2.0**level
            inside += bool((points > lower).all() and (points < lower + 2.0**level).all())
    assert sum(size > 3 for size in sizes) + sizes.count(3) >= inside > 10


def test_marks_go_to_both_halves_of_an_edge():
    item = cube(size=3.0)
    for edge in item.data.edges:
        edge.use_seam = edge.use_edge_sharp = edge.index % 2 == 0
    marked = [
        np.array([item.data.vertices[number].co for number in edge.vertices])
        for edge in item.data.edges
        if edge.use_seam
    ]
    made = cut(triangles=4)
    lengths = [0.0] * len(marked)
    for chunk in made:
        points = np.array([vertex.co for vertex in chunk.data.vertices])
        for edge in chunk.data.edges:
            ends = points[list(edge.vertices)]
            assert edge.use_seam == edge.use_edge_sharp
            for number, (start, end) in enumerate(marked):
                way = (end - start) / np.linalg.norm(end - start)
                off = np.linalg.norm(np.cross(ends - start, way), axis=1).max()
                if off < 1e-6:
                    assert edge.use_seam
                    lengths[number] += float(np.linalg.norm(ends[1] - ends[0]))
    # Each edge lies in two faces, whose chunks may share it.
    assert all(length >= 3 - 1e-5 for length in lengths)


def test_vertex_groups_are_blended():
    item = bumpy()
    before = {group.name: group.index for group in item.vertex_groups}
    values = np.zeros((2, len(item.data.vertices)))
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            values[entry.group, vertex.index] = entry.weight
    corners, layers = world(item), mesh_layers(item.data)
    for chunk in cut(triangles=60)[:4]:
        assert [group.name for group in chunk.vertex_groups] == list(before)
        chunk_layers = mesh_layers(chunk.data)
        for number, triangle in enumerate(world(chunk)[:10]):
            at, weights = source_of(layers, corners, triangle)
            there = layers.corner_vertices[layers.triangle_corners[at]]
            here = chunk_layers.corner_vertices[chunk_layers.triangle_corners[number]]
            for vertex, row in zip(here.tolist(), weights, strict=True):
                found = {e.group: e.weight for e in chunk.data.vertices[vertex].groups}
                for group in (0, 1):
                    assert found.get(group, 0) == pytest.approx(
                        row @ values[group, there], abs=1e-5
                    )


def weights_of(item, group):
    """Return the weight of each vertex in a group, NaN of one that is not in it."""
    found = np.full(len(item.data.vertices), np.nan)
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            if entry.group == group:
                found[vertex.index] = entry.weight
    return found


def grouped(size):
    """Return a sheet without groups, and weights: of many, of few values, and of no vertex."""
    item = mesh_object("Sheet", np.random.default_rng(1).random((size, 3)), [(0, 1, 2)])
    random = np.random.default_rng(size)
    weights = np.stack((random.random(size), np.arange(size) % 3 / 2)).astype(np.float32)
    weights[0, ::4] = 0.0
    numbers, vertices = np.nonzero(random.random((2, size)) < 0.7)
    order = np.argsort(vertices, kind="stable")
    numbers, vertices = numbers[order], vertices[order]
    return item, GroupWeights(vertices, numbers, weights[numbers, vertices].astype(float))


def test_vertex_groups_are_written_as_they_are_and_not_vertex_by_vertex():
    item, groups = grouped(300)
    item.data.uv_layers.new(name="Many")
    before = [each.name for each in item.data.attributes]
    write_groups(item, ["Many", "Few", "None"], groups)
    assert [group.name for group in item.vertex_groups][1:] == ["Few", "None"]
    for number in range(3):
        wanted = np.full(300, np.nan)
        mine = groups.groups == number
        wanted[groups.vertices[mine]] = groups.weights[mine]
        np.testing.assert_array_equal(weights_of(item, number), wanted)
    assert (weights_of(item, 0) == 0).sum() > 20
    assert [each.name for each in item.data.attributes] == before
    lines = [
        lines_run(lambda pair=pair: write_groups(pair[0], ["Many", "Few"], pair[1])).total()
        for pair in (grouped(300), grouped(3000))
    ]
    assert lines[0] == lines[1]


def test_shape_keys_stay_where_there_are_no_modifiers():
    item = bumpy()
    item.shape_key_add(name="Basis")
    key = item.shape_key_add(name="Up")
    for point in key.data:
        point.co.z += 1 + point.co.x
    key.value, key.slider_max = 0.25, 2.0
    bpy.context.view_layer.update()
    for chunk in cut(triangles=60):
        blocks = chunk.data.shape_keys.key_blocks
        assert [block.name for block in blocks] == ["Basis", "Up"]
        assert (blocks[1].value, blocks[1].slider_max) == (0.25, 2.0)
        basis, up = (np.array([point.co for point in block.data]) for block in blocks)
        assert up[:, 2] - basis[:, 2] == pytest.approx(1 + basis[:, 0], abs=1e-5)


def test_corners_are_shaded_as_before():
    """At a wall, too, where a chunk has lost its neighbors."""
    item = monkey(1)
    item.modifiers.clear()
    item.data.shade_smooth()
    layers, corners = mesh_layers(item.data), world(item)
    made = cut(triangles=100)
    worst = 0.0
    for chunk in made[:10]:
        own = mesh_layers(chunk.data)
        for number, triangle in enumerate(world(chunk)[:20]):
            at, weights = source_of(layers, corners, triangle)
            wanted = weights @ layers.normals[layers.triangle_corners[at]]
            wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
            worst = max(worst, np.abs(own.normals[own.triangle_corners[number]] - wanted).max())
    assert worst < 5e-3  # Blender keeps normals in two numbers of 16 bits


def test_unused_materials_are_dropped():
    item = bumpy()
    names = [material.name for material in item.data.materials]
    for chunk in cut(triangles=60):
        slots = {polygon.material_index for polygon in chunk.data.polygons}
        assert slots == set(range(len(chunk.data.materials)))
        for polygon in chunk.data.polygons:
            number = polygon.index
            of = chunk.data.attributes[".sculpt_face_set"].data[number].value
            assert chunk.data.materials[polygon.material_index].name == names[of]


def test_loose_parts_go_by_their_own_position():
    points = [(0, 0, 0), (0.4, 0, 0), (0, 0.4, 0), (3, 3, 3), (3.2, 3, 3), (-2, 0, 0)]
    item = mesh_object("Loose", [], [])
    item.data.clear_geometry()
    item.data.from_pydata(points, [(3, 4)], [(0, 1, 2)])
    item.data.update()
    cube(size=5.0)
    made = [chunk for chunk in cut(triangles=1, least_size=0.5) if chunk.name.startswith("Loose")]
    assert sum(len(chunk.data.vertices) for chunk in made) >= 6
    edges = [chunk for chunk in made if chunk.data.edges and not chunk.data.polygons]
    assert sum(len(chunk.data.edges) for chunk in edges) == 1


def test_what_modifiers_make_is_cut_and_whole_objects_share_their_mesh():
    one, other = monkey(1), cube("Small", 0.1, location=(3.3, 3.3, 3.3))
    made = {chunk.name.partition("_")[0]: chunk for chunk in cut(triangles=200)}
    assert made["Small"].data == other.data
    assert not made["Suzanne"].modifiers
    assert one.modifiers


def test_texts_are_cut_as_evaluated():
    text(location=(-0.5, 0.2, 0))
    made = cut(triangles=20)
    assert len(made) > 1
    assert {chunk.type for chunk in made} == {"MESH"}


def test_what_an_armature_deforms_is_assigned():
    item = bumpy()
    bones = bpy.data.objects.new("Bones", bpy.data.armatures.new("Bones"))
    bpy.context.scene.collection.objects.link(bones)
    item.modifiers.new("Armature", "ARMATURE").object = bones
    count = sum(len(polygon.vertices) - 2 for polygon in item.data.polygons)
    made = cut(triangles=60)
    assert len(made) > 4
    assert all(chunk.modifiers[0].object == bones for chunk in made)
    assert sum(len(world(chunk)) for chunk in made) == count


def test_assign_keeps_the_triangles():
    item = bumpy()
    before = sorted(map(bytes, np.sort(world(item), axis=1)))
    made = cut(triangles=60, method="ASSIGN")
    after = sorted(bytes(one) for chunk in made for one in np.sort(world(chunk), axis=1))
    assert before == after


@pytest.mark.parametrize("instances", ["WHOLE", "REAL"])
def test_instances_are_whole_or_made_real(instances):
    tree = bumpy("Tree")
    empties = [
        collection_instance([tree] if number == 0 else [], f"Wood{number}") for number in range(1)
    ]
    empties.append(empties[0].copy())
    bpy.context.scene.collection.objects.link(empties[1])
    empties[1].location, empties[1].scale = (4.3, 0.2, 0.1), (1, 2, 1)
    bpy.context.view_layer.update()
    made = cut(triangles=60, instances=instances)
    if instances == "WHOLE":
        assert len(made) == 2
        assert {chunk.data for chunk in made} == {tree.data}
    else:
        assert len(made) > 8
    corners = np.concatenate([world(chunk) for chunk in made])
    own = world(tree)
    both = areas(own).sum() + areas(own * (1, 2, 1)).sum()
    assert areas(corners).sum() == pytest.approx(both, rel=1e-6)


@pytest.mark.parametrize("mirrored", [1, -1])
@pytest.mark.parametrize("instances", ["WHOLE", "REAL"])
def test_sheared_instances_keep_their_shear(instances, mirrored):
    """An object by itself cannot have one: its mesh has it then."""
    tree = bumpy("Tree")
    tree.shape_key_add(name="Basis")
    tree.shape_key_add(name="Up").data[0].co.z += 2
    tree.scale, tree.rotation_euler = (1, 3, 0.5), (0, 0, 0.7)
    wood = collection_instance([tree], "Wood", location=(7.3, 0.2, 0.1))
    wood.scale, wood.rotation_euler = (2, mirrored * 0.5, 1), (0.4, 0.2, 0)
    bpy.context.view_layer.update()
    shear = np.array(wood.matrix_world @ tree.matrix_world, np.float64)
    layers = mesh_layers(tree.data)
    wanted = layers.positions @ shear[:3, :3].T + shear[:3, 3]
    corners = wanted[layers.corner_vertices[layers.triangle_corners]]
    made = [chunk for chunk in cut(triangles=60, instances=instances)
            if chunk["octree_source"].startswith("Wood")]  # fmt: skip
    assert len(made) == 1 if instances == "WHOLE" else len(made) > 4
    found = np.concatenate([world(chunk) for chunk in made])
    assert areas(found).sum() == pytest.approx(areas(corners).sum(), rel=1e-6)
    turned = layers.normals @ np.linalg.inv(shear[:3, :3])
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    worst = 0.0
    for chunk in made:
        own = mesh_layers(chunk.data)
        normals = own.normals * [np.sign(chunk.matrix_world.determinant()), 1, 1]
        assert not chunk.modifiers
        assert [len(each.positions) for each in own.keys] == [len(own.positions)] * 2
        for number, triangle in list(enumerate(world(chunk)))[:12]:
            at, weights = source_of(layers, corners, triangle)
            shaded = weights @ turned[layers.triangle_corners[at]]
            shaded /= np.linalg.norm(shaded, axis=1, keepdims=True)
            off = np.abs(normals[own.triangle_corners[number]] - shaded).max()
            worst = max(worst, off)
    assert worst < 5e-3


def test_holes_duplicates_and_flat_faces_do_no_harm():
    outer, inner = [(-2, -2), (2, -2), (2, 2), (-2, 2)], [(-1, -1), (-1, 1), (1, 1), (1, -1)]
    ring = [(*place, 0.0) for place in (*outer, *inner)]
    # One polygon around a hole: it comes back along the edge by which it went in.
    hole = (0, 1, 2, 3, 0, 4, 5, 6, 7, 4)
    mesh_object("Ring", ring, [(0, 1, 7, 4), (1, 2, 6, 7), (2, 3, 5, 6), (3, 0, 4, 5)])
    around = mesh_object("Hole", [*ring, (-2, -2, 0), (-1, -1, 0)], [(*hole[:4], 8, 9, *hole[6:])])
    mesh_object("Flat", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    mesh_object("Twice", ring[:4], [(0, 1, 2, 3)])
    mesh_object("Fan", [(0, 0, 0), (0, 0, 2), (2, 1, 0), (-2, 1, 0), (1, -2, 0)],
                [(0, 1, 2), (0, 1, 3), (0, 1, 4)])  # fmt: skip
    items = {item.name: item for item in bpy.context.scene.objects}
    before = {name: areas(world(item)).sum() for name, item in items.items()}
    made = cut(triangles=2, least_size=0.5)
    for name, area in before.items():
        found = [areas(world(chunk)).sum() for chunk in made if chunk["octree_source"] == name]
        assert sum(found) == pytest.approx(area, rel=1e-6), name
    assert around.name in before


def test_far_from_the_origin_seams_are_closed():
    item = bumpy()
    item.data.transform(Matrix.Translation((1e5, -1e5, 0)))
    length = open_length([item])
    # Single precision bends the border there: 8 mm.
    assert open_length(cut(triangles=60)) == pytest.approx(length, rel=1e-3)


def test_names_are_such_that_every_file_system_takes():
    taken = set()
    names = [
        safe_name(each, "_0", taken) for each in ("Wall", "wall", 'a/b:c*?"<>|', "con", "x. ")
    ]
    assert names == ["Wall_0", "wall~2_0", "a_b_c_______0", "_con_0", "x_0"]
    assert len(safe_name("ü" * 200, "_1_2_3_4", taken).encode()) <= 63


def test_quadtree_cells_are_as_high_as_the_scene():
    cube(size=3.0)
    made = cut(triangles=2, tree="QUADTREE")
    spans = [np.ptp(world(chunk)[..., 2]) for chunk in made]
    assert max(spans) == pytest.approx(3.0)


def test_without_faces_the_reason_is_told():
    camera()
    with pytest.raises(RuntimeError, match="no object meant has faces"):
        cut()
    cube()
    select_only()
    with pytest.raises(RuntimeError, match="no object meant has faces"):
        cut(scope="SELECTED")
    assert not chunks()


def test_a_mesh_that_another_object_edits_is_cut_as_it_is_shown():
    item = bumpy()
    other = item.copy()
    other.location.x = 9
    bpy.context.collection.objects.link(other)
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = cube("Cube", 0.25, location=(0, 0, 5))
    assert bpy.context.mode == "OBJECT"
    assert item.data.is_editmode
    made = cut(triangles=60)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="OBJECT")
    shown = [each for each in made if each["octree_source"] != "Cube"]
    found = sum(areas(world(each)).sum() for each in shown)
    assert np.isclose(found, areas(world(item)).sum() + areas(world(other)).sum(), rtol=1e-5)
