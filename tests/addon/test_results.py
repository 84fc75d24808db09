"""Kept results: rows against brute force; undo, reload, renamed and deleted objects."""

import bpy
import numpy as np
import pytest
from answering import has_changed
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    depsgraph,
    mesh_object,
    select_only,
    selected,
)
from brute_force import triangles_of
from costs import lines_run, times_run
from paper import drawn

from octree_ext.octree_addon import questions, result_list
from octree_ext.octree_addon.answers import kept
from octree_ext.octree_addon.answers.rows import pack, unpack
from octree_ext.octree_addon.reader import find_instance
from octree_ext.octree_addon.result_list import Column, Rows, no_instances
from octree_ext.octree_addon.ui import forget_session, settings_of


@pytest.fixture
def row(empty_scene):
    """Add cubes along x: two that touch, one half a unit beside them, one far away."""
    select_only(*(cube(f"Cube {x}", location=(x, 0, 0)) for x in (0, 1, 2.5, 9)))
    bpy.ops.ed.undo_push(message="Start")
    return empty_scene


def ask(name="select_in_sphere", **options):
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return active()


def active():
    return result_list.active_result(bpy.context.scene)


def table(result):
    """Return the rows of a result as tuples: the names, then the numbers."""
    view = result_list.view_of(bpy.context.scene, result)
    columns = [each.values.tolist() for each in view.rows.columns]
    return [
        (*view.labels(number), *(column[number] for column in columns))
        for number in range(len(view.rows))
    ]


def test_packed_rows_are_the_same_again():
    flags = np.random.default_rng(1).random((5, 11)) < 0.5
    columns = (
        Column("Triangles", "", np.arange(5)),
        Column("Distance", "LENGTH", np.linspace(0, 1, 5)),
    )
    instances = no_instances(5, 2)
    instances[1, 3, :2] = 7, 1
    rows = Rows(np.arange(10).reshape(2, 5), instances, columns, np.arange(11) + 3, flags)
    again = unpack(pack(rows))
    for name in ("objects", "instances", "frames", "seen"):
        np.testing.assert_array_equal(getattr(again, name), getattr(rows, name))
    assert [each[:2] for each in again.columns] == [each[:2] for each in columns]
    np.testing.assert_array_equal(again.columns[1].values, columns[1].values)
    assert again.numbers_of(3, 1) == [7, 1]
    assert len(unpack(pack(Rows(np.empty((2, 0), np.intp), no_instances(0, 2))))) == 0


def test_a_sphere_gives_a_row_for_each_object_with_its_triangles(row):
    result = ask(center=(0, 0, 0), radius=0.875)
    assert (result.name, result.question, result.count) == (
        "Select in Sphere", "select_in_sphere", 2,
    )  # fmt: skip
    asked = questions.get(bpy.context.scene)
    triangles = triangles_of(asked.target)
    corners = triangles.vertices[triangles.faces]
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    # Faces of boxes that stand along the axes: their triangles' boxes are flat.
    near = np.clip(0, lower, upper)
    flat = (near**2).sum(axis=1) <= 0.875**2
    found = np.bincount(asked.target.placement_of_item[asked.items], minlength=4)
    assert [line[1] for line in table(result)] == [count for count in found if count]
    assert set(asked.items) <= set(np.flatnonzero(flat))
    assert [line[::2] for line in table(result)] == [("Cube 0", 12), ("Cube 1", 12)]


@pytest.mark.parametrize("margin", [0.0, 0.75, 8.0])
def test_pairs_are_those_of_brute_force(row, margin):
    result = ask("select_collisions", margin=margin)
    asked = questions.get(bpy.context.scene)
    near = pairs_near(triangles_of(asked.target), margin)
    owners = asked.target.placement_of_item
    expected = {}
    for one, other in np.argwhere(np.triu(near, 1)).tolist():
        if owners[one] != owners[other]:
            pair = tuple(sorted((names()[owners[one]], names()[owners[other]])))
            expected[pair] = expected.get(pair, 0) + 1
    found = {tuple(sorted(line[:2])): line[2] for line in table(result)}
    assert found == expected
    counts = [line[2] for line in table(result)]
    assert counts == sorted(counts, reverse=True)


def pairs_near(items, margin):
    """Compare all triangles with each other, by the core's own test of one pair."""
    from octree_ext.core import pairs_within

    count = len(items)
    one, other = np.divmod(np.arange(count * count), count)
    return pairs_within(items, one, items, other, margin=margin).reshape(count, count)


