"""Touching triangles of two octrees: synchronized traversal of both trees, in C."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import tuning
from ..arrays import Ids, address
from ..octree import Octree
from ..shapes import Triangles
from .door import found
from .touches import batch_of

# Pairs that fit into the array of results at first; bits of the number of an entry.
_ROOM, _BITS = 16_384, 32
# Boxes of triangles are cached for this many leaves or more, and for about this many entries.
_SLOTS, _HELD = 2, 8_192
# Places in the kernel's `Join`: how many pairs of cells wait; how many comparisons were made.
_HEIGHT, _COMPARED = 0, 1


def joined_triangles(
    tree: Octree, other: Octree, slack: float, most: int
) -> Iterator[tuple[Ids, Ids]] | None:
    """Return batches of pairs of entries that touch, one of each tree; pairs may come again.

    Items must be in all leaves that they touch, and may reach beside their leaves by `slack`. If
    the join is given up, after more than `most` comparisons or at leaves with too many pairs, the
    last batch is one pair of -1. Returns None without the compiled kernel, or if the kernel
    cannot take one of the trees.
    """
    library, package, _ = found()
    if library is None or max(len(tree.order), len(other.order)) >= 2 ** (_BITS - 1):
        return None
    kept: list[Any] = []
    both = [_cells_of(each, package, kept) for each in (tree, other)]
    if None in both:
        return None
    cells = (package.Cells * 2)(*both)
    join = np.zeros(library.octree_kernel_join_size() // 8, np.int64)
    join[_HEIGHT] = 1  # the pair of roots waits
    return _batches(library, package, cells, join, slack, most, kept)


def _batches(
    library: Any,
    package: Any,
    cells: Any,
    join: NDArray[np.int64],
    slack: float,
    most: int,
    _: list[Any],
) -> Iterator[tuple[Ids, Ids]]:
    room, used = _ROOM, tuning.current
    while join[_HEIGHT]:
        names = np.empty(room, np.int64)
        count = library.octree_kernel_join(
            cells, address(join), slack, used.joined_crowd, used.pairs_walked, address(names), room
        )
        if count == package.GIVEN_UP or join[_COMPARED] > most:
            yield np.array([-1]), np.array([-1])
            return
        if count == package.NO_ROOM:
            room *= 4
            continue
        names = names[:count]
        yield names >> _BITS, names & (1 << _BITS) - 1


def _cells_of(tree: Octree, package: Any, kept: list[Any]) -> Any:
    """Return a tree of triangles as a structure of the kernel; None if the kernel cannot take it.

    Arrays that the structure points to are appended to `kept`.
    """
    items = tree.arranged
    batch = batch_of(items) if isinstance(items, Triangles) else None
    if batch is None:
        return None
    most = int((tree.end - tree.begin)[tree.is_leaf].max(initial=0))
    if most > tuning.current.joined_crowd:
        return None
    slots = max(_SLOTS, _HELD // max(most, 1))
    given = {
        "walls": np.ascontiguousarray(tree.cell_rows),
        "first_child": np.ascontiguousarray(tree.first_child, np.intp),
        "begin": np.ascontiguousarray(tree.begin, np.intp),
        "end": np.ascontiguousarray(tree.end, np.intp),
        "references": np.ascontiguousarray(tree.references, np.intp),
        "slots": np.empty((slots, 1 + most, 6)),
        "held": np.full(slots, -1),
    }
    kept += [batch, *given.values()]
    places = {name: address(array) for name, array in given.items()}
    return package.Cells(
        items=batch.value, cell_count=len(tree.begin), reference_count=len(tree.references),
        slot_count=slots, most=most, **places,
    )  # fmt: skip
