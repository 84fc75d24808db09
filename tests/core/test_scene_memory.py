"""Memory of a scene grows with distinct meshes, not placements; queries run in blocks."""

import tracemalloc

import numpy as np
import pytest
import scene_oracle as oracle
from costs import most_held

from core import (
    SceneOctree,
    Spheres,
    nearest,
    objects_touching,
    overlapping_objects,
    query,
    query_count,
    ray_cast,
)

COUNT = 10_000
MIDDLES = np.random.default_rng(1).uniform(0, 70, (COUNT, 3))


@pytest.fixture(scope="module")
def forest():
    """Place three meshes of 400 triangles so often that four million are placed."""
    rng = np.random.default_rng(0)
    scene = SceneOctree()
    for _ in range(3):
        scene.add_mesh(oracle.mesh(rng, 400, size=0.5))
    matrices = oracle.matrices(rng, ["rigid"] * 100)[rng.integers(100, size=COUNT)]
    matrices[:, :3, 3] = MIDDLES
    tracemalloc.start()
    masks = np.where(np.arange(COUNT) < COUNT // 20, 3, 1)
    scene.place(rng.integers(3, size=COUNT), matrices, groups=masks)
    for _ in scene.prepare_steps():
        pass
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return scene, held, peak


def test_placements_take_little(forest):
    _, held, peak = forest
    assert held < 700 * COUNT
    assert peak < 3_000 * COUNT


SPHERES = Spheres(MIDDLES, np.full(COUNT, 0.3))
ALL = Spheres([[35, 35, 35]], [1e3])
ASKS = {
    "spheres": lambda scene: query(scene, SPHERES),
    "all of them": lambda scene: objects_touching(scene, ALL),
    "how many": lambda scene: query_count(scene, ALL),
    "rays": lambda scene: ray_cast(scene, MIDDLES + 2, MIDDLES[::-1] - MIDDLES),
    "nearest": lambda scene: nearest(scene, MIDDLES[:2_000] + 1),
    "pairs": lambda scene: overlapping_objects(scene, groups=2),
}


@pytest.mark.parametrize("ask", ASKS)
def test_questions_take_blocks(forest, ask):
    scene, _, _ = forest
    # Four million baked triangles would take 600 MB.
    assert most_held(lambda: ASKS[ask](scene)) < 100_000_000
