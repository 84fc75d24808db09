"""The audit of Blender's objects: known pairs, re-checks, statuses that stay, undo, reports."""

import json

import bpy
import numpy as np
import pytest
from blender_scenes import cube, monkey, select_only, selected
from clash_scenes import (
    EVERYTHING,
    KNOWN,
    audit,
    choose,
    instanced_pair,
    kept,
    key_of,
    mark,
    named,
    plant,
    recheck,
    statuses,
)

from octree_ext.octree_addon import result_list
from octree_ext.octree_addon.answers.kept import numbered_answer
from octree_ext.octree_addon.audit import auditing
from octree_ext.octree_addon.audit.marking import surplus_duplicates
from octree_ext.octree_addon.audit.model import read_json
from octree_ext.octree_addon.ui import forget_session, settings_of

PIPE = ("overlap", "Beam", "Pipe")


def move(name, x):
    bpy.data.objects[name].location.x += x
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Move")


@pytest.fixture
def scene(empty_scene):
    plant()
    bpy.ops.ed.undo_push(message="Start")
    return empty_scene


def test_each_class_is_found_between_objects(scene):
    assert named(audit(**EVERYTHING)) == KNOWN


def test_by_itself_it_finds_what_is_wrong_and_no_contacts(scene):
    wrong = {"overlap", "contained", "duplicate", "coplanar same-facing"}
    assert named(audit()) == {each for each in KNOWN if each[0] in wrong}
    assert named(audit(overlap=False, coplanar=False)) == {
        each for each in KNOWN if each[0] in ("contained", "duplicate")
    }


def test_amounts_are_in_the_unit_of_the_scene(scene):
    scene.unit_settings.scale_length = 0.001
    found = audit(**EVERYTHING)
    near = found.audit.classes.tolist().index(6)
    assert found.unit == "m"
    np.testing.assert_allclose(found.audit.upper[near], 0.0000625, rtol=1e-6)
    columns = {each.name: each for each in rows().columns}
    np.testing.assert_allclose(columns["Length"].values[near], 0.0625, rtol=1e-6)
    faces = found.audit.classes.tolist().index(4)
    np.testing.assert_allclose(columns["Area"].values[faces], 0.25, rtol=1e-6)
    assert np.isnan(columns["Length"].values[faces])


def rows():
    scene = bpy.context.scene
    return result_list.view_of(scene, result_list.active_result(scene)).rows


def test_modifiers_count(empty_scene):
    cube("Post", location=(2.5, 0, 0.25))
    item = cube("Row")
    assert named(audit()) == set()
    array = item.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (1, 0.0625, 0)
    bpy.context.view_layer.update()
    assert named(audit()) == {("overlap", "Post", "Row")}


def test_edit_mode_counts(empty_scene):
    cube("Post", location=(1.5, 0.125, 0.125))
    item = cube("Edited")
    select_only(item)
    bpy.ops.object.mode_set(mode="EDIT")
    assert named(audit()) == set()
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(1, 0, 0))
    assert named(recheck()) == {("overlap", "Edited", "Post")}
    bpy.ops.object.mode_set(mode="OBJECT")


def test_instances_are_checked_against_others_and_each_other_if_asked(empty_scene):
    instanced_pair()
    cube("Post", location=(-0.5, 0.125, 0.125))
    assert named(audit()) == {("overlap", "Instance", "Post")}
    both = audit(instances=True)
    assert named(both) == {("overlap", "Instance", "Post"), ("overlap", "Instance", "Instance")}
    assert (
        len({tuple(both.objects.numbers_of(number)) for number in both.audit.pairs.ravel()}) == 3
    )


def test_sides_are_collections_or_the_selection(scene):
    pipes = bpy.data.collections.new("Pipes")
    scene.collection.children.link(pipes)
    for name in ("Pipe", "Copy"):
        scene.collection.objects.unlink(bpy.data.objects[name])
        pipes.objects.link(bpy.data.objects[name])
    both = {PIPE, ("duplicate", "Copy", "Panel")}
    assert named(audit(ones="COLLECTION", ones_collection="Pipes")) == both
    assert named(audit(same_collection=False, ones="VISIBLE")) == both
    select_only(bpy.data.objects["Beam"], bpy.data.objects["Core"])
    one = {"ones": "SELECTED", "others": "COLLECTION", "others_collection": "Pipes"}
    assert named(audit(same_collection=True, **one)) == {PIPE}
    select_only(bpy.data.objects["Panel"])
    assert named(recheck()) == {PIPE}  # of the objects that were selected then
    with pytest.raises(RuntimeError, match="There is no collection Nowhere"):
        audit(ones="COLLECTION", ones_collection="Nowhere")


