"""Item buffers drawn offscreen by the GPU: ids in a float texture, depths in a depth texture."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import gpu
import numpy as np
from numpy.typing import NDArray

from ...core import SceneOctree, ZBuffer
from .. import tuning
from ..arrays import Flags, Floats, Ids

Singles = NDArray[np.float32]

# Minimum width of the texture that boxes are packed into.
_WIDTH = 4096

_VERTEX = """
void main() {
  item = first + int(number);
  gl_Position = matrix * vec4(position, 1.0);
}
"""
_FRAGMENT = """
void main() {
  color = wide ? vec4(item & 4095, item >> 12, 0.0, 0.0) : vec4(float(item));
}
"""


class GpuBuffer(ZBuffer):
    """Renderer of item buffers with Blender's `gpu` module.

    Depths have single precision. Pictures too large for a texture are drawn by `ZBuffer`.

    Parameters
    ----------
    scene : SceneOctree
        The scene to draw. All meshes are uploaded once, and again if any mesh has changed.
    """

    def __init__(self, scene: SceneOctree) -> None:
        super().__init__(scene)
        self._most = gpu.capabilities.max_texture_size_get()
        self._shader = _shader()
        self._batch: gpu.types.GPUBatch | None = None
        self._centers: Floats = np.empty((3, 0))
        self._uploaded: tuple[object, Ids] = None, np.empty(0, np.intp)
        self._starts: Ids = np.zeros(1, np.intp)
        self._picture: _Target | None = None
        self._boxes: _Target | None = None

    def _drawn(
        self,
        view_projection: Floats,
        size: tuple[int, int],
        rows: Ids,
        alone: object = None,  # ignored: `_covered` is faster on the GPU
    ) -> tuple[Ids, Singles]:
        if max(size) > self._most or len(rows) == 0:
            return super()._drawn(view_projection, size, rows)
        sizes = self.stage.sizes(rows)
        firsts, wide = np.cumsum(sizes) - sizes, int(sizes.sum()) >= tuning.current.exact_triangles
        matrices = view_projection @ self.scene.matrices_of(self.scene.ids[rows])
        target = self._picture = _reused(self._picture, size, "RG32F" if wide else "R32F")
        self._upload()
        with target.buffer.bind(), _state("LESS"):
            target.buffer.clear(color=(-1.0, -1.0, 0.0, 0.0), depth=1.0)
            self._shader.bind()
            self._shader.uniform_bool("wide", [wide])
            for row, matrix, first in zip(rows, matrices, firsts.tolist(), strict=True):
                self._draw(row, matrix, first)
            ids = _flat(target.buffer.read_color(0, 0, *size, 1 + wide, 0, "FLOAT"), np.float32)
            depths = _flat(target.buffer.read_depth(0, 0, *size), np.float32)
        numbers = ids.astype(np.intp)
        if wide:
            low, high = numbers.reshape(-1, 2).T
            numbers = np.where(low < 0, -1, low + (high << 12))
        return numbers, np.where(numbers < 0, np.float32(0.0), np.float32(1.0) - depths)

    def _covered(
        self,
        view_projection: Floats,
        size: tuple[int, int],
        rows: Ids,
        owners: Ids,
        boxes: Ids,
    ) -> Flags:
        wide, high = boxes[2] - boxes[0], boxes[3] - boxes[1]
        picture, lefts, bottoms = _shelves(wide, high)
        if max(picture) > self._most or len(rows) == 0:
            return super()._covered(view_projection, size, rows, owners, boxes)
        crops = _crops(boxes, size) @ view_projection
        matrices = crops[owners] @ self.scene.matrices_of(self.scene.ids[rows])
        target = self._boxes = _reused(self._boxes, picture, "R8")
        self._upload()
        with target.buffer.bind(), _state("NONE"):
            target.buffer.clear(color=(0.0, 0.0, 0.0, 0.0))
            self._shader.bind()
            self._shader.uniform_bool("wide", [False])
            # `GPUFrameBuffer.viewport_set` takes no arguments in Blender 4.2.
            for row, owner, matrix in zip(rows, owners.tolist(), matrices, strict=True):
                place = lefts[owner], bottoms[owner], wide[owner], high[owner]
                gpu.state.viewport_set(*map(int, place))
                self._draw(row, matrix, 1)
            gpu.state.viewport_set(0, 0, *target.size)
            image = _flat(target.buffer.read_color(0, 0, *picture, 1, 0, "UBYTE"), np.uint8)
        covered = image.reshape(picture[::-1]) > 0
        spaces = zip(lefts, bottoms, wide, high, strict=True)
        parts = [covered[y : y + rise, x : x + run].ravel() for x, y, run, rise in spaces]
        return np.concatenate(parts)

    def _draw(self, row: int, matrix: Floats, first: int) -> None:
        """Draw a placement into the bound framebuffer, its triangles numbered from `first`."""
        mesh = self.stage.moment.placements.meshes[row]
        start, count = int(self._starts[mesh]), int(np.diff(self._starts)[mesh])
        matrix = matrix.copy()
        matrix[:, 3] += matrix[:, :3] @ self._centers[:, mesh]
        self._shader.uniform_float("matrix", matrix.T.astype(np.float32).ravel().tolist())
        # Vertices hold triangle numbers modulo `most`, so a draw call ends at each multiple.
        most = tuning.current.drawn_triangles
        for begin in [start, *range((start // most + 1) * most, start + count, most)]:
            end = min((begin // most + 1) * most, start + count)
            self._shader.uniform_int("first", [first + begin - start - begin % most])
            self._batch.draw_range(
                self._shader, elem_start=3 * begin, elem_count=3 * (end - begin)
            )

    def _upload(self) -> None:
        """Upload all triangles of all meshes, corner by corner, numbered within draw calls."""
        pool, (layout, firsts) = self.stage.pool(), self._uploaded
        if layout is pool.layout and np.array_equal(firsts, pool.firsts):
            return
        faces, self._starts = self.stage.every_face()
        lengths, count = np.diff(self._starts), faces.shape[1]
        vertices = pool.arranged.vertices.T
        # Relative to a corner of its mesh, a position far from the origin keeps its precision.
        self._centers = np.zeros((3, len(lengths)))
        drawn = lengths.nonzero()[0]
        self._centers[:, drawn] = vertices[:, faces[0, self._starts[drawn]]]
        centers = np.repeat(self._centers, lengths, axis=1)
        places = np.empty((count, 3, 3), np.float32)
        for corner, each in enumerate(faces):
            places[:, corner] = (vertices[:, each] - centers).T
        numbers = np.arange(count) % tuning.current.drawn_triangles
        numbers = np.repeat(numbers.astype(np.float32), 3)
        form = gpu.types.GPUVertFormat()
        form.attr_add(id="position", comp_type="F32", len=3, fetch_mode="FLOAT")
        form.attr_add(id="number", comp_type="F32", len=1, fetch_mode="FLOAT")
        corners = gpu.types.GPUVertBuf(form, 3 * count)
        corners.attr_fill("position", places.reshape(-1, 3))
        corners.attr_fill("number", numbers)
        self._batch = gpu.types.GPUBatch(type="TRIS", buf=corners)
        self._uploaded = pool.layout, pool.firsts


class _Target(NamedTuple):
    """A framebuffer with its textures."""

    size: tuple[int, int]
    form: str
    buffer: gpu.types.GPUFrameBuffer
    # A reference, since Blender frees textures that Python does not refer to.
    textures: tuple[object, ...]


def _reused(target: _Target | None, size: tuple[int, int], form: str) -> _Target:
    """Return a framebuffer of a size and format: `target` if suitable, else a new one.

    The framebuffer of boxes (format "R8") may be larger, since only a part of it is read.
    """
    if target and target.form == form:
        fits = target.size[0] >= size[0] and target.size[1] >= size[1]
        if target.size == size or (form == "R8" and fits):
            return target
    color = gpu.types.GPUTexture(size, format=form)
    if form == "R8":
        buffer = gpu.types.GPUFrameBuffer(color_slots=(color,))
        return _Target(size, form, buffer, (color,))
    depth = gpu.types.GPUTexture(size, format="DEPTH_COMPONENT32F")
    buffer = gpu.types.GPUFrameBuffer(depth_slot=depth, color_slots=(color,))
    return _Target(size, form, buffer, (color, depth))


@contextmanager
def _state(depth_test: str) -> Iterator[None]:
    """Set the GPU state to opaque, two-sided triangles; restore it afterwards."""
    before = gpu.state.depth_test_get(), gpu.state.depth_mask_get(), gpu.state.blend_get()
    gpu.state.depth_test_set(depth_test)
    gpu.state.depth_mask_set(depth_test != "NONE")
    gpu.state.blend_set("NONE")
    gpu.state.face_culling_set("NONE")
    try:
        yield
    finally:
        gpu.state.depth_test_set(before[0])
        gpu.state.depth_mask_set(before[1])
        gpu.state.blend_set(before[2])


def _shader() -> gpu.types.GPUShader:
    interface = gpu.types.GPUStageInterfaceInfo("octree_item")
    interface.flat("INT", "item")
    info = gpu.types.GPUShaderCreateInfo()
    info.push_constant("MAT4", "matrix")
    info.push_constant("INT", "first")
    info.push_constant("BOOL", "wide")
    info.vertex_in(0, "VEC3", "position")
    info.vertex_in(1, "FLOAT", "number")
    info.vertex_out(interface)
    info.fragment_out(0, "VEC4", "color")
    info.vertex_source(_VERTEX)
    info.fragment_source(_FRAGMENT)
    return gpu.shader.create_from_info(info)


def _flat(buffer: gpu.types.Buffer, kind: type[np.generic]) -> NDArray[Any]:
    """Return a flat view of a buffer; a copy by element would take ten times as long."""
    count = int(np.prod(buffer.dimensions))
    buffer.dimensions = count
    return np.frombuffer(buffer, kind, count)


def _shelves(wide: Ids, high: Ids) -> tuple[tuple[int, int], list[int], list[int]]:
    """Pack rectangles on shelves, the highest first; return the total size, lefts and bottoms."""
    width = max(_WIDTH, int(wide.max(initial=1)))
    lefts, bottoms = [0] * len(wide), [0] * len(wide)
    x = y = top = 0
    for number in np.argsort(-high, kind="stable").tolist():
        if x + wide[number] > width:
            x, y = 0, top
        lefts[number], bottoms[number] = x, y
        x, top = x + int(wide[number]), max(top, y + int(high[number]))
    return (width, max(top, 1)), lefts, bottoms


def _crops(boxes: Ids, size: tuple[int, int]) -> Floats:
    """Return matrices (n, 4, 4) that scale pixel boxes (4, n) of a picture to clip space."""
    crops = np.tile(np.eye(4), (boxes.shape[1], 1, 1))
    for axis in range(2):
        low, high = boxes[axis], boxes[axis + 2]
        scale = size[axis] / (high - low)
        crops[:, axis, axis] = scale
        crops[:, axis, 3] = scale - (2 * low / (high - low) + 1)
    return crops
