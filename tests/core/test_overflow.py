"""Triangles that overflow when placed are left out; their neighbors are kept."""

from copy import copy

import numpy as np
import pytest
import scene_questions as asked
from scene_oracle import Baked

from core import (
    Boxes,
    SceneOctree,
    Spheres,
    Triangles,
    ZBuffer,
    face_samples,
    item_buffers,
    nearest,
    overlapping_pairs,
    query,
    query_count,
    ray_cast,
)

# Placed by the first matrix, most vertices are about a unit large, the last one overflows; by the
# second one none does.
LARGE, SIZE, FAR = 1e120, 1e-20, 1e200
UNIT = LARGE * SIZE
MATRIX, SMALL = np.diag([LARGE, LARGE, LARGE, 1.0]), np.diag([1e-60, 1e-60, 1e-60, 1.0])


def spiked(count=30):
    """Return a triangle soup of size 1 when placed; every third triangle has a far corner."""
    rng = np.random.default_rng(1)
    vertices = np.concatenate((rng.uniform(0, SIZE, (3 * count, 3)), [[FAR, 0, 0]]))
    faces = np.arange(3 * count).reshape(-1, 3)
    faces[::3, 2] = 3 * count
    return Triangles(vertices, faces)


def scene_of():
    scene = SceneOctree()
    spikes, cube = scene.add_mesh(spiked()), scene.add_mesh(asked.CUBE)
    shifted = MATRIX.copy()
    shifted[:3, 3] = 0.5 * UNIT
    cubed = np.diag([UNIT, UNIT, UNIT, 1.0])
    scene.place([spikes, cube, spikes, spikes], np.stack((MATRIX, cubed, shifted, SMALL)))
    return scene


@pytest.mark.parametrize("made", [scene_of, lambda: copy(scene_of())])
def test_the_others_answer_as_one_tree_over_all_triangles(made):
    scene = made()
    scene.remove([3])  # where it is placed small, nothing overflows
    scene.check()
    baked = Baked(scene)
    assert len(baked.tree.invalid_items) == 20
    points = np.random.default_rng(2).uniform(-1, 2, (40, 3)) * UNIT
    for volumes in (
        Spheres(points, np.full(40, 0.3 * UNIT)),
        Boxes([[-9 * UNIT] * 3], [[9 * UNIT] * 3]),
    ):
        for relation in ("touching", "inside"):
            wanted = baked.renumbered(query(baked.tree, volumes, relation=relation))
            np.testing.assert_array_equal(query(scene, volumes, relation=relation), wanted)
        np.testing.assert_array_equal(
            query_count(scene, volumes), query_count(baked.tree, volumes)
        )
    one, other = nearest(scene, points, count=50), nearest(baked.tree, points, count=50)
    np.testing.assert_array_equal((one.placements, one.items), baked.named(other.items))
    hits, wanted = (ray_cast(tree, points, 0.5 * UNIT - points) for tree in (scene, baked.tree))
    np.testing.assert_array_equal((hits.placements, hits.items), baked.named(wanted.items))
    ones, others = map(baked.named, overlapping_pairs(baked.tree))
    apart = ones[0] != others[0]
    wanted = np.concatenate((ones, others))[:, apart]
    np.testing.assert_array_equal(overlapping_pairs(scene), wanted)


def test_callers_know_no_other_mesh_than_their_own():
    scene = scene_of()
    assert scene.meshes_of(scene.ids).tolist() == [0, 1, 0, 0]
    assert repr(scene) == "SceneOctree(placements=4, meshes=2)"
    with pytest.raises(ValueError, match="must not be placed, got placement 0"):
        scene.remove_mesh(0)
    for number in (2, 3):
        with pytest.raises(ValueError, match="meshes"):
            scene.place([number], np.eye(4)[None])
    added = scene.add_mesh(asked.SHEET)
    scene.place([added], np.eye(4)[None])
    assert scene.meshes_of([4]).tolist() == [added]


def test_what_no_longer_overflows_is_whole_again():
    scene = scene_of()
    scene.move([0], SMALL[None])
    scene.check()
    whole = Boxes([[-1e145] * 3], [[1e145] * 3])
    assert (query(scene, whole)[1] == 0).sum() == 30
    scene.move([0], MATRIX[None])
    scene.check()
    assert (query(scene, whole)[1] == 0).sum() == 20
    scene.replace_mesh(0, asked.CUBE)
    scene.move([0, 2], np.tile(np.eye(4), (2, 1, 1)))
    scene.check()
    assert (query(scene, whole)[1] == 0).sum() == 12
    scene.remove([0, 2, 3])
    scene.remove_mesh(0)
    scene.check()


def test_steps_prepare_what_stands_in():
    scene = scene_of()
    for _ in scene.prepare_steps([0]):
        pass
    scene.check()


def test_pictures_and_samples_show_the_others():
    scene = scene_of()
    scene.remove([1, 3])
    view = np.diag([0.5 / UNIT, 0.5 / UNIT, -0.2 / UNIT, 1.0])[None]
    buffers = item_buffers(ZBuffer(scene), view, size=(40, 40))
    shown = buffers.triangles[buffers.triangles >= 0]
    assert len(np.unique(shown)) > 5
    assert (shown % 3 != 0).all()
    samples = face_samples(ZBuffer(scene), view, size=(40, 40))
    assert samples.meshes.tolist() == [0]
    assert samples.of_mesh(0).sum() == len(shown)
    np.testing.assert_array_equal(samples.of_mesh(0), np.bincount(shown, minlength=30))
