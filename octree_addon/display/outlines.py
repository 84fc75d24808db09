"""Lines on the graphics card; outlines of volumes and views: points (v, 3), edges (e, 2)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

from ...core import Frusta, Spheres
from ..answers import Ray
from ..arrays import Floats
from ..camera import camera_frusta

_FRUSTUM_EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4)]
_FRUSTUM_EDGES += [(0, 4), (1, 5), (2, 6), (3, 7)]
_CIRCLE = 64  # corners
_WIDTH = 2.0  # pixels
_COLOR = (1.0, 1.0, 1.0, 0.8)


def line_batch(points: NDArray[np.float32], edges: NDArray[np.uint32]) -> gpu.types.GPUBatch:
    """Upload (v, 3) points and the (e, 2) edges between them.

    Nothing checks types: anything but contiguous float32 is drawn as garbage.
    """
    indices = gpu.types.GPUIndexBuf(type="LINES", seq=edges)
    return gpu.types.GPUBatch(type="LINES", buf=vertex_buffer(points), elem=indices)


def vertex_buffer(points: NDArray[np.float32]) -> gpu.types.GPUVertBuf:
    """Upload (v, 3) points."""
    layout = gpu.types.GPUVertFormat()
    layout.attr_add(id="pos", comp_type="F32", len=3, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, len(points))
    vertices.attr_fill("pos", points)
    return vertices


@contextmanager
def blended(in_front: bool) -> Iterator[None]:
    """Set blending and depth test, and restore the state at the end."""
    state = gpu.state
    before = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    try:
        state.blend_set("ALPHA")
        state.depth_test_set("NONE" if in_front else "LESS_EQUAL")
        state.depth_mask_set(False)
        yield
    finally:
        state.blend_set(before[0])
        state.depth_test_set(before[1])
        state.depth_mask_set(before[2])


def line_shader(pixels: float) -> gpu.types.GPUShader:
    """Bind the shader for lines of this width; only the slower one takes a width."""
    width = round(pixels * bpy.context.preferences.system.ui_scale)
    if width <= 1:
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        return shader
    shader = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", width)
    return shader


class Outline(NamedTuple):
    """Lines in world space, ready for the graphics card.

    Attributes
    ----------
    points : ndarray of float32, shape (v, 3)
        Their ends.
    edges : ndarray of uint32, shape (e, 2)
        Which two points each joins.
    """

    points: NDArray[np.float32]
    edges: NDArray[np.uint32]


def outline_of(shape: Frusta | Spheres | Ray) -> Outline:
    """Return the edges of a frustum, three circles around a sphere, or a ray as a line."""
    if isinstance(shape, Frusta):
        return Outline(
            np.ascontiguousarray(shape.corners[0], np.float32),
            np.array(_FRUSTUM_EDGES, np.uint32),
        )
    if isinstance(shape, Spheres):
        return _circles(shape.centers[0], float(shape.radii[0]))
    way = shape.reach / np.linalg.norm(shape.direction) * shape.direction
    ends = np.array([shape.origin, shape.origin + way], np.float32)
    return Outline(ends, np.array([(0, 1)], np.uint32))


def _circles(center: Floats, radius: float) -> Outline:
    """Return a circle in each of the planes of two axes."""
    angles = np.linspace(0, 2 * np.pi, _CIRCLE, endpoint=False)
    circle = np.stack((np.cos(angles), np.sin(angles), np.zeros(_CIRCLE)), axis=1)
    circles = np.concatenate([np.roll(circle, axis, axis=1) for axis in range(3)])
    corners = np.arange(3 * _CIRCLE, dtype=np.uint32).reshape(3, _CIRCLE)
    edges = np.stack((corners, np.roll(corners, -1, axis=1)), axis=2).reshape(-1, 2)
    return Outline((center + radius * circles).astype(np.float32), edges)


def camera_outline(scene: bpy.types.Scene, settings: Any) -> Outline | None:
    """Return the view that the settings choose; None without a camera that has a frustum."""
    camera = settings.camera or scene.camera
    if camera is None:
        return None
    depsgraph = bpy.context.evaluated_depsgraph_get()
    try:
        view = camera_frusta(
            camera.evaluated_get(depsgraph),
            scene,
            depsgraph,
            margin=settings.margin,
            angle=settings.angle,
        )
    except ValueError:
        return None  # the operator says why
    return outline_of(view)


def draw_outline(outline: Outline) -> None:
    """Draw the lines, hidden by what is in front of them."""
    with blended(in_front=False):
        shader = line_shader(_WIDTH)
        shader.uniform_float("color", _COLOR)
        line_batch(*outline).draw(shader)
