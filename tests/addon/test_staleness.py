"""Out of date is said of a tree that differs from the scene, and of no other."""

import random
from collections import Counter
from itertools import pairwise

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
    select_only,
    text,
)
from costs import lines_run
from live_scenes import boxes_by_key, boxes_now
from tree_age import is_stale
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import Running, run
from octree_ext.octree_addon import scene_index, trees
from octree_ext.octree_addon.reader import scene as scene_reads
from octree_ext.octree_addon.scene_index import SceneIndex, changed_back, rest
from octree_ext.octree_addon.ui import settings_of

pytestmark = pytest.mark.usefixtures("visible_scope")
SOURCES = ["TRIANGLES", "OBJECTS"]


def update():
    bpy.context.view_layer.update()


def push(message):
    update()
    bpy.ops.ed.undo_push(message=message)


def build(source, **options):
    bpy.ops.octree.build(source=source, **{"scope": "VISIBLE", **options})
    push("Build")
    return trees.get(bpy.context.scene)


@pytest.fixture(params=SOURCES)
def built(request):
    """Build a tree of a cube, a monkey with a modifier, a text, a scatter and a group."""
    cube("Cube")
    monkey(location=(4, 0, 0))
    text(location=(0, 4, 0))
    points = mesh_object("Points", [(0, 8, 0), (1, 8, 0), (0, 9, 0)], [(0, 1, 2)])
    scatter(cube("Stone", location=(0, 20, 0)), points)
    collection_instance([cube("A"), cube("B", location=(2, 0, 0))], location=(9, 0, 0))
    select_only(bpy.data.objects["Suzanne"])
    return build(request.param)


def tab_in_and_out():
    bpy.ops.object.mode_set(mode="EDIT")
    update()
    assert not is_stale(bpy.context.scene)
    bpy.ops.object.mode_set(mode="OBJECT")


def add_a_material_slot():
    bpy.data.objects["Suzanne"].data.materials.append(bpy.data.materials.new("Paint"))


def select_another():
    select_only(bpy.data.objects["Cube"])


def move_and_move_back():
    item = bpy.data.objects["Cube"]
    item.location.x = 7
    update()
    item.location.x = 0


def move_instances_and_move_back():
    for name in ("Points", "Instance", "A"):
        bpy.data.objects[name].location.z += 1
    update()
    for name in ("Points", "Instance", "A"):
        bpy.data.objects[name].location.z -= 1


def edit_and_edit_back():
    vertex = bpy.data.objects["Stone"].data.vertices[0]
    vertex.co.x -= 1
    vertex.id_data.update()
    update()
    vertex.co.x += 1
    vertex.id_data.update()


def move_and_undo():
    bpy.data.objects["Cube"].location.x = 7
    push("Move")
    assert is_stale(bpy.context.scene)
    bpy.ops.ed.undo()


def delete_and_undo():
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    push("Delete")
    assert is_stale(bpy.context.scene)
    bpy.ops.ed.undo()


def walk_through_frames():
    item = bpy.data.objects["Cube"]
    item.keyframe_insert("location", frame=1)
    item.location.x = 7
    item.keyframe_insert("location", frame=3)
    bpy.context.scene.frame_set(2)
    assert is_stale(bpy.context.scene)
    bpy.context.scene.frame_set(1)


def hide():
    for name in ("Cube", "Suzanne", "Points", "Instance"):
        bpy.data.objects[name].hide_set(True)
    update()
    assert not is_stale(bpy.context.scene)
    for name in ("Cube", "Suzanne", "Points", "Instance"):
        bpy.data.objects[name].hide_set(False)


def add_another():
    cube("Another", location=(0, 0, 20))


def switch_modifiers_off_and_on():
    modifiers = [bpy.data.objects[name].modifiers[0] for name in ("Suzanne", "Points")]
    for switched in (False, True):
        for each in modifiers:
            each.show_viewport = switched
        update()


NO_CHANGES = [
    *(tab_in_and_out, add_a_material_slot, select_another, move_and_move_back, add_another),
    *(move_instances_and_move_back, edit_and_edit_back, move_and_undo, delete_and_undo, hide),
    *(walk_through_frames, switch_modifiers_off_and_on),
]


@pytest.mark.parametrize("act", NO_CHANGES)
def test_what_changes_nothing_leaves_the_tree_as_it_is(built, act):
    assert not is_stale(bpy.context.scene)
    act()
    assert not is_stale(bpy.context.scene)
    assert trees.get(bpy.context.scene) is built


