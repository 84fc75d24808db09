"""GPU batches by signature: cells, one batch a shade; found and missed items."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import gpu
import numpy as np

from ...core import Boxes, Octree, Triangles
from ..arrays import Ids
from ..preferences import limits
from ..questions import Query
from ..trees import BuiltTree
from .cells import (
    IN,
    OUT,
    Look,
    ShadedCells,
    box_corners,
    box_edges,
    cell_corners,
    look_of,
    shaded_cells,
)
from .lines import blended, line_batch, line_shader, vertex_buffer
from .settings import OctreeDisplaySettings

_OPACITY = 0.5
# Of the depth buffer's range from -1 to 1: more than rounding, less than is seen.
_NEARER = 1e-5

Colored = list[tuple[tuple[float, float, float], gpu.types.GPUBatch]]


@dataclass(frozen=True)
class Picture:
    """The batches of one tree, a color each, with their signature and counts."""

    octree: Octree
    query: Query | None
    look: Look
    batches: list[tuple[list[float], gpu.types.GPUBatch]]
    drawn: int
    wanted: int

    def shows(self, octree: Octree, query: Query | None, look: Look) -> bool:
        """Tell whether the signature is still the same."""
        # By identity: octrees of equal options are equal.
        return self.octree is octree and self.query is query and self.look == look


# Batches live as long as the tree, or the question, that they show.
_pictures: WeakKeyDictionary[BuiltTree, Picture] = WeakKeyDictionary()
_found: WeakKeyDictionary[Query, Colored] = WeakKeyDictionary()


def make_batches(
    octree: Octree, shown: ShadedCells, boxes: str
) -> list[tuple[list[float], gpu.types.GPUBatch]]:
    """Make a batch for each shade; its color is a uniform."""
    groups = shown.by_shade()
    edges = box_edges(max(map(len, groups.values()), default=0))
    return [
        (
            shown.palette[shade].tolist(),
            line_batch(
                cell_corners(octree, group, boxes).reshape(-1, 3), edges[: 12 * len(group)]
            ),
        )
        for shade, group in groups.items()
    ]


def picture_of(built: BuiltTree, query: Query | None, display: OctreeDisplaySettings) -> Picture:
    """Return the picture of the tree, or of the states that the last question gave its cells."""
    octree, look = built.octree, look_of(display, limits().cells)
    if look.cells != "QUESTION":
        query = None
    picture = _pictures.get(built)
    if picture is None or not picture.shows(octree, query, look):
        shown = shaded_cells(octree, look, query.states_in(octree) if query else None)
        batches = make_batches(octree, shown, look.boxes)
        picture = Picture(octree, query, look, batches, len(shown.cells), shown.wanted)
        _pictures[built] = picture
    return picture


def draw_picture(picture: Picture, display: OctreeDisplaySettings) -> None:
    """Draw the cells, the lower shades first."""
    with blended(display.in_front):
        shader = line_shader(display.line_width)
        for color, batch in picture.batches:
            shader.uniform_float("color", (*color, display.opacity))
            batch.draw(shader)


def counts(built: BuiltTree) -> tuple[int, int] | None:
    """Return how many cells are drawn, and of how many; None before the first draw."""
    picture = _pictures.get(built)
    return (picture.drawn, picture.wanted) if picture else None


def make_found_batches(query: Query) -> Colored:
    """Make a batch of missed items, and one of found items; of too many, of these alone."""
    if query.target.starts[-1] > limits().triangles:
        items = query.target.shapes_of(query.items, limits().triangles)
        both = [(IN, np.arange(len(items)))]
    else:
        items = query.target.items
        both = [(OUT, np.flatnonzero(query.missed)), (IN, np.flatnonzero(query.found))]
    chosen = [(color, numbers) for color, numbers in both if len(numbers)]
    if not isinstance(items, Triangles):
        return [(color, _boxes(items.bounds(), numbers)) for color, numbers in chosen]
    vertices = vertex_buffer(np.ascontiguousarray(items.vertices, np.float32))
    return [(color, _faces(items, numbers, vertices)) for color, numbers in chosen]


def _boxes(bounds: Boxes, numbers: Ids) -> gpu.types.GPUBatch:
    corners = box_corners(bounds.lower, bounds.upper, numbers)
    return line_batch(corners.reshape(-1, 3), box_edges(len(numbers)))


def _faces(items: Triangles, numbers: Ids, vertices: gpu.types.GPUVertBuf) -> gpu.types.GPUBatch:
    faces = np.ascontiguousarray(items.faces[numbers], np.uint32)
    indices = gpu.types.GPUIndexBuf(type="TRIS", seq=faces)
    return gpu.types.GPUBatch(type="TRIS", buf=vertices, elem=indices)


def draw_found(query: Query, in_front: bool) -> None:
    """Draw found and missed items on top of their own surfaces."""
    batches = _found.get(query)
    if batches is None:
        batches = _found[query] = make_found_batches(query)
    with blended(in_front), nearer():
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        shader.bind()
        for color, batch in batches:
            shader.uniform_float("color", (*color, _OPACITY))
            batch.draw(shader)


@contextmanager
def nearer() -> Iterator[None]:
    """Draw slightly nearer to the eye, so that no surface shows through what lies in it."""
    projection = gpu.matrix.get_projection_matrix()
    projection[2] -= _NEARER * projection[3]
    with gpu.matrix.push_pop_projection():
        gpu.matrix.load_projection_matrix(projection)
        yield


def forget() -> None:
    """Leave nothing on the graphics card."""
    _pictures.clear()
    _found.clear()
