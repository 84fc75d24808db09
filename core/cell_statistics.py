"""Statistics: counts of items, cells and references by which a user can tune a tree."""

from dataclasses import dataclass

import numpy as np

from . import checks
from .arrays import Ids
from .clipping import piece_counts
from .octree import Octree
from .records import Record


@dataclass(frozen=True, eq=False)
class Statistics(Record):
    """Counts of the cells, items and references of an octree.

    With the straddlers "clip", references are the clipped pieces in the cells.

    Attributes
    ----------
    items, invalid : int
        Items in the tree, and items set aside because a coordinate is not finite.
    cells, leaves, occupied : int
        All cells; the cells without children; the cells with items of their own.
    depth : int
        The depth of the deepest cell; a tree of one cell has depth 0.
    references : int
        Pairs of an item and a cell that contains it, copies included.
    references_per_item : float
        1.0 if no item is copied; above 8, a larger capacity or another policy pays.
    fullest_leaf : int
        The most items in one leaf.
    bytes : int
        Memory of the tree's arrays, its own copy of the items included.
    cells_per_depth, items_per_depth : ndarray of intp, shape (depth + 1,)
        Cells at each depth, and references in them.
    """

    items: int
    invalid: int
    cells: int
    leaves: int
    occupied: int
    depth: int
    references: int
    references_per_item: float
    fullest_leaf: int
    bytes: int
    cells_per_depth: Ids
    items_per_depth: Ids


def statistics(tree: Octree, /) -> Statistics:
    """Count the items, cells and references of an octree.

    Parameters
    ----------
    tree : Octree
        Any octree.

    Returns
    -------
    Statistics
        The figures, O(m) for m cells. With "clip", the first call also costs as much as `clip`.

    Raises
    ------
    ValueError
        If `tree` is not an Octree.
    """
    checks.kind("tree", tree, (Octree,))
    counts = piece_counts(tree) if tree.straddlers == "clip" else tree.item_counts
    references = int(counts.sum())
    known = {id(value) for value in vars(tree.items).values()}
    arrays = {
        id(value): value
        for value in (*vars(tree).values(), *vars(tree.arranged).values())
        if isinstance(value, np.ndarray) and id(value) not in known
    }
    return Statistics(
        items=len(tree),
        invalid=len(tree.invalid_items),
        cells=len(counts),
        leaves=int(tree.is_leaf.sum()),
        occupied=int((counts > 0).sum()),
        depth=int(tree.node_depth.max()),
        references=references,
        references_per_item=references / max(len(tree), 1),
        fullest_leaf=int(counts[tree.is_leaf].max()),
        bytes=sum(array.nbytes for array in arrays.values()),
        cells_per_depth=np.bincount(tree.node_depth),
        items_per_depth=np.bincount(tree.node_depth, weights=counts).astype(np.intp),
    )
