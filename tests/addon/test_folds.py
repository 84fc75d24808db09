"""Lines of the list: what one instancer does folded, rows picked, groups by hand; 10,000 rows."""

import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import cube, select_only, selected
from clash_scenes import audit, plant, recheck
from costs import lines_run
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from paper import Paper

from octree_ext.octree_addon import result_list
from octree_ext.octree_addon.answers import kept
from octree_ext.octree_addon.answers.answer import Answer
from octree_ext.octree_addon.answers.folds import folds_of
from octree_ext.octree_addon.answers.groups import carried_groups, grouped, groups_in, groups_text
from octree_ext.octree_addon.answers.kept import shown_of, view_of
from octree_ext.octree_addon.answers.result_kind import ResultKind
from octree_ext.octree_addon.answers.view import View
from octree_ext.octree_addon.audit.keeping import findings_in
from octree_ext.octree_addon.audit.model import read_json
from octree_ext.octree_addon.result_list import Column, Rows, choosing, no_instances
from octree_ext.octree_addon.result_list.picking import OCTREE_OT_click_row, told
from octree_ext.octree_addon.result_list.row_drawing import LineDrawing
from octree_ext.octree_addon.ui import settings_of


def settings_here():
    return settings_of(bpy.context.scene).results


def active():
    return result_list.active_result(bpy.context.scene)


def shown():
    return shown_of(bpy.context.scene, active())


def picked():
    return choosing.picked_rows(bpy.context.scene, active()).tolist()


def click(line, **keys):
    return bpy.ops.octree.click_row("EXEC_DEFAULT", True, line=line, **keys)


def texts_of(line):
    paper = Paper()
    LineDrawing(paper, bpy.context.scene, active(), line).draw()
    return [text for _, text in paper.lines if text]


@pytest.fixture
def scatter(empty_scene):
    """Keep five rows: a floor with three instances, among them a crate with the floor."""
    floor, crate = cube("Floor"), cube("Crate", location=(3, 0, 0))
    source = bpy.data.objects.new("Scatter", None)
    empty_scene.collection.objects.link(source)
    bpy.context.view_layer.update()
    ones = [floor, floor, crate, floor, crate]
    others = [source, source, floor, source, source]
    uids = np.array([[item.session_uid for item in side] for side in (ones, others)], np.intp)
    numbers = no_instances(5, 2)
    numbers[1, [0, 1, 3, 4], 0] = 7, 8, 9, 7
    columns = (Column("Contacts", "", np.array([4, 9, 6, 2, 5])),)
    rows = Rows(uids, numbers, columns)
    answer = Answer(found=None, title="Pairs", question="select_collisions", rows=rows)
    kept.keep(bpy.context, answer)
    bpy.ops.ed.undo_push(message="Start")
    return SimpleNamespace(floor=floor, crate=crate, source=source, answer=answer)


def test_what_one_instancer_does_with_one_object_is_one_line_that_opens(scatter):
    assert shown().lines.tolist() == [5, 2, 4]
    assert shown().rows.tolist() == [0, 1, 3, 2, 4]
    assert texts_of(5) == ["Floor", "Scatter (3)", "9"]
    assert told(bpy.context.scene, active(), 5) == (
        "3 rows, of which the worst is Floor | Scatter #8\nContacts 9"
    )
    bpy.ops.octree.fold_row("EXEC_DEFAULT", True, line=5)
    assert shown().lines.tolist() == [5, 0, 1, 3, 2, 4]
    assert texts_of(1) == ["Floor", "Scatter #8", "9"]
    bpy.ops.ed.undo()
    assert shown().lines.tolist() == [5, 2, 4]
    bpy.ops.octree.fold_row(line=5)
    bpy.ops.octree.fold_row(line=5, all=True)
    assert shown().lines.tolist() == [5, 2, 4]
    with pytest.raises(RuntimeError, match="no header 2"):
        bpy.ops.octree.fold_row(line=2)


@pytest.mark.parametrize(
    ("reverse", "closed", "opened"),
    [(True, [5, 2, 4], [5, 1, 0, 3, 2, 4]), (False, [4, 2, 5], [4, 2, 5, 3, 0, 1])],
)
def test_a_header_is_sorted_by_its_worst_row(scatter, reverse, closed, opened):
    settings_here().sort, settings_here().reverse = "Contacts", reverse
    assert shown().lines.tolist() == closed
    bpy.ops.octree.fold_row(line=5)
    assert shown().lines.tolist() == opened


