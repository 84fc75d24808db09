"""Scenes of some placements: equal results for these, and independent changes."""

import numpy as np
import pytest
import scene_oracle as oracle
from scene_oracle import KINDS

from core import SceneOctree, Spheres, Triangles, audit, nearest, overlapping_pairs, query
from core.scene import pool as pool_module

BALLS = Spheres(np.random.default_rng(1).uniform(-6, 6, (40, 3)), np.full(40, 2.0))


def whole(seed=3):
    rng = np.random.default_rng(seed)
    scene = oracle.scene(rng, placements=14, kinds=KINDS)
    scene.remove(scene.ids[[2, 5]])
    return scene


def answers(scene):
    points = BALLS.centers
    found = nearest(scene, points, count=3)
    return query(scene, BALLS), found.placements, found.items, overlapping_pairs(scene)


def assert_same(one, other):
    for mine, theirs in zip(answers(one), answers(other), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("step", [1, 2, 3, 20])
def test_it_answers_as_if_the_others_were_removed(step):
    scene, other = whole(), whole()
    some = scene.ids[::step]
    other.remove(np.setdiff1d(other.ids, some))
    only = scene.only(some[::-1])
    only.check()
    np.testing.assert_array_equal(only.ids, some)
    assert_same(only, other)


def test_nothing_is_indexed_again(monkeypatch):
    scene = whole()
    expected = answers(scene)
    monkeypatch.setattr(pool_module, "_indexed", lambda some: pytest.fail("indexed"))
    for mine, theirs in zip(answers(scene.only(scene.ids)), expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_what_either_needs_first_is_made_for_both(monkeypatch):
    scene = whole()
    ones = [scene.only(scene.ids) for _ in range(3)]
    ones.append(ones[-1].only(scene.ids[:4]))
    indexed, make = [], pool_module._indexed
    monkeypatch.setattr(pool_module, "_indexed", lambda some: indexed.extend(some) or make(some))
    for one in (*ones, scene):
        answers(one)
        audit(one)
    assert indexed and len(indexed) == len({id(mesh) for mesh in indexed})


@pytest.mark.parametrize("asks_first", [False, True])
def test_meshes_of_one_number_that_are_not_the_same_are_told_apart(asks_first):
    both = [whole()]
    both.append(both[0].only(both[0].ids))
    for seed, each in enumerate(both):
        place_another(each, seed)
        if asks_first:
            answers(each)
    for seed, each in enumerate(both):
        wanted = whole()
        place_another(wanted, seed)
        assert_same(each, wanted)


def place_another(scene, seed):
    mesh = oracle.mesh(np.random.default_rng(seed), 60)
    scene.place([scene.add_mesh(mesh)], np.eye(4)[None])


def change(scene):
    mesh = scene.add_mesh(Triangles(9 * np.eye(3), [[0, 1, 2]]))
    scene.place([mesh], np.eye(4)[None])
    scene.replace_mesh(int(scene.meshes_of(scene.ids[:1])[0]), Triangles(np.eye(3), [[0, 1, 2]]))
    scene.move(scene.ids[1:3], np.tile(np.eye(4), (2, 1, 1)))
    scene.remove(scene.ids[-3:-2])


@pytest.mark.parametrize("asked_first", [False, True])
@pytest.mark.parametrize("which", [0, 1])
def test_each_changes_apart_from_the_other(asked_first, which):
    scene, same = whole(), whole()
    if asked_first:
        answers(scene)
    both = scene, scene.only(scene.ids)
    changed = whole()
    change(changed)
    change(both[which])
    for each, wanted in ((both[which], changed), (both[1 - which], same)):
        each.check()
        assert_same(each, wanted)
        np.testing.assert_array_equal(
            each.triangles_of(each.ids).vertices, wanted.triangles_of(wanted.ids).vertices
        )


@pytest.mark.parametrize("ids", [[2], [0, 0], [99], [-1]])
def test_unknown_and_repeated_placements_are_refused(ids):
    with pytest.raises(ValueError, match="ids"):
        whole().only(ids)


def test_of_none_there_is_nothing():
    assert len(whole().only([])) == 0
    assert len(SceneOctree().only([])) == 0
