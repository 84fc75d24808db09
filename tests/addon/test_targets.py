"""Questions ask the triangles of the index of the scene, whatever was built to look at."""

import answering
import bpy
import numpy as np
import pytest
from blender_scenes import (
    camera,
    collection_instance,
    cube,
    lamp,
    link,
    monkey,
    scatter,
    select_only,
    selected,
    tube,
)
from brute_force import check_last_answer, triangles_of
from registered import OPERATORS

from octree_ext.octree_addon import preferences, questions, scope, trees
from octree_ext.octree_addon.answers.kept import active_result, view_of
from octree_ext.octree_addon.ui import settings_of

QUESTIONS = [
    ("select_in_frustum", {"relation": "TOUCHING"}),
    ("select_in_frustum", {"relation": "INSIDE"}),
    ("select_in_frustum", {"relation": "TOUCHING", "invert": True}),
    ("select_in_sphere", {"center": (1, 0, 0), "radius": 2.5}),
    ("select_in_sphere", {"center": (1, 0, 0), "radius": 0.0}),
    ("select_in_box", {"around": "CURSOR", "center": (0, 1, 0), "size": (4, 3, 2)}),
    ("select_in_box", {"around": "ACTIVE", "object": "Cube 3"}),
    ("select_nearest", {"origin": (0, 0, 3), "count": 7}),
    ("select_nearest", {"origin": (0, 0, 3), "count": 100_000}),
    ("select_on_ray", {"origin": (-20, 0.1, 0.05), "direction": (1, 0, 0)}),
    ("select_on_ray", {"origin": (-20, 0.1, 0.05), "direction": (1, 0, 0), "hits": "ALL"}),
    ("select_collisions", {}),
    ("select_collisions", {"margin": 0.5, "instances": True}),
]
CANDIDATES = ("select_in_sphere", {"center": (1, 0, 0), "radius": 1, "relation": "CANDIDATES"})
PRESSES = [[each] for each in (*QUESTIONS, CANDIDATES)] + list(answering.ASKED.values())


@pytest.fixture
def crowd(empty_scene):
    """Add objects of every kind in front of a camera, mirrored, flat and instanced ones too."""
    random = np.random.default_rng(3)

    def anywhere():
        return {
            "location": random.uniform(-5, 5, 3),
            "rotation_euler": random.uniform(-3, 3, 3),
        }

    first = monkey(1, **anywhere())
    for number, scale in enumerate([(1, 1, 1), (-1, 1, 1), (2, 0.3, 1), (0, 1, 1)]):
        copy = link(bpy.data.objects.new(f"Copy {number}", first.data), **anywhere())
        copy.scale = scale
    scatter(cube("Pebble", size=0.2, **anywhere()), cube("Points", size=3, **anywhere()))
    collection_instance([cube("In")], scale=(-1, 2, 1), **anywhere())
    tube(**anywhere())
    for number in range(20):
        cube(f"Cube {number}", size=random.uniform(0.2, 1.5), **anywhere())
    camera(location=(0, 0, 9))
    empty_scene.octree.source.scope = "VISIBLE"


@pytest.mark.parametrize(("name", "options"), QUESTIONS)
def test_each_answer_agrees_with_brute_force(crowd, name, options):
    assert getattr(bpy.ops.octree, name)(**options) == {"FINISHED"}
    check_last_answer()
    found = questions.get(bpy.context.scene)
    assert (len(selected()) > 0) == (len(found.items) > 0 or options.get("invert", False))


def test_the_octree_that_is_built_is_of_the_same_triangles(crowd):
    bpy.ops.octree.build()
    bpy.ops.octree.select_in_sphere(center=(1, 0, 0), radius=2.5)
    built, target = trees.get(bpy.context.scene), questions.get(bpy.context.scene).target
    numbers = target.renumbered(built.source.placements, np.arange(built.source.item_count))
    assert numbers.tolist() == list(range(built.source.item_count))
    corners = [np.sort(each.rows.ravel()) for each in (built.octree.items, triangles_of(target))]
    np.testing.assert_array_equal(*corners)


@pytest.mark.parametrize("relation", ["TOUCHING", "INSIDE"])
@pytest.mark.parametrize("invert", [False, True])
def test_of_too_many_triangles_objects_are_told_alone(crowd, monkeypatch, relation, invert):
    options = {"relation": relation, "invert": invert}
    bpy.ops.octree.select_in_frustum(**options)
    expected, count = selected(), questions.get(bpy.context.scene).found_text
    monkeypatch.setattr(scope, "limits", lambda: preferences.Limits(triangles=100))
    bpy.ops.octree.select_in_frustum(**options)
    found = questions.get(bpy.context.scene)
    assert selected() == expected
    assert found.objects_only == (relation == "TOUCHING")
    assert (found.found_text != count) == found.objects_only
    check_last_answer()


