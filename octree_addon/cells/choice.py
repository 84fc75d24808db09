"""Which cells are shown, and in which shade: numbers (c,), shades (c,)."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...core import Octree
from .palettes import RAMP, SHADES, VERDICTS


class Display(Protocol):
    """What of the display settings decides which cells are shown, and in which color."""

    @property
    def cells(self) -> str:
        """One of the kinds of cells of `OctreeDisplaySettings`."""

    @property
    def depth(self) -> int:
        """The depth for "DEPTH"."""

    @property
    def boxes(self) -> str:
        """One of "TIGHT" and "LOOSE"."""

    @property
    def color_by(self) -> str:
        """One of "DEPTH" and "FILL"."""


class Look(NamedTuple):
    """Everything but the tree that its picture depends on; opacity and line width it does not."""

    cells: str
    depth: int
    boxes: str
    color_by: str
    limit: int


def look_of(display: Display, limit: int) -> Look:
    """Return the look that settings ask for; what does not count in them is left out."""
    depth = display.depth if display.cells == "DEPTH" else 0
    return Look(display.cells, depth, display.boxes, display.color_by, limit)


@dataclass(frozen=True, eq=False)
class ShadedCells:
    """Cells to be shown.

    Attributes
    ----------
    cells : ndarray of intp, shape (c,)
        Cell numbers, sorted.
    shades : ndarray of uint8, shape (c,)
        The row of `palette` for each.
    palette : ndarray of float32, shape (s, 3)
        Colors.
    wanted : int
        How many cells it would be without a limit.
    """

    cells: NDArray[np.intp]
    shades: NDArray[np.uint8]
    palette: NDArray[np.float32]
    wanted: int

    def by_shade(self) -> dict[int, NDArray[np.intp]]:
        """Return the cells of each shade that occurs, the lower shades first."""
        present = np.flatnonzero(np.bincount(self.shades))
        return {shade: self.cells[self.shades == shade] for shade in present.tolist()}


def shaded_cells(
    octree: Octree, look: Look, states: NDArray[np.uint8] | None = None
) -> ShadedCells:
    """Return the cells of a look, each with its shade.

    Parameters
    ----------
    octree : Octree
        The tree.
    look : Look
        Which of its cells.
    states : ndarray of uint8, shape (m,), optional
        What `trace` tells of the last question, for the cells "QUESTION"; without it there are
        none.

    Returns
    -------
    ShadedCells
        At most `look.limit`, those nearest to the root.
    """
    if look.cells != "QUESTION":
        wanted = shown_cells(octree, look)
        cells = largest_cells(octree, wanted, look.limit)
        shades = cell_shades(octree, cells, look.color_by)
        return ShadedCells(cells, shades, RAMP, len(wanted))
    wanted = np.flatnonzero(states) if states is not None else np.empty(0, np.intp)
    cells = largest_cells(octree, wanted, look.limit)
    shades = states[cells] if states is not None else np.empty(0, np.uint8)
    return ShadedCells(cells, shades, VERDICTS, len(wanted))


def shown_cells(octree: Octree, look: Look) -> NDArray[np.intp]:
    """Return the cells that a look asks for, whatever their number.

    Parameters
    ----------
    octree : Octree
        The tree.
    look : Look
        Its `cells`, any but "QUESTION", and its `depth`.

    Returns
    -------
    ndarray of intp, shape (c,)
        Cell numbers, sorted. No cells give (0,).
    """
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
