"""Scenes that change: every state is the scene made anew, and what is refused changes nothing."""

import numpy as np
import pytest
import scene_oracle as oracle
from examples import examples
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from scene_oracle import KINDS, Baked

from core import (
    Boxes,
    SceneOctree,
    Spheres,
    Triangles,
    nearest,
    objects_touching,
    overlapping_pairs,
    query,
    query_any,
    query_count,
    ray_cast,
    ray_cast_all,
    ray_test,
    save,
    statistics,
)
from core.scene import pool as pool_module
from core.scene.moment import Moment

SEEDS = st.integers(0, 2**32 - 1)
EVERYWHERE = Boxes([[-1e12] * 3], [[1e12] * 3])


def triangle(scale=1.0):
    return Triangles(scale * np.eye(3), [[0, 1, 2]])


def moved(x, y=0.0, z=0.0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


class Walk(RuleBasedStateMachine):
    """Meshes and placements come, change and go."""

    def __init__(self):
        super().__init__()
        self.scene = SceneOctree()
        self.meshes = []

    @rule(seed=SEEDS, size=st.integers(0, 12))
    def add_mesh(self, seed, size):
        mesh = oracle.mesh(np.random.default_rng(seed), size)
        self.meshes.append(self.scene.add_mesh(mesh))

    @rule(seed=SEEDS, count=st.integers(0, 4), kind=st.sampled_from(KINDS[:5]))
    def place(self, seed, count, kind):
        rng = np.random.default_rng(seed)
        if self.meshes:
            chosen = rng.choice(self.meshes, count).astype(int)
            born = self.scene.place(chosen, oracle.matrices(rng, [kind] * count))
            assert (self.scene.meshes_of(born) == chosen).all()

    @rule(seed=SEEDS, kind=st.sampled_from(KINDS[:5]))
    def move(self, seed, kind):
        rng = np.random.default_rng(seed)
        some = self.scene.ids[rng.random(len(self.scene)) < 0.5]
        there = oracle.matrices(rng, [kind] * len(some))
        self.scene.move(some, there)
        np.testing.assert_array_equal(self.scene.matrices_of(some), there)

    @rule(seed=SEEDS)
    def lose(self, seed):
        rng = np.random.default_rng(seed)
        some = self.scene.ids[rng.random(len(self.scene)) < 0.2]
        self.scene.move(some, np.full((len(some), 4, 4), np.nan))
        assert set(some) <= set(self.scene.invalid_ids)

    @rule(seed=SEEDS)
    def remove(self, seed):
        some = self.scene.ids[np.random.default_rng(seed).random(len(self.scene)) < 0.3]
        self.scene.remove(some)
        assert not np.isin(some, self.scene.ids).any()

    @rule(seed=SEEDS, size=st.integers(0, 12))
    def replace_mesh(self, seed, size):
        rng = np.random.default_rng(seed)
        if self.meshes:
            self.scene.replace_mesh(int(rng.choice(self.meshes)), oracle.mesh(rng, size))

    @rule()
    def remove_meshes(self):
        used = set(self.scene.meshes_of(self.scene.ids).tolist())
        for mesh in set(self.meshes) - used:
            self.scene.remove_mesh(mesh)
        self.meshes = sorted(used)

    @invariant()
    def it_holds_together(self):
        self.scene.check()

    @invariant()
    def it_answers_as_if_baked(self):
        baked = Baked(self.scene)
        for volumes in (EVERYWHERE, Spheres([[0, 0, 0], [3, 0, 0]], [2, 4])):
            wanted = baked.renumbered(query(baked.tree, volumes))
            np.testing.assert_array_equal(query(self.scene, volumes), wanted)
        wanted = nearest(baked.tree, [[1, 2, 3]], count=3)
        found = nearest(self.scene, [[1, 2, 3]], count=3)
        np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))
        rays = ([[9, 8, 7], [0, 0, 0]], [[-9, -8, -7], [1, 1, 1]])
        wanted, found = ray_cast(baked.tree, *rays), ray_cast(self.scene, *rays)
        np.testing.assert_array_equal((found.placements, found.items), baked.named(wanted.items))


Walk.TestCase.settings = examples(12, stateful_step_count=12)
test_walks = Walk.TestCase


@pytest.fixture
def scene():
    made = SceneOctree()
    made.add_mesh(triangle())
    made.add_mesh(triangle(2.0))
    made.place([0, 0, 1], [moved(0), moved(10), moved(20)], groups=[1, 2, 3])
    return made


def state(scene):
    return (
        scene.ids.tolist(),
        scene.meshes_of(scene.ids).tolist(),
        scene.matrices_of(scene.ids).tolist(),
        query(scene, EVERYWHERE).tolist(),
    )


