"""Clipping and assignment: an octree's triangles, cut at the walls of leaves or kept whole."""

import numpy as np

from ..arrays import Flags, Floats, Ids
from ..boxes import boxes_contain
from ..octree import Octree, as_octree
from ..shapes import Shapes, Triangles
from ..steps import Steps, at_once, between
from .cutting import OUTSIDE, Cutting
from .pieces import Pieces, piece_steps

# Attribute of a tree that caches the piece counts of its cells.
_COUNTS = "_piece_counts"


def clip_steps(tree: Octree, /) -> Steps[Pieces]:
    """Cut the triangles of an octree at the walls of its leaves, in steps.

    A new vertex lies exactly on the wall where an edge crosses it. Triangles that share the edge
    by vertex numbers share the new vertex; triangles whose edges only have ends with equal
    coordinates have new vertices with equal coordinates. All pieces along the edge receive the
    vertex, whatever the depths of their cells, so no vertex lies inside an edge of another piece.

    A piece that lies wholly in a wall belongs to the cell on the wall's lower side; in the root's
    lower border, to the cell above.

    Parameters
    ----------
    tree : Octree
        An octree of n triangles, built in any way.

    Returns
    -------
    generator of Pieces
        The pieces, sorted by triangle. The pieces of a triangle cover it: inner borders fit, and
        outer borders lie on its edges. Pieces with two corners at one place are left out, but
        every triangle keeps one piece. Cells are leaves, or -1 beyond the `bounds` of the tree.
        Invalid items have no pieces. O(pieces) for each level: with 32 triangles a leaf, about
        twelve times as long as building the tree.

    Raises
    ------
    ValueError
        If `tree` is no octree of triangles.

    Notes
    -----
    Coordinates of a cut are rounded a few times, except that across the wall, which is exact. A
    cut lies between the ends of its edge on each axis, so pieces stay in their closed cells in
    single precision, too.

    The name of the operation is from K. Miller, "Octrees for Potential Colliders", 2003. Polygons
    are divided as by I. Sutherland and G. Hodgman, "Reentrant Polygon Clipping", 1974.
    """
    return _clip(_of_triangles(tree))


clip = at_once(clip_steps)


def assign(tree: Octree, /) -> Ids:
    """Return the leaf that holds the centroid of each triangle of an octree.

    Parameters
    ----------
    tree : Octree
        An octree of n triangles, built in any way.

    Returns
    -------
    ndarray of intp, shape (n,)
        Cells; -1 for invalid items, and for centroids beyond the root. A centroid in a wall
        belongs to the cell on the wall's lower side; in the root's lower border, to the cell
        above. O(n depth).

    Raises
    ------
    ValueError
        If `tree` is no octree of triangles.
    """
    tree = _of_triangles(tree)
    points = _centroids(tree.items)
    root = tree.cell_rows[:, :1]
    holds = _valid(tree) & boxes_contain(root, points, points)
    cells = np.where(holds, 0, OUTSIDE)
    moving = holds.nonzero()[0]
    while len(moving := moving[tree.first_child[cells[moving]] >= 0]):
        above = points[:, moving] > tree.middle_rows[:, cells[moving]]
        cells[moving] = tree.first_child[cells[moving]] + (above.T @ (1, 2, 4))
    return cells


def piece_counts(tree: Octree) -> Ids:
    """Return the number of pieces in each cell, (m,); pieces beyond the root count in cell 0.

    The counts are cached in the tree, for repeated display. The array is read-only.
    """
    known = vars(tree)
    if _COUNTS not in known:
        cells = np.maximum(clip(tree).cells, 0)
        counts = np.bincount(cells, minlength=len(tree.node_depth))
        counts.setflags(write=False)
        known[_COUNTS] = counts
    counts = known[_COUNTS]
    return counts


def _centroids(triangles: Shapes) -> Floats:
    """Return the centroids of triangles, (3, n)."""
    with np.errstate(invalid="ignore"):  # vertices may be infinite or NaN
        first, second, third = triangles.rows.reshape(3, 3, -1)
        centers: Floats = (first + second + third) / 3
    return centers


def _of_triangles(tree: Octree) -> Octree:
    tree = as_octree("tree", tree)
    if not isinstance(tree.items, Triangles):
        raise ValueError(f"tree must hold Triangles, got {type(tree.items).__name__}")
    return tree


def _valid(tree: Octree) -> Flags:
    valid = np.ones(len(tree.items), bool)
    valid[tree.invalid_items] = False
    return valid


def _clip(tree: Octree) -> Steps[Pieces]:
    valid, items = _valid(tree), tree.items
    assert isinstance(items, Triangles)
    vertices, faces = np.ascontiguousarray(items.vertices.T), items.faces
    # Only invalid items have vertices that are not finite: these may take any place.
    beginning = Cutting.steps(_finite(vertices), np.ascontiguousarray(faces.T), valid)
    cutting = yield from between(0.0, 0.2, beginning)
    if tree.outside:
        for axis in range(3):
            for side, below in ((0, True), (3, False)):
                wall = float(tree.cell_rows[axis + side, 0])
                yield from between(0.2, 0.2, cutting.cut_off_steps(axis, wall, below=below))
    aligned, levels = tree.split == "middle", int(tree.node_depth.max())
    for level in range(levels):
        at, then = (0.2 + 0.6 * number / levels for number in (level, level + 1))
        dividing = cutting.divide_steps(tree.first_child, tree.middle_rows, aligned=aligned)
        yield from between(at, then, dividing)
    yield from between(0.8, 0.9, cutting.refine_steps(valid))
    making = piece_steps(cutting, items.vertices, faces, valid)
    pieces = yield from between(0.9, 1.0, making)
    yield 1.0
    return pieces


def _finite(vertices: Floats) -> Floats:
    return np.where(np.isfinite(vertices), vertices, 0.0)
