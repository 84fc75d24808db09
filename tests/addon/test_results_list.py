"""The list of results: clicks, order, search, tables, buttons; its cost with 10,000 pairs."""

import csv
import io
import json
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, select_only, selected
from costs import lines_run, times_run
from paper import Paper, drawn

from octree_ext.octree_addon import result_list, scene_index
from octree_ext.octree_addon.answers import kept, view3d
from octree_ext.octree_addon.answers.answer import Answer
from octree_ext.octree_addon.answers.kept import shown_of, view_of
from octree_ext.octree_addon.answers.view import View
from octree_ext.octree_addon.result_list import Column, Rows, columns, no_instances
from octree_ext.octree_addon.result_list.columns import value_text
from octree_ext.octree_addon.result_list.copy_names import names_in
from octree_ext.octree_addon.result_list.operators import OCTREE_OT_sort_rows
from octree_ext.octree_addon.result_list.panel import OCTREE_UL_results
from octree_ext.octree_addon.result_list.row_drawing import LineDrawing
from octree_ext.octree_addon.ui import settings_of

EVIL = ("=1+1", '+cmd, "quoted"', "-line\nbreak", "@home", "Tür, Öl")


def settings():
    return settings_of(bpy.context.scene).results


def list_rows():
    return bpy.context.window_manager.octree.rows


def active():
    return result_list.active_result(bpy.context.scene)


def keep(pairs, columns=(), **options):
    """Keep pairs of objects, as a question would."""
    uids = np.array([[item.session_uid for item in side] for side in pairs], np.intp)
    rows = Rows(uids, no_instances(uids.shape[1], len(uids)), tuple(columns))
    question = "select_collisions"
    answer = Answer(found=None, title="Pairs", question=question, options=options, rows=rows)
    kept.keep(bpy.context, answer)


@pytest.fixture
def pairs(empty_scene):
    """Keep four pairs of five cubes."""
    items = [cube(f"Cube {x}", location=(x, 0, 0)) for x in range(5)]
    select_only()
    columns = [
        Column("Triangle Pairs", "", np.array([9, 2, 7, 2])),
        Column("Gap", "LENGTH", np.array([0.5, 0.25, 2.0, 1.0])),
    ]
    keep((items[:4], items[1:]), columns)
    bpy.ops.ed.undo_push(message="Start")
    return items


def shown():
    return shown_of(bpy.context.scene, active()).rows.tolist()


def test_a_click_selects_both_of_a_pair_and_makes_the_first_active(pairs):
    settings().row = 2
    assert selected() == {"Cube 2", "Cube 3"}
    assert bpy.context.object.name == "Cube 2"
    sides = result_list.active_of(bpy.context.scene).sides()
    assert [side.object for side in sides] == pairs[2:4]
    assert not any(side.numbers for side in sides)


def test_a_click_in_edit_mode_leaves_the_selection(pairs):
    select_only(pairs[0])
    bpy.ops.object.mode_set(mode="EDIT")
    settings().row = 2
    bpy.ops.object.mode_set(mode="OBJECT")
    assert selected() == {"Cube 0"}


def test_next_and_previous_go_through_what_is_shown(pairs):
    settings().sort, settings().reverse = "Gap", False
    settings().search = "3"
    assert shown() == [2, 3][::-1]
    for expected in (3, 2, 3):
        assert bpy.ops.octree.next_row("EXEC_DEFAULT", True) == {"FINISHED"}
        assert settings().row == expected
    bpy.ops.octree.previous_row()
    assert settings().row == 2
    assert selected() == {"Cube 2", "Cube 3"}
    settings().search = "nothing"
    with pytest.raises(RuntimeError, match="shows no row"):
        bpy.ops.octree.next_row()


def test_one_undo_takes_a_step_back(pairs):
    bpy.ops.octree.next_row("EXEC_DEFAULT", True)
    bpy.ops.octree.next_row("EXEC_DEFAULT", True)
    assert selected() == {"Cube 1", "Cube 2"}
    bpy.ops.ed.undo()
    assert selected() == {"Cube 0", "Cube 1"}
    assert settings().row == 0
    bpy.ops.ed.undo()
    assert selected() == set()
    assert settings().row == -1


