"""What the last question found and what not, in two colors: triangles filled, others as boxes."""

from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

import gpu
import numpy as np
from numpy.typing import NDArray

from ...core import Triangles
from ...core.shapes import Shapes
from ..cells import IN, OUT, box_corners, box_edges
from ..questions import Query
from .lines import blended, line_batch, vertex_buffer

_OPACITY = 0.5
# Of the depth buffer's range from -1 to 1: more than rounding, less than is seen.
_HAIR = 1e-5

Colored = list[tuple[tuple[float, float, float], gpu.types.GPUBatch]]

# A question's batches go with the question.
_batches: WeakKeyDictionary[Query, Colored] = WeakKeyDictionary()


def make_batches(query: Query) -> Colored:
    """Make a batch of what was not found, and one of what was."""
    items = query.octree.items
    both = ((OUT, np.flatnonzero(query.missed)), (IN, np.flatnonzero(query.found)))
    chosen = [(color, numbers) for color, numbers in both if len(numbers)]
    if not isinstance(items, Triangles):
        return [(color, _boxes(items, numbers)) for color, numbers in chosen]
    vertices = vertex_buffer(np.ascontiguousarray(items.vertices, np.float32))
    return [(color, _faces(items, numbers, vertices)) for color, numbers in chosen]


def _boxes(items: Shapes, numbers: NDArray[np.intp]) -> gpu.types.GPUBatch:
    bounds = items.bounds()
    corners = box_corners(bounds.lower, bounds.upper, numbers)
    return line_batch(corners.reshape(-1, 3), box_edges(len(numbers)))


def _faces(
    items: Triangles, numbers: NDArray[np.intp], vertices: gpu.types.GPUVertBuf
) -> gpu.types.GPUBatch:
    faces = np.ascontiguousarray(items.faces[numbers], np.uint32)
    indices = gpu.types.GPUIndexBuf(type="TRIS", seq=faces)
    return gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=indices)


def draw_found(query: Query, in_front: bool) -> None:
    """Draw both on top of the surfaces that they are."""
    batches = _batches.get(query)
    if batches is None:
        batches = _batches[query] = make_batches(query)
    with blended(in_front), _nearer():
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        for color, batch in batches:
            shader.uniform_float("color", (*color, _OPACITY))
            batch.draw(shader)


@contextmanager
def _nearer() -> Iterator[None]:
    """Draw a hair's breadth nearer to the eye, lest a surface show through what lies in it."""
    projection = gpu.matrix.get_projection_matrix()
    projection[2] -= _HAIR * projection[3]
    with gpu.matrix.push_pop_projection():
        gpu.matrix.load_projection_matrix(projection)
        yield


def forget() -> None:
    """Leave nothing of the questions on the graphics card."""
    _batches.clear()
