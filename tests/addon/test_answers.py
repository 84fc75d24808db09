"""The last question is kept as it was asked, and goes with what an undo takes back."""

from dataclasses import replace
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from blender_scenes import cube, select_only
from brute_force import check_last_answer
from paper import Paper

from octree_ext.core import CROSSING, INSIDE, OUTSIDE, Spheres, query
from octree_ext.octree_addon import questions, trees
from octree_ext.octree_addon.answers import kept
from octree_ext.octree_addon.questions.status import draw_status
from octree_ext.octree_addon.scene_index import catch_up, scene_index, version


@pytest.fixture
def row(empty_scene):
    """Build a tree of eight cubes along x, with a step to come back to."""
    select_only(*(cube(f"Cube {x}", size=0.5, location=(x, 0, 0)) for x in range(8)))
    bpy.ops.octree.build(capacity=4)
    bpy.ops.ed.undo_push(message="Start")
    return empty_scene


def ask(**options):
    options = {"center": (0, 0, 0), "radius": 1.25} | options
    assert bpy.ops.octree.select_in_sphere("EXEC_DEFAULT", True, **options) == {"FINISHED"}
    return questions.get(bpy.context.scene)


def test_an_answer_stays_until_it_is_cleared(row):
    assert questions.get(row) is None
    asked = ask()
    bpy.ops.octree.rebuild()
    assert questions.get(bpy.context.scene) is asked
    bpy.ops.octree.clear()
    assert questions.get(bpy.context.scene) is None


def test_question_and_answer_are_those_of_the_operator(row):
    asked = ask()
    octree = trees.get(row).octree
    assert (asked.title, asked.relation) == ("Select in Sphere", "touching")
    sphere = Spheres([[0, 0, 0]], [1.25])
    np.testing.assert_array_equal(asked.volume.rows, sphere.rows)
    np.testing.assert_array_equal(asked.items, query(octree, sphere)[1])


def test_states_are_those_of_the_walk(row):
    octree = trees.get(row).octree
    states = ask().states_in(octree)
    assert {OUTSIDE, CROSSING} <= set(states.tolist())
    assert (states[octree.node_lower[:, 0] > 1.5] <= OUTSIDE).all()
    assert set(ask(radius=100).states_in(octree).tolist()) == {0, INSIDE}


def test_undo_takes_the_last_question_back(row):
    ask(radius=0.5)
    first = questions.get(bpy.context.scene)
    assert ask() is not first
    bpy.ops.ed.undo()
    assert questions.get(bpy.context.scene) is None
    bpy.ops.ed.redo()
    assert questions.get(bpy.context.scene).items.size > first.items.size


def test_an_answer_outlives_what_it_was_asked_of(row):
    asked = ask()
    count = len(asked.items)
    bpy.data.objects.remove(bpy.data.objects["Cube 0"])
    bpy.context.view_layer.update()
    scene_index()
    assert asked.found.sum() == count
    check_last_answer()


def test_answer_is_told_by_objects_before_triangles(row):
    asked = ask()
    assert asked.words == f"2 objects: {asked.found_text}"
    assert ask(radius=0.6).words.startswith("1 object: ")
    assert ask(radius=0.1).words == "0 of 96 triangles"


def test_answer_is_current_while_the_scene_is_as_it_was_asked(row):
    assert not questions.is_current(row)
    ask()
    assert questions.is_current(row)
    item = bpy.data.objects["Cube 7"]
    for place, expected in ((9, False), (7, True), (9, False)):
        item.location.x = place
        bpy.context.view_layer.update()
        assert not questions.is_current(row)  # until it is known
        catch_up(1)
        assert questions.is_current(row) == expected
    ask()
    assert questions.is_current(row)
    bpy.ops.octree.clear_results()
    assert not questions.is_current(row)
    assert questions.get(row) is None


def test_cells_are_beside_an_answer_until_they_are_built_again(row):
    ask()
    assert not questions.is_before_tree(row)
    bpy.ops.octree.build(capacity=4)
    assert questions.is_before_tree(row)
    ask(relation="CANDIDATES")
    assert not questions.is_before_tree(row)


def status_bar():
    paper = Paper()
    draw_status(SimpleNamespace(layout=paper), bpy.context)
    return dict(paper.lines)


def test_status_bar_says_what_was_found(row):
    asked = ask()
    lines = status_bar()
    assert f"Select in Sphere: {asked.words}" in lines
    bpy.data.objects["Cube 7"].location.x = 9
    bpy.context.view_layer.update()
    catch_up(1)
    assert not status_bar()


def test_status_bar_leads_with_pairs_where_pairs_were_asked_for(row):
    bpy.data.objects["Cube 1"].location.x = 0.2
    bpy.context.view_layer.update()
    assert bpy.ops.octree.select_collisions("EXEC_DEFAULT", True) == {"FINISHED"}
    (line,) = status_bar()
    assert line.startswith("Select Collisions: 1 pair collides: ")
    assert line.endswith(" of 96 triangles")


def test_found_items_of_whole_objects_are_all_of_theirs(row):
    asked = ask()
    first = asked.target.starts[np.unique(asked.target.placements_of(asked.items))]
    whole = replace(asked, items=first, objects_only=True)
    placements = asked.target.placement_of_item
    expected = np.flatnonzero(np.isin(placements, whole.target.placements_of(first)))
    np.testing.assert_array_equal(whole.whole_items, expected)


@pytest.mark.parametrize("is_read_first", [False, True])
def test_answer_of_a_scene_that_was_not_read_is_no_longer_current_after_a_change(
    row, monkeypatch, is_read_first
):
    """As in a window, where a question about an octree of objects reads no mesh."""
    in_window = SimpleNamespace(background=False)
    there = SimpleNamespace(app=in_window, context=bpy.context, data=bpy.data)
    monkeypatch.setattr(kept, "bpy", there)
    monkeypatch.setattr(version, "is_soon_read", lambda _: False)
    ask()
    assert questions.is_current(row)
    if is_read_first:
        read_at_rest()
        assert questions.is_current(row)
    item = bpy.data.objects["Cube 7"]
    item.location.x = 9
    bpy.context.view_layer.update()
    read_at_rest()
    assert not questions.is_current(row)
    if is_read_first:
        item.location.x = 7
        bpy.context.view_layer.update()
        read_at_rest()
        assert questions.is_current(row)


def read_at_rest():
    while not catch_up(1):
        pass
