"""GPU lines and triangles: buffers, blending, shaders of one color, and outlines."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

from ..questions import Outline

DepthTest = Literal["NONE", "LESS_EQUAL", "GREATER"]
_WIDTH = 2.0  # pixels
_COLOR = (1.0, 1.0, 1.0, 0.8)


def line_batch(points: NDArray[np.float32], edges: NDArray[np.uint32]) -> gpu.types.GPUBatch:
    """Upload (v, 3) points and the (e, 2) edges between them.

    The arrays must be contiguous, of exactly these types: any other is drawn as garbage.
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


def triangle_batch(points: Any, faces: Any) -> gpu.types.GPUBatch:
    """Upload (v, 3) points and the (t, 3) triangles between them, of any types."""
    vertices = vertex_buffer(np.ascontiguousarray(points, np.float32))
    indices = gpu.types.GPUIndexBuf(type="TRIS", seq=np.ascontiguousarray(faces, np.uint32))
    return gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=indices)


@contextmanager
def blended(depth_test: DepthTest) -> Iterator[None]:
    """Set blending and depth test, and restore the state at the end."""
    state = gpu.state
    before = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    try:
        state.blend_set("ALPHA")
        state.depth_test_set(depth_test)
        state.depth_mask_set(False)
        yield
    finally:
        state.blend_set(before[0])
        state.depth_test_set(before[1])
        state.depth_mask_set(before[2])


def line_shader(pixels: float) -> gpu.types.GPUShader:
    """Bind the fast shader for lines of one pixel, or the slower one that takes a width."""
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


def draw_plain(batch: gpu.types.GPUBatch, color: tuple[float, float, float, float]) -> None:
    """Draw triangles, points or thin lines in a single color."""
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    shader.bind()
    shader.uniform_float("color", color)
    batch.draw(shader)


def draw_outline(outline: Outline) -> None:
    """Draw the lines of an outline; surfaces in front hide them."""
    with blended("LESS_EQUAL"):
        shader = line_shader(_WIDTH)
        shader.uniform_float("color", _COLOR)
        line_batch(*outline).draw(shader)