def test_rules_leave_pairs_out(scene):
    doors, walls = (bpy.data.collections.new(name) for name in ("Doors", "Walls"))
    for collection, name in ((doors, "Pipe"), (walls, "Beam")):
        scene.collection.children.link(collection)
        collection.objects.link(bpy.data.objects[name])
    found = named(audit(apart_one="Doors", apart_other="Walls"))
    assert PIPE not in found
    assert ("contained", "Core", "Shell") in found
    found = named(audit(apart_one="", apart_other=""))
    assert PIPE in found
    core = bpy.data.objects["Core"]
    core.parent = bpy.data.objects["Shell"]
    core.matrix_parent_inverse = core.parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    assert ("contained", "Core", "Shell") not in named(recheck())
    assert ("contained", "Core", "Shell") in named(audit(parents=True))


def test_hidden_objects_and_an_empty_scene(empty_scene):
    with pytest.raises(RuntimeError, match="no visible object has faces"):
        audit()
    plant()
    bpy.data.objects["Pipe"].hide_set(True)
    assert PIPE not in named(audit())


@pytest.mark.parametrize("seed", range(4))
def test_a_recheck_is_what_a_full_audit_finds(scene, seed):
    dice = np.random.default_rng(seed)
    monkey(1, location=(0.5, 0.5, 0.5))
    audit(**EVERYTHING)
    for step in range(5):
        items = list(scene.objects)
        item = items[dice.integers(len(items))]
        match step % 5:
            case 0:
                item.location.x += float(dice.normal())
            case 1:
                scene.collection.objects.link(item.copy())
            case 2:
                bpy.data.objects.remove(item)
            case 3:
                item.data.vertices[0].co.x += 0.5
                item.data.update()
            case 4:
                item.hide_set(True)
        bpy.context.view_layer.update()
        again = recheck()
        looked = remembered()
        assert 0 < looked.looked_at < len(looked.target.octree)
        forget_session()
        full = audit(result="Full")
        assert named(again) == named(full)
        same = {key: number for number, key in enumerate(statuses(full))}
        for row, key in enumerate(statuses(again)):
            if key in same and again.statuses[row] != 3:
                np.testing.assert_allclose(
                    full.audit.upper[same[key]], again.audit.upper[row], rtol=0.1, atol=1e-5
                )
        settings_of(scene).results.active = 0
        audit(result="Audit", **EVERYTHING)


def remembered():
    result = result_list.active_result(bpy.context.scene)
    return numbered_answer(bpy.context.scene, result.number, auditing.Looked).found


def test_a_recheck_looks_at_what_has_changed(scene):
    audit()
    recheck()
    assert remembered().looked_at == 0
    move("Pipe", 7)
    assert PIPE not in named(recheck())
    assert remembered().looked_at == 1
    assert statuses(kept())[PIPE] == ("resolved", "")
    move("Pipe", -7)
    assert PIPE in named(recheck())
    assert statuses(kept())[PIPE] == ("new", "")
    forget_session()
    recheck()
    assert remembered().looked_at == -1