@pytest.mark.parametrize(
    ("by", "orders"),
    [
        ("Triangle Pairs", [[0, 2, 3, 1], [1, 3, 2, 0]]),
        ("Gap", [[1, 0, 3, 2], [2, 3, 0, 1]]),
        ("Name", [[0, 1, 2, 3], [3, 2, 1, 0]]),
    ],
)
def test_a_header_sorts_turns_round_and_lets_go(pairs, by, orders):
    for expected in orders:
        bpy.ops.octree.sort_rows(by=by)
        assert shown() == expected
    bpy.ops.octree.sort_rows(by=by)
    assert (settings().sort, shown()) == ("", [0, 1, 2, 3])


def listed():
    """Return what Blender's list makes of the answer of `filter_items`: lines in drawn order."""
    flags, places = OCTREE_UL_results.filter_items(
        None, bpy.context, bpy.context.window_manager.octree, "rows"
    )
    assert (len(flags), places) == (len(list_rows()), [])
    lines = shown_of(bpy.context.scene, active()).lines.tolist()
    assert flags == [1 << 30] * len(lines) + [0] * (len(flags) - len(lines))
    return lines


def test_blenders_list_shows_the_same(pairs):
    for sort in ("", "Name", "Gap", "Triangle Pairs", "No Such"):
        for search in ("", "cube", "CUBE 3", "x"):
            for reverse in (False, True):
                settings().sort, settings().search, settings().reverse = sort, search, reverse
                assert listed() == shown()


def test_select_all_takes_what_is_shown(pairs):
    settings().search = "3"
    bpy.ops.octree.select_rows("EXEC_DEFAULT", True)
    assert selected() == {"Cube 2", "Cube 3", "Cube 4"}
    bpy.ops.ed.undo()
    assert selected() == set()


def test_isolate_shows_a_pair_alone_and_all_again(pairs):
    settings().row = 1
    space = next(area for area in bpy.context.screen.areas if area.type == "VIEW_3D").spaces[0]
    assert bpy.ops.octree.isolate_row("EXEC_DEFAULT", True) == {"FINISHED"}
    assert space.local_view
    bpy.context.view_layer.update()
    inside = [item.name for item in pairs if item.visible_get(viewport=space)]
    assert inside == ["Cube 1", "Cube 2"]
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    assert not space.local_view


def test_what_is_hidden_is_not_isolated_in_silence(pairs):
    settings().row = 1
    space = next(area for area in bpy.context.screen.areas if area.type == "VIEW_3D").spaces[0]
    pairs[1].hide_set(True)
    assert bpy.ops.octree.isolate_row("EXEC_DEFAULT", True) == {"FINISHED"}
    bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    pairs[2].hide_set(True)
    with pytest.raises(RuntimeError, match="Hidden, and not to be shown alone: Cube 1, Cube 2"):
        bpy.ops.octree.isolate_row("EXEC_DEFAULT", True)
    assert not space.local_view


def test_bounds_that_are_not_finite_leave_the_view(pairs):
    space = next(area for area in bpy.context.screen.areas if area.type == "VIEW_3D").spaces[0]
    place = space.region_3d.view_location.copy()
    view3d.frame_box(space, np.full((8, 3), np.nan))
    assert space.region_3d.view_location == place
    points = np.array([[0.0, 0, 0], [4, 2, 2], [np.nan, 9, 9], [np.inf, 0, 0]])
    view3d.frame_box(space, points)
    assert space.region_3d.view_location[:] == (2, 1, 1)


@pytest.fixture
def evil(empty_scene):
    """Keep pairs of objects with harmful names, and a number that is none."""
    items = [cube(name) for name in EVIL]
    columns = [Column("Gap", "LENGTH", np.array([0.5, np.inf, -2.0, 0.0]))]
    keep((items[:4], items[1:]), columns, margin=0.25)
    bpy.context.scene.unit_settings.scale_length = 0.5
    return items


def test_csv_is_harmless_and_has_units(evil, tmp_path):
    path = tmp_path / "found.csv"
    bpy.ops.octree.export_rows(filepath=str(path))
    with path.open(encoding="utf-8", newline="") as file:
        header, *lines = csv.reader(file)
    assert header == ["Object", "Other Object", "Gap [m]"]
    harmless = [f"'{name}" if name[0] in "=+-@" else name for name in EVIL]
    assert [line[0] for line in lines] == harmless[:4]
    assert [line[1] for line in lines] == harmless[1:]
    assert [line[2] for line in lines] == ["0.25", "", "-1.0", "0.0"]


