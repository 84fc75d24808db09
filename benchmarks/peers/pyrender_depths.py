"""`pyrender`: OpenGL depths of all objects together and of each object, as in BlenderProc's masks.

BlenderProc's BOP writer renders each object by itself and compares its depth with that of the
scene, with a tolerance of 15 of its units, which are millimeters.
"""

import os
from typing import NamedTuple

import numpy as np

os.environ.setdefault("PYOPENGL_PLATFORM", "egl")  # without a display
import pyrender
import trimesh

TOLERANCE = 0.015


class Tree(NamedTuple):
    """The scene without objects, what renders it, and the objects."""

    scene: pyrender.Scene
    renderer: pyrender.OffscreenRenderer
    nodes: list[pyrender.Node]

    def depth(self) -> np.ndarray:
        """Render what is in the scene: depths (h, w), 0 for none."""
        return self.renderer.render(self.scene, flags=pyrender.RenderFlags.DEPTH_ONLY)


def build_objects(
    vertices: np.ndarray,
    faces: np.ndarray,
    matrices: np.ndarray,
    pose: np.ndarray,
    lens: np.ndarray,
    size: np.ndarray,
) -> Tree:
    """Place one mesh (n) times, before a camera: vertical angle, near and far are its lens."""
    scene = pyrender.Scene()
    angle, near, far = lens.tolist()
    width, height = size.tolist()
    camera = pyrender.PerspectiveCamera(angle, near, far, aspectRatio=width / height)
    scene.add(camera, pose=pose)
    shape = trimesh.Trimesh(vertices, faces, process=False)
    # As we do, it sees both sides.
    material = pyrender.MetallicRoughnessMaterial(doubleSided=True)
    mesh = pyrender.Mesh.from_trimesh(shape, material=material, smooth=True)
    nodes = [pyrender.Node(mesh=mesh, matrix=matrix) for matrix in matrices]
    return Tree(scene, pyrender.OffscreenRenderer(width, height), nodes)


def objects(tree: Tree) -> tuple[np.ndarray, ...]:
    """Count visible and amodal pixels of each object, (n,)."""
    for node in tree.nodes:
        tree.scene.add_node(node)
    together = tree.depth()
    for node in tree.nodes:
        tree.scene.remove_node(node)
    counts = [_counts(tree, node, together) for node in tree.nodes]
    return tuple(np.array(counts, np.intp).T)


def _counts(tree: Tree, node: pyrender.Node, together: np.ndarray) -> tuple[int, int]:
    tree.scene.add_node(node)
    alone = tree.depth()
    tree.scene.remove_node(node)
    covered = alone > 0
    visible = covered & (alone <= together + TOLERANCE)
    return np.count_nonzero(visible), np.count_nonzero(covered)
