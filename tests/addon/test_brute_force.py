"""Brute force agrees with the answers of questions, and notices wrong ones."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from blender_scenes import camera, cube, monkey, select_only
from brute_force import HITS, check, differences

from octree_ext.octree_addon import questions
from octree_ext.octree_addon.audit import OCTREE_OT_select_collisions
from octree_ext.octree_addon.questions.last_query import last_answer


@pytest.fixture
def built(empty_scene):
    """Build a tree of a monkey between two cubes, in front of a camera."""
    items = [cube("Left", location=(-2, 0, 0)), monkey(), cube("Right", location=(2, 0, 0))]
    camera(location=(0.5, 0.25, 4))
    select_only(*items)
    bpy.ops.octree.build(capacity=16)


def ask(name, **options):
    assert getattr(bpy.ops.octree, name)(**options) == {"FINISHED"}
    return last_answer(bpy.context.scene)


def with_items(answer, items):
    """Return the same answer as if it had found other items."""
    return replace(answer, found=replace(answer.found, items=items))


@pytest.mark.parametrize("relation", ["TOUCHING", "CANDIDATES"])
@pytest.mark.parametrize("radius", [0.0, 0.7, 2.0, 100.0])
def test_of_spheres(built, radius, relation):
    check(ask("select_in_sphere", center=(0.5, 0, 0), radius=radius, relation=relation))


@pytest.mark.parametrize("relation", ["TOUCHING", "INSIDE"])
def test_of_frusta(built, relation):
    answer = ask("select_in_frustum", relation=relation)
    check(answer)
    assert 0 < len(answer.found.items) < len(answer.found.target)


WRONG = {
    "select_in_frustum": {},
    "select_in_sphere": {"center": (0.5, 0, 0), "radius": 0.7},
    "select_in_box": {"around": "CURSOR", "center": (1, 0, 0)},
    "select_in_capsule": {"origin": (-2, 0, 0), "object": "Right"},
    "select_nearest": {"count": 5},
    "select_on_ray": {"origin": (0, 0, 4), "hits": "ALL"},
    "select_collisions": {"margin": 0.5},
}


@pytest.mark.parametrize("name", HITS)
def test_a_wrong_answer_is_noticed(built, name):
    answer = ask(name, **WRONG[name])
    items = answer.found.items
    assert differences(answer) == (0, 0)
    assert differences(with_items(answer, items[1:])) == (1, 0)
    other = np.setdiff1d(np.arange(len(answer.found.found)), items)[:1]
    assert differences(with_items(answer, np.union1d(items, other))) == (0, 1)


def test_candidates_may_be_more_but_not_fewer(built):
    answer = ask("select_in_sphere", center=(-2, 0, 0), radius=1.0, relation="CANDIDATES")
    missing, surplus = differences(answer)
    assert (missing, surplus > 0) == (0, True)
    check(answer)
    with pytest.raises(AssertionError):
        check(with_items(answer, answer.found.items[:0]))


def test_every_question_has_its_brute_force():
    asked = (*questions.QUESTIONS, OCTREE_OT_select_collisions)
    assert HITS.keys() == {each.bl_idname.partition(".")[2] for each in asked}