def test_a_search_counts_what_it_leaves(scatter):
    settings_here().search = "crate"
    assert shown().lines.tolist() == [2, 4]
    settings_here().search = "scatter"
    assert shown().lines.tolist() == [5, 4]
    assert shown().counts.tolist() == [3]


def test_a_closed_header_stands_for_all_its_rows(scatter):
    click(5)
    assert (settings_here().row, settings_here().line) == (5, 0)
    assert selected() == {"Floor", "Scatter"}
    assert result_list.active_row(bpy.context.scene) == 1
    assert result_list.rows_meant(bpy.context.scene, active(), "ACTIVE").tolist() == [0, 1, 3]
    sides = result_list.active_of(bpy.context.scene).sides()
    assert [side.numbers for side in sides] == [(), (8,)]
    settings_here().row = 3
    assert settings_here().line == 0  # folded into its header
    bpy.ops.octree.next_row()
    assert settings_here().row == 2
    settings_here().line = 0
    assert settings_here().row == 5


def test_all_is_done_to_what_is_picked_and_to_all_shown_without(scatter, tmp_path):
    path = tmp_path / "rows.json"

    def exported():
        bpy.ops.octree.export_rows(filepath=str(path))
        return len(json.loads(path.read_text())["rows"])

    assert exported() == 5
    click(4)
    click(2, toggle=True)
    assert picked() == [2, 4] and selected() == {"Crate", "Floor", "Scatter"}
    assert exported() == 2
    click(4, toggle=True)
    assert picked() == [2]
    bpy.ops.octree.select_rows()
    assert selected() == {"Crate", "Floor"}
    bpy.ops.octree.mark_rows(attribute="found")
    assert [item.get("found") for item in (scatter.floor, scatter.source)] == [1, None]
    click(5)
    assert picked() == []
    click(2, extend=True)
    assert sorted(picked()) == [0, 1, 2, 3]
    bpy.ops.octree.unpick_rows()
    assert picked() == [] and exported() == 5
    click(2, toggle=True)
    settings_here().search = "nothing"
    assert picked() == []


def test_one_undo_takes_back_a_click(scatter):
    select_only()
    bpy.ops.ed.undo_push(message="Start")
    click(5)
    click(4, extend=True)
    assert len(picked()) == 5
    bpy.ops.ed.undo()
    assert (picked(), settings_here().row) == ([], 5)
    with pytest.raises(RuntimeError, match="no line 6"):
        click(6)


def test_a_second_click_frames_and_a_late_one_does_not(scatter, monkeypatch):
    from octree_ext.octree_addon.result_list import picking

    now = [1_000_000_000]
    monkeypatch.setattr(picking.time, "monotonic_ns", lambda: now[0])
    seconds = []
    for line, later in ((2, 1), (2, 0.1), (2, 0.1), (4, 0.1), (4, 5), (4, 0.2)):
        now[0] += int(later * 1e9)
        seconds.append(picking.is_second_click(bpy.context, line))
    assert seconds == [False, True, False, False, False, True]


def test_tooltips_name_what_is_gone(scatter):
    bpy.data.objects.remove(scatter.crate)
    kept.doubt_names()
    text = OCTREE_OT_click_row.description(bpy.context, SimpleNamespace(line=2))
    assert text.startswith("Crate (deleted) | Floor\nContacts 6.\nClick:")
    paper = Paper()
    LineDrawing(paper, bpy.context.scene, active(), 2).draw()
    assert [text for _, text in paper.lines if text] == ["Crate", "Floor", "6"]


def test_groups_fold_rename_and_let_go(scatter):
    click(2)
    click(4, toggle=True)
    assert bpy.ops.octree.group_rows("EXEC_DEFAULT", True, group=" Bad \n crates ") == {"FINISHED"}
    assert view_of(bpy.context.scene, active()).groups == {"Bad crates": [2, 4]}
    assert shown().lines.tolist() == [6, 5] or shown().lines.tolist() == [6, 5][::-1]
    assert texts_of(5) == ["Bad crates (2)", "6"]
    assert settings_here().row == 5
    settings_here().search = "bad"
    assert shown().lines.tolist() == [5]
    settings_here().search = ""
    bpy.ops.octree.group_rows(group="Crates")  # the active group: renamed
    assert list(view_of(bpy.context.scene, active()).groups) == ["Crates"]
    bpy.ops.octree.fold_row(line=5)
    assert set(shown().lines.tolist()) == {5, 6, 2, 4}
    click(4)
    bpy.ops.octree.ungroup_rows("EXEC_DEFAULT", True)
    assert view_of(bpy.context.scene, active()).groups == {"Crates": [2]}
    with pytest.raises(RuntimeError, match="None of these rows"):
        bpy.ops.octree.ungroup_rows()
    bpy.ops.ed.undo()
    assert view_of(bpy.context.scene, active()).groups == {"Crates": [2, 4]}


