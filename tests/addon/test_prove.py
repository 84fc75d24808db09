"""Brute force agrees with the tree's answers, and tells when one is wrong."""

from dataclasses import replace

import bpy
import pytest
from answered import find_instead
from blender_scenes import camera, cube, monkey, select_only
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import run
from octree_ext.octree_addon import questions
from octree_ext.octree_addon.questions import verify
from octree_ext.octree_addon.questions.verify import proof_text, prove_steps


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
    asked = questions.get(bpy.context.scene)
    items = change(asked.items) if change else [*asked.items, len(asked.target.items) - 1]
    find_instead(items)
    assert not proof().holds
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.octree.prove_it()


def test_candidates_may_be_more_but_not_fewer(built):
    bpy.ops.octree.select_in_sphere(center=(-2, 0, 0), radius=1.0, relation="CANDIDATES")
    found = proof()
    assert found.surplus > 0
    assert found.holds
    find_instead(found.query.items[:0])
    assert not proof().holds


@tuned(octree_addon, items_tested=100)
def test_long_proofs_are_made_in_blocks(built):
    bpy.ops.octree.select_in_sphere(radius=0.7)
    fractions = list(prove_steps(questions.get(bpy.context.scene)))
    assert fractions == sorted(fractions)
    assert len(fractions) > 10
    assert fractions[-1] == 1
    assert proof().holds


def test_without_a_question_there_is_nothing_to_prove(built):
    with pytest.raises(RuntimeError, match="Ask a question first"):
        bpy.ops.octree.prove_it()


def ask_collisions():
    bpy.data.objects["Left"].location.x = -1
    bpy.context.view_layer.update()
    bpy.ops.octree.clear()
    bpy.ops.octree.select_collisions()
    return questions.get(bpy.context.scene)


QUESTIONS = {
    "collisions": ask_collisions,
    "sphere": lambda: bpy.ops.octree.select_in_sphere(radius=0.7) and None,
    "ray": lambda: bpy.ops.octree.select_on_ray(origin=(0, 0, 4), hits="ALL") and None,
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_sample_says_that_it_is_one(built, name):
    QUESTIONS[name]()
    query = questions.get(bpy.context.scene)
    found = run(prove_steps(query, count=100, seed=3))
    assert found.holds
    assert found.is_sample == query.is_itemwise == (name != "ray")
    text = f"A sample, no proof: 100 of {len(query.target):,} triangles asked at random"
    assert proof_text(found).startswith(text) == found.is_sample
    assert bpy.ops.octree.prove_it(sample=True, count=100) == {"FINISHED"}
    everything = run(prove_steps(query, count=len(query.target) + 1))
    assert not everything.is_sample
    assert proof_text(everything).startswith("Proven")


@pytest.mark.parametrize("name", ["collisions", "sphere"])
def test_samples_of_all_seeds_find_what_is_wrong(built, name):
    QUESTIONS[name]()
    asked = questions.get(bpy.context.scene)
    without, none = replace(asked, items=asked.items[1:]), replace(asked, items=asked.items[:0])
    assert len({run(prove_steps(none, count=200, seed=seed)).missing for seed in range(9)}) > 1
    proofs = [run(prove_steps(without, count=1500, seed=seed)) for seed in range(12)]
    assert {proof.missing for proof in proofs} == {0, 1}
    for proof in proofs:
        assert proof.missing == (asked.items[0] in proof.asked)
        assert proof.holds != bool(proof.missing)


def test_a_sample_is_compared_with_all_others(built):
    query = ask_collisions()
    items = query.items[:1]
    assert run(query.hit_steps(items)).tolist() == items.tolist()
    with tuned(octree_addon, pairs_tested=100):
        fractions = list(query.hit_steps(items))
        assert run(query.hit_steps(items)).tolist() == items.tolist()
    assert fractions == sorted(fractions)
    assert len(fractions) == -(-len(query.target) // 100)


def test_an_estimate_asks_few_and_follows_the_number(built, monkeypatch):
    query = ask_collisions()
    asked = []
    monkeypatch.setattr(
        type(query), "_meeting", lambda _, ones, others: asked.append((ones, others)) or ones[:0]
    )
    clock = iter(range(1000))
    monkeypatch.setattr(verify, "perf_counter", lambda: float(next(clock)))
    with tuned(octree_addon, tests_timed=5 * len(query.target)):
        seconds = verify.estimated_seconds(query, len(query.target))
    tested = sum(len(ones) * len(others) for ones, others in asked)
    assert tested == 2 * 5 * len(query.target)  # the first time to make what is made once
    assert seconds == pytest.approx(len(query.target) / 5)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "less than a second"), (1, "about 1 second"), (58, "about 1 minute"),
     (200, "about 3 minutes"), (7000, "about 2 hours"), (3600, "about 1 hour"),
     (200_000, "about 2 days")],
)  # fmt: skip
def test_durations_are_rough(seconds, text):
    assert verify.duration_text(seconds) == text