def names():
    return [item.name for item in bpy.context.view_layer.objects]


def test_nearest_comes_with_distances_nearest_first(row):
    result = ask("select_nearest", origin=(-2, 0, 0), count=40)
    lines = table(result)
    assert [line[0] for line in lines] == ["Cube 0", "Cube 1", "Cube 2.5", "Cube 9"]
    np.testing.assert_allclose([line[1] for line in lines], [1.5, 2.5, 4.0, 10.5])


def test_a_ray_comes_with_distances(row):
    result = ask("select_on_ray", origin=(20, 0.1, 0.2), direction=(-3, 0, 0), hits="ALL")
    lines = table(result)
    assert [line[0] for line in lines] == ["Cube 9", "Cube 2.5", "Cube 1", "Cube 0"]
    np.testing.assert_allclose([line[1] for line in lines], [10.5, 17.0, 18.5, 19.5])


def test_instances_have_a_row_each(empty_scene):
    wall = collection_instance([cube("Left"), cube("Right", location=(1, 0, 0))])
    result = ask(center=(0, 0, 0), radius=9)
    lines = table(result)
    assert len({line[0] for line in lines}) == len(lines) == 2
    assert all(line[0].startswith("Instance #") for line in lines)
    settings_of(bpy.context.scene).results.row = 1
    assert selected() == {wall.name}
    (side,) = result_list.active_of(bpy.context.scene).sides()
    found = find_instance(depsgraph(), wall.session_uid, side.numbers)
    np.testing.assert_allclose(found.corners.mean(axis=0), (1, 0, 0), atol=1e-6)
    assert side.object == wall
    assert find_instance(depsgraph(), wall.session_uid, (99, 1)) is None
    pair = ask("select_collisions", instances=True)
    assert table(pair)[0][:2] == tuple(line[0] for line in lines)


def test_what_is_outside_the_view_has_rows_without_triangles(row):
    camera(location=(0, 0, 10))
    result = ask("select_in_frustum", invert=True)
    assert {line[0] for line in table(result)} == selected()
    assert all(len(line) == 1 for line in table(result))


def test_the_same_question_replaces_its_result_unless_it_is_kept(row):
    ask(radius=1)
    assert ask(radius=2).name == "Select in Sphere"
    stored = settings_of(bpy.context.scene).results.kept
    assert len(stored) == 1
    active().pinned = True
    ask(radius=3)
    assert [each.name for each in stored] == ["Select in Sphere"] * 2
    active().name = "Mine"
    ask(radius=4)
    assert [each.name for each in stored] == ["Select in Sphere", "Mine", "Select in Sphere"]
    ask(radius=5, result="Mine")
    assert len(stored) == 3
    assert settings_of(bpy.context.scene).results.active == 1


def test_one_undo_takes_a_result_back_and_redo_brings_it_again(row):
    ask(center=(0, 0, 0), radius=1)
    before = table(active())
    ask("select_collisions")
    bpy.ops.ed.undo()
    assert table(active()) == before
    bpy.ops.ed.undo()
    assert active() is None
    bpy.ops.ed.redo()
    assert table(active()) == before
    assert len(bpy.context.window_manager.octree.rows) == len(before)


def test_results_survive_save_and_reload(row, tmp_path):
    ask("select_collisions", margin=0.75)
    before = table(active())
    reload(tmp_path)
    assert table(active()) == before
    assert not has_changed(active())
    settings_of(bpy.context.scene).results.row = 0
    assert selected() == set(before[0][:2])
    bpy.data.objects["Cube 9"].location.x += 1
    bpy.context.view_layer.update()
    assert has_changed(active())


