"""Item buffers in Blender: by the graphics card where that is safe, else in NumPy."""

from ...core import ItemRenderer, SceneOctree, ZBuffer
from .gpu_buffer import GpuBuffer
from .gpu_context import can_draw

__all__ = ["GpuBuffer", "can_draw", "renderer_of"]


def renderer_of(scene: SceneOctree) -> ItemRenderer:
    """Return what draws item buffers of a scene best here; in background the first takes seconds.

    Parameters
    ----------
    scene : SceneOctree
        Such as `scene_index().octree`.

    Returns
    -------
    ItemRenderer
        `GpuBuffer` where graphics are safe to use, else `ZBuffer`.
    """
    return GpuBuffer(scene) if can_draw() else ZBuffer(scene)
