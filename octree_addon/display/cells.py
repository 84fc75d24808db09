"""Selection and colors of cells to draw (viridis colormap); boxes as corners and edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import Octree
from ..arrays import Floats, Ids
from ..preferences import Colors, colors
from .settings import OctreeDisplaySettings

# Viridis: even steps of lightness, readable with color blindness. Smith and van der Walt, "A
# Better Default Colormap for Matplotlib", SciPy 2015. The darkest eighth is left out, since it is
# invisible on the gray of the viewport.
_ANCHORS = "472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
SHADES = 64


def _make_ramp() -> NDArray[np.float32]:
    anchors = np.array([tuple(bytes.fromhex(anchor)) for anchor in _ANCHORS.split()]) / 255
    steps = np.linspace(0, len(anchors) - 1, SHADES)
    channels = [np.interp(steps, np.arange(len(anchors)), channel) for channel in anchors.T]
    return np.stack(channels, axis=1).astype(np.float32)


RAMP = _make_ramp()


class Look(NamedTuple):
    """Settings that uploaded cells depend on; opacity and line width are set at drawing."""

    cells: str
    depth: int
    boxes: str
    color_by: str
    verdicts: Colors = Colors()


def look_of(display: OctreeDisplaySettings) -> Look:
    """Return the look of settings; the depth is 0 unless cells of one depth are shown."""
    depth = display.depth if display.cells == "DEPTH" else 0
    return Look(display.cells, depth, display.boxes, display.color_by, colors())


def wanted_cells(octree: Octree, look: Look, states: NDArray[np.uint8] | None = None) -> Ids:
    """Return the cells of a look, (c,), sorted.

    `states`, (m,), is the result of `trace` for the last question. It is needed for the cells
    "QUESTION" only; without it, they are none.
    """
    if look.cells != "QUESTION":
        return shown_cells(octree, look)
    return np.flatnonzero(states) if states is not None else np.empty(0, np.intp)


def cell_colors(
    octree: Octree, cells: Ids, look: Look, states: NDArray[np.uint8] | None = None
) -> NDArray[np.float32]:
    """Return the colors of cells, (c, 3)."""
    if look.cells == "QUESTION" and states is not None:
        return verdicts(look.verdicts)[states[cells]]
    return RAMP[cell_shades(octree, cells, look.color_by)]


def verdicts(chosen: Colors) -> NDArray[np.float32]:
    """Return a color for each cell state of `trace`: unvisited, outside, crossing, inside."""
    rows = [(0.0, 0.0, 0.0), chosen.missed, chosen.other, chosen.found]
    return np.array(rows, np.float32)


def shown_cells(octree: Octree, look: Look) -> Ids:
    """Return the cells of any look except "QUESTION", sorted."""
    occupied = octree.item_counts > 0
    if look.cells == "DEPTH":
        shown = octree.node_depth == look.depth
    elif look.cells == "OCCUPIED_AND_INTERNAL":
        shown = occupied | ~octree.is_leaf
    elif look.cells == "LEAVES":
        shown = octree.is_leaf
    elif look.cells == "OCCUPIED_LEAVES":
        shown = occupied & octree.is_leaf
    else:
        shown = np.ones_like(occupied)
    return np.flatnonzero(shown)


def cell_shades(octree: Octree, cells: Ids, color_by: str) -> NDArray[np.uint8]:
    """Return the row of `RAMP` for each cell, (c,), less than `SHADES`.

    By "DEPTH", rows go from the root to the deepest cell of the tree. By "FILL", they go from no
    items to the capacity; a divided cell counts as full as its fullest descendant.
    """
    if color_by == "FILL":
        share = np.minimum(fills(octree)[cells] / octree.capacity, 1.0)
    else:
        share = octree.node_depth[cells] / max(octree.node_depth.max(), 1)
    shades: NDArray[np.uint8] = np.rint(share * (SHADES - 1)).astype(np.uint8)
    return shades


def fills(octree: Octree) -> Ids:
    """Return the items of each cell, (m,), or of its fullest descendant. O(m) per level."""
    found = octree.item_counts.copy()
    for depth in range(int(octree.node_depth.max()), 0, -1):
        here = np.flatnonzero(octree.node_depth == depth)
        np.maximum.at(found, octree.node_parent[here], found[here])
    return found


# Corner k is on the upper wall of axis a if bit a of k is set; the corners of an edge differ in
# one bit.
_CORNERS = np.arange(8)[:, None] >> np.arange(3) & 1
_EDGES = np.array(
    [(k, k | 1 << axis) for axis in range(3) for k in range(8) if not k >> axis & 1], np.uint32
)


def cell_corners(octree: Octree, cells: Ids, boxes: str) -> NDArray[np.float32]:
    """Return the corners of the "TIGHT" or "LOOSE" boxes of cells, (c, 8, 3), in world space.

    Corner k is on the upper wall of axis a if bit a of k is set.
    """
    if boxes == "LOOSE":
        return box_corners(octree.loose_lower, octree.loose_upper, cells)
    return box_corners(octree.node_lower, octree.node_upper, cells)


def box_corners(lower: Floats, upper: Floats, numbers: Ids) -> NDArray[np.float32]:
    """Return the corners of the boxes `numbers`, (c, 8, 3), in the order of `cell_corners`."""
    walls = np.empty((2, 3, len(numbers)), np.float32)
    for axis in range(3):
        walls[0, axis] = lower[numbers, axis]
        walls[1, axis] = upper[numbers, axis]
    corners = np.empty((len(numbers), 8, 3), np.float32)
    for corner, axis in np.ndindex(8, 3):
        corners[:, corner, axis] = walls[_CORNERS[corner, axis], axis]
    return corners


def box_edges(count: int) -> NDArray[np.uint32]:
    """Return the edges of `count` boxes, (12 count, 2), as numbers of their flattened corners."""
    first_corners = np.arange(count, dtype=np.uint32) * 8
    return np.add(first_corners[:, None, None], _EDGES).reshape(-1, 2)
