"""`embreex`: Intel's Embree by itself, the limit; single precision."""

from typing import NamedTuple

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene


class Tree(NamedTuple):
    """The scene, and the mesh, which must not be freed before it."""

    scene: EmbreeScene
    mesh: TriangleMesh


def build_triangles(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    """Hand over the mesh, and ask once: the scene is committed on the first question."""
    scene = EmbreeScene()
    mesh = TriangleMesh(scene, vertices.astype(np.float32), faces.astype(np.int32))
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    return Tree(scene, mesh)


def rays(tree: Tree, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, ...]:
    """Cast all rays at once."""
    hits = tree.scene.run(origins.astype(np.float32), directions.astype(np.float32), output=True)
    return hits["primID"].astype(np.intp), hits["tfar"], hits["Ng"], hits["u"], hits["v"]
