"""A scene answers what one octree over its baked triangles answers, ids and all."""

import numpy as np
import pytest
import scene_oracle as oracle
from scene_oracle import KINDS, Baked

from core import (
    Boxes,
    SceneOctree,
    Spheres,
    Triangles,
    build_octree,
    nearest,
    objects_touching,
    overlapping_objects,
    overlapping_pairs,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
)

MIXES = [*((kind,) for kind in KINDS if kind != "far"), ("far",), KINDS[:5], KINDS]
SCENES = [(mix, seed) for seed, mix in enumerate(MIXES)]


@pytest.fixture(params=SCENES, ids=lambda p: "-".join(p[0]))
def stage(request):
    """Make a random scene, the same scene baked, and a place and a size to ask about."""
    mix, seed = request.param
    rng = np.random.default_rng(seed)
    scene = oracle.scene(rng, kinds=mix, placements=16)
    baked = Baked(scene)
    corners = baked.triangles.rows.reshape(3, 3, -1).mean(axis=0)
    center = corners[:, len(corners[0]) // 2]
    near = np.sort(np.abs(corners - center[:, None]).max(axis=0))
    return rng, scene, baked, center, max(near[len(near) // 2], 1e-6) / 2


@pytest.mark.parametrize("relation", ["touching", "inside"])
def test_volumes(stage, relation):
    rng, scene, baked, center, size = stage
    for volumes in oracle.volumes(rng, center, size):
        wanted = baked.renumbered(query(baked.tree, volumes, relation=relation))
        np.testing.assert_array_equal(query(scene, volumes, relation=relation), wanted)


def test_any_count_and_objects(stage):
    rng, scene, baked, center, size = stage
    for volumes in oracle.volumes(rng, center, size):
        wanted = baked.renumbered(query(baked.tree, volumes))
        counts = np.bincount(wanted[0], minlength=len(volumes))
        np.testing.assert_array_equal(query_count(scene, volumes), counts)
        np.testing.assert_array_equal(query_any(scene, volumes), counts > 0)
        objects = objects_touching(scene, volumes)
        np.testing.assert_array_equal(objects, np.unique(wanted[:2], axis=1))


def rays(rng, center, size, count=60):
    origins = center + rng.normal(0, 2 * size, (count, 3))
    return origins, center + rng.normal(0, size / 2, (count, 3)) - origins


@pytest.mark.parametrize("reach", [np.inf, 1.5])
def test_rays(stage, reach):
    rng, scene, baked, center, size = stage
    asked, limit = rays(rng, center, size), reach * size
    wanted = ray_cast(baked.tree, *asked, max_distance=limit)
    found = ray_cast(scene, *asked, max_distance=limit)
    np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))
    for name in ("distances", "positions", "normals", "barycentric"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), name)
    flags = ray_test(scene, *asked, max_distance=limit)
    np.testing.assert_array_equal(flags, wanted.items >= 0)


def test_all_crossings(stage):
    rng, scene, baked, center, size = stage
    asked = rays(rng, center, size)
    wanted, found = ray_cast_all(baked.tree, *asked), ray_cast_all(scene, *asked)
    np.testing.assert_array_equal(found.pairs, baked.renumbered(wanted.pairs))
    np.testing.assert_array_equal(found.distances, wanted.distances)


@pytest.mark.parametrize(("count", "reach"), [(1, np.inf), (5, np.inf), (3, 0.5), (2000, np.inf)])
def test_nearest(stage, count, reach):
    rng, scene, baked, center, size = stage
    points = center + rng.normal(0, 2 * size, (40 if count < 100 else 3, 3))
    wanted = nearest(baked.tree, points, count=count, max_distance=reach * size)
    found = nearest(scene, points, count=count, max_distance=reach * size)
    np.testing.assert_array_equal(found.distances, wanted.distances)
    np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))
    np.testing.assert_array_equal(found.positions, wanted.positions)


@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("within", [False, True])
def test_pairs(stage, margin, within):
    _, scene, baked, _, size = stage
    ones, others = overlapping_pairs(baked.tree, margin=margin * size)
    wanted = np.stack((*baked.named(ones), *baked.named(others)))
    if not within:
        wanted = wanted[:, wanted[0] != wanted[2]]
    found = overlapping_pairs(scene, margin=margin * size, within=within)
    np.testing.assert_array_equal(found, wanted)


def test_empty_scenes_answer_everything():
    scene, one = SceneOctree(), Spheres([[0, 0, 0]], [1])
    for _ in range(2):
        assert query(scene, one).shape == (3, 0)
        assert query(scene, one[[]]).shape == (3, 0)
        assert objects_touching(scene, one).shape == (2, 0)
        assert query_any(scene, one).tolist() == [False]
        assert query_count(scene, one).tolist() == [0]
        hits = ray_cast(scene, [[0, 0, 0]], [[1, 0, 0]])
        assert (hits.items, hits.placements, hits.distances) == ([-1], [-1], [np.inf])
        assert ray_cast_all(scene, [[0, 0, 0]], [[1, 0, 0]]).pairs.shape == (3, 0)
        assert ray_test(scene, [[0, 0, 0]], [[1, 0, 0]]).tolist() == [False]
        found = nearest(scene, [[0, 0, 0]], count=2)
        assert found.items.tolist() == found.placements.tolist() == [[-1, -1]]
        assert nearest(scene, np.empty((0, 3)), count=2).placements.shape == (0, 2)
        assert overlapping_pairs(scene, within=True).shape == (4, 0)
        scene.check()
        mesh = scene.add_mesh(Triangles([], []))
        scene.place([mesh, mesh], [np.eye(4)] * 2)


def test_questions_about_placements_want_a_scene():
    tree = build_octree(Boxes([[0, 0, 0]], [[1, 1, 1]]))
    with pytest.raises(ValueError, match="scene must be"):
        objects_touching(tree, Spheres([[0, 0, 0]], [1]))
    with pytest.raises(ValueError, match="scene must be"):
        overlapping_objects(tree)
