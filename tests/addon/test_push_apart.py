"""Push Apart: nothing overlaps afterwards, as stored; and findings that mend themselves."""

import bpy
import numpy as np
import pytest
from blender_scenes import cube, link, select_only
from snapshots import whole_file

from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.ui import settings_of


def press(name, **options):
    assert getattr(bpy.ops.octree, name)("EXEC_DEFAULT", True, **options) == {"FINISHED"}


def classes():
    """Audit, and return the classes of all findings, contacts left out."""
    press("audit", band=0.0)
    return listed()


def listed():
    """Return the classes of the findings that are not resolved."""
    rows = view_of(bpy.context.scene, active_result(bpy.context.scene)).rows
    words = [
        [column.words[value] for value in column.values]
        for column in (rows.column("Class"), rows.column("Status"))
    ]
    return [name for name, status in zip(*words, strict=True) if status != "resolved"]


def stones(count, size, seed=1):
    rng = np.random.default_rng(seed)
    return [
        cube(
            f"Stone {i}", location=rng.uniform(-size, size, 3), rotation_euler=rng.uniform(0, 6, 3)
        )
        for i in range(count)
    ]


def test_two_boxes_move_the_least():
    one, other = cube("One", location=(0, 0, 0)), cube("Other", location=(0.9, 0.2, 0.1))
    select_only(one, other)
    press("push_apart")
    way = abs(one.location.x) + abs(other.location.x - 0.9)
    assert way == pytest.approx(0.1, abs=1e-5)
    assert (one.location.y, one.location.z) == (0, 0)
    assert classes() == []


def test_many_that_overlap_do_not_any_more():
    items = stones(12, 1.2)
    assert "overlap" in classes()
    select_only(*items)
    press("push_apart")
    assert classes() == []


def test_the_allowed_axes_and_the_gap():
    one, other = cube("One"), cube("Other", location=(0.9, 0.2, 0.1))
    select_only(other)
    press("push_apart", axes=(False, False, True), gap=0.25)
    assert one.location.length == 0
    assert tuple(other.location)[:2] == pytest.approx((0.9, 0.2), abs=1e-7)
    assert abs(other.location.z) == pytest.approx(1.25, abs=1e-5)


def test_locked_ones_stay_and_all_can_be_meant():
    one, other = cube("One"), cube("Other", location=(0.9, 0, 0))
    one.lock_location = (True, True, True)
    select_only()
    press("push_apart", whose="ALL")
    assert one.location.length == 0
    assert classes() == []
    assert abs(other.location.x) == pytest.approx(1, abs=1e-5)


def test_what_belongs_together_moves_as_one():
    table, leg = cube("Table", 2), cube("Leg", 0.5, location=(0, 0, -1.5))
    leg.parent = table
    other = cube("Other", location=(0.4, 0, -1.6))
    select_only(table)
    press("push_apart")
    assert tuple(leg.location) == (0, 0, -1.5)
    assert classes() == []
    assert tuple(other.location) == pytest.approx((0.4, 0, -1.6))


def test_an_overlap_mends_itself_in_one_step():
    for x, name in ((0, "One"), (0.9, "Other"), (9, "Far"), (9.5, "Near Far")):
        cube(name, location=(x, x / 40, x / 30))
    assert classes() == ["overlap"] * 2
    settings_of(bpy.context.scene).results.row = 0
    bpy.ops.ed.undo_push()
    before = whole_file()
    press("push_apart", whose="ROW")
    assert listed() == ["overlap"]
    bpy.ops.ed.undo()
    assert whole_file() == before


def test_what_floats_falls_from_its_row_and_is_asked_again():
    cube("Floor", 10, location=(0, 0, -5))
    low, high = cube("Low", location=(0, 0, 3)), cube("High", location=(0, 0, 4))
    press("select_floating")
    settings_of(bpy.context.scene).results.row = 0
    press("drop", whose="ROW")
    assert low.location.z == pytest.approx(0.5, abs=1e-6)
    assert high.location.z - low.location.z == pytest.approx(1, abs=1e-6)
    result = active_result(bpy.context.scene)
    assert (result.question, result.count) == ("select_floating", 0)


def test_a_duplicate_is_hidden_and_asked_again():
    one, twin = cube("One"), cube("Twin")
    twin.data = one.data
    assert classes() == ["duplicate"]
    settings_of(bpy.context.scene).results.row = 0
    press("hide_duplicates")
    bpy.context.view_layer.update()
    assert (one.visible_get(), twin.visible_get()) == (True, False)
    press("restore_hidden")
    assert twin.visible_get()


def test_a_copy_is_made_without_duplicates():
    one, twin, other = cube("One"), cube("Twin"), cube("Other", location=(5, 0, 0))
    twin.data = one.data
    other.parent = link(bpy.data.objects.new("Parent", None), location=(1, 0, 0))
    assert classes() == ["duplicate"]
    settings_of(bpy.context.scene).results.row = 0
    press("copy_without_duplicates")
    copies = bpy.data.collections["Without Duplicates"].objects
    assert sorted(item.name.partition(".")[0] for item in copies) == ["One", "Other", "Parent"]
    assert not any(item.visible_get() for item in (one, twin, other))
    copied = next(item for item in copies if item.name.startswith("Other"))
    assert copied.parent in list(copies)
    assert copied.matrix_world == other.matrix_world
    assert listed() == []