def test_json_has_names_as_they_are(evil, tmp_path):
    path = tmp_path / "found.json"
    bpy.ops.octree.export_rows(filepath=str(path))
    read = json.loads(path.read_text(encoding="utf-8"))
    assert (read["version"], read["result"], read["question"]) == (
        1, "Pairs", "select_collisions",
    )  # fmt: skip
    assert (read["options"], read["units"]) == ({"margin": 0.25}, {"Gap": "m"})
    assert [row["objects"] for row in read["rows"]] == [list(EVIL[n : n + 2]) for n in range(4)]
    assert [row["Gap"] for row in read["rows"]] == [0.25, None, -1.0, 0.0]


def test_without_units_lengths_are_blender_units(evil):
    from octree_ext.octree_addon.result_list.tables import csv_table

    bpy.context.scene.unit_settings.system = "NONE"
    text = csv_table(bpy.context.scene, active(), np.arange(1))
    assert next(csv.reader(io.StringIO(text)))[-1] == "Gap [BU]"
    assert ",0.5\n" in text


def test_the_list_writes_lengths_in_the_units_of_the_scene(pairs):
    column = result_list.view_of(bpy.context.scene, active()).rows.columns[1]
    assert value_text(bpy.context.scene, column, 0) == "50 cm"
    bpy.context.scene.unit_settings.system = "NONE"
    assert value_text(bpy.context.scene, column, 0) == "0.5"


@pytest.mark.parametrize(
    ("room", "headers"),
    [
        (float("inf"), ["Seen", "Share", "Frames", "Nearest"]),
        (208.0, ["Seen", "Share", "Frms"]),
        (160.0, ["Seen", "Share"]),
        (10.0, ["Seen"]),
    ],
)
def test_columns_fit_the_sidebar(pairs, monkeypatch, room, headers):
    item = bpy.context.scene.objects[0]
    found = (
        Column("Seen", "PERCENT", np.array([100.0, 0.04, 12.3])),
        Column("Share", "PERCENT", np.array([9.94, 0.0, 55.0])),
        Column("Frames", "", np.array([1250, 1, 12])),
        Column("Nearest", "LENGTH", np.array([12.345, 0.5, 1.0])),
    )
    rows = Rows(np.full((1, 3), item.session_uid), result_list.no_instances(3), found)
    view = View(rows, [item.session_uid], [item.name])
    monkeypatch.setattr(columns, "room_here", lambda: room)
    fitted = columns.fit_columns(bpy.context.scene, view, 60.0)
    assert list(fitted.headers) == headers
    assert sum(fitted.widths) <= max(room, 120) or room == float("inf")
    told = [[value_text(bpy.context.scene, each, row) for row in range(3)] for each in found[:2]]
    assert told == [["100 %", "~0 %", "12 %"], ["9.9 %", "0 %", "55 %"]]


def test_headers_tell_what_they_are_short_for(pairs):
    properties = SimpleNamespace(by="Frames")
    text = OCTREE_OT_sort_rows.description(bpy.context, properties)
    assert text.startswith("Frames: in how many frames it is seen.\n")
    assert text.endswith(OCTREE_OT_sort_rows.bl_description)


def test_export_refuses_other_files(pairs, tmp_path):
    with pytest.raises(RuntimeError, match="must end in"):
        bpy.ops.octree.export_rows(filepath=str(tmp_path / "found.txt"))


def test_copied_rows_have_tabs(pairs, monkeypatch):
    from octree_ext.octree_addon.result_list.tables import text_table

    assert bpy.ops.octree.copy_rows() == {"FINISHED"}
    lines = text_table(bpy.context.scene, active(), np.array([2])).splitlines()
    assert lines == ["Object\tOther Object\tTriangle Pairs\tGap [m]", "Cube 2\tCube 3\t7\t2.0"]


def test_names_are_copied_each_once_in_the_order_of_the_rows(empty_scene):
    for x in (0, 0.5, 1, 9):
        cube(f"Cube {x}", location=(x, 0, 0))
    bpy.context.view_layer.update()
    bpy.ops.octree.select_collisions("EXEC_DEFAULT", True)
    settings_of(empty_scene).results.search = "Cube 0.5"
    view, rows = view_of(empty_scene, active()), shown_of(empty_scene, active()).rows
    names = names_in(view, rows)
    assert sorted(names) == ["Cube 0", "Cube 0.5", "Cube 1"]
    assert names[:2] == list(view.labels(int(rows[0])))
    assert bpy.ops.octree.copy_names() == {"FINISHED"}