def move():
    bpy.data.objects["Cube"].location.x = 0.125


def edit():
    bpy.data.objects["Cube"].data.vertices[0].co.x -= 1
    bpy.data.objects["Cube"].data.update()


def edit_in_edit_mode():
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(1, 0, 0))


def modify():
    bpy.data.objects["Cube"].modifiers.new("Array", "ARRAY")


def write_more():
    bpy.data.objects["Text"].data.body = "Octrees"


def move_what_is_scattered():
    bpy.data.objects["Points"].location.x += 1


def edit_what_is_scattered():
    bpy.data.objects["Stone"].data.vertices[0].co.x -= 1
    bpy.data.objects["Stone"].data.update()


def scatter_more():
    mesh = bpy.data.objects["Points"].data
    mesh.vertices.add(1)
    mesh.update()


def move_in_a_group():
    bpy.data.objects["B"].location.x += 1


def add_to_a_group():
    item = cube("C")
    bpy.context.scene.collection.objects.unlink(item)
    bpy.data.collections["Instance"].objects.link(item)


def swap_the_group():
    other = bpy.data.collections.new("Other")
    other.objects.link(bpy.data.objects["A"])
    bpy.data.objects["Instance"].instance_collection = other


def become_a_group():
    item = bpy.data.objects["Cube"]
    item.modifiers.new("Nodes", "NODES").node_group = bpy.data.node_groups["Scatter"]


def carry():
    item = bpy.data.objects["Cube"]
    item.parent = link(bpy.data.objects.new("Parent", None), location=(1, 0, 0))


def lose():
    bpy.data.objects.remove(bpy.data.objects["Text"])


def unlink():
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Text"])


CHANGES = [
    *(move, edit, edit_in_edit_mode, modify, write_more, move_what_is_scattered, lose),
    *(edit_what_is_scattered, scatter_more, move_in_a_group, add_to_a_group, swap_the_group),
    *(become_a_group, carry, unlink),
]


@pytest.mark.parametrize("act", CHANGES)
def test_what_changes_items_is_found(built, act):
    if act is edit_in_edit_mode:
        select_only(bpy.data.objects["Cube"])
    act()
    assert is_stale(bpy.context.scene)
    push("Change")
    bpy.ops.ed.undo()
    assert not is_stale(bpy.context.scene)


@pytest.mark.parametrize("source", SOURCES)
def test_what_was_found_hidden_is_looked_at_when_it_is_shown(source):
    item = cube()
    cube("Other", location=(5, 0, 0))
    built = build(source)
    item.hide_set(True)
    item.location.x = 1
    update()
    assert not built.stale
    item.hide_set(False)
    update()
    assert built.stale


@pytest.mark.parametrize("source", SOURCES)
def test_of_several_changes_each_has_to_be_taken_back(source):
    first, second = cube("A"), cube("B", location=(3, 0, 0))
    built = build(source)
    first.location.x, second.location.x = 1, 4
    update()
    assert built.stale
    first.location.x = 0
    update()
    assert built.stale
    second.location.x = 3
    second.data.vertices[0].co.x -= 1
    second.data.update()
    update()
    assert built.stale
    second.data.vertices[0].co.x += 1
    second.data.update()
    update()
    assert not built.stale


def test_nothing_is_read_while_the_scene_changes(monkeypatch):
    """An update is noted; meshes are read when someone asks, each once."""
    mesh = cube().data
    for number in range(20):
        link(bpy.data.objects.new("Copy", mesh), location=(2 * number, 0, 0))
    built = build("TRIANGLES")
    read = []
    reader = scene_reads.mesh_arrays
    monkeypatch.setattr(scene_reads, "mesh_arrays", lambda mesh: read.append(mesh) or reader(mesh))
    for _ in range(10):
        mesh.vertices[0].co.x += 0.125
        mesh.update()
        update()
    assert read == []
    assert not built.was_stale
    assert built.stale
    assert len(read) == 1
    bpy.data.objects["Cube"].location.x += 1
    update()
    assert built.stale
    assert len(read) == 1


