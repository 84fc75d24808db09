"""Pairs of a scene: in steps, by owners, by groups, and by placements, equal to baked pairs."""

import importlib

import numpy as np
import pytest
import scene_oracle as oracle
from scene_oracle import KINDS, Baked
from stepping import finished
from tuned import tuned

import core
from core import (
    SceneOctree,
    Triangles,
    overlapping_objects,
    overlapping_objects_steps,
    overlapping_pairs,
    overlapping_pairs_steps,
    run,
)

finding = importlib.import_module("core.scene.pairs")


def truth(scene, margin=0.0):
    """Pairs of triangles of different placements, as one octree over all of them finds them."""
    baked = Baked(scene)
    ones, others = overlapping_pairs(baked.tree, margin=margin)
    wanted = np.stack((*baked.named(ones), *baked.named(others)))
    return wanted[:, wanted[0] != wanted[2]]


def crowd(seed, kinds=KINDS[:5], placements=24, **options):
    rng = np.random.default_rng(seed)
    return rng, oracle.scene(rng, kinds=kinds, placements=placements, **options)


@pytest.mark.parametrize("margin", [0.0, 0.3])
@pytest.mark.parametrize("kinds", [("rigid",), ("flat",), KINDS[:5], KINDS])
def test_placements_that_touch_are_those_of_triangles_that_do(kinds, margin):
    _, scene = crowd(len(kinds), kinds, triangles=40)
    wanted = np.unique(truth(scene, margin)[[0, 2]], axis=1)
    found = overlapping_objects(scene, margin=margin)
    np.testing.assert_array_equal(found, wanted)
    assert found.dtype == np.intp


def one_of_each(scene, owners, pairs):
    """Leave out pairs of one owner; `owners` by place in `scene.ids`."""
    owner = owners[np.searchsorted(scene.ids, pairs[[0, -2 if len(pairs) == 4 else 1]])]
    return pairs[:, owner[0] != owner[1]]


@pytest.mark.parametrize("seed", [0, 1])
def test_pairs_of_one_owner_do_not_count(seed):
    rng, scene = crowd(seed)
    scene.remove(scene.ids[::5])
    owners = rng.integers(0, 6, len(scene))
    wanted = one_of_each(scene, owners, truth(scene))
    np.testing.assert_array_equal(overlapping_pairs(scene, owners=owners), wanted)
    found = overlapping_objects(scene, owners=owners)
    np.testing.assert_array_equal(found, np.unique(wanted[[0, 2]], axis=1))
    alike = np.zeros(len(scene), int)
    assert overlapping_pairs(scene, owners=alike).shape == (4, 0)
    assert overlapping_objects(scene, owners=alike).shape == (2, 0)


def test_pairs_of_groups_and_owners():
    rng, scene = crowd(3)
    matrices, meshes = scene.matrices_of(scene.ids), scene.meshes_of(scene.ids)
    masks = rng.integers(0, 4, len(scene))
    again = scene.place(meshes, matrices, groups=masks)
    scene.remove(scene.ids[: len(again)])
    owners = rng.integers(0, 9, len(scene))
    wanted = truth(scene)
    for mask in (1, 2, 3, 8):
        is_there = masks & mask != 0
        kept = wanted[:, np.isin(wanted[[0, 2]], again[is_there]).all(axis=0)]
        np.testing.assert_array_equal(overlapping_pairs(scene, groups=mask), kept)
        kept = one_of_each(scene, owners, kept)
        found = overlapping_pairs(scene, groups=mask, owners=owners)
        np.testing.assert_array_equal(found, kept)
        found = overlapping_objects(scene, groups=mask, owners=owners)
        np.testing.assert_array_equal(found, np.unique(kept[[0, 2]], axis=1))


@pytest.mark.parametrize("options", [{}, {"within": True}, {"margin": 0.2}])
def test_steps_lead_to_the_same_pairs(options):
    _, scene = crowd(4)
    fractions, found = finished(overlapping_pairs_steps(scene, **options))
    np.testing.assert_array_equal(found, overlapping_pairs(scene, **options))
    assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1


@pytest.mark.parametrize("ask", [overlapping_pairs_steps, overlapping_objects_steps])
def test_pairs_do_not_depend_on_how_many_are_looked_at_together(ask):
    _, scene = crowd(5, triangles=120)
    wanted = run(ask(scene))
    with tuned(core, nodes_paired=70, triangles_tested=7, triangles_placed=13, nodes_walked=20):
        fractions, found = finished(ask(scene))
    np.testing.assert_array_equal(found, wanted)
    assert len(fractions) > 100 and fractions == sorted(fractions)


@tuned(core, nodes_paired=100)
def test_two_large_meshes_in_parts():
    rng = np.random.default_rng(8)
    scene = SceneOctree()
    for size in (900, 700):
        scene.add_mesh(oracle.mesh(rng, size))
    scene.place([0, 1, 1], oracle.matrices(rng, ["rigid", "uneven", "sheared"]) * [1, 1, 1, 1])
    wanted = truth(scene)
    np.testing.assert_array_equal(overlapping_pairs(scene), wanted)
    found = overlapping_objects(scene)
    np.testing.assert_array_equal(found, np.unique(wanted[[0, 2]], axis=1))


def test_what_is_nowhere_is_not_compared(monkeypatch):
    scene = SceneOctree()
    triangle, nothing = (
        scene.add_mesh(Triangles(np.eye(3), [[0, 1, 2]])),
        scene.add_mesh(Triangles([], [])),
    )
    scene.place([triangle] * 2 + [nothing] * 3000, np.eye(4)[None].repeat(3002, axis=0))
    asked = []
    ask = finding.meeting_boxes

    def watched(*data, **options):
        answer = yield from ask(*data, **options)
        asked.append(answer.shape[1])
        return answer

    monkeypatch.setattr(finding, "meeting_boxes", watched)
    assert overlapping_objects(scene).tolist() == [[0], [1]]
    assert asked[0] < 10_000


def changes(scene):
    yield lambda: scene.move([0], scene.matrices_of([1]))
    yield lambda: scene.remove([0])
    yield lambda: scene.place([0], np.eye(4)[None])
    yield lambda: scene.replace_mesh(0, Triangles([], []))


@pytest.mark.parametrize("which", range(4))
def test_steps_end_when_the_scene_has_changed(which):
    _, scene = crowd(6)
    steps = overlapping_pairs_steps(scene)
    next(steps)
    scene.add_mesh(Triangles([], []))
    next(steps)
    list(changes(scene))[which]()
    with pytest.raises(RuntimeError, match="changed"):
        next(steps)


def test_what_is_refused():
    _, scene = crowd(7)
    count = len(scene)
    for options, message in (
        ({"owners": np.zeros(count - 1, int)}, "owners must have shape"),
        ({"owners": [-1] * count}, "owners"),
        ({"owners": [0.5] * count}, "owners"),
        ({"owners": [0] * count, "within": True}, "owners must be None"),
        ({"margin": np.nan}, "margin"),
        ({"groups": -1}, "groups"),
    ):
        for ask in (overlapping_pairs, overlapping_pairs_steps):
            with pytest.raises(ValueError, match=message):
                ask(scene, **options)
    tree = Baked(scene).tree
    with pytest.raises(ValueError, match="within needs a scene"):
        overlapping_pairs_steps(tree, within=True)
