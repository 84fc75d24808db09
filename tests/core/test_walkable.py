"""Walks read the arrays that `Walkable` names and no others, of octrees and nodes alike."""

from dataclasses import dataclass, fields

import core_scenes as scenes
import numpy as np
import pytest
import scene_oracle as oracle

from core import Octree, SceneOctree, Spheres, build_octree, run
from core.descend import descend, expanded
from core.mailboxing import mailboxes_for
from core.nearby.walked import Search, branch_and_bound, seed
from core.rays.hits import crossings, ray_hits
from core.touch.rays import Rays
from core.volumes.walked import vouched
from core.walkable import Walkable

TREE = build_octree(scenes.random(400, 0.1), capacity=8)
POINTS = scenes.numbers(1).uniform(-1, 1, (30, 3))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bare(Walkable):
    """Has what walks may read, and nothing else."""

    whole: tuple[np.ndarray, np.ndarray, np.ndarray]

    roots = property(lambda self: self.whole[0])
    slacks = property(lambda self: self.whole[1])
    content_rows = property(lambda self: self.whole[2])


def bare(tree, questions=1):
    """Return the tree with one root for all questions, or one each."""
    whole = tree.roots.repeat(questions), tree.slacks.repeat(questions), tree.content_rows
    return Bare(whole=whole, **{each.name: getattr(tree, each.name) for each in fields(Walkable)})


def found_in_spheres(tree):
    found = [*descend(tree, Spheres(POINTS, np.full(30, 0.2)))]
    pairs = [np.stack(expanded(tree, each)) for each in found]
    sure = [np.stack(vouched(tree, tuple(each), "inside")[0]) for each in pairs]
    return np.concatenate(pairs, axis=1), np.concatenate(sure, axis=1)


def met_by_rays(tree):
    rays = Rays.of(POINTS.T, POINTS[::-1].T - POINTS.T, np.full(30, np.inf))

    def meet(pairs):
        numbers, entries = pairs
        where = crossings(tree.arranged, entries, rays, numbers)
        (met,) = np.isfinite(where).nonzero()
        return numbers[met], entries[met], where[met]

    steps = ray_hits(tree, rays, rays.limits.copy(), meet)
    return tuple(map(np.concatenate, zip(*steps, strict=True)))


def near_points(tree):
    search = Search(tree, POINTS.T, 3, np.full(30, np.inf))
    seed(search, mailboxes_for(len(tree.order)))
    found = branch_and_bound(search, None)
    return found.queries, found.begin, found.end, search.limits


@pytest.mark.parametrize("each", [1, 30])
@pytest.mark.parametrize("walk", [found_in_spheres, met_by_rays, near_points])
def test_walks_read_nothing_else_of_a_tree(walk, each):
    for wanted, found in zip(walk(TREE), walk(bare(TREE, each)), strict=True):
        assert len(wanted)
        np.testing.assert_array_equal(wanted, found)


def test_nodes_are_no_octree_and_say_nothing_that_octrees_say_of_one():
    scene = oracle.scene(np.random.default_rng(1), placements=4)
    nodes = run(scene._meshes.pool(np.arange(1))).asked(np.zeros(1, int), np.zeros(1))
    assert isinstance(nodes, Walkable) and not isinstance(nodes, Octree)
    names = {name for name in dir(nodes) if not name.startswith("_")}
    assert names - {"content", "starts"} == {
        name for name in dir(bare(TREE)) if not name.startswith("_")
    } - {"whole"}


def test_questions_about_meshes_begin_at_their_roots():
    rng = np.random.default_rng(2)
    scene = SceneOctree()
    meshes = [scene.add_mesh(oracle.mesh(rng, size)) for size in (40, 60, 50)]
    scene.place(meshes, oracle.matrices(rng, ["rigid"] * 3))
    pool = run(scene._meshes.pool(np.array([2, 0])))
    assert (pool.nodes.roots >= 0).tolist() == [True, False, True]
    asked = pool.asked(np.array([2, 0, 2]), np.array([0.5, 0.25, 0.0]))
    np.testing.assert_array_equal(asked.roots, pool.nodes.roots[[2, 0, 2]])
    np.testing.assert_array_equal(asked.slacks, [0.5, 0.25, 0])