def test_statuses_survive_rename_save_reload_and_recheck(scene, tmp_path):
    audit()
    mark(*PIPE, status="IGNORED", reason="Cast in")
    mark("contained", "Core", "Shell", status="REVIEWED")
    bpy.data.objects["Pipe"].name = "Röhre"
    path = str(tmp_path / "audit.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    renamed = ("overlap", "Beam", "Röhre")
    for found in (kept(), recheck(), audit()):
        assert statuses(found)[renamed] == ("ignored", "Cast in")
        assert statuses(found)["contained", "Core", "Shell"] == ("reviewed", "")
        assert statuses(found)["duplicate", "Copy", "Panel"] == ("new", "")


def test_the_active_finding_stays_active_over_a_recheck(scene):
    audit()
    results = scene.octree.results
    for row in range(len(kept())):
        results.row = row
        before = key_of(kept(), results.row)
        recheck()
        assert key_of(kept(), results.row) == before


def test_a_recheck_of_nothing_that_was_there(scene):
    audit()
    for item in list(scene.objects):
        bpy.data.objects.remove(item)
    bpy.context.view_layer.update()
    assert {each[0] for each in statuses(recheck()).values()} == {"resolved"}
    assert bpy.ops.octree.mark_findings("EXEC_DEFAULT", rows="SHOWN", status="NEW") == {"FINISHED"}
    cube("Other")
    cube("Another", location=(0.5, 0.25, 0.25))
    bpy.context.view_layer.update()
    assert ("overlap", "Another", "Other") in named(recheck())


def test_what_is_hidden_is_not_resolved(scene):
    audit()
    mark(*PIPE, status="IGNORED", reason="Cast in")
    before = statuses(kept())
    bpy.data.objects["Pipe"].hide_set(True)
    move("Core", 7)
    found = statuses(recheck())
    assert found == before | {("contained", "Core", "Shell"): ("resolved", "")}
    bpy.data.objects["Pipe"].hide_set(False)
    assert statuses(recheck()) == found


def test_other_options_resolve_nothing(scene):
    audit()
    mark("duplicate", "Copy", "Panel", status="REVIEWED")
    found = statuses(audit(overlap=False))
    assert {each[0] for each in found} == {"contained", "duplicate", "coplanar same-facing"}
    assert found["duplicate", "Copy", "Panel"] == ("reviewed", "")
    assert {each[0] for each in found.values()} == {"new", "reviewed"}


def test_what_is_deleted_keeps_its_name_as_resolved(scene, tmp_path):
    audit()
    bpy.data.objects.remove(bpy.data.objects["Pipe"])
    bpy.data.objects.remove(bpy.data.objects["Core"])
    recheck()
    path = str(tmp_path / "audit.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert statuses(kept())[PIPE] == ("resolved", "")
    assert statuses(recheck())["contained", "Core", "Shell"] == ("resolved", "")
    assert not any("Pipe" in item.name for item in bpy.data.objects)


def test_one_undo_takes_back_each_press(scene):
    audit()
    states = [statuses(kept())]
    mark(*PIPE, status="REVIEWED")
    states.append(statuses(kept()))
    move("Pipe", 7)
    recheck()
    assert bpy.ops.octree.select_duplicates("EXEC_DEFAULT", True) == {"FINISHED"}
    assert selected() == {"Copy"}
    bpy.ops.ed.undo()
    assert selected() != {"Copy"}
    bpy.ops.ed.undo()
    assert statuses(kept()) == states[1]
    bpy.ops.ed.undo()  # the move
    bpy.ops.ed.undo()
    assert statuses(kept()) == states[0]
    bpy.ops.ed.redo()
    assert statuses(kept()) == states[1]
    assert statuses(recheck()) == states[1]


def test_judgments_leave_the_record_as_it_is(scene):
    audit()
    result = result_list.active_result(scene)
    before = bytes(result.data), result.details, result.subjects, result.number, statuses(kept())
    mark(*PIPE, status="IGNORED", reason="Cast in")
    assert bpy.ops.octree.group_rows("EXEC_DEFAULT", True, group="Pipes") == {"FINISHED"}
    assert statuses(kept())[PIPE] == ("ignored", "Cast in")
    assert set(kept().groups) == {"", "Pipes"}
    mark(*PIPE, status="NEW")
    result = result_list.active_result(scene)
    after = bytes(result.data), result.details, result.subjects, result.number, statuses(kept())
    assert after == before
    assert not result.marks


def test_an_undo_brings_the_record_back_with_its_objects(scene, tmp_path):
    audit()
    path = tmp_path / "audit.json"
    bpy.ops.octree.export_audit(filepath=str(path))
    before = statuses(kept())
    bpy.data.objects.remove(bpy.data.objects["Wall"])
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Delete")
    assert bpy.ops.octree.compare_audit("EXEC_DEFAULT", True, filepath=str(path)) == {"FINISHED"}
    assert statuses(kept()) == before
    bpy.ops.ed.undo()
    assert statuses(kept()) == before
    bpy.ops.ed.redo()
    assert statuses(kept()) == before


def test_another_session_reads_the_same_findings(scene):
    audit(**EVERYTHING)
    mark(*PIPE, status="IGNORED", reason="Cast in")
    before = kept()
    forget_session()
    assert kept().audit == before.audit
    assert statuses(kept()) == statuses(before)


def test_marks_can_be_of_a_group_or_of_all_shown(scene):
    cube("Pipe 2", location=(0.25, 1, 0.5), scale=(3, 0.5, 0.5))
    cube("Beam 2", location=(0.75, 0, 0.125), scale=(0.5, 8, 0.75))
    audit(duplicate=False)
    choose(*PIPE)
    bpy.ops.octree.mark_findings("EXEC_DEFAULT", rows="GROUP", status="IGNORED", reason="Cast")
    marked = {key for key, each in statuses(kept()).items() if each == ("ignored", "Cast")}
    assert len(marked) == 2
    assert all("Pipe" in key for key in marked)
    settings_of(scene).results.search = "contained"
    bpy.ops.octree.mark_findings("EXEC_DEFAULT", rows="SHOWN", status="RESOLVED")
    done = {key[0] for key, each in statuses(kept()).items() if each[0] == "resolved"}
    assert done == {"contained"}


def test_rows_are_sorted_by_what_findings_share(scene):
    cube("Beam 2", location=(1, 0, 0.125), scale=(0.5, 4, 0.75))
    audit()
    bpy.ops.octree.sort_rows(by="Smaller Object")
    result = result_list.active_result(scene)
    shown = result_list.shown_of(scene, result).rows
    smaller = next(each for each in rows().columns if each.name == "Smaller Object")
    assert smaller.values[shown].tolist() == sorted(smaller.values.tolist())
    assert smaller.words[0] == "Pipe"


def test_duplicates_but_one_are_selected(empty_scene):
    for number in range(3):
        cube(f"Panel {number}")
    cube("Other", location=(5, 0, 0))
    cube("Twin", location=(5, 0, 0))
    bpy.context.view_layer.update()
    audit()
    assert bpy.ops.octree.select_duplicates() == {"FINISHED"}
    assert selected() == {"Panel 1", "Panel 2", "Twin"}
    mark("duplicate", "Other", "Twin", status="IGNORED")
    bpy.ops.octree.select_duplicates()
    assert selected() == {"Panel 1", "Panel 2"}
    assert surplus_duplicates(kept(), {}) == []


def test_what_floats_is_selected_and_listed(empty_scene, capfd):
    cube("Floor", location=(0, 0, -0.5), scale=(9, 9, 1))
    cube("Table", location=(0, 0, 0.5))
    cube("Cup", location=(0, 0, 1.25), size=0.5)
    cube("Lamp", location=(3, 0, 2.5))
    cube("Shade", location=(3, 0, 3.5))
    cube("Kite", location=(30, 0, 3))
    assert bpy.ops.octree.select_floating() == {"FINISHED"}
    assert selected() == {"Lamp", "Shade", "Kite"}
    assert "3 objects float, in 2 pieces; " in capfd.readouterr().out
    columns = {each.name: each for each in rows().columns}
    assert columns["Gap"].values.tolist() == [2.0, np.inf]
    onto = columns["Lands On"]
    assert [onto.words[number] for number in onto.values] == ["Floor", "nothing"]
    assert columns["Parts"].values.tolist() == [2, 1]
    air = bpy.data.collections.new("Air")
    empty_scene.collection.children.link(air)
    air.objects.link(bpy.data.objects["Shade"])
    bpy.ops.octree.select_floating(ground="COLLECTION", collection="Air")
    assert selected() == {"Floor", "Table", "Cup", "Kite"}


def test_the_ground_is_named_found_or_chosen(empty_scene, capfd):
    """A backdrop that reaches deeper than all else is not what most stands on."""
    floor = cube("Floor", location=(0, 0, -0.5), scale=(9, 9, 1))
    cube("Table", location=(0, 0, 0.5))
    cube("Lamp", location=(3, 0, 2.5))
    cube("Backdrop", size=3e4, location=(0, 35e3, 0), scale=(1, 1e-6, 1))
    settings, results = empty_scene.octree.floating, empty_scene.octree.results

    def ask(**options):
        assert bpy.ops.octree.select_floating("EXEC_DEFAULT", True, **options) == {"FINISHED"}
        return selected(), bytes(results.kept[results.active].details).decode()

    assert ask() == ({"Lamp"}, "Floor and 1 more")
    assert "1 object floats; ground: Floor and 1 more; " in capfd.readouterr().out
    assert ask(ground="LOWEST") == ({"Floor", "Table", "Lamp"}, "Backdrop")
    settings.ground, settings.ground_object = "OBJECT", floor
    assert ask() == ({"Lamp", "Backdrop"}, "Floor")
    assert ask(ground_object="Lamp") == ({"Floor", "Table", "Backdrop"}, "Lamp")
    assert settings.ground_object.name == "Lamp"
    settings.ground_object.hide_set(True)
    with pytest.raises(RuntimeError, match="Nothing of the ground is visible: choose another"):
        ask()
    settings.ground_object = None
    with pytest.raises(RuntimeError, match="Choose the object that is the ground"):
        ask()


def test_what_floats_is_told_from_the_last_audit_or_without_one(scene):
    bpy.ops.octree.select_floating()
    alone = selected(), rows().columns[0].values.tolist()
    audit()
    bpy.ops.octree.select_floating()
    assert (selected(), rows().columns[0].values.tolist()) == alone
    bpy.data.objects["Cup"].parent = bpy.data.objects["Table"]
    bpy.context.view_layer.update()
    bpy.ops.octree.select_floating()
    with_parent = selected()
    forget_session()
    bpy.ops.octree.select_floating()
    assert selected() == with_parent


@pytest.mark.parametrize("suffix", ["csv", "json", "bcf", "html", "xml"])
def test_reports_are_written(scene, tmp_path, suffix):
    audit(**EVERYTHING)
    path = tmp_path / f"audit.{suffix}"
    for group in ("CLASS", "SMALLER_OBJECT", "COLLECTIONS"):
        assert bpy.ops.octree.export_audit(filepath=str(path), group=group) == {"FINISHED"}
        assert path.stat().st_size > 500
    if suffix == "json":
        assert named(read_json(path.read_bytes())[0]) == KNOWN
    with pytest.raises(RuntimeError, match="must end in"):
        bpy.ops.octree.export_audit(filepath=str(tmp_path / "audit.txt"))


def test_a_report_is_a_baseline_for_another_file(scene, tmp_path):
    audit()
    mark(*PIPE, status="IGNORED", reason="Cast in")
    path = str(tmp_path / "old.json")
    bpy.ops.octree.export_audit(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    plant()
    move("Core", 7)
    cube("Late", location=(20.25, 0.125, 0.125))
    audit()
    assert bpy.ops.octree.compare_audit(filepath=path) == {"FINISHED"}
    assert statuses(kept())[PIPE] == ("ignored", "Cast in")
    assert statuses(kept())["contained", "Core", "Shell"] == ("resolved", "")
    assert statuses(kept())["overlap", "Late", "Panel"] == ("new", "")
    (tmp_path / "bad.json").write_text("[]")
    with pytest.raises(RuntimeError, match="octree-audit must be an object"):
        bpy.ops.octree.compare_audit(filepath=str(tmp_path / "bad.json"))


def test_a_report_is_compared_with_what_is_resolved_or_marked_already(scene, tmp_path):
    audit()
    path = str(tmp_path / "old.json")
    bpy.ops.octree.export_audit(filepath=path)
    move("Core", 7)
    recheck()
    cube("Late", location=(20.25, 0.125, 0.125))
    recheck()
    mark("overlap", "Late", "Panel", status="IGNORED", reason="Cast in")
    for _ in range(2):
        assert bpy.ops.octree.compare_audit(filepath=path) == {"FINISHED"}
        assert statuses(kept())["contained", "Core", "Shell"] == ("resolved", "")
        assert statuses(kept())["overlap", "Late", "Panel"] == ("ignored", "Cast in")
        assert len(statuses(kept())) == len(kept())


def test_the_report_is_the_same_in_every_blender(scene, tmp_path, request):
    audit(**EVERYTHING)
    path = tmp_path / "audit.json"
    bpy.ops.octree.export_audit(filepath=str(path))
    golden = request.config.rootpath / "tests/fixtures/audit.json"
    assert json.loads(path.read_text()) == json.loads(golden.read_text())


def test_thousands_of_findings_cost_little_in_the_file(empty_scene, tmp_path):
    mesh = cube("Part").data
    for number in range(1, 1500):
        item = bpy.data.objects.new(f"Part {number}", mesh)
        item.location = number * 0.75, 0.01 * (number % 7), 0.01 * (number % 5)
        empty_scene.collection.objects.link(item)
    bpy.context.view_layer.update()
    found = audit()
    assert len(found) == 1499
    result = result_list.active_result(empty_scene)
    size = len(result.data) + len(result.details) + len(result.marks)
    assert size < 150 * len(found), size / len(found)


def test_damaged_findings_are_refused(scene):
    audit()
    result_list.active_result(scene).data = b"nothing of the kind"
    forget_session()
    with pytest.raises(RuntimeError, match="cannot be read"):
        bpy.ops.octree.export_audit(filepath="/tmp/audit.json")
    recheck()
    assert len(kept()) == 5