def test_a_fold_can_be_grouped_whole_and_stays_a_fold_in_it(scatter):
    click(5)
    bpy.ops.octree.group_rows()
    assert view_of(bpy.context.scene, active()).groups == {"Group 1": [0, 1, 3]}
    assert texts_of(5) == ["Group 1 (3)", "9"]
    bpy.ops.octree.fold_row(line=5)
    assert shown().lines.tolist() == [5, 6, 2, 4]
    bpy.ops.octree.fold_row(line=6)
    assert shown().lines.tolist() == [5, 6, 0, 1, 3, 2, 4]


def test_groups_stay_with_pairs_that_are_found_again(scatter, tmp_path):
    for line in (2, 4):
        click(line, toggle=True)
    bpy.ops.octree.group_rows(group="Mine")
    path = str(tmp_path / "groups.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert view_of(bpy.context.scene, active()).groups == {"Mine": [2, 4]}
    uids = [bpy.data.objects[name].session_uid for name in ("Floor", "Crate", "Scatter")]
    sides = np.array([[uids[0], uids[2], uids[0]], [uids[1], uids[1], uids[2]]], np.intp)
    numbers = no_instances(3, 2)
    numbers[0, 1, 0], numbers[1, 2, 0] = 7, 7
    rows = Rows(sides, numbers)
    answer = Answer(found=None, title="Pairs", question="select_collisions", rows=rows)
    kept.keep(bpy.context, answer)
    assert view_of(bpy.context.scene, active()).groups == {"Mine": [0, 1]}


def audited():
    return findings_in(bpy.context.scene, active())


def group_first_two(name="Plant room"):
    click(0)
    click(1, toggle=True)
    bpy.ops.octree.group_rows("EXEC_DEFAULT", True, group=name)
    return {frozenset(audited().objects.names[n] for n in pair)
            for pair in audited().audit.pairs[:, :2].T.tolist()}  # fmt: skip


def names_in_groups(found):
    return {
        frozenset(found.objects.names[n] for n in pair)
        for row, pair in enumerate(found.audit.pairs.T.tolist())
        if found.group_of(row)
    }


def test_groups_of_findings_survive_moves_rechecks_marks_and_the_file(empty_scene, tmp_path):
    plant()
    audit()
    wanted = group_first_two()
    assert names_in_groups(audited()) == wanted
    bpy.ops.octree.mark_findings("EXEC_DEFAULT", True, status="REVIEWED")
    item = bpy.data.objects[next(iter(next(iter(wanted))))]
    place = item.location.copy()
    item.location.z += 100
    bpy.context.view_layer.update()
    recheck()
    assert names_in_groups(audited()) == wanted  # resolved, and still there
    item.location = place
    item.name = "Renamed"
    bpy.context.view_layer.update()
    recheck()
    assert len(names_in_groups(audited())) == len(wanted)
    path = str(tmp_path / "groups.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    audit()
    assert len(names_in_groups(audited())) == len(wanted)
    report = tmp_path / "audit.json"
    bpy.ops.octree.export_audit(filepath=str(report))
    read = read_json(report.read_bytes())[0]
    assert names_in_groups(read) == names_in_groups(audited())


def test_a_report_brings_its_groups_along(empty_scene, tmp_path):
    plant()
    audit()
    wanted, report = group_first_two(), tmp_path / "audit.json"
    bpy.ops.octree.export_audit(filepath=str(report))
    bpy.ops.octree.clear_results()
    audit()
    assert names_in_groups(audited()) == set()
    bpy.ops.octree.compare_audit(filepath=str(report))
    assert names_in_groups(audited()) == wanted


@given(st.data())
@settings(
    examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
)
def test_lines_are_rows_each_once_under_their_headers(data):
    """Whatever is sorted, sought, grouped and open: blocks stay together, nothing is lost."""
    count = data.draw(st.integers(0, 12))
    numbers = st.lists(st.integers(0, 2), min_size=count, max_size=count)
    objects = np.array([data.draw(numbers), data.draw(numbers)], np.intp).reshape(2, count)
    instances = no_instances(count, 2)
    instances[1, np.array(data.draw(numbers), np.intp) > 0, 0] = 4
    values = np.array(data.draw(numbers), np.int64)
    rows = Rows(objects, instances, (Column("Contacts", "", values),))
    of = data.draw(numbers)
    groups = {
        name: [row for row in range(count) if of[row] == n] for n, name in ((1, "A"), (2, "B"))
    }
    view = View(rows, [1, 2, 3], ["one", "two", "three"], {k: v for k, v in groups.items() if v})
    folds = view.folds
    opened = frozenset(key for key in folds.keys if data.draw(st.booleans()))
    sort, reverse = data.draw(st.sampled_from(["", "Name", "Contacts"])), data.draw(st.booleans())
    search = data.draw(st.sampled_from(["", "one", "a"]))
    found = view.shown(search, sort, reverse, opened)
    lines = found.lines.tolist()
    assert len(set(lines)) == len(lines)
    closed = [n for n in range(len(folds)) if folds.keys[n] not in opened]
    for row in found.rows.tolist():
        above = [line - count for line in folds.chain(row)]
        hidden = any(header in closed for header in above)
        assert (row in lines) != hidden
        assert found.place(row) >= 0
    for header in range(len(folds)):
        members = folds.rows_of(count + header)
        assert values[folds.lead[header]] == values[members].max()
        places = np.flatnonzero(np.isin(found.rows, members))
        assert len(places) == found.counts[header]
        assert not len(places) or places[-1] - places[0] + 1 == len(places)
    everything = view.shown(search, sort, reverse, frozenset(folds.keys)).lines
    assert sorted(everything[everything < count].tolist()) == sorted(found.rows.tolist())


@given(st.dictionaries(st.text(max_size=3), st.lists(st.integers(0, 9), max_size=4), max_size=3))
@settings(examples(30))
def test_groups_are_written_and_read_back(groups):
    seen, clean = set(), {}
    for name, rows in groups.items():
        clean[name] = sorted(set(rows) - seen)
        seen |= set(rows)
    assert groups_in(groups_text(clean)) == {name: rows for name, rows in clean.items() if rows}


def test_damaged_groups_are_none():
    for text in ("[", "[1]", '{"a": 3}', '{"a": ["x"]}'):
        assert groups_in(text) == {}
    assert grouped({"A": [1, 2], "B": [3]}, np.array([2, 3]), "") == {"A": [1]}
    assert carried_groups({}, None, None) == {}


MANY = 10_000


def test_ten_thousand_rows_of_instances_are_folded_once_a_change():
    random = np.random.default_rng(1)
    instances = no_instances(MANY, 2)
    instances[1, :, 0] = np.arange(MANY)
    objects = random.integers(0, 40, (2, MANY))
    rows = Rows(objects, instances, (Column("Contacts", "", random.integers(0, 9, MANY)),))
    view = View(rows, list(range(1, 41)), [f"Part {n}" for n in range(40)])
    first = lines_run(lambda: view.shown("", "Contacts", True)).total()
    again = lines_run(lambda: view.shown("", "Contacts", True)).total()
    assert first < 30_000 and again < 30  # a list of the keys of headers, none of rows
    assert len(view.folds) <= 1600
    assert len(folds_of(rows, {}, ResultKind("").severity).keys) == len(view.folds)


def test_tables_name_the_groups_of_rows(scatter, tmp_path):
    click(2)
    bpy.ops.octree.group_rows(group="=Mine")
    click(5 + 1)
    bpy.ops.octree.export_rows(filepath=str(tmp_path / "rows.csv"))
    lines = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Object,Other Object,Contacts,Group"
    assert sorted(line.rpartition(",")[2] for line in lines[1:]) == ["", "", "", "", "'=Mine"]
    bpy.ops.octree.export_rows(filepath=str(tmp_path / "rows.json"))
    read = json.loads((tmp_path / "rows.json").read_text(encoding="utf-8"))["rows"]
    assert [each.get("group") for each in read if "group" in each] == ["=Mine"]