def test_the_panel_is_told_when_the_scene_has_come_to_rest(monkeypatch):
    item = cube()
    built = build("TRIANGLES")
    item.location.x = 1
    update()
    assert bpy.app.timers.is_registered(rest.come_to_rest)
    assert 0 < rest.come_to_rest() <= 0.2
    assert not built.was_stale
    with tuned(octree_addon, rest=0.0):
        monkeypatch.setattr(rest, "is_busy", lambda: True)
        assert rest.come_to_rest() is not None
        assert not built.was_stale
        monkeypatch.setattr(rest, "is_busy", lambda: False)
        assert rest.come_to_rest() is None
    assert built.was_stale


@tuned(octree_addon, objects_read=0)
def test_meshes_are_compared_step_by_step():
    items = [cube(f"Cube {number}", location=(2 * number, 0, 0)) for number in range(5)]
    built = build("TRIANGLES")
    for item in items:
        item.data.update()
    update()
    steps = 0
    while not scene_index.catch_up(0):
        steps += 1
    assert steps >= 4
    assert not built.was_stale


@tuned(octree_addon, objects_read=0)
def test_a_comparison_outlives_its_view_layer():
    scene, item = bpy.context.scene, cube()
    other = scene.view_layers.new("Other")
    bpy.context.window.view_layer = other
    built = build("TRIANGLES")
    item.data.update()
    other.update()
    comparison = built.settle_steps(other)
    next(comparison)
    bpy.context.window.view_layer = scene.view_layers[0]
    scene.view_layers.remove(other)
    with pytest.raises(ValueError, match="The view layer Other is gone"):
        run(comparison)


def test_a_walk_outlives_its_view_layer(ball):
    layer, built = bpy.context.scene.view_layers.new("Other"), build("TRIANGLES")
    with changed_back(layer):
        bpy.context.scene.view_layers.remove(layer)
    ball.location.x = 1
    update()
    assert built.stale


