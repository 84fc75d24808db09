"""Triangles of many placements equal those of the single placements, to the bit."""

import numpy as np
import pytest
from tuned import tuned

import core
from core import Running, SceneOctree, Triangles, baked_triangles, baked_triangles_steps


@pytest.fixture
def scene():
    """Place three meshes, one of them empty, many times and in any order."""
    random = np.random.default_rng(4)
    scene = SceneOctree()
    meshes = [
        scene.add_mesh(Triangles(random.random((v, 3)), random.integers(0, v, (n, 3))))
        for v, n in ((8, 12), (300, 900), (3, 0))
    ]
    matrices = np.tile(np.eye(4), (400, 1, 1))
    matrices[:, :3] = random.normal(size=(400, 3, 4))
    matrices[7, 0, 0], matrices[9, 1] = np.inf, 0.0
    scene.place(np.array(meshes)[random.integers(0, 3, 400)], matrices)
    return scene


def test_all_at_once_is_each_alone(scene):
    ids = scene.ids[np.random.default_rng(5).permutation(400)]
    alone = [scene.triangles_of([number]) for number in ids.tolist()]
    corners = np.concatenate([each.vertices[each.faces] for each in alone])
    baked = scene.triangles_of(ids)
    np.testing.assert_array_equal(baked.vertices[baked.faces], corners)
    assert len(scene.triangles_of([])) == 0


def test_one_large_mesh_is_placed_in_pieces():
    random = np.random.default_rng(6)
    large = Triangles(random.random((300, 3)), random.integers(0, 300, (700, 3)))
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[1, :3] = random.normal(size=(3, 4))
    whole = baked_triangles([large], [0, 0], matrices)
    with tuned(core, piece=100):
        steps = Running(baked_triangles_steps([large], [0, 0], matrices))
        count = 0
        while steps.step():
            count += 1
    assert count >= 2 * 700 / 100 + 2 * 900 / 100
    np.testing.assert_array_equal(steps.result.vertices, whole.vertices)
    np.testing.assert_array_equal(steps.result.faces, whole.faces)


def test_steps_are_many_of_much_and_keep_what_was_there(scene):
    before = scene.triangles_of(scene.ids)
    steps = scene.triangles_steps(np.tile(scene.ids, 5))
    fractions = [next(steps)]
    scene.remove(scene.ids)
    with pytest.raises(StopIteration) as end:
        while True:
            fractions.append(next(steps))
    assert fractions == sorted(fractions)
    baked = end.value.value
    assert len(baked) == 5 * len(before)
    np.testing.assert_array_equal(baked[: len(before)].rows, before.rows)


def test_an_unknown_placement_is_refused_at_once(scene):
    with pytest.raises(ValueError, match="id"):
        scene.triangles_steps([1000])


def test_meshes_are_baked_as_a_scene_places_them(scene):
    meshes = [scene.triangles_of([number]) for number in (0, 1)]
    which = np.random.default_rng(6).integers(0, 2, len(scene))
    placed = SceneOctree()
    placed.place([placed.add_mesh(meshes[n]) for n in which], scene.matrices_of(scene.ids))
    baked = baked_triangles(meshes, which, scene.matrices_of(scene.ids))
    np.testing.assert_array_equal(baked.rows, placed.triangles_of(placed.ids).rows)
    assert len(baked_triangles([], [], np.empty((0, 4, 4)))) == 0
    with pytest.raises(ValueError, match="which"):
        baked_triangles(meshes, [2], [np.eye(4)])
