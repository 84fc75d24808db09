"""The index of a scene against what Blender shows, after any change."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, mesh_object, monkey, scatter, text, tube
from mathutils import Matrix
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import Spheres, query, ray_cast, run
from octree_ext.octree_addon import scene_index as scene_index_module
from octree_ext.octree_addon.questions import query_operator
from octree_ext.octree_addon.reader import evaluated_mesh, mesh_arrays, scene
from octree_ext.octree_addon.scene_index import scene_index
from octree_ext.octree_addon.snapshots import scene_steps
from octree_ext.octree_addon.ui import forget_session


def visible():
    layer = bpy.context.view_layer
    return [item for item in layer.objects if item.visible_get()]


def shown(index):
    """Return the placed triangles by object, sorted, as the index has them."""
    found = {}
    for placement in index.table():
        corners = index.octree.triangles_of([placement.id])
        found.setdefault(placement.session_uid, []).append(corners.vertices[corners.faces])
    return {uid: sorted_rows(np.concatenate(parts)) for uid, parts in found.items()}


def expected():
    """Return the same as Blender says it, one triangle and one instance at a time."""
    seen, found = {item.session_uid for item in visible()}, {}
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        owner = (instance.parent if instance.is_instance else instance.object).original
        if instance.object.type != "MESH" or not instance.show_self:
            continue
        if owner.session_uid in seen:
            found.setdefault(owner.session_uid, []).extend(corners_of(instance))
    return {uid: sorted_rows(np.array(corners)) for uid, corners in found.items() if corners}


def corners_of(instance):
    rows = np.array(instance.matrix_world)[:3]
    with evaluated_mesh(instance.object) as mesh:
        mesh.calc_loop_triangles()
        vertices = [np.array(vertex.co, np.float64) for vertex in mesh.vertices]
        placed = [
            x * rows[:, 0] + y * rows[:, 1] + z * rows[:, 2] + rows[:, 3] for x, y, z in vertices
        ]
        return [[placed[index] for index in each.vertices] for each in mesh.loop_triangles]


def sorted_rows(corners):
    rows = corners.reshape(len(corners), 9)
    return rows[np.lexsort(rows.T)]


def assert_fresh():
    index = scene_index()
    index.octree.check()
    there, wanted = shown(index), expected()
    assert there.keys() == wanted.keys()
    for uid, rows in wanted.items():
        assert np.allclose(there[uid], rows, rtol=0, atol=1e-5 * max(np.abs(rows).max(), 1))
    return index


@pytest.fixture
def zoo():
    """Add one of everything that has faces."""
    base = cube("Base", location=(1, 2, 3))
    for number in range(4):
        link(bpy.data.objects.new(f"Linked {number}", base.data), location=(number, 0, 0))
    monkey(location=(0, 5, 0), scale=(-1, 2, 0.5))
    text(location=(3, 3, 3))
    tube(location=(-3, 0, 0))
    inner = bpy.data.collections.new("Inner")
    inner.objects.link(cube("Inside"))
    for number in range(3):
        empty = link(bpy.data.objects.new("Group", None), location=(0, 0, 4 * number))
        empty.instance_type, empty.instance_collection = "COLLECTION", inner
    link(bpy.data.objects.new("Empty Mesh", bpy.data.meshes.new("Nothing")))
    return base


def test_it_holds_what_is_shown(zoo):
    assert_fresh()


def test_it_follows_each_change(zoo):
    index = assert_fresh()
    changes = [
        lambda: setattr(zoo, "location", (9, 9, 9)),
        lambda: setattr(bpy.data.objects["Linked 1"], "hide_viewport", True),
        lambda: bpy.data.objects["Linked 2"].hide_set(True),
        lambda: bpy.data.objects.remove(bpy.data.objects["Linked 3"]),
        lambda: setattr(bpy.data.objects["Linked 1"], "hide_viewport", False),
        lambda: cube("Another", location=(5, 5, 5)),
        lambda: zoo.data.vertices.foreach_set("co", np.arange(24, dtype=np.float32)),
        zoo.data.update,
        lambda: setattr(bpy.data.objects["Suzanne"].modifiers[0], "levels", 0),
        lambda: setattr(bpy.data.objects["Linked 0"], "data", bpy.data.objects["Inside"].data),
        lambda: setattr(bpy.data.objects["Group"], "instance_type", "NONE"),
        lambda: setattr(bpy.data.objects["Group.001"], "location", (7, 7, 7)),
        lambda: setattr(bpy.data.objects["Inside"], "scale", (2, 2, 2)),
        lambda: bpy.data.curves["Text"].__setattr__("body", "Other"),
        lambda: bpy.context.scene.frame_set(7),
    ]
    for change in changes:
        change()
        assert assert_fresh() is index


def test_edit_mode(zoo):
    assert_fresh()
    bpy.context.view_layer.objects.active = zoo
    bpy.ops.object.mode_set(mode="EDIT")
    assert_fresh()
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(3, 0, 0))
    assert_fresh()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert_fresh()


@pytest.mark.parametrize("seed", range(6))
def test_random_sessions_are_followed(seed):
    random = np.random.default_rng(seed)
    cube("Seed")
    for number in range(30):
        CHANGES[random.integers(len(CHANGES))](random, f"New {number}")
        if random.random() < 0.5:
            assert_fresh()
    assert_fresh()


def any_mesh(random):
    meshes = [item for item in bpy.context.scene.objects if item.type == "MESH"]
    return meshes[random.integers(len(meshes))] if meshes else cube("Again")


def any_object(random):
    items = list(bpy.context.scene.objects)
    return items[random.integers(len(items))] if items else cube("Again")


def instance_all(random, name):
    group = bpy.data.collections.new(name)
    group.objects.link(any_mesh(random))
    item = link(bpy.data.objects.new(name, None), location=random.uniform(-9, 9, 3))
    item.instance_type, item.instance_collection = "COLLECTION", group


def instance_at_vertices(random, name):
    points, pebble = cube(name, location=random.uniform(-9, 9, 3)), cube(f"{name} pebble", 0.1)
    pebble["instanced"] = True
    scatter(pebble, points)


def edit(random, name):
    any_mesh(random).data.transform(Matrix.Translation(random.uniform(-1, 1, 3)))


def remove(random, name):
    item = any_object(random)
    # Blender crashes over what geometry nodes have instanced, once a script has removed it.
    if "instanced" not in item:
        bpy.data.objects.remove(item)


def swap_mesh(random, name):
    any_mesh(random).data = any_mesh(random).data


def bend(random, name):
    item = any_mesh(random)
    if item.modifiers:
        item.modifiers.clear()
    else:
        item.modifiers.new("Array", "ARRAY").count = 2


def step_over_undo(random, name):
    bpy.ops.ed.undo_push(message=name)
    any_object(random).location.z += 1
    cube(name)
    bpy.ops.ed.undo_push(message=name)
    scene_index()
    bpy.ops.ed.undo()


def enter_edit_mode(random, name):
    item = any_mesh(random)
    if not item.visible_get():
        return
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    assert_fresh()
    bpy.ops.object.mode_set(mode="OBJECT")


CHANGES = [
    lambda random, name: cube(name, location=random.uniform(-9, 9, 3)),
    remove,
    lambda random, name: setattr(any_object(random), "location", random.uniform(-9, 9, 3)),
    lambda random, name: setattr(any_object(random), "scale", random.uniform(-2, 2, 3)),
    lambda random, name: setattr(any_object(random), "hide_viewport", random.random() < 0.5),
    lambda random, name: any_object(random).hide_set(random.random() < 0.5),
    lambda random, name: link(bpy.data.objects.new(name, any_mesh(random).data)),
    lambda random, name: setattr(any_object(random), "name", any_object(random).name),
    lambda random, name: bpy.context.scene.frame_set(int(random.integers(100))),
    instance_all,
    instance_at_vertices,
    edit,
    swap_mesh,
    bend,
    step_over_undo,
    enter_edit_mode,
]


def test_equal_meshes_are_one(empty_scene):
    for number in range(3):
        cube(f"Cube {number}")
    assert len(set(scene_index().octree.meshes_of([0, 1, 2]).tolist())) == 1


def test_what_has_not_changed_is_neither_read_nor_built(zoo, monkeypatch):
    scene_index()
    read = []
    monkeypatch.setattr(scene, "mesh_arrays", lambda mesh: read.append(mesh) or mesh_arrays(mesh))
    zoo.location.x += 1
    bpy.data.objects["Linked 1"].hide_set(True)
    zoo.select_set(True)
    index = scene_index()
    assert not read
    ids = set(index.octree.ids.tolist())
    zoo.data.update_tag()
    assert set(scene_index().octree.ids.tolist()) == ids
    assert len(read) == 1


def test_an_edited_mesh_keeps_its_placements(zoo):
    index = scene_index()
    zoo.data.vertices[0].co.z += 5
    zoo.data.update()
    index.update()
    before = {each.session_uid: each.id for each in index.table() if not each.persistent_id}
    zoo.data.vertices[0].co.z += 5
    zoo.data.update()
    index.update()
    assert {e.session_uid: e.id for e in index.table() if not e.persistent_id} == before


def test_polygons_and_objects_of_hits(zoo):
    bpy.ops.object.select_all(action="DESELECT")
    quad = mesh_object("Quad", [(50, 0, 0), (52, 0, 0), (52, 2, 0), (50, 2, 0)], [(0, 1, 2, 3)])
    strip = mesh_object(
        "Strip", [(x, y, 0) for x in range(60, 64) for y in (0, 1)], [(0, 2, 3, 1), (2, 4, 5, 3)]
    )
    index = scene_index()
    hits = ray_cast(index.octree, [(51, 1.5, 9), (61.5, 0.5, 9)], [(0, 0, -1)] * 2)
    assert index.objects_of(hits.placements) == [quad, strip]
    assert index.polygons_of(hits.placements, hits.items).tolist() == [0, 1]
    assert [index.table([each])[0].name for each in hits.placements] == ["Quad", "Strip"]


@pytest.mark.parametrize(
    ("triangles", "told"),
    [
        ([0, 10**6], r"triangles of the placed meshes, got 1000000 in row 1, of a mesh of \d+"),
        ([-1, 0], "got -1 in row 0"),
        ([0], r"whole numbers in shape \(2,\), got int64 in shape \(1,\)"),
        ([0.0, 1.0], "got float64"),
    ],
)
def test_triangles_that_are_not_there_have_no_polygons(zoo, triangles, told):
    index = scene_index()
    with pytest.raises(ValueError, match=f"triangles must be .*{told}"):
        index.polygons_of(index.octree.ids[:2], triangles)


def test_matrices_that_are_not_finite_are_set_aside(empty_scene):
    cube("Good")
    bad = cube("Bad")
    bad.parent = link(bpy.data.objects.new("Parent", None))
    bad.matrix_parent_inverse[0][3] = np.inf
    index = scene_index()
    assert len(index.octree.invalid_ids) == 1
    assert query(index.octree, Spheres([(0, 0, 0)], [5.0])).shape == (3, 12)


@tuned(octree_addon, vertices_read=100)
def test_a_catch_up_that_is_dropped_loses_nothing(zoo):
    index = scene_index()
    for number in range(20):
        monkey(0, location=(number, 9, 0)).data.transform(Matrix.Scale(number + 2, 4))
    steps = index.update_steps()
    fractions = [next(steps) for _ in range(5)]
    assert fractions == sorted(fractions)
    steps.close()
    assert index.pending
    assert_fresh()


def test_another_view_layer_has_its_own_index(zoo):
    first = scene_index()
    layer = bpy.context.scene.view_layers.new("Second")
    layer.update()
    assert scene_index(layer.depsgraph) is not first
    assert scene_index() is first


def test_another_file_ends_it(zoo):
    index = scene_index()
    bpy.ops.wm.read_homefile(use_empty=True)
    cube("Fresh")
    assert scene_index() is not index
    assert_fresh()


def test_deleted_and_renamed_objects_leave_no_reference(zoo):
    index = scene_index()
    zoo.name = "Renamed"
    assert "Renamed" in {each.name for each in index.table()}
    uid = zoo.session_uid
    bpy.data.objects.remove(zoo)
    names = {each.session_uid: each.name for each in index.table()}
    assert names[uid] == ""
    index.update()
    assert uid not in {each.session_uid for each in index.table()}


def test_keyed_visibility_is_noticed(zoo):
    for frame, hidden in ((1, True), (5, False)):
        zoo.hide_viewport = hidden
        zoo.keyframe_insert("hide_viewport", frame=frame)
    for frame in (5, 1, 5, 1):
        bpy.context.scene.frame_set(frame)
        assert_fresh()


def test_the_eye_of_a_collection_counts(empty_scene):
    for name in ("Left", "Right"):
        group = bpy.data.collections.new(name)
        empty_scene.collection.children.link(group)
        item = cube(f"{name} cube")
        empty_scene.collection.objects.unlink(item)
        group.objects.link(item)
    scene_index()
    eye = bpy.context.view_layer.layer_collection.children["Left"]
    for hidden in (True, False, True):
        eye.hide_viewport = hidden
        names = sorted(each.name for each in assert_fresh().table())
        assert names == ["Left cube"] * (not hidden) + ["Right cube"]


def test_an_index_that_ended_says_so(zoo):
    index = scene_index()
    bpy.ops.wm.read_homefile(use_empty=True)
    with pytest.raises(ValueError, match="has ended"):
        index.update()


@tuned(octree_addon, vertices_read=10)
def test_who_reads_meanwhile_reads_everything(zoo):
    steps = scene_index_module.index_of(bpy.context.evaluated_depsgraph_get()).update_steps()
    next(steps)
    assert_fresh()
    with pytest.raises(ValueError, match="changed meanwhile"):
        list(steps)
    assert_fresh()


def test_a_question_says_that_the_scene_was_read_meanwhile(zoo, monkeypatch):
    monkeypatch.setattr(query_operator, "scene_steps", read_twice)
    with pytest.raises(RuntimeError, match="ask again"):
        bpy.ops.octree.select_in_sphere(radius=3)


def read_twice(context, viewport, **options):
    target = yield from scene_steps(context, viewport, **options)
    bpy.data.objects["Base"].location.x += 1
    scene_index()
    return target


def test_a_fingerprint_is_found_in_steps(zoo):
    index = scene_index()
    whole = run(index.fingerprint_steps())
    forget_session()
    index = scene_index()
    with tuned(octree_addon, rows_digested=1):
        assert not index.is_soon_told
        steps = index.fingerprint_steps()
        fractions = [next(steps) for _ in range(3)]
        assert fractions == sorted(fractions)
        assert run(steps) == whole
        assert index.is_soon_told
    assert run(index.fingerprint_steps()) == whole


def test_a_fingerprint_of_a_scene_that_changes_meanwhile_is_refused(zoo):
    index = scene_index()
    with tuned(octree_addon, rows_digested=1):
        steps = index.fingerprint_steps()
        next(steps)
        monkey(0, location=(30, 0, 0))
        bpy.context.view_layer.update()
        with pytest.raises(ValueError, match="changed meanwhile"):
            run(steps)
