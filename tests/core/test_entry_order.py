"""The order in which the pool holds triangles shows in no answer, down to the last bit."""

from dataclasses import replace

import audit_scenes as solids
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pytest import MonkeyPatch
from steps_world import arrays_of

from core import (
    SceneOctree,
    Spheres,
    Triangles,
    audit,
    distances,
    fits,
    nearest,
    overlapping_objects,
    overlapping_pairs,
    query,
    ray_cast_all,
    separate,
    slide,
    use_kernel,
)
from core.scene import pool as pool_module
from core.scene.growing import GrownTriangles


def grid(side, height):
    """Return a level grid of 2 side * side equal triangles."""
    x, y = np.divmod(np.arange((side + 1) ** 2), side + 1)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    quads = corner[:, None] + [0, side + 1, side + 2, 0, side + 2, 1]
    places = np.stack((x / side * 4 - 2, y / side * 4 - 2, height + 0.0 * x), axis=1)
    return Triangles(places, quads.reshape(-1, 3))


def heap():
    """Place equal boxes and grids that touch, lie flush, cross, and hang above each other."""
    scene = SceneOctree()
    box, level = solids.box((0, 0, 0), (1, 1, 1)), grid(7, 0.0)
    meshes = [scene.add_mesh(each) for each in (box, level, solids.ball(0.7, 8))]
    shifts = [(0, 0, 0), (1, 0, 0), (0, 0, 1), (0.5, 0.5, 2), (0.25, 0.25, 0.25), (3, 0, 0.5)]
    frames = np.tile(np.eye(4), (len(shifts) + 4, 1, 1))
    frames[: len(shifts), :3, 3] = shifts
    frames[len(shifts) :, 2, 3] = [-1, -1, -0.5, 4]
    frames[-1, :3, :3] = [[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]
    frames[-2, 0, 3] = 0.5
    scene.place([meshes[0]] * len(shifts) + [meshes[1]] * 2 + [meshes[2]] * 2, frames)
    return scene


ANSWERS = {
    "pairs": overlapping_pairs,
    "pairs within": lambda s: overlapping_pairs(s, within=True, skip_neighbours=True),
    "pairs within a margin": lambda s: overlapping_pairs(s, within=True, margin=0.05),
    "objects": lambda s: overlapping_objects(s, margin=0.1),
    "distances": lambda s: distances(s, [[0, 1, 3, 0, 9, 4], [5, 2, 5, 4, 8, 9]]),
    "slide": lambda s: slide(s, s.ids[:6], [0, 0, -1]),
    "slide askew": lambda s: slide(s, s.ids[1:], [0.25, -0.125, -0.75]),
    "separate": lambda s: separate(s, s.ids[:6]),
    "fits": lambda s: fits(s, solids.ball(0.3, 6), np.tile(np.eye(4), (3, 1, 1)), clearance=0.1),
    "audit": lambda s: audit(s, band=0.01, clearance=0.3),
    "nearest": lambda s: nearest(s, [[0.5, 0.5, 3], [0, 0, 9], [1, 1, 1]], count=5),
    "rays": lambda s: ray_cast_all(s, [[0.5, 0.5, 9], [0, 0, 9]], [[0, 0, -1], [0, 0, -1]]),
    "query": lambda s: query(s, Spheres([[0, 0, 0], [1, 1, 1]], [1.1, 0.5])),
}


def reordered(meshes, indexed=pool_module._indexed, seed=3):
    """Lay meshes out with the triangles of each leaf in another order."""
    made = yield from indexed(meshes)
    nodes, random = made.nodes, np.random.default_rng(seed)
    keys = np.empty(len(made.order), np.intp)
    for begin, end in zip(nodes.begin[nodes.is_leaf], nodes.end[nodes.is_leaf], strict=True):
        keys[begin:end] = begin + random.permutation(end - begin)
    faces = np.ascontiguousarray(made.arranged.faces.T[:, keys])
    arranged = GrownTriangles(made.arranged.vertices.T, faces, {})
    return replace(made, arranged=arranged, order=made.order[keys])


@pytest.mark.parametrize("kernel", [True, False])
@pytest.mark.parametrize("name", ANSWERS)
def test_the_order_of_entries_shows_in_no_answer(name, kernel):
    use_kernel(kernel)
    try:
        wanted = ANSWERS[name](heap())
        with MonkeyPatch.context() as patched:
            patched.setattr(pool_module, "_indexed", reordered)
            scene = heap()
            found = ANSWERS[name](scene)
            scene.check()
    finally:
        use_kernel(True)
    for one, other in zip(arrays_of(found), arrays_of(wanted), strict=True):
        assert_array_equal(one, other)
    assert sum(each.size for each in arrays_of(wanted))
