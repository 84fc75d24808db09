"""Instanced boxes (draw_instanced): bounds in a texture, fetched by instance; LOD in the shader.

A redraw uploads nothing: the shader moves the vertices of hidden boxes out of the view.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import bpy
import gpu
import numpy as np
from numpy.typing import NDArray

from .detail import DetailView
from .layers import uploaded

_WIDTH = 4096  # of the texture; graphics cards take 16,384 and more
_VERTEX = """
vec4 texel(int number) { return texelFetch(cells, ivec2(number % WIDTH, number / WIDTH), 0); }

bool is_open(vec3 lower, vec3 upper) {
  vec3 size = upper - lower;
  vec3 gap = max(vec3(0.0), max(lower - eye.xyz, eye.xyz - upper));
  float away = eye.w > 0.5 ? 1.0 : sqrt(dot(gap, gap));
  return max(size.x, max(size.y, size.z)) * look.x >= 2.0 * look.y * away;
}

void main() {
  int box = gl_InstanceID + int(look.w + 0.5);
  vec4 first = texel(2 * box), second = texel(2 * box + 1);
  vec3 lower = first.xyz, upper = vec3(first.w, second.xy);
  bool is_wanted = second.z > 0.0, has_finer = second.w < 0.0;
  int parent = int(abs(second.z) + 0.5) - 2;
  bool is_drawn = is_wanted || !is_open(lower, upper);
  if (is_drawn && parent >= 0) {
    vec4 one = texel(2 * parent), other = texel(2 * parent + 1);
    is_drawn = is_open(one.xyz, vec3(one.w, other.xy));
  }
  int code = int(abs(second.w) + 0.5) - 1;
  vec3 color = vec3(code >> 16, (code >> 8) & 255, code & 255) / 255.0;
  color = tone.x > 0.0 ? mix(color, vec3(1.0), tone.x) : color * (1.0 + tone.x);
  tint = vec4(mix(color / 12.92, pow((color + 0.055) / 1.055, vec3(2.4)),
                  step(0.04045, color)), tone.y);  // views take linear colors
  across = 0.0;
  if (!is_drawn) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec4 here = ModelViewProjectionMatrix * vec4(mix(lower, upper, start), 1.0);
  if (place.y == 0.0) {
    gl_Position = here;
    return;
  }
  // A wide line is a rectangle on the screen; what is behind the eye is cut off first.
  vec4 there = ModelViewProjectionMatrix * vec4(mix(lower, upper, end), 1.0);
  float in_front = here.z + here.w, beyond = there.z + there.w;
  if (in_front < 0.0 && beyond > 0.0) here = mix(here, there, in_front / (in_front - beyond));
  if (beyond < 0.0 && in_front > 0.0) there = mix(there, here, beyond / (beyond - in_front));
  vec2 along = (there.xy / there.w - here.xy / here.w) * viewport;
  along = dot(along, along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  across = place.y * (look.z + 1.0) / 2.0;
  gl_Position = place.x < 0.5 ? here : there;
  gl_Position.xy += 2.0 * across * vec2(-along.y, along.x) / viewport * gl_Position.w;
}
""".replace("WIDTH", str(_WIDTH))
_FRAGMENT = """
void main() {
  color = tint;
  color.a *= clamp((look.z + 1.0) / 2.0 - abs(across), 0.0, 1.0);
}
"""
# The corners of an edge differ in one bit; a wide edge is two triangles.
_EDGES = np.array([(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1])
_CORNERS = (np.arange(8)[:, None] >> np.arange(3) & 1).astype(np.float32)
_THIN = np.array([(0, 0), (1, 0)], np.float32)
_WIDE = np.array([(0, -1), (0, 1), (1, 1), (0, -1), (1, 1), (1, -1)], np.float32)


@dataclass(frozen=True, eq=False)
class DrawnBoxes:
    """Boxes on the graphics card.

    Attributes
    ----------
    texture : GPUTexture
        Two texels per box: its bounds; its parent + 2, positive if the box is wanted; its color +
        1, negative if wanted boxes are below it.
    count : int
        Number of boxes.
    """

    texture: gpu.types.GPUTexture
    count: int


def upload(
    rows: NDArray[np.float32],
    colors: NDArray[np.float32],
    parents: NDArray[np.intp] | None = None,
    wanted: NDArray[np.bool_] | None = None,
    has_finer: NDArray[np.bool_] | None = None,
) -> DrawnBoxes | None:
    """Upload boxes, (6, k), with colors, (k, 3); without `parents` and `wanted` all are drawn."""
    if not rows.shape[1]:
        return None
    texels = packed(rows, colors, parents, wanted, has_finer)
    size = _WIDTH, len(texels) // (4 * _WIDTH)
    pixels = gpu.types.Buffer("FLOAT", len(texels), texels)
    return DrawnBoxes(gpu.types.GPUTexture(size, format="RGBA32F", data=pixels), rows.shape[1])


def packed(
    rows: NDArray[np.float32],
    colors: NDArray[np.float32],
    parents: NDArray[np.intp] | None = None,
    wanted: NDArray[np.bool_] | None = None,
    has_finer: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Return the texels of boxes, flattened and padded to whole rows of the texture."""
    count = rows.shape[1]
    height = -(-2 * count // _WIDTH)
    texels = np.zeros((height * _WIDTH // 2, 8), np.float32)
    texels[:count, :6] = rows.T
    # A float32 holds integers exactly up to 2^24.
    bytes_ = np.rint(np.clip(colors, 0, 1) * 255).astype(np.int32)
    numbers = np.ones(count) if parents is None else parents + 2
    texels[:count, 6] = numbers if wanted is None else np.where(wanted, numbers, -numbers)
    codes = 1 + (bytes_[:, 0] << 16 | bytes_[:, 1] << 8 | bytes_[:, 2])
    texels[:count, 7] = codes if has_finer is None else np.where(has_finer, -codes, codes)
    return texels.ravel()


def draw_boxes(
    boxes: DrawnBoxes,
    opacity: float,
    pixels: float,
    *,
    lift: float = 0.0,
    view: DetailView | None = None,
    least: float = 0.0,
    ranges: Sequence[tuple[int, int]] | None = None,
) -> None:
    """Draw the edges of boxes in their colors, in lines of `pixels` width.

    Boxes with parents are drawn by the rule of `detail.drawn_in`; `ranges` must contain them all.
    A `lift` above 0 mixes colors with white, one below 0 darkens them.
    """
    width = round(pixels * bpy.context.preferences.system.ui_scale)
    eye = (*view.eye.tolist(), float(view.is_parallel)) if view else (0.0, 0.0, 0.0, 1.0)
    shader = shader_of_boxes()
    shader.bind()
    shader.uniform_sampler("cells", boxes.texture)
    shader.uniform_float("tone", (lift, opacity))
    shader.uniform_float("eye", eye)
    shader.uniform_float("viewport", gpu.state.viewport_get()[2:])
    unit = unit_box(is_wide=width > 1)
    scale = view.scale if view else 1.0
    for first, count in [(0, boxes.count)] if ranges is None else ranges:
        shader.uniform_float("look", (scale, least, max(width, 1), first))
        unit.draw_instanced(shader, instance_count=count)


def shader_of_boxes() -> gpu.types.GPUShader:
    """Return the shader, compiled on first use."""
    return uploaded(
        ("shader of boxes",),
        lambda _: True,
        lambda: gpu.shader.create_from_info(shader_info()),
    )


def shader_info() -> gpu.types.GPUShaderCreateInfo:
    """Return the interface and the source of the shader."""
    info, passed = gpu.types.GPUShaderCreateInfo(), gpu.types.GPUStageInterfaceInfo("octree_boxes")
    passed.flat("VEC4", "tint")
    passed.no_perspective("FLOAT", "across")
    info.vertex_in(0, "VEC3", "start")
    info.vertex_in(1, "VEC3", "end")
    info.vertex_in(2, "VEC2", "place")
    info.vertex_out(passed)
    info.sampler(0, "FLOAT_2D", "cells")
    info.push_constant("MAT4", "ModelViewProjectionMatrix")
    info.push_constant("VEC2", "tone")
    info.push_constant("VEC4", "eye")
    info.push_constant("VEC4", "look")
    info.push_constant("VEC2", "viewport")
    info.fragment_out(0, "VEC4", "color")
    info.vertex_source(_VERTEX)
    info.fragment_source(_FRAGMENT)
    return info


def unit_box(*, is_wide: bool) -> gpu.types.GPUBatch:
    """Return the edges of one box as lines, or as rectangles that the shader widens."""
    return uploaded(("unit box", is_wide), lambda _: True, partial(_unit_box, is_wide=is_wide))


def _unit_box(*, is_wide: bool) -> gpu.types.GPUBatch:
    places = _WIDE if is_wide else _THIN
    ends = _CORNERS[_EDGES.repeat(len(places), axis=0)]
    # The shader reads no other end for thin lines, so each of their vertices is a start.
    starts = ends[:, 0] if is_wide else _CORNERS[_EDGES.ravel()]
    layout = gpu.types.GPUVertFormat()
    for name, length in (("start", 3), ("end", 3), ("place", 2)):
        layout.attr_add(id=name, comp_type="F32", len=length, fetch_mode="FLOAT")
    vertices = gpu.types.GPUVertBuf(layout, len(ends))
    vertices.attr_fill("start", np.ascontiguousarray(starts))
    vertices.attr_fill("end", np.ascontiguousarray(ends[:, 1]))
    vertices.attr_fill("place", np.tile(places, (len(_EDGES), 1)))
    return gpu.types.GPUBatch(type="TRIS" if is_wide else "LINES", buf=vertices)
