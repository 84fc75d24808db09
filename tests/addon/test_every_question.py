"""What every question has for nothing: rows in Results, all their verbs, an outline."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import answering
import bpy
import numpy as np
import pytest
from blender_scenes import cube, select_only, selected
from brute_force import check_last_answer
from paper import Paper
from snapshots import visibility

from octree_ext.octree_addon import CLASSES, FEATURES, questions, result_list
from octree_ext.octree_addon.answers import asking
from octree_ext.octree_addon.answers.answer import Answer
from octree_ext.octree_addon.answers.asking import QuestionOperator
from octree_ext.octree_addon.answers.kept import view_of
from octree_ext.octree_addon.answers.options import AnswerOptions
from octree_ext.octree_addon.answers.result_kind import KINDS, ResultKind, kind_of
from octree_ext.octree_addon.audit import OCTREE_OT_select_collisions
from octree_ext.octree_addon.display.answered import objects_found, uids_of
from octree_ext.octree_addon.options import integer, settings_group
from octree_ext.octree_addon.result_list import Rows, no_instances
from octree_ext.octree_addon.result_list.verbs import VERBS
from octree_ext.octree_addon.ui import Feature, plural, settings_of


@pytest.fixture
def row(empty_scene):
    """Place eight cubes along x, two pairs of which overlap, a camera, the cursor among them."""
    cubes = [cube(f"Cube {x}", size=0.5, location=(x, 0, 0)) for x in range(8)]
    cubes[1].location.x, cubes[6].location.x = 0.4, 5.4
    bpy.ops.object.camera_add(location=(2, -4, 0), rotation=(1.57, 0, 0))
    empty_scene.camera = bpy.context.object
    empty_scene.cursor.location = (2.9, 0, 0)
    select_only(cubes[5])
    bpy.context.view_layer.objects.active = cubes[5]
    return empty_scene


@pytest.mark.parametrize(
    "question",
    (*questions.QUESTIONS, OCTREE_OT_select_collisions),
    ids=lambda question: question.key,
)
def test_it_selects_and_lists_what_brute_force_finds(row, question, tmp_path):
    assert getattr(bpy.ops.octree, question.bl_idname.partition(".")[2])() == {"FINISHED"}
    asked = questions.get(row)
    assert asked.title == question.bl_label
    found = set(np.unique(asked.target.owners[asked.target.placements_of(asked.items)]).tolist())
    names = {item.name for item in row.objects if item.session_uid in found}
    assert names
    assert names == selected()
    assert result_list.active_result(row).title == question.bl_label
    check_last_answer()
    path = tmp_path / "found.csv"
    assert bpy.ops.octree.export_rows(filepath=str(path)) == {"FINISHED"}
    assert all(name in path.read_text() for name in names)


LISTED = {
    **{question.bl_idname.partition(".")[2]: {} for question in questions.QUESTIONS},
    "select_collisions": {},
    "find_seen": {},
    "find_never_seen": {"directions": 4, "resolution": 256},
    "audit": {},
    "select_floating": {},
    "select_collisions over frames": {"span": "CUSTOM", "first": 1, "last": 2},
}


def press(name, **options):
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def list_rows(scene, question):
    """Ask, and return the names in each row that is listed."""
    cube("Inside", size=0.1, location=(3, 0, 0))
    cube("Above", size=0.1, location=(3, 0, 9))
    bpy.context.view_layer.update()
    press(question.partition(" ")[0], **LISTED[question])
    return rows_of(scene)


def rows_of(scene):
    view = view_of(scene, result_list.active_result(scene))
    return [{*view.labels(row)} for row in range(len(view.rows))]


def hidden(icon):
    names = {"MONITOR": "hide_viewport", "RENDER": "hide_render"}
    items = bpy.context.view_layer.objects
    flags = {item.name: getattr(item, names.get(icon, "name")) for item in items}
    return {name for name in flags if (flags[name] if icon in names else items[name].hide_get())}


@pytest.mark.parametrize("question", LISTED)
def test_all_verbs_take_what_it_has_listed(row, question, tmp_path):
    rows = list_rows(row, question)
    named = set().union(*rows)
    assert named
    press("select_rows")
    assert selected() == named
    press("collect_rows", collection="Taken")
    assert {*bpy.data.collections["Taken"].objects.keys()} == named
    press("mark_rows", attribute="rows")
    marks = {item.name: item["rows"] for item in row.objects if "rows" in item}
    assert marks == {name: sum(name in each for each in rows) for name in named}
    before = visibility()
    for icon in ("EYE", "MONITOR", "RENDER"):
        press("hide_rows", icon=icon, everything=True)
        assert hidden(icon) == named
        press("restore_hidden")
        assert visibility() == before
    settings_of(row).results.row = 0
    space = next(area for area in bpy.context.screen.areas if area.type == "VIEW_3D").spaces[0]
    press("isolate_row")
    assert space.local_view and selected() == rows[0]
    press("isolate_row")
    assert not space.local_view
    press("copy_rows")
    press("copy_names")
    press("export_rows", filepath=str(tmp_path / "found.json"))
    written = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert [{*each["objects"]} for each in written["rows"]] == rows
    press("refresh_result")
    assert sorted(map(sorted, rows_of(row))) == sorted(map(sorted, rows))
    press("clear_results")
    assert result_list.active_result(row) is None


def test_no_verb_is_left_out():
    """Those of the list are the ones that are pressed above."""
    names = {"collect_rows", "mark_rows", "hide_rows", "copy_rows", "copy_names", "export_rows"}
    found = {verb.bl_idname.partition(".")[2] for verb in VERBS}
    assert found == names | {"clear_results"}
    assert all(verb.button for verb in VERBS)


@pytest.mark.parametrize("question", ["select_collisions", "find_seen", "audit"])
def test_each_verb_is_one_undo_step_and_no_change(row, question):
    list_rows(row, question)
    select_only()
    bpy.ops.ed.undo_push(message="Listed")
    before = state()
    for name, options in PRESSED:
        press(name, **options)
        assert state() != before, name
        assert not has_changed()
        bpy.ops.ed.undo()
        assert state() == before, name
        assert not has_changed()


PRESSED = [
    ("select_rows", {}),
    ("collect_rows", {}),
    ("mark_rows", {}),
    *(("hide_rows", {"icon": icon}) for icon in ("EYE", "MONITOR", "RENDER")),
]


def has_changed():
    bpy.context.view_layer.update()
    return answering.has_changed(result_list.active_result(bpy.context.scene))


def state():
    marks = [dict(item.items()).get("rows_found") for item in bpy.context.scene.objects]
    return selected(), sorted(bpy.data.collections.keys()), marks, visibility()


def test_the_active_row_alone_or_what_the_search_leaves(row):
    rows = list_rows(row, "select_collisions")
    with pytest.raises(RuntimeError, match="Click a row first"):
        bpy.ops.octree.hide_rows(rows="ACTIVE")
    settings_of(row).results.row = 0
    press("hide_rows", rows="ACTIVE")
    assert hidden("EYE") == rows[0]
    press("restore_hidden")
    settings_of(row).results.search = "Cube 6"
    press("collect_rows")
    found = set().union(*(each for each in rows if "Cube 6" in each))
    assert {*bpy.data.collections["Select Collisions"].objects.keys()} == found


def test_numbers_of_the_column_that_the_list_is_sorted_by(row):
    list_rows(row, "select_collisions")
    with pytest.raises(RuntimeError, match="Sort the list by a column of numbers first"):
        bpy.ops.octree.mark_rows(number="COLUMN")
    bpy.ops.octree.sort_rows(by="Contacts")
    press("mark_rows", number="COLUMN", attribute="contacts")
    view = view_of(row, result_list.active_result(row))
    most = {}
    for number, count in enumerate(view.rows.column("Contacts").values.tolist()):
        for name in view.labels(number):
            most[name] = max(most.get(name, 0), count)
    assert {item.name: item["contacts"] for item in row.objects if "contacts" in item} == most
    press("select_nearest", count=50)
    bpy.ops.octree.sort_rows(by="Distance")
    with pytest.raises(RuntimeError, match="has a property contacts of another kind"):
        bpy.ops.octree.mark_rows(number="COLUMN", attribute="contacts")
    press("mark_rows", number="COLUMN", attribute="distance")
    marked = [item["distance"] for item in row.objects if "distance" in item]
    assert marked and all(type(each) is float for each in marked)


def test_what_is_linked_is_left_with_a_reason(row, tmp_path, capfd):
    path = str(tmp_path / "library.blend")
    bpy.data.libraries.write(path, {bpy.data.objects["Cube 0"]})
    with bpy.data.libraries.load(path, link=True) as (_, given):
        given.objects = ["Cube 0"]
    linked = given.objects[0]
    row.collection.objects.link(linked)
    bpy.context.view_layer.update()
    press("select_in_sphere", center=(0, 0, 0), radius=0.3)
    assert len(rows_of(row)) > 1
    press("hide_rows", icon="MONITOR")
    assert "1 linked from another file" in capfd.readouterr().out
    assert not linked.hide_viewport
    press("restore_hidden")
    press("mark_rows")
    assert "1 could not be" in capfd.readouterr().out
    settings_of(row).results.row = next(
        number
        for number, side in enumerate(view_of(row, result_list.active_result(row)).rows.objects[0])
        if view_of(row, result_list.active_result(row)).uids[side] == linked.session_uid
    )
    assert bpy.ops.octree.hide_rows(rows="ACTIVE", icon="RENDER") == {"CANCELLED"}


def test_cameras_are_asked_again_once_rows_are_hidden(row, capfd):
    press("find_seen")
    press("select_seen")
    assert "asked again" not in capfd.readouterr().out
    settings_of(row).results.row = 0
    press("hide_rows", rows="ACTIVE")
    press("select_seen")
    assert "asked again first" in capfd.readouterr().out


def test_all_that_is_visible_is_hidden_only_if_that_is_said(row):
    press("select_in_sphere", center=(0, 0, 0), radius=50)
    before = visibility()
    with pytest.raises(RuntimeError, match="Nothing would stay visible"):
        bpy.ops.octree.hide_rows()
    assert visibility() == before


def test_a_capsule_goes_from_the_cursor_to_the_active_object(row):
    bpy.ops.octree.select_in_capsule(radius=0.1)
    assert selected() == {"Cube 3", "Cube 4"}  # not the active one itself
    outline = questions.get(row).outline
    assert outline.points[:, 0].min() == pytest.approx(2.8, abs=1e-3)
    assert outline.points[:, 0].max() == pytest.approx(5.1, abs=1e-3)
    bpy.ops.octree.select_in_capsule(origin=(0, 0, 0), object="Cube 2", radius=0)
    assert selected() == {"Cube 0", "Cube 1"}
    bpy.ops.octree.select_in_capsule(origin=(5, 0, 0.2), object="Cube 5", radius=0.6)
    assert "Cube 5" not in selected()


def test_a_capsule_without_an_end_is_refused(row):
    bpy.context.view_layer.objects.active = None
    with pytest.raises(RuntimeError, match="no active object"):
        bpy.ops.octree.select_in_capsule()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("select_in_sphere", {}),
        ("select_in_box", {"around": "CURSOR"}),
        ("select_in_capsule", {}),
        ("select_nearest", {}),
        ("select_on_ray", {}),
    ],
)
def test_a_cursor_that_is_nowhere_is_refused_by_its_name(row, name, options):
    row.cursor.location.y = np.nan
    with pytest.raises(RuntimeError, match="The 3D cursor is nowhere"):
        getattr(bpy.ops.octree, name)(**options)


def test_a_ray_to_what_is_nowhere_is_refused(row):
    bpy.data.objects["Cube 3"].location.z = np.nan
    with pytest.raises(RuntimeError, match="leads nowhere"):
        bpy.ops.octree.select_on_ray(along="OBJECT", object="Cube 3")


# The kinds of results whose rows are pairs; all others color cells or objects.
PAIRS = {"select_collisions", "audit", "measure_distances"}


def test_every_question_that_keeps_a_result_has_one_kind(row):
    kinds = [kind for feature in FEATURES for kind in feature.kinds]
    assert sorted(kind.question for kind in kinds) == sorted(KINDS)
    assert {presses[-1][0] for presses in answering.EACH.values()} == {*KINDS}
    assert {*PAIRS} < {*KINDS}
    operators = [each for each in CLASSES if issubclass(each, bpy.types.Operator)]
    names = [each.bl_idname.partition(".")[2] for each in operators]
    keeping = {name for name in names if "result" in properties_of(name)}
    assert keeping == {*KINDS}  # Refresh passes the name on


@pytest.mark.parametrize("name", ["contacts", "density", "chunks preview", "chunks"])
def test_refresh_asks_again_in_place_of_the_answer(row, name):
    answering.press_all(answering.EACH[name])
    before = result_list.active_result(row)
    facts = before.name, before.title, before.count
    press("refresh_result")
    (now,) = settings_of(row).results.kept
    assert (now.name, now.title, now.count) == facts


def properties_of(name):
    return getattr(bpy.ops.octree, name).get_rna_type().properties.keys()


@pytest.mark.parametrize("name", answering.EACH)
def test_every_result_whose_rows_are_objects_colors_them(row, name):
    cube("Floor", 30, location=(0, 0, -17))
    select_only(row.objects["Cube 0"], row.objects["Cube 1"])
    bpy.context.view_layer.objects.active = row.objects["Cube 1"]
    answering.press_all(answering.EACH[name])
    bpy.context.view_layer.update()
    result, view = result_list.active_result(row), view_of(row, result_list.active_result(row))
    kind = kind_of(result)
    assert kind is KINDS[answering.EACH[name][-1][0]].of(result)
    settings_of(row).question_number = 0  # known from its rows alone
    assert kind.severity(view.rows).shape == (result.count,)
    is_pair = result.question in PAIRS
    assert view.rows.are_pairs == is_pair
    has_cells = kind.cells(row, result) is not None
    colored = [uid for request in objects_found(row) for uid in request.uids()]
    expected = [] if is_pair or has_cells else uids_of(view)
    assert sorted(colored) == sorted(expected)


# What the example of CONTRIBUTING imports.
NEEDED = (
    Answer, AnswerOptions, Feature, QuestionOperator, ResultKind, Rows, integer, no_instances,
    plural, settings_group,
)  # fmt: skip


def test_the_example_of_a_question_asks_and_lists(row, monkeypatch):
    """That of CONTRIBUTING, *Add a question or a feature*."""
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names = {
        **{each.__name__: each for each in NEEDED},
        "__name__": "holes",
        "bpy": bpy,
        "np": np,
        "open_edges": lambda item: 6 * (item.type == "MESH"),
    }
    exec(example, names)
    feature = names["FEATURE"]
    group, operator = feature.settings["holes"], names["OCTREE_OT_find_holes"]
    for each in (group, operator):
        bpy.utils.register_class(each)
    try:
        bpy.types.Scene.octree_holes = bpy.props.PointerProperty(type=group)
        monkeypatch.setattr(
            asking, "settings_of", lambda _: SimpleNamespace(holes=row.octree_holes)
        )
        assert bpy.ops.octree.find_holes(edges=6) == {"FINISHED"}
        assert row.octree_holes.edges == 6
    finally:
        del bpy.types.Scene.octree_holes
        for each in (operator, group):
            bpy.utils.unregister_class(each)
    result = result_list.active_result(row)
    assert (result.title, result.count) == ("Find Holes", 8)
    paper = Paper()
    feature.kinds[0].summary(paper, bpy.context, result)
    feature.kinds[0].offer(paper, bpy.context, result)
    assert [text for text, _ in paper.lines] == ["8 rows", "octree.select_rows"]