@pytest.mark.parametrize("source", SOURCES)
def test_many_moved_objects_are_compared_in_bulk(source):
    mesh = cube().data
    for _ in range(4_999):
        link(bpy.data.objects.new("Copy", mesh))
    items = list(bpy.context.scene.objects)
    for number, item in enumerate(items):
        item.location = (number % 50, number // 50, 0)
    built = build(source)
    lines = lines_run(lambda: shift(items))
    assert lines.total() < 4 * len(items)
    assert lines_run(lambda: built.stale).total() < 10 * len(items)
    assert built.was_stale
    for item in items:
        item.location.x -= 1
    update()
    assert lines_run(lambda: built.stale).total() < 10 * len(items)
    assert not built.was_stale


def shift(items):
    for item in items:
        item.location.x += 1
    update()


@tuned(octree_addon, former_trees=2)
def test_many_trees_make_room_for_later_ones():
    cube()
    built = [build("TRIANGLES") for _ in range(5)]
    assert trees.kept_of(bpy.context.scene) == built[2:]
    for _ in range(3):
        bpy.ops.ed.undo()
    assert trees.get(bpy.context.scene) is None
    assert trees.was_dropped(bpy.context.scene)
    with tuned(octree_addon, former_bytes=built[0].nbytes + 1):
        for _ in range(3):
            bpy.ops.ed.redo()
        assert trees.get(bpy.context.scene) is built[4]
        last = build("TRIANGLES")
    assert trees.kept_of(bpy.context.scene) == [built[4], last]


def test_a_tree_of_another_frame_is_no_matter_while_we_walk(ball):
    select_only(ball)
    built = build("TRIANGLES")
    with changed_back(bpy.context.view_layer):
        ball.location.x = 1
        update()
        assert not built.stale
        ball.location.x = 0
    assert not built.stale


def test_a_tree_of_another_scene_is_compared_when_it_is_shown_or_asked_for():
    item, first = cube(), bpy.context.scene
    built = build("TRIANGLES")
    bpy.context.window.scene = second = bpy.data.scenes.new("Other")
    item.location.x = 1
    bpy.context.view_layer.update()
    assert trees.is_settled()
    assert scene_index.catch_up(1)
    assert not built.was_stale
    assert is_stale(first)
    item.location.x = 0
    bpy.context.window.scene = first
    update()
    assert not built.stale
    bpy.context.window.scene = second
    bpy.data.objects.remove(item)
    assert is_stale(first)


def test_an_object_deleted_a_moment_ago_is_no_trap():
    first, second = cube("A"), cube("B", location=(3, 0, 0))
    built = build("TRIANGLES")
    first.data.update()
    update()
    bpy.data.objects.remove(second)
    assert built.stale


def test_lost_coordinates_are_no_change_when_nothing_happens():
    item = cube()
    cube("Other")
    item.data.vertices[0].co.x = np.nan
    built = build("TRIANGLES")
    item.update_tag()
    update()
    assert not built.stale
    assert settings_of(bpy.context.scene).tree_number


def read_again(built):
    """Return what the items of a tree are now, read anew from the same objects."""
    if built.holds_objects:
        found = boxes_now(built.source.names)
        return boxes_by_key(found, found.boxes)
    index = SceneIndex(depsgraph)
    index.update()
    rows = np.flatnonzero(np.isin(index.placements.owners, list(built.source.names)))
    triangles = index.octree.triangles_of(index.octree.ids[rows])
    return triangles_by_owner(index.placements.ordered(rows), triangles)


def built_from(built):
    """Return what the items of a tree were."""
    if built.holds_objects:
        return boxes_by_key(built.source.placements, built.octree.items.bounds().rows)
    return triangles_by_owner(built.source.placements, built.octree.items)


def triangles_by_owner(placements, triangles):
    """Return the triangles and polygons of each placement, by its object."""
    corners = triangles.vertices[triangles.faces]
    return Counter(
        (
            int(placements.owners[number]),
            corners[start:end].tobytes(),
            placements.meshes[number].polygons.tobytes(),
        )
        for number, (start, end) in enumerate(pairwise(placements.starts.tolist()))
    )


class Walk:
    """A user who moves, edits, adds and takes back things at random; each step is a method."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = settings_of(bpy.context.scene).tree_number

    def item(self):
        return self.random.choice(list(bpy.context.scene.objects))

    def move(self):
        item = self.item()
        item.location.x = self.random.choice([0, 1, 2])
        item.rotation_euler.z = self.random.choice([0, 0.5])

    def edit(self):
        mesh = self.item().data
        if isinstance(mesh, bpy.types.Mesh) and not mesh.is_editmode:
            mesh.vertices[0].co.z = self.random.choice([-0.5, -1])
            mesh.update()

    def switch_modifier(self):
        for each in self.item().modifiers:
            each.show_viewport = not each.show_viewport

    def write(self):
        bpy.data.objects["Text"].data.body = self.random.choice(["Octree", "A", " "])

    def tab(self):
        item = self.item()
        if bpy.context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        elif item.type == "MESH" and item.visible_get():
            select_only(item)
            bpy.ops.object.mode_set(mode="EDIT")

    def swap(self):
        empty = bpy.data.objects["Instance"]
        empty.instance_collection = self.random.choice([None, *bpy.data.collections])

    def regroup(self):
        group, item = self.random.choice(list(bpy.data.collections)), bpy.data.objects["Stone"]
        if item.name in group.objects:
            group.objects.unlink(item)
        else:
            group.objects.link(item)

    def undo(self):
        """Go back some steps, not beyond the build."""
        for _ in range(self.random.choice([1, 2, 30])):
            if not bpy.ops.ed.undo.poll():
                break
            bpy.ops.ed.undo()
            if settings_of(bpy.context.scene).tree_number != self.number:
                bpy.ops.ed.redo()
                break

    def redo(self):
        if bpy.ops.ed.redo.poll():
            bpy.ops.ed.redo()

    def step(self):
        name = self.random.choice([name for name in vars(Walk) if name[0] != "_"])
        if name in {"item", "step"}:
            return
        getattr(self, name)()
        update()
        if name not in {"undo", "redo"}:
            bpy.ops.ed.undo_push(message=name)


@pytest.mark.parametrize("seed", range(4))
def test_out_of_date_is_what_differs_when_all_is_read_again(built, seed):
    bpy.ops.ed.undo_push(message="Start")
    walk, verdicts = Walk(seed), Counter()
    for _ in range(80):
        walk.step()
        if walk.random.random() < 0.5:
            assert trees.get(bpy.context.scene) is built
            expected = built_from(built) != read_again(built)
            assert is_stale(bpy.context.scene) == expected
            verdicts[expected] += 1
    if bpy.context.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    assert min(verdicts[False], verdicts[True]) > 1


@pytest.mark.parametrize("error", [ValueError, ReferenceError])
def test_work_at_rest_that_lost_what_it_is_about_is_dropped(error):
    def lost():
        yield 0.5
        raise error("gone")

    rest._running.append(Running(lost()))
    rest.catch_up(0.1)
    assert not rest._running
