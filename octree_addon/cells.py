"""Which cells are shown, and how: numbers (c,), shades (c,), corners (c, 8, 3), edges (12 c, 2).

Pure arrays, for the viewport and for meshes alike.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core import Octree
from ..core.wireframe import CORNERS, EDGES

# Viridis: even steps of lightness, also for the color-blind. Smith and van der Walt, "A Better
# Default Colormap for Matplotlib", SciPy 2015. The darkest eighth is left out: on the grey of the
# viewport it is not seen.
_ANCHORS = "472d7b 3b528b 2c728e 21918c 28ae80 5ec962 addc30 fde725"
SHADES = 64


def _make_ramp() -> NDArray[np.float32]:
    anchors = np.array([tuple(bytes.fromhex(anchor)) for anchor in _ANCHORS.split()]) / 255
    steps = np.linspace(0, len(anchors) - 1, SHADES)
    channels = [np.interp(steps, np.arange(len(anchors)), channel) for channel in anchors.T]
    return np.stack(channels, axis=1).astype(np.float32)


_EDGES = EDGES.astype(np.uint32)
RAMP = _make_ramp()


class Display(Protocol):
    """What of the display settings decides which cells are shown."""

    @property
    def cells(self) -> str:
        """One of "ALL", "OCCUPIED_AND_INTERNAL", "LEAVES", "OCCUPIED_LEAVES" and "DEPTH"."""

    @property
    def depth(self) -> int:
        """The depth for "DEPTH"."""


def shown_cells(octree: Octree, display: Display) -> NDArray[np.intp]:
    """Return the cells that the settings ask for.

    Parameters
    ----------
    octree : Octree
        The tree.
    display : Display
        The scene's display settings, or anything with the same `cells` and `depth`.

    Returns
    -------
    ndarray of intp, shape (c,)
        Cell numbers, sorted. No cells give (0,).
    """
    occupied = octree.item_counts > 0
    if display.cells == "DEPTH":
        shown = octree.node_depth == display.depth
    elif display.cells == "OCCUPIED_AND_INTERNAL":
        shown = occupied | ~octree.is_leaf
    elif display.cells == "LEAVES":
        shown = octree.is_leaf
    elif display.cells == "OCCUPIED_LEAVES":
        shown = occupied & octree.is_leaf
    else:
        shown = np.ones_like(occupied)
    return np.flatnonzero(shown)


def largest_cells(octree: Octree, cells: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
    """Return at most `limit` of the cells, those nearest to the root, sorted."""
    if len(cells) <= limit:
        return cells
    order = np.argsort(octree.node_depth[cells].astype(np.uint8), kind="stable")  # by radix
    kept = np.zeros(len(cells), bool)
    kept[order[:limit]] = True
    return cells[kept]


def cell_shades(octree: Octree, cells: NDArray[np.intp], color_by: str) -> NDArray[np.uint8]:
    """Return the row of `RAMP` for each cell.

    Parameters
    ----------
    octree : Octree
        The tree.
    cells : ndarray of intp, shape (c,)
        Cell numbers.
    color_by : str
        "DEPTH" goes from the root to the deepest cell of the tree, "FILL" from no item to the
        capacity.

    Returns
    -------
    ndarray of uint8, shape (c,)
        Numbers below `SHADES`.
    """
    if color_by == "FILL":
        share = np.minimum(octree.item_counts[cells] / octree.capacity, 1.0)
    else:
        share = octree.node_depth[cells] / max(octree.node_depth.max(), 1)
    shades: NDArray[np.uint8] = np.rint(share * (SHADES - 1)).astype(np.uint8)
    return shades


def cells_by_shade(
    octree: Octree, cells: NDArray[np.intp], color_by: str
) -> dict[int, NDArray[np.intp]]:
    """Return the cells of each shade that occurs, the lower shades first."""
    shades = cell_shades(octree, cells, color_by)
    present = np.flatnonzero(np.bincount(shades))
    return {shade: cells[shades == shade] for shade in present.tolist()}


def cell_corners(octree: Octree, cells: NDArray[np.intp], boxes: str) -> NDArray[np.float32]:
    """Return the corners of the cells' boxes, ready for the graphics card.

    Parameters
    ----------
    octree : Octree
        The tree.
    cells : ndarray of intp, shape (c,)
        Cell numbers.
    boxes : str
        "TIGHT" or "LOOSE".

    Returns
    -------
    ndarray of float32, shape (c, 8, 3)
        World space. Corner k lies at the upper wall of axis a where bit a of k is set.
    """
    loose = boxes == "LOOSE"
    lower = octree.loose_lower if loose else octree.node_lower
    upper = octree.loose_upper if loose else octree.node_upper
    walls = np.empty((2, 3, len(cells)), np.float32)
    for axis in range(3):
        walls[0, axis] = lower[cells, axis]
        walls[1, axis] = upper[cells, axis]
    corners = np.empty((len(cells), 8, 3), np.float32)
    for corner, axis in np.ndindex(8, 3):
        corners[:, corner, axis] = walls[CORNERS[corner, axis], axis]
    return corners


def cell_edges(count: int) -> NDArray[np.uint32]:
    """Return the edges of so many cells, (12 count, 2), as rows of their flattened corners."""
    first_corners = np.arange(count, dtype=np.uint32) * 8
    return np.add(first_corners[:, None, None], _EDGES).reshape(-1, 2)
