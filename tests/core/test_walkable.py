"""Walks read the arrays that `Walkable` names and no others, of octrees and forests alike."""

from dataclasses import dataclass, fields

import core_scenes as scenes
import numpy as np
import pytest
import scene_oracle as oracle

from core import Octree, SceneOctree, Spheres, build_octree
from core.descend import descend, expanded
from core.mailboxing import mailboxes_for
from core.nearest.search import Search, branch_and_bound, seed
from core.query import vouched
from core.rays.crossings import Rays
from core.rays.hits import ray_hits
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
    steps = ray_hits(tree, rays, rays.limits.copy())
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


def test_a_forest_is_no_octree_and_says_nothing_that_octrees_say_of_one():
    scene = oracle.scene(np.random.default_rng(1), placements=4)
    forest = scene._meshes.forest(np.arange(1))
    assert isinstance(forest, Walkable) and not isinstance(forest, Octree)
    more = {"asked", "tree_roots", "tree_slacks"}
    names = {name for name in dir(forest) if not name.startswith("_")}
    assert names - more == {name for name in dir(bare(TREE)) if not name.startswith("_")} - {
        "whole"
    }


def test_questions_about_meshes_begin_at_their_roots():
    rng = np.random.default_rng(2)
    scene = SceneOctree(capacity=4)
    meshes = [scene.add_mesh(oracle.mesh(rng, size)) for size in (40, 60, 50)]
    scene.place(meshes, oracle.matrices(rng, ["rigid"] * 3))
    forest = scene._meshes.forest(np.array([2, 0]))
    assert (forest.tree_roots >= 0).tolist() == [True, False, True]
    asked = forest.asked(np.array([2, 0, 2]), np.array([0.5, 0.25, 0.0]))
    np.testing.assert_array_equal(asked.roots, forest.tree_roots[[2, 0, 2]])
    np.testing.assert_array_equal(asked.slacks, forest.tree_slacks[[2, 0, 2]] + [0.5, 0.25, 0])
