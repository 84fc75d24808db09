"""Drop: what falls ends on what is below, as Blender stores it; what may not move is named."""

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, mesh_object, select_only
from mathutils import Matrix, Vector
from shot_stage import key
from snapshots import whole_file

from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.command_line.interrupt import heed
from octree_ext.octree_addon.place.units import movers_of

# What a unit cube in single precision may be off by, some meters from the origin.
CLOSE = 2e-6


@pytest.fixture(autouse=True)
def floor():
    """Add a floor whose top is at z = 0."""
    return cube("Floor", 20, location=(0, 0, -10))


def drop(*items, **options):
    select_only(*items)
    assert bpy.ops.octree.drop(**options) == {"FINISHED"}
    return told()


def told():
    """Return what the list of results says: for each object how far, onto what, and a note."""
    result = active_result(bpy.context.scene)
    view = view_of(bpy.context.scene, result)
    columns = view.rows.columns
    return {
        view.label(row, 0): tuple(
            column.words[column.values[row]] if column.words else float(column.values[row])
            for column in columns
        )
        for row in range(result.count)
    }


def bottom(item):
    """Return the lowest point of an object in the world, of what is stored."""
    bpy.context.view_layer.update()
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(item.matrix_world, np.float64)
    points = np.array([vertex.co for vertex in evaluated.data.vertices], np.float64)
    return float((points @ matrix[2, :3] + matrix[2, 3]).min())


def lands(item, height=0.0):
    """Tell whether an object stands on a height, not below it."""
    return 0 <= bottom(item) - height <= CLOSE


def test_a_stack_falls_as_a_stack_and_the_list_says_onto_what():
    items = [cube(f"Box {z}", location=(0.1 * z, 0, 1.7 + 2.3 * z)) for z in range(3)]
    rows = drop(*items)
    assert [lands(item, float(z)) for z, item in enumerate(items)] == [True] * 3
    assert [rows[item.name][1] for item in items] == ["Floor", "Box 0", "Box 1"]
    assert rows["Box 2"][0] == pytest.approx(1.7 + 4.6 - 0.5 - 2.0, abs=CLOSE)


def test_dropped_twice_is_dropped_once():
    items = [cube(f"Box {z}", location=(0.1 * z, 0.3, 1.1 + 1.3 * z)) for z in range(4)]
    drop(*items)
    once = [np.array(item.location, np.float32) for item in items]
    rows = drop(*items)
    for item, before in zip(items, once, strict=True):
        steps = np.abs(np.array(item.location, np.float32) - before) / np.spacing(np.float32(5))
        assert steps.max() <= 2
    assert max(abs(row[0]) for row in rows.values()) <= CLOSE


@pytest.mark.parametrize(
    ("toward", "way"), [("LEFT", (-1, 0, 0)), ("RIGHT", (1, 0, 0)), ("FORWARD", (0, 1, 0))]
)
def test_it_falls_along_any_axis(toward, way):
    wall = cube("Wall", location=Vector(way) * 5 + Vector((0, 0, 9)))
    item = cube(location=(0, 0, 9))
    drop(item, toward=toward)
    assert (item.location - Vector(way) * 4 - Vector((0, 0, 9))).length <= CLOSE
    assert wall.location == Vector(way) * 5 + Vector((0, 0, 9))


def test_it_falls_to_the_active_object_which_stays():
    target, item = cube("Target", location=(3, 0, 9)), cube(location=(-2, 0, 9))
    rows = drop(target, item, toward="ACTIVE")
    assert item.location.x == pytest.approx(2, abs=CLOSE)
    assert target.location == Vector((3, 0, 9))
    assert rows["Cube"][1] == "Target"


def test_gap_and_sink():
    items = [cube("A", location=(0, 0, 2)), cube("B", location=(0, 0, 4))]
    drop(*items, gap=0.25)
    assert bottom(items[0]) == pytest.approx(0.25, abs=CLOSE)
    assert bottom(items[1]) == pytest.approx(1.5, abs=CLOSE)
    drop(*items, gap=0.0, sink=0.125)
    assert bottom(items[0]) == pytest.approx(-0.125, abs=CLOSE)
    assert bottom(items[1]) == pytest.approx(0.75, abs=CLOSE)