def reload(folder):
    path = str(folder / "results.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)


def test_renamed_objects_are_called_by_their_new_name(row, tmp_path):
    ask("select_collisions")
    bpy.data.objects["Cube 1"].name = "Wall"
    reload(tmp_path)
    assert table(active())[0][:2] == ("Cube 0", "Wall")


@pytest.mark.parametrize("how", ["remove", "delete"])
def test_a_deleted_object_is_not_kept_alive_in_the_file(row, tmp_path, how):
    ask("select_collisions", margin=0.75)
    item = bpy.data.objects["Cube 1"]
    if how == "remove":
        bpy.data.objects.remove(item)
    else:
        select_only(item)
        bpy.ops.object.delete("EXEC_DEFAULT", True)
    reload(tmp_path)
    assert "Cube 1" not in bpy.data.objects
    lines = table(active())
    assert {line[:2] for line in lines} == {("Cube 0", "Cube 1"), ("Cube 1", "Cube 2.5")}
    view = result_list.view_of(bpy.context.scene, active())
    assert [name for name, uid in zip(view.names, view.uids, strict=True) if not uid] == ["Cube 1"]
    settings_of(bpy.context.scene).results.row = 0
    assert selected() < {"Cube 0", "Cube 2.5"}


def test_undo_of_a_deletion_brings_the_row_to_life(row):
    ask("select_collisions")
    select_only(bpy.data.objects["Cube 1"])
    bpy.ops.object.delete("EXEC_DEFAULT", True)
    assert 0 in result_list.view_of(bpy.context.scene, active()).uids
    bpy.ops.ed.undo()
    assert 0 not in result_list.view_of(bpy.context.scene, active()).uids


def test_only_a_change_that_lasts_is_one(row):
    item = bpy.data.objects["Cube 0"]
    result = ask()
    select_only(item)
    assert not has_changed(result)
    item.location.y = 3
    bpy.context.view_layer.update()
    assert has_changed(result)
    item.location.y = 0
    bpy.context.view_layer.update()
    assert not has_changed(result)
    item.data.vertices[0].co.x -= 1
    item.data.update()
    bpy.context.view_layer.update()
    assert has_changed(result)
    bpy.ops.octree.refresh_result()
    assert not has_changed(active())


def test_hidden_objects_are_a_change_and_selected_ones_are_none(row):
    item = bpy.data.objects["Cube 9"]
    result = ask()
    for state in (True, False):
        item.hide_set(state)
        bpy.context.view_layer.update()
        assert has_changed(result) == state
    read = lines_run(lambda: select_and_look(item, result))
    assert not times_run(read, "address = original.session_uid")  # nothing is walked through
    assert not has_changed(result)


def select_and_look(item, result):
    item.select_set(not item.select_get())
    bpy.context.view_layer.update()
    has_changed(result)


def test_rows_of_the_list_stand_in_no_file_and_in_no_undo_step(row, tmp_path):
    ask("select_collisions")
    rows = bpy.context.window_manager.octree.rows
    assert len(rows) == active().count > 0
    seen = []
    bpy.app.handlers.save_pre.append(lambda *_: seen.append(len(rows)))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rows.blend"))
    bpy.app.handlers.save_pre.pop()
    assert (seen, len(rows)) == ([0], active().count)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rows.blend"))
    drawn(bpy.types.OCTREE_PT_results)
    kept.fill_list()
    assert len(bpy.context.window_manager.octree.rows) == active().count


def test_a_longer_list_than_the_result_is_hidden_at_its_end(row):
    ask()
    rows, count = bpy.context.window_manager.octree.rows, active().count
    for _ in range(3):
        rows.add()
    flags = kept.shown_of(bpy.context.scene, active()).in_list(len(rows))
    assert flags == [1 << 30] * count + [0] * 3


def test_an_undo_to_what_was_asked_is_no_change(row):
    ask()
    bpy.data.objects["Cube 0"].location.x = -4
    bpy.ops.ed.undo_push(message="Move")
    bpy.context.view_layer.update()
    assert has_changed(active())
    bpy.ops.ed.undo()
    assert not has_changed(active())


def test_nothing_listens_once_the_last_result_is_gone(row):
    before = len(bpy.app.handlers.depsgraph_update_post)
    ask()
    bpy.ops.octree.clear_results()
    forget_session()
    from octree_ext.octree_addon import handlers

    handlers.after_change()
    assert len(bpy.app.handlers.depsgraph_update_post) <= before + 1  # that of the index


def test_a_scene_without_faces_gives_no_result(empty_scene):
    mesh_object("Points", [(0, 0, 0)], [])
    with pytest.raises(RuntimeError, match="no triangles"):
        ask()
    assert active() is None


def test_refresh_leaves_a_pinned_result_of_the_same_name_alone():
    cube("One")
    bpy.ops.octree.select_in_sphere(radius=1)
    results = bpy.context.scene.octree.results
    results.kept[0].pinned = True
    number = results.kept[0].number
    bpy.ops.octree.select_in_sphere(radius=1)
    assert (len(results.kept), results.active) == (2, 1)
    second = results.kept[1].number
    assert bpy.ops.octree.refresh_result() == {"FINISHED"}
    assert results.kept[0].number == number
    assert (len(results.kept), results.active) == (2, 1)
    assert results.kept[1].number != second
