"""Vertices first: meshes without octrees answer what their octrees do, and brute force."""

import numpy as np
import pytest
import scene_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from tuned import tuned

import core
from core import (
    Boxes,
    Frusta,
    HalfSpaces,
    Running,
    SceneOctree,
    Triangles,
    objects_touching,
    objects_touching_steps,
    query,
    query_any,
    query_count,
    run,
)


@pytest.fixture(autouse=True)
def small_blocks():
    with tuned(core, vertices_together=7, corners_together=11, outcodes=200):
        yield


def views(rng, center, size, count=12):
    """Return perspective views of any direction and width, some of them with a tip."""
    near, far = rng.uniform(0.05, 1, count), rng.uniform(2, 9, count)
    lenses = np.zeros((count, 4, 4))
    lenses[:, [0, 1], [0, 1]] = rng.uniform(0.5, 5, (count, 2))
    lenses[:, 2, 2], lenses[:, 2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
    lenses[:, 3, 2] = -1
    places = np.tile(np.eye(4), (count, 1, 1))
    places[:, :3, :3] = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    places[:, :3, 3] = rng.normal(size=(count, 3))
    corners = Frusta.from_matrices(lenses @ places).corners * size + center
    corners[: count // 3, :4] = corners[: count // 3, :4].mean(axis=1, keepdims=True)
    return Frusta(corners)


def volumes(rng, center, size):
    points = center + size * rng.normal(size=(12, 3))
    normals = rng.normal(size=(12, 3))
    offsets = -(normals * points).sum(axis=1)
    return [
        views(rng, center, size),
        Boxes(points, points + size * rng.uniform(0, 2, (12, 3))),
        HalfSpaces(np.column_stack((normals, offsets))),
    ]


def answers(scene, asked, **options):
    return [
        query(scene, asked, **options),
        query(scene, asked, relation="inside", **options),
        objects_touching(scene, asked, **options),
        query_any(scene, asked, **options),
        query_count(scene, asked, **options),
    ]


def fresh(scene):
    """Return a scene of the same placements without octrees."""
    made = SceneOctree(capacity=4)
    kept = scene._placements
    numbers = {
        n: made.add_mesh(scene._meshes[n].triangles) for n in np.unique(kept.meshes).tolist()
    }
    made.place([numbers[n] for n in kept.meshes.tolist()], scene.matrices_of(scene.ids))
    return made


def is_planted(scene):
    return bool(scene._meshes._grove.numbers)


def holed(triangles, rng):
    """Return the triangles with vertices that none uses, one of them far away."""
    loose = np.concatenate((triangles.vertices[:3] * 1e9, rng.normal(size=(5, 3))))
    order = rng.permutation(len(triangles.vertices) + len(loose))
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return Triangles(np.concatenate((triangles.vertices, loose))[order], places[triangles.faces])


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(oracle.KINDS),
    loose=st.booleans(),
    bad=st.sampled_from([None, np.nan, np.inf, 1e140]),
)
def test_vertices_answer_what_octrees_do(seed, kind, loose, bad):
    rng = np.random.default_rng(seed)
    scene = oracle.scene(rng, kinds=(kind, "rigid"), placements=6, capacity=4)
    for number in range(2):
        triangles = scene._meshes[number].triangles
        if loose:
            triangles = holed(triangles, rng)
        if bad is not None and number:
            corners = triangles.vertices.copy()
            corners[rng.integers(len(corners))] = bad
            triangles = Triangles(corners, triangles.faces)
        scene.replace_mesh(number, triangles)
    scene.add_mesh(Triangles([], []))
    where = scene.matrices_of(scene.ids[:1])[0]
    size = np.abs(where[:3, :3]).max()
    run(scene.prepare_steps())
    for asked in volumes(rng, where[:3, 3], size):
        lone = fresh(scene)
        for mine, theirs in zip(answers(lone, asked), answers(scene, asked), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("seed", range(20))
def test_vertices_answer_what_one_octree_over_everything_does(seed):
    rng = np.random.default_rng(seed)
    scene = oracle.scene(rng, kinds=oracle.KINDS[:5], capacity=4)
    baked = oracle.Baked(scene)
    for asked in volumes(rng, np.zeros(3), 3.0):
        wanted = baked.renumbered(query(baked.tree, asked))
        lone = fresh(scene)
        np.testing.assert_array_equal(query(lone, asked), wanted)
        np.testing.assert_array_equal(
            objects_touching(fresh(scene), asked), np.unique(wanted[:2], axis=1)
        )


def ball(count=400):
    rng = np.random.default_rng(count)
    return oracle.mesh(rng, count, size=0.2)


def one_view():
    return Frusta.from_matrices([np.diag([4, 4, -0.2, 1])])


def test_no_octree_is_built_before_it_is_worth_it():
    scene = SceneOctree()
    scene.place([scene.add_mesh(ball())], [np.eye(4)])
    scene.place([0], [np.diag([1, 1, 0, 1])])  # flat
    answers(scene, one_view())
    assert not is_planted(scene)
    for _ in range(core.tuning.current.comparisons):
        query(scene, one_view())
    assert is_planted(scene)


def test_many_volumes_build_it_at_once_and_one_that_is_there_is_used():
    scene = SceneOctree()
    mesh = scene.add_mesh(ball())
    scene.place([mesh], [np.eye(4)])
    rng = np.random.default_rng(1)
    objects_touching(scene, views(rng, np.zeros(3), 0.3, 60))
    assert is_planted(scene)
    assert not scene._meshes.unsorted[mesh]


@pytest.mark.usefixtures("in_numpy")
@tuned(core, comparisons=0)
def test_an_octree_that_pays_is_built_in_steps():
    asked, steps = one_view(), []
    for prepared in (True, False):
        scene = SceneOctree()
        scene.place([scene.add_mesh(ball())], [np.eye(4)])
        if prepared:
            steps.append(len(list(scene.prepare_steps())))
        steps.append(len(list(objects_touching_steps(scene, asked))))
    alone, after, both = steps
    assert both == alone + after


def test_what_is_decided_by_boxes_looks_at_no_vertex():
    """Work counts the vertices that were compared, in multiples of all."""
    scene = SceneOctree()
    mesh = scene.add_mesh(ball())
    scene.place([mesh, mesh, mesh], np.tile(np.eye(4), (3, 1, 1)))
    objects_touching(scene, Boxes([[-90.0] * 3], [[90.0] * 3]))
    assert scene._meshes[mesh].blocks.work == 0
    objects_touching(scene, Boxes([[-9.0, -9, 0]], [[9.0, 9, 9]]))
    assert scene._meshes[mesh].blocks.work < 1


def test_a_mesh_that_is_replaced_begins_anew():
    scene = SceneOctree()
    mesh = scene.add_mesh(ball())
    scene.place([mesh], [np.eye(4)])
    for _ in range(40):
        query(scene, one_view())
    scene.replace_mesh(mesh, ball(300))
    query(scene, one_view())
    assert not is_planted(scene)


@pytest.mark.parametrize("most", [1, 3 * 2_048, 1 << 30])
def test_few_meshes_are_compared_in_a_step(most):
    rng = np.random.default_rng(8)
    scene = SceneOctree(capacity=4)
    meshes = [scene.add_mesh(Triangles(rng.normal(size=(30, 3)), rng.integers(0, 30, (60, 3))))
              for _ in range(12)]  # fmt: skip
    matrices = np.tile(np.eye(4), (24, 1, 1))
    matrices[:, :3, 3] = rng.normal(size=(24, 3))
    scene.place(meshes * 2, matrices)
    asked = views(rng, np.zeros(3), 1.0)
    expected = objects_touching(fresh(scene), asked)
    with tuned(core, vertices_compared=most):
        steps, count = Running(objects_touching_steps(scene, asked)), 0
        while steps.step():
            count += 1
    np.testing.assert_array_equal(steps.result, expected)
    parts = {1: 12, 3 * 2_048: 4, 1 << 30: 1}[most]
    assert parts <= count <= parts + 2
