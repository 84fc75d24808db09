"""The cells of a tree: batches by signature, made anew only when something in it has changed."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import gpu

from ...core import Octree
from ..cells import Look, ShadedCells, box_edges, cell_corners, look_of, shaded_cells
from ..preferences import limits
from ..properties import OctreeDisplaySettings
from ..questions import Query
from ..trees import BuiltTree
from .lines import blended, line_batch, line_shader


@dataclass(frozen=True)
class Picture:
    """The batches of one tree, a color each; and how many cells they show, of how many."""

    octree: Octree
    query: Query | None
    look: Look
    batches: list[tuple[list[float], gpu.types.GPUBatch]]
    drawn: int
    wanted: int

    def shows(self, octree: Octree, query: Query | None, look: Look) -> bool:
        """Tell whether nothing has changed that the picture depends on."""
        # Octrees of equal options are equal.
        return self.octree is octree and self.query is query and self.look == look


# A tree's picture goes with the tree.
_pictures: WeakKeyDictionary[BuiltTree, Picture] = WeakKeyDictionary()


def make_batches(
    octree: Octree, shown: ShadedCells, boxes: str
) -> list[tuple[list[float], gpu.types.GPUBatch]]:
    """Make a batch for each shade, its color left to the drawing."""
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
    """Return the picture of the tree, or of what the last question made of it."""
    octree, look = built.octree, look_of(display, limits().cells)
    if look.cells != "QUESTION":
        query = None
    picture = _pictures.get(built)
    if picture is None or not picture.shows(octree, query, look):
        shown = shaded_cells(octree, look, query.states if query else None)
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
    """Return how many cells are drawn, and of how many; nothing before the first draw."""
    picture = _pictures.get(built)
    return (picture.drawn, picture.wanted) if picture else None


def forget() -> None:
    """Leave nothing of the cells on the graphics card."""
    _pictures.clear()
