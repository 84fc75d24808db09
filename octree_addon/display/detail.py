"""Level of detail (LOD): cells that look too small in a view give way to the cell above them.

A cell is open in a view if its eight children would look large enough there. As a cell looks no
smaller than what is in it, whatever is above an open cell is open. Redraw are the wanted cells in
open ones, and those that are not open for all the wanted ones below them: on the way from any
wanted cell up to the root exactly one is drawn. `boxes` does the same on the graphics card.

So that the card need not look at every cell for every redraw, cells stand in blocks: the upper
levels first, then the rest of each subtree below them, the larger cells before the smaller. Of a
block out of view nothing is looked at, of one far away the first cells alone.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import Octree, cells_along_ray
from ..arrays import Flags, Floats, Ids

Rows = Floats | NDArray[np.float32]

# Cells down to this depth are one block, and each subtree below is another; few are one together.
_TOP, _FEW = 2, 4096


class DetailView(NamedTuple):
    """How large things look.

    Attributes
    ----------
    eye : ndarray of float64, shape (3,)
        Where they are looked at from.
    scale : float
        Pixels of a length of 1, one unit away; of a parallel view, anywhere.
    is_parallel : bool
        Whether distance makes nothing smaller.
    clip : ndarray of float64, shape (4, 4), optional
        From the scene to clip space, by column vectors; without it everything is in view.
    """

    eye: Floats
    scale: float
    is_parallel: bool
    clip: Floats | None = None


def view_of(model_view: Floats, projection: Floats, height: float) -> DetailView:
    """Return the view that two matrices, (4, 4), make of a region of this height in pixels."""
    eye = np.linalg.inv(model_view)[:3, 3]
    scale = float(projection[1, 1]) * height / 2
    return DetailView(eye, scale, bool(projection[3, 3] == 1), projection @ model_view)


@dataclass(frozen=True, eq=False)
class Family:
    """The wanted cells of an octree and those above them: k, block after block.

    Attributes
    ----------
    cells : ndarray of intp, shape (k,)
        Their numbers.
    parents : ndarray of intp, shape (k,)
        The place of each one's parent; -1 for the root.
    wanted : ndarray of bool, shape (k,)
        Which of them are wanted themselves.
    has_finer : ndarray of bool, shape (k,)
        Below which of them others are.
    rows : ndarray of float32, shape (6, k)
        The boxes that are drawn: lower x, y, z, upper x, y, z.
    edges : ndarray of float64, shape (d,)
        The longest edge of any cell of each depth; in the scene's unit.
    blocks : ndarray of float32, shape (6, b)
        The boxes of the roots of the blocks; the first one holds all cells of few levels.
    ends : ndarray of intp, shape (b, d + 1)
        Where the cells of each depth end in each block, after where the block begins.
    size : int
        How many cells the octree has, m.
    """

    cells: Ids
    parents: Ids
    wanted: Flags
    has_finer: Flags
    rows: NDArray[np.float32]
    edges: Floats
    blocks: NDArray[np.float32]
    ends: Ids
    size: int

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def places(self) -> Ids:
        """Where each cell of the octree stands here, (m,); -1 if it does not."""
        places = np.full(self.size, -1)
        places[self.cells] = np.arange(len(self))
        return places


def family_of(octree: Octree, wanted: Ids, boxes: str) -> Family:
    """Return the family of some cells, (c,), with their "TIGHT" or "LOOSE" boxes."""
    is_wanted = np.zeros(len(octree.node_depth), np.bool_)
    is_wanted[wanted] = True
    has_finer = above(octree, is_wanted)
    cells = np.flatnonzero(is_wanted | has_finer)
    depths = octree.node_depth[cells]
    roots, numbers = np.unique(block_roots(octree, cells), return_inverse=True)
    order = np.lexsort((depths, numbers))
    held = np.zeros((len(roots), int(octree.node_depth.max()) + 1), np.intp)
    np.add.at(held, (numbers, depths), 1)
    ends = np.cumsum(held.ravel()).reshape(held.shape)
    cells, depths = cells[order], depths[order]
    places = np.full(len(is_wanted) + 1, -1)  # the last for the root's parent, -1
    places[cells] = np.arange(len(cells))
    walls = octree.loose_rows if boxes == "LOOSE" else octree.cell_rows
    rows = walls[:, cells].astype(np.float32)
    edges = np.zeros(held.shape[1])
    np.maximum.at(edges, depths, (rows[3:] - rows[:3]).max(axis=0))
    return Family(
        cells,
        places[octree.node_parent[cells]],
        is_wanted[cells],
        has_finer[cells],
        rows,
        edges,
        walls[:, np.maximum(roots, 0)].astype(np.float32),
        np.hstack((ends[:, :1] - held[:, :1], ends)),
        len(is_wanted),
    )


def block_roots(octree: Octree, cells: Ids) -> Ids:
    """Return the root of the block that each cell is in, (c,); -1 for the block of few levels."""
    roots = cells.copy()
    if len(cells) <= _FEW:
        return np.full_like(roots, -1)
    roots[octree.node_depth[cells] <= _TOP] = -1
    deep = np.flatnonzero(roots >= 0)
    while len(deep):
        deep = deep[octree.node_depth[roots[deep]] > _TOP]
        roots[deep] = octree.node_parent[roots[deep]]
    return roots


def above(octree: Octree, flags: Flags) -> Flags:
    """Return which cells have one of these below them, (m,); O(m) a level."""
    found = np.zeros_like(flags)
    for depth in range(int(octree.node_depth.max()), 0, -1):
        here = np.flatnonzero((octree.node_depth == depth) & (flags | found))
        found[octree.node_parent[here]] = True
    return found


def are_open(rows: Rows, view: DetailView, least: float) -> Flags:
    """Tell which boxes, (6, n), have longest edges that look at least twice `least` pixels long.

    Distances are those of their nearest points.
    """
    edges = (rows[3:] - rows[:3]).max(axis=0)
    is_open: Flags = edges * view.scale >= 2 * least * distances_of(rows, view)
    return is_open


def distances_of(rows: Rows, view: DetailView) -> Floats:
    """Return how far the nearest points of boxes, (6, n), are; 1 in a parallel view."""
    if view.is_parallel:
        return np.ones(rows.shape[1])
    eye = view.eye[:, None]
    gaps = np.maximum(0.0, np.maximum(rows[:3] - eye, eye - rows[3:]))
    distances: Floats = np.sqrt((gaps * gaps).sum(axis=0))
    return distances


def drawn_in(family: Family, view: DetailView, least: float, places: Ids | None = None) -> Flags:
    """Return which cells of the family a view shows, (k,), none smaller than `least` pixels.

    Or which of those in some places, (p,).
    """
    if places is None:
        places = np.arange(len(family))
    parents = family.parents[places]
    is_open = are_open(family.rows[:, places], view, least)
    in_open = are_open(family.rows[:, parents], view, least) | (parents < 0)
    drawn: Flags = in_open & (family.wanted[places] | (family.has_finer[places] & ~is_open))
    return drawn


def ranges(family: Family, view: DetailView, least: float) -> list[tuple[int, int]]:
    """Return which cells hold all that a view may show: where some begin, and how many they are.

    Left out are blocks out of view, and the cells of those depths that are too small even where
    their block comes nearest. O(blocks x depth), whatever the number of cells.
    """
    if not len(family):
        return []
    away = distances_of(family.blocks, view)[:, None]
    may_be_open = family.edges * view.scale >= 2 * least * away
    levels = 1 + np.logical_and.accumulate(may_be_open[:, :-1], axis=1).sum(axis=1)
    blocks = np.arange(len(levels))
    counts = family.ends[blocks, levels] - family.ends[:, 0]
    counts[~in_view(family.blocks, view)] = 0
    found: list[tuple[int, int]] = []
    for first, count in zip(family.ends[:, 0].tolist(), counts.tolist(), strict=True):
        if found and sum(found[-1]) == first:
            found[-1] = found[-1][0], found[-1][1] + count
        elif count:
            found.append((first, count))
    return found


def in_view(rows: Rows, view: DetailView) -> Flags:
    """Tell which boxes, (6, n), are not beyond one of the planes of the view for certain."""
    if view.clip is None:
        return np.ones(rows.shape[1], np.bool_)
    corners = np.ones((4, 8, rows.shape[1]))
    for axis in range(3):
        corners[axis] = rows[axis + 3 * (np.arange(8) >> axis & 1)]
    x, y, z, w = np.tensordot(view.clip, corners, 1)
    inside = [(w + side * each >= 0).any(axis=0) for each in (x, y, z) for side in (-1, 1)]
    flags: Flags = np.logical_and.reduce(inside)
    return flags


def cell_under(
    octree: Octree,
    family: Family,
    ray: tuple[Floats, Floats],
    boxes: str,
    view: DetailView,
    least: float,
) -> int | None:
    """Return the cell that a ray, its origin and direction, meets first of those that are shown.

    Of cells in each other the smallest that is met counts. None if it meets none.
    """
    met, distances = cells_along_ray(octree, *ray, enlarged=boxes == "LOOSE")
    places = family.places[met]
    known = np.flatnonzero(places >= 0)
    shown = known[drawn_in(family, view, least, places[known])]
    inner = shown[~np.isin(met[shown], all_above(octree, met[shown]))]
    if not len(inner):
        return None
    return int(met[inner[np.argmin(distances[inner])]])


def all_above(octree: Octree, cells: Ids) -> Ids:
    """Return the cells that some cells are in; O(depth)."""
    found, level = [np.empty(0, np.intp)], cells
    while len(level):
        level = octree.node_parent[level]
        level = np.unique(level[level >= 0])
        found.append(level)
    return np.unique(np.concatenate(found))