def test_refresh_asks_the_same_of_the_scene_as_it_is(empty_scene):
    for x in (0, 1, 9):
        cube(f"Cube {x}", location=(x, 0, 0))
    bpy.context.view_layer.update()
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, center=(9, 0, 0), radius=2)
    active().name = "Near Nine"
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, center=(0, 0, 0), radius=0.6)
    bpy.data.objects["Cube 1"].location.x = 8
    settings().active = 0
    bpy.ops.ed.undo_push(message="Move")
    assert bpy.ops.octree.refresh_result("EXEC_DEFAULT", True) == {"FINISHED"}
    assert active().name == "Near Nine"
    assert selected() == {"Cube 1", "Cube 9"}
    assert (active().count, len(settings().kept)) == (2, 2)
    bpy.ops.ed.undo()
    assert active().count == 1


def test_a_refresh_that_is_refused_says_why(pairs):
    active().question = "select_in_frustum"
    with pytest.raises(RuntimeError, match="no camera"):
        bpy.ops.octree.refresh_result()


def test_results_are_shown_and_removed_one_by_one(pairs):
    keep((pairs[:1], pairs[1:2]))
    assert len(settings().kept) == 1
    active().pinned = True
    keep((pairs[:2], pairs[1:3]))
    assert [each.count for each in settings().kept] == [1, 2]
    bpy.ops.octree.show_result("EXEC_DEFAULT", True)
    assert (settings().active, len(list_rows()), settings().row) == (0, 1, -1)
    bpy.ops.octree.remove_result("EXEC_DEFAULT", True)
    assert (settings().active, len(list_rows()), len(settings().kept)) == (0, 2, 1)
    bpy.ops.octree.clear_results("EXEC_DEFAULT", True)
    assert (len(list_rows()), active()) == (0, None)
    with pytest.raises(RuntimeError, match="no result"):
        bpy.ops.octree.select_rows()
    for count in (1, 2):
        bpy.ops.ed.undo()
        assert len(settings().kept) == count


@pytest.fixture
def filmed(empty_scene):
    """Move a cube past a camera that looks at another one, with a third behind it."""
    camera(location=(0, 0, 10))
    moving = cube("Moving", location=(-30, 0, 0))
    cube("Still")
    cube("Behind", location=(0, 0, 30))
    for frame, x in ((1, -30), (11, 0), (21, 30)):
        moving.location.x = x
        moving.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.update()
    bpy.ops.octree.find_seen("EXEC_DEFAULT", True, span="CUSTOM", first=1, last=21)
    return empty_scene


def test_a_shot_keeps_its_frames_and_marks_them(filmed):
    scene = bpy.context.scene
    assert [each.name for each in settings().kept] == ["Not Seen by Cameras", "Seen by Cameras"]
    view = result_list.view_of(scene, active())
    assert view.names[view.rows.objects[0, 0]] == "Still"
    frames = dict(zip((view.label(row, 0) for row in range(2)),
                      view.rows.columns[0].values.tolist(), strict=True))  # fmt: skip
    assert frames["Still"] == 21
    assert 0 < frames["Moving"] < 21
    with pytest.raises(RuntimeError, match="Click a row"):
        bpy.ops.octree.mark_row_frames()
    settings().row = 1
    bpy.ops.ed.undo_push(message="Click")
    bpy.ops.octree.mark_row_frames("EXEC_DEFAULT", True)
    first = view.rows.frames[np.flatnonzero(view.rows.seen[1])[0]]
    assert [(each.name, each.frame) for each in scene.timeline_markers] == [("Moving", first)]
    bpy.ops.ed.undo()
    assert not bpy.context.scene.timeline_markers
    settings().active = 0
    assert table_names() == ["Behind"]
    with pytest.raises(RuntimeError, match="not about frames"):
        bpy.ops.octree.mark_row_frames()


def table_names():
    view = result_list.view_of(bpy.context.scene, active())
    return [view.label(row, 0) for row in range(len(view.rows))]


def test_a_shot_is_refreshed_under_its_name(filmed):
    settings().active = 0
    bpy.data.objects["Still"].location.x = 300
    bpy.context.view_layer.update()
    bpy.ops.octree.refresh_result()
    assert active().name == "Not Seen by Cameras"
    assert table_names() == ["Behind", "Still"] or set(table_names()) == {"Behind", "Still"}
    assert len(settings().kept) == 2


PRESSED = {
    "next_row": {},
    "previous_row": {},
    "select_rows": {},
    "sort_rows": {"by": "Name"},
    "show_result": {"step": 1},
    "refresh_result": {},
    "remove_result": {},
    "clear_results": {},
    "mark_row_frames": {"rows": "SHOWN"},
}


