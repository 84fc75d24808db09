"""Item buffers in Blender: by the graphics card where that is safe and best, else in NumPy."""

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
    """Return what draws item buffers of a scene best here.

    Parameters
    ----------
    scene : SceneOctree
        Such as `scene_index().octree`.

    Returns
    -------
    ItemRenderer
        `GpuBuffer` where graphics are safe to use, else `ZBuffer`: also where there is no card,
        and software draws more slowly than the compiled kernel does. In background the first
        call of a session takes some seconds.
    """
    is_best = can_draw() and not (is_software() and has_kernel()) and draws_right()
    return GpuBuffer(scene) if is_best else ZBuffer(scene)


def is_software() -> bool:
    """Tell whether no card draws here, but a program, such as Mesa's llvmpipe."""
    return gpu.platform.device_type_get() == "SOFTWARE"


def has_kernel() -> bool:
    """Tell whether the compiled kernel answers."""
    _, why_not = kernel_state()
    return not why_not


@cache
def draws_right() -> bool:
    """Tell whether the card measures what NumPy does, of one triangle that hides another."""
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