def test_it_sinks_into_nothing_but_what_it_lands_on():
    cube("High", location=(0, 0, 0.5)), cube("Low", location=(1, 0, 0.25))
    over, alone = cube("Over", location=(0.5, 0, 4)), cube("Alone", location=(4, 0, 4))
    rider = cube("Rider", location=(0.5, 0, 6))
    drop(over, alone, rider, sink=0.5)
    assert bottom(over) == pytest.approx(0.75, abs=CLOSE)
    assert bottom(alone) == pytest.approx(-0.5, abs=CLOSE)
    assert bottom(rider) == pytest.approx(1.25, abs=CLOSE)


def test_contacts_are_kept():
    lamp, ceiling = cube("Lamp", location=(0, 0, 3)), cube("Ceiling", 1, location=(0, 0, 4))
    free = cube("Free", location=(4, 0, 3))
    rows = drop(lamp, free, keep_contacts=True)
    assert lamp.location.z == 3
    assert lands(free)
    assert rows["Lamp"] == (0.0, "", "held by what it touches")
    drop(lamp, ceiling, keep_contacts=True)
    assert lands(lamp)
    assert ceiling.location.z - lamp.location.z == pytest.approx(1, abs=CLOSE)


def test_what_has_nothing_below_stays_and_others_land_on_it():
    cloud, bird = cube("Cloud", location=(30, 0, 5)), cube("Bird", location=(30, 0, 8))
    rows = drop(cloud, bird)
    assert cloud.location.z == 5
    assert lands(bird, 5.5)
    assert rows["Cloud"] == (0.0, "", "nothing below")
    assert rows["Bird"][1] == "Cloud"


def test_what_overlaps_is_named():
    one, other = cube("One", location=(0, 0, 3)), cube("Other", location=(0.2, 0, 3.4))
    rows = drop(one, other)
    assert rows["One"][2] == rows["Other"][2] == "overlaps"
    assert other.location.z - one.location.z == pytest.approx(0.4, abs=CLOSE)


def test_a_touch_sideways_is_parted():
    """Two of a kit, one of them a last unit too far: they fall beside each other."""
    one = cube("One", location=(0, 0, 3))
    other = cube("Other", location=(np.nextafter(np.float32(1), np.float32(0)), 0, 5))
    rows = drop(one, other)
    assert lands(one)
    assert lands(other)
    assert "overlaps" not in {row[2] for row in rows.values()}


def turned(item):
    item.rotation_euler = (0.4, 0.2, 1.0)


def mirrored(item):
    item.scale = (-1, 1, 2)


def sheared(item):
    parent = link(bpy.data.objects.new("Shear", None), scale=(1, 2, 0.5), rotation_euler=(0, 1, 0))
    item.parent = parent
    item.rotation_euler = (0.5, 0.5, 0.5)


def parented(item):
    item.parent = link(bpy.data.objects.new("Parent", None), location=(1, 2, 3))
    item.parent.rotation_euler = (1, 2, 3)
    bpy.context.view_layer.update()
    item.matrix_parent_inverse = item.parent.matrix_world.inverted() @ Matrix.Translation(
        (0, 0, 1)
    )


def delta(item):
    item.delta_location, item.delta_rotation_euler = (0.3, 0.1, 0.2), (0.1, 0.2, 0)
    item.delta_scale = (1, 2, 1)


def flat(item):
    item.scale = (1, 1, 0)


def nothing(item):
    item.scale = (0, 0, 0)


@pytest.mark.parametrize("change", [turned, mirrored, sheared, parented, delta, flat])
def test_only_the_location_is_written(change):
    item = cube(location=(0, 0, 6))
    change(item)
    before = (item.rotation_euler.copy(), item.scale.copy(), item.delta_location.copy())
    inverse = item.matrix_parent_inverse.copy()
    drop(item)
    assert lands(item)
    assert (item.rotation_euler, item.scale, item.delta_location) == before
    assert item.matrix_parent_inverse == inverse