def dump():
    """Return all that the operators of the list may change."""
    scene, results = bpy.context.scene, settings()
    kept = [(each.name, each.number, each.data, each.pinned) for each in results.kept]
    marks = sorted((each.name, each.frame) for each in scene.timeline_markers)
    options = results.active, results.row, results.sort, results.reverse, results.search
    active = bpy.context.view_layer.objects.active
    return kept, options, marks, selected(), active and active.name


@pytest.mark.parametrize("name", PRESSED)
def test_undo_takes_back_exactly_what_was_pressed(filmed, name):
    bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, radius=50)
    settings().active = int(name == "mark_row_frames")
    select_only()
    bpy.ops.ed.undo_push(message="Start")
    before = dump()
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **PRESSED[name]) == {"FINISHED"}
    after = dump()
    assert after != before
    bpy.ops.ed.undo()
    assert dump() == before
    bpy.ops.ed.redo()
    assert dump() == after


def test_the_panel_says_what_it_shows(pairs):
    panel = bpy.types.OCTREE_PT_results
    scene_index.read_if_soon(bpy.context)
    assert "4 pairs" in drawn(panel, "draw_header_preset")
    settings().search = "3"
    assert "2 of 4 pairs" in drawn(panel, "draw_header_preset")
    pairs[0].location.x = -5
    bpy.context.view_layer.update()
    assert "The scene has changed since" not in drawn(panel)  # not known yet
    scene_index.read_if_soon(bpy.context)
    assert "The scene has changed since" in drawn(panel)


def test_a_row_shows_the_new_name_at_once(pairs):
    assert texts_of_line(0) == ["Cube 0", "Cube 1", "9", "50 cm"]
    pairs[0].name = "Renamed"
    bpy.data.objects.remove(pairs[1])
    assert texts_of_line(0) == ["Renamed", "Cube 1", "9", "50 cm"]


def texts_of_line(line):
    """Return the texts of a line of the list, of which each cell is a button for it."""
    paper = Paper()
    LineDrawing(paper, bpy.context.scene, active(), line).draw()
    assert {button.line for button in paper.buttons} == {line}
    return [text for _, text in paper.lines if text]


def test_many_updates_are_not_walked_through(many):
    def play():
        bpy.context.view_layer.update()

    def lines(items):
        for item in items:
            item.location.x += 1
        return lines_run(play).total()

    one = lines(bpy.context.scene.objects[:1])
    assert lines(bpy.context.scene.objects) < 1.5 * one


MANY = 10_000


@pytest.fixture
def many(empty_scene):
    """Keep 10,000 pairs of 2,000 linked objects."""
    mesh = cube("Seed").data
    items = []
    for number in range(2000):
        item = bpy.data.objects.new(f"Part {number:04}", mesh)
        empty_scene.collection.objects.link(item)
        items.append(item)
    bpy.context.view_layer.update()
    random = np.random.default_rng(3)
    ones, others = random.integers(0, len(items), (2, MANY)).tolist()
    counts = random.integers(1, 500, MANY)
    sides = [[items[number] for number in side] for side in (ones, others)]
    keep(sides, [Column("Triangle Pairs", "", counts)])
    return counts


def test_ten_thousand_pairs_are_sorted_and_searched_once_a_change(many):
    settings().sort, settings().reverse, settings().search = "Triangle Pairs", True, "part 01"
    first = lines_run(listed_once)
    assert times_run(first, "np.argsort(column.values") == 1
    assert sum(first.values()) < 20 * 2000  # through the objects, not the rows
    again = lines_run(listed_once)
    assert not times_run(again, "argsort")
    assert 100 * again.total() < first.total()
    names = result_list.view_of(bpy.context.scene, active())
    expected = [
        row
        for row in np.argsort(many, kind="stable")[::-1].tolist()
        if any(name.startswith("Part 01") for name in names.labels(row))
    ]
    assert listed() == expected


def listed_once():
    OCTREE_UL_results.filter_items(None, bpy.context, bpy.context.window_manager.octree, "rows")


def test_ten_thousand_pairs_are_small_in_the_file(many):
    assert len(active().data) < 100_000
    assert len(active().subjects) < 50_000
    assert len(list_rows()) == MANY


def test_names_of_many_are_read_once_a_change(many):
    first, again = (
        lines_run(lambda: result_list.view_of(bpy.context.scene, active())).total()
        for _ in range(2)
    )
    assert 100 * again < first
