"""Distances in Blender: rows, dimensions that follow, edges and texts, and the command line."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import collection_instance, cube, link, select_only

from octree_ext.octree_addon import command_line
from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.display import dimensions
from octree_ext.octree_addon.distances import following
from octree_ext.octree_addon.result_list import kind_of
from octree_ext.octree_addon.ui import settings_of


def measure(**options):
    assert bpy.ops.octree.measure_distances(**options) == {"FINISHED"}
    view = view_of(bpy.context.scene, active_result(bpy.context.scene))
    names = [tuple(view.labels(row)) for row in range(len(view.rows))]
    return names, view.rows.column("Distance").values.tolist()


@pytest.fixture
def row():
    """Stand four cubes of two units in a row, ever farther apart: gaps of 1, 2 and 3."""
    made = [
        cube(name, 2.0, location=(x, 0, 0)) for name, x in zip("ABCD", (0, 3, 7, 12), strict=True)
    ]
    select_only(*made)
    bpy.context.view_layer.objects.active = made[0]
    return made


def test_the_active_object_is_measured_to_all_others(row):
    assert measure(pairs="ACTIVE") == ([("A", "B"), ("A", "C"), ("A", "D")], [1.0, 5.0, 10.0])


def test_the_selected_are_measured_among_each_other(row):
    row[3].select_set(False)
    assert measure(pairs="SELECTED") == ([("A", "B"), ("B", "C"), ("A", "C")], [1.0, 2.0, 5.0])


def test_each_is_measured_to_its_nearest(row):
    select_only()
    names, lengths = measure(pairs="NEAREST")
    assert (names, lengths) == ([("A", "B"), ("B", "C"), ("C", "D")], [1.0, 2.0, 3.0])
    row[1].select_set(True)
    assert measure(pairs="NEAREST", count=2) == ([("A", "B"), ("B", "C")], [1.0, 2.0])


def test_of_two_collections_the_nearest_two_are_told(row):
    for name, members in (("One", row[:2]), ("Other", row[2:])):
        collection = bpy.data.collections.new(name)
        for item in members:
            collection.objects.link(item)
    found = measure(pairs="SETS", first_set="One", second_set="Other")
    assert found == ([("B", "C")], [2.0])
    with pytest.raises(RuntimeError, match="Second Set: choose a collection"):
        bpy.ops.octree.measure_distances(pairs="SETS", first_set="One", second_set="None")


def test_instances_are_measured_one_by_one():
    one = collection_instance([cube("Source", 2.0)], "One")
    other = link(bpy.data.objects.new("Other", None), location=(5, 0, 0))
    other.instance_type, other.instance_collection = "COLLECTION", one.instance_collection
    select_only(one)
    bpy.context.view_layer.objects.active = one
    assert measure(pairs="ACTIVE")[1] == [3.0]


def test_dimensions_follow_what_moves_and_leave_what_changes_its_shape(row):
    measure(pairs="ACTIVE")
    ends, written = dimensions.shown_lines(bpy.context.scene)
    assert written == ["1 m", "5 m", "10 m"]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).tolist() == [1.0, 5.0, 10.0]
    row[1].location.x = 4.5
    bpy.context.view_layer.update()
    assert dimensions.shown_lines(bpy.context.scene)[1] == ["2.5 m", "5 m", "10 m"]
    row[1].location.x = 1.5
    bpy.context.view_layer.update()
    assert dimensions.shown_lines(bpy.context.scene)[1][0] == "0 m, 50 cm deep"
    row[2].data.vertices[0].co.x += 1
    row[2].data.update()
    row[3].hide_set(True)
    bpy.context.view_layer.update()
    assert dimensions.shown_lines(bpy.context.scene)[1] == ["0 m, 50 cm deep"]
    settings_of(bpy.context.scene).distances.show = False
    assert dimensions.shown_lines(bpy.context.scene)[1] == []


def test_rows_of_the_list_follow_what_moves_and_are_measured_once_a_change(row, monkeypatch):
    measure(pairs="ACTIVE")
    scene = bpy.context.scene
    result = active_result(scene)

    def told():
        columns = view_of(scene, result).rows.columns
        return [kind_of(result).now(scene, result, each).values.tolist() for each in columns]

    row[1].location.x = 1.5
    row[2].location.x = 8
    bpy.context.view_layer.update()
    calls = []
    measured = following.distances
    monkeypatch.setattr(following, "distances", lambda *given: calls.append(1) or measured(*given))
    lengths, depths, inside = told()
    assert (lengths, depths) == ([0.0, 6.0, 10.0], [pytest.approx(0.5), 0.0, 0.0])
    assert told() == [lengths, depths, inside]
    assert dimensions.shown_lines(scene)[1] == ["0 m, 50 cm deep", "6 m", "10 m"]
    assert len(calls) == 1
    for place in (float("inf"), float("nan"), 3e38):
        row[1].location.x = place
        bpy.context.view_layer.update()
        assert told()[0][1:] == [6.0, 10.0]
    settings_of(scene).distances.show = False
    row[1].location.x = 3.5
    bpy.context.view_layer.update()
    assert told()[0] == [1.5, 6.0, 10.0]


def test_strokes_are_a_line_and_a_tick_at_each_end():
    lines = np.array([[[0, 0], [10, 0]], [[5, 5], [5, 5]]], float)
    found = dimensions.strokes(lines, 2.0)
    assert found[:6].tolist() == [[0, 0], [10, 0], [0, -2], [0, 2], [10, -2], [10, 2]]
    assert np.isfinite(found).all()


def test_dimensions_become_edges_and_texts_that_are_no_part_of_the_scene(row):
    measure(pairs="ACTIVE")
    assert bpy.ops.octree.make_distances_real() == {"FINISHED"}
    made = bpy.context.view_layer.objects.active
    assert (len(made.data.edges), len(made.data.vertices)) == (3, 6)
    assert [child.data.body for child in made.children] == ["1 m", "5 m", "10 m"]
    bpy.context.view_layer.objects.active = row[0]
    assert measure(pairs="ACTIVE")[1] == [1.0, 5.0, 10.0]


def test_without_distances_there_is_nothing_to_make_real():
    with pytest.raises(RuntimeError, match="measure some first"):
        bpy.ops.octree.make_distances_real()


def test_one_object_alone_has_no_distances():
    alone = cube("Alone")
    bpy.context.view_layer.objects.active = alone
    for pairs in ("ACTIVE", "NEAREST"):
        assert measure(pairs=pairs) == ([], [])
    select_only(alone)
    with pytest.raises(RuntimeError, match="Select two objects or more"):
        bpy.ops.octree.measure_distances(pairs="SELECTED")
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="no active object"):
        bpy.ops.octree.measure_distances(pairs="ACTIVE")


def test_the_command_prints_lines_or_json(row, tmp_path, capsys):
    path = tmp_path / "row.blend"
    cube("Held", location=(12, 0, 0), size=0.5)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert command_line.main(["distances", str(path), "--pairs", "selected"]) == 0
    assert "1 m\tA\tB\n" in capsys.readouterr().out
    assert command_line.main(["distances", str(path), "--json"]) == 0
    printed = capsys.readouterr().out
    told = json.loads(printed[printed.index("{") :])
    file = tmp_path / "out.json"
    assert command_line.main(["distances", str(path), "--json", str(file)]) == 0
    assert json.loads(file.read_text()) == told
    assert (told["version"], told["unit"]) == (1, "m")
    inner = next(each for each in told["pairs"] if each["inside"] is not None)
    assert inner["names"] == ["D", "Held"]
    assert inner["inside"] == 1
    assert 0 < inner["depth"][0] <= inner["depth"][1]
    apart = [np.subtract(*each["points"]) for each in told["pairs"]]
    lengths = [each["distance"] for each in told["pairs"]]
    assert np.linalg.norm(apart, axis=1) == pytest.approx(lengths)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nowhere.blend"], 2),
        (["{}", "--nearest", "0"], 2),
        (["{}", "--pairs", "all", "--nearest", "2"], 2),
        (["{}", "--pairs", "some"], 2),
    ],
)
def test_what_the_command_cannot_do_ends_with_a_code(row, tmp_path, capsys, arguments, code):
    path = tmp_path / "row.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    given = [each.replace("{}", str(path)) for each in arguments]
    assert command_line.main(["distances", *given]) == code