def choose_objects():
    settings_of(bpy.context.scene).source.source = "OBJECTS"


def build_objects():
    bpy.ops.octree.build(source="OBJECTS", lights=True)


def follow_objects():
    choose_objects()
    bpy.ops.octree.live()


@pytest.mark.parametrize("look", [choose_objects, build_objects, follow_objects])
@pytest.mark.parametrize("presses", PRESSES, ids=lambda presses: presses[-1][0])
def test_what_is_built_to_look_at_changes_no_answer(crowd, presses, look):
    """Over all questions: Contents, an octree of objects and Live change nothing that counts."""
    lamp(location=(1, 0, 0.5))
    expected = answer_to(presses)
    for forget in (bpy.ops.octree.clear_results, bpy.ops.octree.clear):
        if forget.poll():
            forget()
    look()
    before = trees.get(bpy.context.scene)
    assert answer_to(presses) == expected
    assert before is None or trees.get(bpy.context.scene) is before


def answer_to(presses):
    """Ask, and return names and numbers of all rows, what is selected and what is said."""
    select_only(*(bpy.data.objects[f"Cube {number}"] for number in range(4)))
    answering.press_all(presses)
    scene = bpy.context.scene
    view = view_of(scene, active_result(scene))
    rows = [view.labels(row) for row in range(len(view.rows))]
    numbers = [(each.name, repr(each.values.tolist())) for each in view.rows.columns]
    asked = questions.get(scene)
    said = (asked.words, asked.notes, asked.items.tolist()) if asked else None
    return rows, numbers, selected(), said


@pytest.mark.parametrize("contents", ["OBJECTS", "TRIANGLES"])
def test_potential_colliders_are_triangles_and_hold_all_hits(empty_scene, contents):
    items = [cube(f"Cube {x}", location=(2 * x, 0, 0)) for x in range(30)]
    empty_scene.octree.source.scope = "VISIBLE"
    bpy.ops.octree.build(source=contents, capacity=4)
    items[3].hide_set(True)
    near = {"center": (8.5, 0, 0), "radius": 0.1}
    bpy.ops.octree.select_in_sphere(**near)
    exact, count = selected(), len(questions.get(empty_scene).items)
    bpy.ops.octree.select_in_sphere(**near, relation="CANDIDATES")
    assert count < len(questions.get(empty_scene).items)
    assert exact <= selected() < {item.name for item in items[:3] + items[4:]}
    check_last_answer()


def test_potential_colliders_are_of_a_fresh_octree(empty_scene):
    cube("Left", location=(-3, 0, 0))
    right = cube("Right", location=(3, 0, 0))
    empty_scene.octree.source.scope = "VISIBLE"
    bpy.ops.octree.build(capacity=4)
    right.location = (-3, 0, 3)
    bpy.ops.octree.select_in_sphere(center=(3, 0, 0), radius=1, relation="CANDIDATES")
    assert selected() == set()
    bpy.ops.octree.select_in_sphere(center=(-3, 0, 3), radius=1, relation="CANDIDATES")
    assert "Right" in selected()


def test_its_cells_are_those_of_a_fresh_octree(empty_scene):
    item = cube("Only")
    bpy.ops.octree.select_in_sphere(center=(0, 0, 0), radius=1)
    assert trees.get(empty_scene) is None
    assert bpy.ops.octree.show_cells() == {"FINISHED"}
    first = trees.get(empty_scene)
    assert empty_scene.octree.display.cells == "QUESTION"
    assert questions.get(empty_scene).states_in(first.octree).any()
    bpy.ops.octree.show_cells()
    assert trees.get(empty_scene) is first
    item.location = (9, 9, 9)
    bpy.ops.octree.show_cells()
    assert trees.get(empty_scene) is not first
    assert trees.get(empty_scene).octree.items.vertices.min() > 8


def test_showing_cells_needs_a_question(empty_scene):
    with pytest.raises(RuntimeError, match="Ask a question first"):
        bpy.ops.octree.show_cells()


def test_every_question_waits_with_esc():
    for each in questions.QUESTIONS:
        assert each in OPERATORS
        assert hasattr(each, "modal")