NO_AFFINE = moved(0) + np.array([[0], [0], [0], [1]])
REFUSED = [
    (lambda s: s.place([2], [moved(0)]), "meshes"),
    (lambda s: s.place([-1], [moved(0)]), "meshes"),
    (lambda s: s.place([0, 1], [moved(0)]), "same length"),
    (lambda s: s.place([0], [np.eye(3)]), "matrices must have shape"),
    (lambda s: s.place([0], [NO_AFFINE]), "end in the row 0, 0, 0, 1"),
    (lambda s: s.place([0], [moved(0)], groups=-1), "groups"),
    (lambda s: s.place([0.5], [moved(0)]), "whole numbers"),
    (lambda s: s.move([3], [moved(0)]), "ids"),
    (lambda s: s.move([1, 1], [moved(0)] * 2), "not repeat"),
    (lambda s: s.move([1], [moved(0)] * 2), "same length"),
    (lambda s: s.move([1], [NO_AFFINE]), "end in the row"),
    (lambda s: s.remove([0, 7]), "ids"),
    (lambda s: s.remove([0, 0]), "not repeat"),
    (lambda s: s.add_mesh([[0, 0, 0]]), "triangles must be one of Triangles"),
    (lambda s: s.replace_mesh(5, triangle()), "mesh"),
    (lambda s: s.replace_mesh(0, EVERYWHERE), "triangles must be"),
    (lambda s: s.replace_mesh(True, triangle()), "mesh"),
    (lambda s: s.remove_mesh(0), "must not be placed"),
    (lambda s: s.remove_mesh(9), "mesh"),
    (lambda s: s.meshes_of([4]), "ids"),
    (lambda s: s.matrices_of([-1]), "ids"),
    (lambda s: query(s, EVERYWHERE, relation="near"), "relation"),
    (lambda s: query(s, Spheres([[np.nan, 0, 0]], [1])), "finite"),
    (lambda s: query(s, triangle()), "volumes"),
    (lambda s: query(s, EVERYWHERE, groups=-1), "groups"),
    (lambda s: ray_cast(s, [[0, 0, 0]], [[0, 0, 0]]), "directions"),
    (lambda s: nearest(s, [[0, 0, np.inf]]), "points"),
    (lambda s: nearest(s, [[0, 0, 0]], count=0), "count"),
    (lambda s: overlapping_pairs(s, s), "other"),
    (lambda s: overlapping_pairs(s, margin=-1), "margin"),
    (statistics, "tree"),
    (lambda s: save(s, "nowhere"), "tree"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_refused_changes_nothing(scene, call, message):
    before = state(scene)
    with pytest.raises(ValueError, match=message):
        call(scene)
    assert state(scene) == before
    scene.check()


def test_removed_ids_and_meshes_are_gone_for_good(scene):
    scene.remove([2])
    scene.remove_mesh(1)
    for call in (
        lambda: scene.move([2], [moved(0)]),
        lambda: scene.place([1], [moved(0)]),
        lambda: scene.remove_mesh(1),
    ):
        with pytest.raises(ValueError):
            call()
    assert scene.add_mesh(triangle()) == 2
    assert scene.place([2], [moved(0)]).tolist() == [3]
    assert scene.ids.tolist() == [0, 1, 3]
    scene.check()


def test_groups_are_those_of_placements(scene):
    for mask, wanted in ((1, [0, 2]), (2, [1, 2]), (4, []), (3, [0, 1, 2])):
        assert query(scene, EVERYWHERE, groups=mask)[1].tolist() == wanted
        assert query_count(scene, EVERYWHERE, groups=mask).tolist() == [len(wanted)]
        assert query_any(scene, EVERYWHERE, groups=mask).tolist() == [len(wanted) > 0]
        found = objects_touching(scene, EVERYWHERE, groups=mask)
        assert found[1].tolist() == wanted
        found = nearest(scene, [[0, 0, 0]], count=3, groups=mask).placements[0]
        assert sorted(found[found >= 0].tolist()) == wanted
        ray = ([[-1, 0.3, 0.3]], [[1, 0, 0]])
        assert ray_cast_all(scene, *ray, groups=mask).pairs[1].tolist() == wanted
        assert ray_test(scene, *ray, groups=mask).tolist() == [len(wanted) > 0]


def test_a_matrix_that_is_not_finite_sets_its_placement_aside(scene):
    bad = moved(0)
    bad[1, 1] = np.inf
    scene.move([1], [bad])
    assert scene.invalid_ids.tolist() == [1]
    assert query(scene, EVERYWHERE)[1].tolist() == [0, 2]
    assert np.isnan(scene.bounds_of([1]).lower).all()
    scene.move([1], [moved(5)])
    assert scene.invalid_ids.tolist() == []
    assert query(scene, EVERYWHERE)[1].tolist() == [0, 1, 2]
    scene.check()


def test_a_move_costs_what_moved(scene):
    there = scene.matrices_of(scene.ids)
    there[2] = np.nan
    scene.move(scene.ids, there)
    top = scene._top.octree
    scene.move(scene.ids, there)
    assert scene._top.octree is top
    moved_ids = []
    move = scene._top.move
    scene._top.move = lambda ids, boxes: moved_ids.append(ids.tolist()) or move(ids, boxes)
    there[1] = moved(7)
    scene.move(scene.ids, there)
    assert moved_ids == [[1]]
    np.testing.assert_array_equal(scene.matrices_of([1])[0], moved(7))
    scene.check()


def test_triangles_that_are_not_finite_are_set_aside():
    vertices = np.concatenate((np.eye(3), np.full((3, 3), np.nan), 3 + np.eye(3)))
    scene = SceneOctree()
    mesh = scene.add_mesh(Triangles(vertices, np.arange(9).reshape(3, 3)))
    scene.place([mesh], [moved(1)])
    wanted = [[0, 0], [0, 0], [0, 2]]
    assert query(scene, EVERYWHERE).tolist() == wanted
    assert query(scene, Spheres([[3, 2, 2]], [9])).tolist() == wanted
    assert query_count(scene, EVERYWHERE).tolist() == [2]
    found = nearest(scene, [[0, 0, 0]], count=3)
    assert found.items.tolist() == [[0, 2, -1]]
    scene.check()


def test_a_mesh_that_is_replaced_takes_its_placements_along(scene):
    scene.replace_mesh(0, triangle(5.0))
    assert scene.bounds_of([0]).upper.max() > 4.9
    assert query(scene, Spheres([[0, 0, 5]], [0.1]))[1].tolist() == [0]
    scene.replace_mesh(0, Triangles([], []))
    assert query(scene, EVERYWHERE)[1].tolist() == [2]
    scene.replace_mesh(0, triangle())
    assert query(scene, EVERYWHERE)[1].tolist() == [0, 1, 2]
    scene.check()


def test_a_hundred_thousand_placements_of_one_triangle():
    scene = SceneOctree()
    mesh = scene.add_mesh(triangle(0.5))
    matrices = np.tile(np.eye(4), (100_000, 1, 1))
    matrices[:, :3, 3] = np.stack(np.unravel_index(np.arange(100_000), (50, 50, 40)), axis=1)
    scene.place(np.full(100_000, mesh), matrices)
    assert query_count(scene, EVERYWHERE).tolist() == [100_000]
    found = query(scene, Spheres([[10, 10, 10]], [1.1]))
    assert set(map(tuple, matrices[found[1], :3, 3])) >= {(10, 10, 10), (11, 10, 10)}
    assert found.shape[1] < 20


@pytest.mark.usefixtures("in_numpy")
def test_meshes_are_indexed_when_a_question_needs_them(monkeypatch):
    indexed, make = [], pool_module._indexed
    monkeypatch.setattr(pool_module, "_indexed", lambda some: indexed.extend(some) or make(some))
    rng = np.random.default_rng(0)
    scene = SceneOctree()
    for size in (300, 600, 900):
        scene.add_mesh(oracle.mesh(rng, size))
    scene.place([0, 1, 0], [moved(0), moved(100), moved(200)])
    query(scene, EVERYWHERE)
    query(scene, Spheres([[50, 0, 0]], [1]))
    assert indexed == []
    query(scene, Spheres([[0, 0, 0]], [1]))
    query(scene, Spheres([[200, 0, 0]], [1]))
    assert [len(mesh.valid) for mesh in indexed] == [300]
    ray_cast(scene, [[100, 0, -50]], [[0, 0, 1]])
    assert [len(mesh.valid) for mesh in indexed] == [300, 600]


@pytest.mark.usefixtures("in_numpy")
def test_no_farther_mesh_is_asked_than_the_hit(monkeypatch):
    asked = []

    def watched(moment, all_rays, pairs, closest, see=Moment.local_rays):
        asked.append((pairs.rays, pairs.entries))
        return see(moment, all_rays, pairs, closest)

    monkeypatch.setattr(Moment, "local_rays", watched)
    rng = np.random.default_rng(4)
    scene = oracle.scene(rng, placements=300, triangles=200)
    origins = rng.normal(0, 12, (2000, 3))
    hits = ray_cast(scene, origins, rng.normal(0, 4, (2000, 3)) - origins)
    numbers, entries = (np.concatenate(each) for each in zip(*asked, strict=True))
    # The last few rays look at several placements at a time.
    farther = entries > hits.distances[numbers]
    assert (hits.items >= 0).mean() > 0.2
    assert farther.sum() <= 256 * len(asked) / 4
    assert farther.mean() < 0.05


def test_what_a_question_costs_does_not_grow_with_what_it_does_not_touch():
    scene = oracle.scene(np.random.default_rng(1), placements=50)
    before = query(scene, Spheres([[0, 0, 0]], [3]))
    scene.place([0] * 20, [moved(1000 + i) for i in range(20)])
    np.testing.assert_array_equal(query(scene, Spheres([[0, 0, 0]], [3])), before)
