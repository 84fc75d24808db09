"""Item buffers in Blender, drawn by the GPU where that is safe and faster, else on the CPU."""

import logging
from functools import cache

import gpu
import numpy as np

from ...core import ItemRenderer, SceneOctree, Triangles, ZBuffer, kernel_state, visibility
from .gpu_buffer import GpuBuffer
from .gpu_context import can_draw
from .open_faces import Clear, clear_of, scene_without
from .recorder import Recorder

__all__ = [
    "Clear",
    "GpuBuffer",
    "Recorder",
    "can_draw",
    "clear_of",
    "draws_right",
    "renderer_of",
    "scene_without",
]

log = logging.getLogger(__name__)


def renderer_of(scene: SceneOctree) -> ItemRenderer:
    """Return the best renderer of item buffers for a scene on this machine.

    Parameters
    ----------
    scene : SceneOctree
        The scene to draw, such as `scene_index().octree`.

    Returns
    -------
    ItemRenderer
        A `GpuBuffer` if the `gpu` module is safe to use and draws correctly, else a `ZBuffer`. If
        the GPU is emulated in software, the compiled kernel of `ZBuffer` is preferred, as it is
        faster. In background mode, the first call of a session takes some seconds.
    """
    is_best = can_draw() and not (is_software() and has_kernel()) and draws_right()
    return GpuBuffer(scene) if is_best else ZBuffer(scene)


def is_software() -> bool:
    """Return whether the GPU is emulated in software, such as by Mesa's llvmpipe."""
    return gpu.platform.device_type_get() == "SOFTWARE"


def has_kernel() -> bool:
    """Return whether the compiled kernel is available."""
    _, why_not = kernel_state()
    return not why_not


@cache
def draws_right() -> bool:
    """Return whether GPU and NumPy agree on a test scene, where one triangle hides another."""
    scene = SceneOctree()
    low, high = ([[-0.7, -0.7, z], [0.8, -0.7, z], [-0.7, 0.8, z]] for z in (0.0, 0.4))
    meshes = [scene.add_mesh(Triangles(corners, [[0, 1, 2]])) for corners in (low, high)]
    nearer = np.diag([0.5, 0.5, 1.0, 1.0])
    scene.place(meshes, [np.eye(4), nearer])
    view = [np.diag([1.0, 1.0, -1.0, 1.0])]
    try:
        drawn, known = (
            visibility(made, view, size=(8, 8)) for made in (GpuBuffer(scene), ZBuffer(scene))
        )
    except Exception:
        log.exception("The graphics card draws no item buffers")
        return False
    names = ("states", "visible", "amodal", "visible_boxes")
    return all(np.array_equal(getattr(drawn, name), getattr(known, name)) for name in names)
