"""Level of detail (LOD): cells that look too small in a view are replaced by an ancestor.

A cell is open in a view if its eight children look large enough there. A cell looks no smaller
than its descendants, so all ancestors of an open cell are open. A cell is drawn if its parent is
open, and if it is wanted, or is not open and has wanted descendants. So a wanted cell with an
open parent is drawn itself; otherwise exactly one ancestor is drawn in its place, the lowest with
an open parent. `boxes` applies the same rule in its shader.

To limit the cells that the graphics card tests in each redraw, they are stored in blocks: first
the upper levels, then each subtree below them, larger cells before smaller ones. Blocks out of
view are skipped, and of distant blocks only the first cells are tested.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core import Octree, cells_along_ray
from ..arrays import Flags, Floats, Ids

Rows = Floats | NDArray[np.float32]

# Deepest level of the first block; largest number of cells that are stored as a single block.
_TOP, _FEW = 2, 4096


class DetailView(NamedTuple):
    """Projection of lengths to pixels in a view.

    Attributes
    ----------
    eye : ndarray of float64, shape (3,)
        Position of the viewer.
    scale : float
        Pixels of a length of 1 at distance 1; in a parallel view, at any distance.
    is_parallel : bool
        True if the view is orthographic.
    clip : ndarray of float64, shape (4, 4), optional
        Matrix from world to clip space, for column vectors; without it everything is in view.
    """

    eye: Floats
    scale: float
    is_parallel: bool
    clip: Floats | None = None


def view_of(model_view: Floats, projection: Floats, height: float) -> DetailView:
    """Return the view of two matrices, (4, 4), in a region of `height` pixels."""
    eye = np.linalg.inv(model_view)[:3, 3]
    scale = float(projection[1, 1]) * height / 2
    return DetailView(eye, scale, bool(projection[3, 3] == 1), projection @ model_view)


@dataclass(frozen=True, eq=False)
class Family:
    """The k wanted cells of an octree and their ancestors, sorted by block.

    Attributes
    ----------
    cells : ndarray of intp, shape (k,)
        Numbers of the cells in the octree.
    parents : ndarray of intp, shape (k,)
        Row of the parent of each cell; -1 for the root.
    wanted : ndarray of bool, shape (k,)
        True for wanted cells, False for cells that are only ancestors.
    has_finer : ndarray of bool, shape (k,)
        True for cells with wanted descendants.
    rows : ndarray of float32, shape (6, k)
        The boxes that are drawn: lower x, y, z, upper x, y, z.
    edges : ndarray of float64, shape (d,)
        The longest edge of any cell of each depth; in the scene's unit.
    blocks : ndarray of float32, shape (6, b)
        Boxes of the roots of the blocks; the first is the box of the root of the octree.
    ends : ndarray of intp, shape (b, d + 1)
        For each block, its first row, then the row after its last cell of each depth.
    size : int
        Number m of cells of the octree.
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
        """Row of each cell of the octree, (m,); -1 for cells that are not in the family."""
        places = np.full(self.size, -1)
        places[self.cells] = np.arange(len(self))
        return places


def family_of(octree: Octree, wanted: Ids, boxes: str) -> Family:
    """Return the family of wanted cells, (c,), with their "TIGHT" or "LOOSE" boxes."""
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
    places = np.full(len(is_wanted) + 1, -1)  # the last entry is for the root, with parent -1
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
    """Return the root of the block of each cell, (c,); -1 for the first block."""
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
    """Flag the ancestors of flagged cells, (m,). O(m) per level."""
    found = np.zeros_like(flags)
    for depth in range(int(octree.node_depth.max()), 0, -1):
        here = np.flatnonzero((octree.node_depth == depth) & (flags | found))
        found[octree.node_parent[here]] = True
    return found


def are_open(rows: Rows, view: DetailView, least: float) -> Flags:
    """Flag boxes, (6, n), whose longest edge looks at least twice `least` pixels long.

    The distance of a box is that of its nearest point.
    """
    edges = (rows[3:] - rows[:3]).max(axis=0)
    is_open: Flags = edges * view.scale >= 2 * least * distances_of(rows, view)
    return is_open


def distances_of(rows: Rows, view: DetailView) -> Floats:
    """Return the distance from the eye to boxes, (6, n); 1 in a parallel view."""
    if view.is_parallel:
        return np.ones(rows.shape[1])
    eye = view.eye[:, None]
    gaps = np.maximum(0.0, np.maximum(rows[:3] - eye, eye - rows[3:]))
    distances: Floats = np.sqrt((gaps * gaps).sum(axis=0))
    return distances


def drawn_in(family: Family, view: DetailView, least: float, places: Ids | None = None) -> Flags:
    """Flag the cells of a family that are drawn, (k,), so that none looks smaller than `least`.

    With `places`, (p,), only these rows are flagged, (p,).
    """
    if places is None:
        places = np.arange(len(family))
    parents = family.parents[places]
    is_open = are_open(family.rows[:, places], view, least)
    in_open = are_open(family.rows[:, parents], view, least) | (parents < 0)
    drawn: Flags = in_open & (family.wanted[places] | (family.has_finer[places] & ~is_open))
    return drawn


def ranges(family: Family, view: DetailView, least: float) -> list[tuple[int, int]]:
    """Return ranges of rows that contain all drawn cells, each as its first row and a count.

    They leave out blocks out of view, and depths whose cells are too small even at the nearest
    point of their block. O(blocks x depth), whatever the number of cells.
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
    """Flag boxes, (6, n), except those entirely outside one of the side planes of the view."""
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
    """Return the first drawn cell on a ray, given by origin and direction; None without one.

    Among nested cells, only the smallest is considered.
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
    """Return all ancestors of cells, sorted. O(depth)."""
    found, level = [np.empty(0, np.intp)], cells
    while len(level):
        level = octree.node_parent[level]
        level = np.unique(level[level >= 0])
        found.append(level)
    return np.unique(np.concatenate(found))
