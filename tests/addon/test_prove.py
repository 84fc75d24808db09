"""Brute force agrees with the tree's answers, and tells when one is wrong."""

from dataclasses import replace

import bpy
import pytest
from blender_scenes import camera, cube, monkey, select_only

from octree_ext.octree_addon import questions
from octree_ext.octree_addon.questions import query_operator
from octree_ext.octree_addon.questions.verify import proof_text, prove_steps
from octree_ext.octree_addon.ui import run


@pytest.fixture
def built(empty_scene):
    """Build a tree of a monkey between two cubes, in front of a camera."""
    items = [cube("Left", location=(-2, 0, 0)), monkey(), cube("Right", location=(2, 0, 0))]
    camera(location=(0.5, 0.25, 4))
    select_only(*items)
    bpy.ops.octree.build(capacity=16)


def proof():
    return run(prove_steps(questions.get(bpy.context.scene)))


@pytest.mark.parametrize("relation", ["TOUCHING", "CANDIDATES"])
@pytest.mark.parametrize("radius", [0.0, 0.7, 2.0, 100.0])
def test_spheres_are_proven(built, radius, relation):
    bpy.ops.octree.select_in_sphere(center=(0.5, 0, 0), radius=radius, relation=relation)
    assert proof().holds
    assert bpy.ops.octree.prove_it() == {"FINISHED"}


@pytest.mark.parametrize("relation", ["TOUCHING", "INSIDE"])
def test_frusta_are_proven(built, relation):
    bpy.ops.octree.select_in_frustum(relation=relation)
    found = proof()
    assert found.holds
    assert 0 < found.hits.sum() < len(found.hits)
    assert proof_text(found).startswith(f"Proven: {len(found.hits):,} triangles asked one by one")


@pytest.mark.parametrize(
    ("change", "text"),
    [(lambda items: items[1:], "1 missing and 0 too many"), (None, "0 missing and 1 too many")],
)
def test_wrong_answers_are_called_wrong(built, change, text):
    bpy.ops.octree.select_in_sphere(center=(-2, 0, 0), radius=2.0)
    scene, asked = bpy.context.scene, questions.get(bpy.context.scene)
    items = change(asked.items) if change else [*asked.items, len(asked.target.items) - 1]
    questions.remember(scene, replace(asked, items=items))
    assert not proof().holds
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.octree.prove_it()


def test_candidates_may_be_more_but_not_fewer(built):
    bpy.ops.octree.select_in_sphere(center=(-2, 0, 0), radius=1.0, relation="CANDIDATES")
    found = proof()
    assert found.surplus > 0
    assert found.holds
    questions.remember(bpy.context.scene, replace(found.query, items=found.query.items[:0]))
    assert not proof().holds


def test_long_proofs_are_made_in_blocks(built, monkeypatch):
    bpy.ops.octree.select_in_sphere(radius=0.7)
    monkeypatch.setattr(query_operator, "_BLOCK", 100)
    fractions = list(prove_steps(questions.get(bpy.context.scene)))
    assert fractions == sorted(fractions)
    assert len(fractions) > 10
    assert fractions[-1] == 1
    assert proof().holds


def test_without_a_question_there_is_nothing_to_prove(built):
    with pytest.raises(RuntimeError, match="Ask a question first"):
        bpy.ops.octree.prove_it()