def test_a_scale_of_zero_is_a_point_that_lands_or_stays():
    item = cube(location=(0, 0, 6))
    nothing(item)
    rows = drop(item)
    assert item.location.z == pytest.approx(0, abs=CLOSE) or rows["Cube"][2] == "nothing below"
    assert tuple(item.scale) == (0, 0, 0)


def test_children_move_along_and_count():
    table = cube("Table", location=(0, 0, 5))
    leg = cube("Leg", 0.5, location=(0, 0, -1))
    leg.parent = table
    drop(table, leg)
    assert lands(leg)
    assert tuple(leg.location) == (0, 0, -1)


def test_an_armature_and_its_mesh_move_as_one():
    bpy.ops.object.armature_add(location=(0, 0, 6))
    rig = bpy.context.object
    mesh = cube("Skin", location=(0, 0, 6))
    mesh.modifiers.new("Armature", "ARMATURE").object = rig
    rig.pose.bones[0].rotation_mode = "XYZ"
    rig.pose.bones[0].rotation_euler = (0.3, 0, 0)
    mesh.vertex_groups.new(name=rig.pose.bones[0].name).add(range(8), 1.0, "ADD")
    rows = drop(mesh)
    assert lands(mesh)
    assert rig.location.z == pytest.approx(mesh.location.z, abs=CLOSE)
    assert rows.keys() == {"Skin", "Armature"}


def test_instances_of_a_collection_move_as_one():
    instance = collection_instance([cube("A", 1), cube("B", 1, location=(0, 0, 3))])
    instance.location = (0, 0, 4)
    drop(instance)
    assert instance.location.z == pytest.approx(0.5, abs=CLOSE)


def locked(item):
    item.lock_location[2] = True


def driven(item):
    item.driver_add("location", 2).driver.expression = "7"


def animated(item):
    key(item, "location", {1: (0, 0, 7), 5: (0, 0, 8)})


def constrained(item):
    item.constraints.new("COPY_ROTATION").target = bpy.data.objects["Floor"]


def hidden(item):
    item.hide_set(True)


def endless(item):
    item.data.vertices.foreach_set("co", np.full(24, np.inf, np.float32))


def nowhere(item):
    item.location.y = np.nan


@pytest.mark.parametrize("change", [endless, nowhere])
@pytest.mark.parametrize("name", ["drop", "push_apart", "fill"])
def test_what_is_nowhere_stays_and_is_named_and_others_move(name, change, floor, capfd):
    item, above = cube("Item", location=(0, 0, 7)), cube("Above", location=(0, 0, 9))
    change(item)
    select_only(item, above, *([floor] if name == "fill" else []))
    bpy.context.view_layer.objects.active = floor if name == "fill" else above
    assert getattr(bpy.ops.octree, name)() == {"FINISHED"}
    said = capfd.readouterr().out
    if name == "drop":
        assert told()["Item"][2] == "nowhere"
        assert lands(above)
    else:
        assert "Item" in said
        assert "nowhere" in said


@pytest.mark.parametrize("change", [endless, nowhere])
def test_nothing_but_what_is_nowhere_fills_nothing(change, floor):
    item = cube("Item", location=(0, 0, 7))
    change(item)
    select_only(item, floor)
    bpy.context.view_layer.objects.active = floor
    with pytest.raises(RuntimeError, match=r"Item \(nowhere\)"):
        bpy.ops.octree.fill()


@pytest.mark.parametrize("change", [locked, driven, animated, constrained, hidden])
def test_who_may_not_move_stays_and_is_named_and_in_the_way(change):
    item, above = cube("Item", location=(0, 0, 7)), cube("Above", location=(0, 0, 9))
    select_only(item, above)
    change(item)
    bpy.context.view_layer.update()
    before = item.matrix_world.copy()
    movers = [item, above]
    chosen = bpy.context.view_layer.objects.selected
    assert bpy.ops.octree.drop() == {"FINISHED"}
    bpy.context.view_layer.update()
    assert item.matrix_world == before
    if change is hidden:  # and no obstacle
        assert lands(above)
    else:
        assert told()["Item"][2] == change.__name__
        assert lands(above, bottom(item) + 1)
    assert movers and chosen


