"""The bottom level grows and shrinks in place, and is prepared in steps that may be cut short."""

import numpy as np
import pytest
import scene_oracle as oracle
from costs import bytes_made
from scene_oracle import Baked

from core import SceneOctree, Spheres, Triangles, nearest, query, ray_cast, run
from core.scene import pool as pool_module

EVERYWHERE = Spheres([[0, 0, 0]], [1e6])
SOMEWHERE = Spheres([[0, 0, 0], [3, 0, 0]], [1, 2])


def one_by_one(sizes):
    rng = np.random.default_rng(len(sizes))
    scene = SceneOctree()
    for size in sizes:
        scene.add_mesh(oracle.mesh(rng, size))
    return rng, scene


def answers_as_if_baked(scene):
    baked = Baked(scene)
    wanted = baked.renumbered(query(baked.tree, SOMEWHERE))
    np.testing.assert_array_equal(query(scene, SOMEWHERE), wanted)
    points = [[0, 1, 2], [3, 0, 1]]
    wanted, found = nearest(baked.tree, points, count=4), nearest(scene, points, count=4)
    np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))
    rays = ([[9, 8, 7], [0, 0, 0]], [[-9, -8, -7], [1, 1, 1]])
    wanted, found = ray_cast(baked.tree, *rays), ray_cast(scene, *rays)
    np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))
    scene.check()


def test_meshes_that_pictures_entered_answer_as_if_they_had_not():
    """Also if that was between two steps, and after tables of all triangles have been made."""
    rng, scene = one_by_one([70, 90, 200, 40, 300])
    scene.place(np.arange(5), oracle.matrices(rng, ["rigid", "uneven", "flat", "rigid", "tiny"]))
    meshes = scene._meshes
    run(scene.prepare_steps([1]))
    pool = meshes.entered(np.array([0, 1]))
    assert (pool.nodes.roots[:2] >= 0).tolist() == [False, True]
    assert len(pool.arranged.planes.T) == len(pool.arranged.bounding_spheres.T) == len(pool.order)
    for count in range(3):
        steps = scene.prepare_steps(np.arange(5)[::-1])
        for _, _ in zip(range(count), steps, strict=False):
            meshes.entered(np.array([3, 2, 0]))
        steps.close()
    steps = scene.prepare_steps()
    next(steps)
    meshes.entered(np.arange(5))
    run(steps)
    assert len(meshes.entered(np.arange(5)).order) == 700
    answers_as_if_baked(scene)


def test_meshes_that_come_one_by_one_answer_as_if_they_had_come_together():
    rng, scene = one_by_one([70, 3, 200, 0, 90, 40])
    for mesh in range(6):
        scene.place([mesh, mesh], oracle.matrices(rng, ["rigid", "uneven"]))
        answers_as_if_baked(scene)


def test_meshes_that_go_leave_the_others_as_they_are():
    rng, scene = one_by_one([150, 300, 80, 500])
    scene.place([0, 1, 2, 3], oracle.matrices(rng, ["rigid"] * 4))
    answers_as_if_baked(scene)
    for size in (400, 20, 700, 5):
        scene.replace_mesh(1, oracle.mesh(rng, size))
        answers_as_if_baked(scene)
    scene.remove([1, 3])
    scene.remove_mesh(1)
    scene.remove_mesh(3)
    answers_as_if_baked(scene)


def test_a_new_mesh_costs_what_it_is():
    rng, scene = one_by_one([0, 50, 50, 50, 50])
    x, y = np.divmod(np.arange(120_000), 300)
    corners = np.stack((x, y, np.sin(x) * np.cos(y)), axis=1)[:, None] + np.eye(3)
    faces = np.arange(360_000).reshape(-1, 3)
    scene.replace_mesh(0, Triangles(corners.reshape(-1, 3), faces))
    scene.place([0], np.eye(4)[None])
    query(scene, SOMEWHERE)
    made = []
    for mesh in range(1, 5):
        matrix = oracle.matrices(rng, ["rigid"])
        matrix[:, 0, 3] += 1000.0
        scene.place([mesh], matrix)
        near = Spheres(matrix[:, :3, 3], [0.5])
        made.append(bytes_made(lambda near=near: query(scene, near)))
    # The first that comes may make room for the next ones.
    assert 4 * max(made[1:]) < max(made[0], corners.nbytes), made


def test_what_is_replaced_gives_its_room_back():
    rng, scene = one_by_one([2_000])
    scene.place([0], np.eye(4)[None])
    query(scene, SOMEWHERE)
    for _ in range(12):
        scene.replace_mesh(0, oracle.mesh(rng, 2_000))
        query(scene, SOMEWHERE)
    assert len(run(scene._meshes.pool(np.zeros(1, int))).order) < 3 * 2_000


def fractions_of(steps):
    fractions = list(steps)
    assert fractions == sorted(fractions) and 0 <= min(fractions, default=0)
    assert max(fractions, default=1) <= 1
    return fractions


def test_what_is_prepared_is_not_built_by_questions(monkeypatch):
    rng, scene = one_by_one([300, 400, 500, 600])
    scene.place([0, 1, 1, 3], oracle.matrices(rng, ["rigid"] * 4))
    assert fractions_of(scene.prepare_steps([1]))
    assert len(fractions_of(scene.prepare_steps())) > 10
    assert fractions_of(scene.prepare_steps()) == []
    monkeypatch.setattr(pool_module, "_indexed", None)
    answers_as_if_baked(scene)
    monkeypatch.undo()
    scene.place([2], np.eye(4)[None])
    answers_as_if_baked(scene)


@pytest.mark.parametrize("stop", [1, 5, 9, 14, 20, 30])
def test_a_scene_that_changes_while_it_is_prepared_is_right_at_any_time(stop):
    rng, scene = one_by_one([300, 400, 0, 200, 20])
    scene.place([0, 1, 2, 3, 4], oracle.matrices(rng, ["rigid"] * 5))
    steps = scene.prepare_steps()
    for _ in range(stop):
        next(steps, None)
    scene.replace_mesh(0, oracle.mesh(rng, 250))
    scene.replace_mesh(1, oracle.mesh(rng, 150))
    scene.remove([3])
    scene.remove_mesh(3)
    query(scene, SOMEWHERE)
    fractions_of(steps)
    answers_as_if_baked(scene)


def test_preparing_may_be_dropped_and_refused():
    rng, scene = one_by_one([300, 400])
    scene.place([0, 1], oracle.matrices(rng, ["rigid"] * 2))
    steps = scene.prepare_steps()
    next(steps)
    steps.close()
    for bad in ([2], [-1], [0.5], "all"):
        with pytest.raises(ValueError, match="meshes"):
            scene.prepare_steps(bad)
    answers_as_if_baked(scene)
    assert fractions_of(SceneOctree().prepare_steps()) == []
