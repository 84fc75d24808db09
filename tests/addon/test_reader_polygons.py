"""Which polygon a triangle is of: through modifiers, in Edit Mode, from another file."""

import bpy
import numpy as np
from blender_scenes import cube, depsgraph, link, mesh_object, monkey, select_only
from reading import only_object, read


def test_polygons_are_those_of_the_original():
    item = monkey(0)
    source = read(item)
    item.data.calc_loop_triangles()
    expected = [triangle.polygon_index for triangle in item.data.loop_triangles]
    assert source.polygon_of_triangle.tolist() == expected


def test_a_deformed_mesh_keeps_its_polygons_and_a_subdivided_one_does_not():
    deformed, divided = monkey(0), monkey(1)
    deformed.modifiers.new("Wave", "WAVE")
    editable = {found.name: found.editable for found in read(deformed, divided).objects}
    assert editable == {deformed.name: True, divided.name: False}


def test_a_modifier_that_only_reorders_polygons_gives_no_faces():
    item = mesh_object("Pair", np.random.default_rng(1).random((6, 3)), [(0, 1, 2), (3, 4, 5)])
    build = item.modifiers.new("Build", "BUILD")
    build.frame_start, build.frame_duration, build.use_random_order = 0, 1, True
    for build.seed in range(1, 20):
        bpy.context.view_layer.update()
        evaluated = item.evaluated_get(depsgraph()).data
        kept = [list(p.vertices) for p in evaluated.polygons] == [[0, 1, 2], [3, 4, 5]]
        assert only_object(read(item)).editable == kept


def test_edit_mode_is_read_as_the_cage_is_now():
    item = cube()
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    source = read(item)
    assert len(source.faces) == 48
    assert only_object(source).editable
    item.modifiers.new("Array", "ARRAY")
    assert not only_object(read(item)).editable
    bpy.ops.object.mode_set(mode="OBJECT")


def test_edit_mode_with_a_deforming_modifier_keeps_its_polygons():
    item = cube()
    item.modifiers.new("Cast", "CAST")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    assert only_object(read(item)).editable
    bpy.ops.object.mode_set(mode="OBJECT")


def test_reading_in_edit_mode_does_not_change_the_scene():
    item = cube()
    item.modifiers.new("Cast", "CAST")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.update()
    changes = []
    bpy.app.handlers.depsgraph_update_post.append(note := lambda *_: changes.append(1))
    read(item)
    bpy.context.view_layer.update()
    bpy.app.handlers.depsgraph_update_post.remove(note)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not changes


def test_linked_meshes_give_no_faces(tmp_path):
    item = cube("Linked")
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {item})
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.objects = ["Linked"]
    linked = link(wanted.objects[0])
    found = only_object(read(linked))
    assert (found.name, found.editable) == ("Linked", False)


def test_a_polygon_of_two_corners_has_no_triangle_and_takes_none_from_others():
    """Together with a quad it has as many corners as two triangles."""
    item = mesh_object("Odd", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1), (0, 1, 2, 3)])
    source = read(item)
    assert source.polygon_of_triangle.tolist() == [1, 1]
    assert sorted(map(sorted, source.triangles.faces.tolist())) == [[0, 1, 2], [0, 2, 3]]