def test_hidden_ones_that_are_asked_for_are_named():
    item = cube("Item", location=(0, 0, 7))
    item.hide_set(True)
    outside = bpy.data.objects.new("Outside", item.data)
    movers = movers_of(bpy.context, _placements(), [item, outside], np.array([(0.0, 0.0, -1.0)]))
    assert movers.left == {
        item.session_uid: "hidden", outside.session_uid: "not in the view layer"
    }  # fmt: skip


def _placements():
    from octree_ext.octree_addon.scene_index import scene_index

    return scene_index().placements


def test_linked_objects_stay_and_overrides_move(tmp_path):
    source = cube("Linked", location=(0, 0, 7))
    twin = cube("Twin", location=(4, 0, 7))
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {source, twin})
    for item in (source, twin):
        bpy.data.objects.remove(item)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Linked", "Twin"]
    for item in wanted.objects:
        link(item)
    override = wanted.objects[1].override_create(remap_local_usages=True)
    rows = drop(bpy.data.objects["Linked"], override)
    assert rows["Linked"][2] == "linked"
    assert wanted.objects[0].location.z == 7
    assert lands(override)


def test_far_from_the_origin():
    floor = bpy.data.objects["Floor"]
    floor.location = (40_000, -30_000, 20_000 - 10)
    items = [cube(f"Box {z}", location=(40_000.3, -30_000.1, 20_003 + 3 * z)) for z in range(3)]
    drop(*items)
    step = float(np.spacing(np.float32(40_000)))
    for number, item in enumerate(items):
        assert 0 <= bottom(item) - 20_000 - number <= 4 * step * (number + 1)
        assert bottom(item) >= 20_000 + number


def test_nothing_is_keyed():
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    item = cube(location=(0, 0, 5))
    drop(item)
    assert item.animation_data is None
    assert bpy.context.scene.frame_current == 1


def test_align_turns_to_the_surface_once():
    slope = mesh_object(
        "Slope", [(-9, -9, 4), (9, -9, 10), (9, 9, 10), (-9, 9, 4)], [(0, 1, 2, 3)]
    )
    item = cube(location=(0, 0, 20))
    drop(item, align=True)
    normal = np.array(slope.data.polygons[0].normal)
    up = np.array(item.matrix_world.to_3x3().col[2])
    assert up @ normal == pytest.approx(1, abs=1e-5)
    gaps = [(np.array(item.matrix_world @ v.co) - (0, 0, 7)) @ normal for v in item.data.vertices]
    assert min(gaps) == pytest.approx(0, abs=1e-5)
    before = item.rotation_euler.copy()
    drop(item, align=True)
    assert np.allclose(item.rotation_euler, before, atol=1e-6)


def test_undo_takes_it_back():
    item = cube(location=(0, 0, 5))
    select_only(item)
    bpy.ops.ed.undo_push()
    before = whole_file()
    bpy.ops.octree.drop("EXEC_DEFAULT", True)
    after = whole_file()
    assert after != before
    bpy.ops.ed.undo()
    assert whole_file() == before
    bpy.ops.ed.redo()
    assert whole_file() == after


def test_who_does_not_follow_stays(monkeypatch):
    """A handler puts it back: all is taken back and done without it, and it is named."""
    puppet, item = cube("Puppet", location=(0, 0, 5)), cube("Item", location=(3, 0, 5))

    def pull(*_):
        puppet = bpy.data.objects["Puppet"]
        if puppet.location.z != 5:
            puppet.location.z = 5

    bpy.app.handlers.depsgraph_update_post.insert(0, pull)
    try:
        rows = drop(puppet, item)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(pull)
    assert puppet.location.z == 5
    assert rows["Puppet"][2] == "does not follow its location"
    assert lands(item)


def test_nothing_selected_is_refused():
    select_only()
    with pytest.raises(RuntimeError, match="Select the objects"):
        bpy.ops.octree.drop()
    assert heed is not None
