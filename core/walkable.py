"""Octrees as queries take them, and the flat arrays of cells and references that walks read."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids
from .records import Frozen
from .shapes import Shapes

# Cells per question up to which bounds of contents are made: a table for one question would cost
# more than its walk.
_WORTH = 512


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Walkable(Frozen):
    """Cells, and the references of each and of all below it: see `Octree` for every array.

    A walk takes each question of a batch down from the root that it begins in. The children of a
    cell are neighbors, with a bit in its mask for each that holds items. Without `references`,
    cells hold the entries from `begin` to `end` themselves.
    """

    straddlers: str
    cell_rows: Floats
    loose_rows: Floats
    first_child: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    child_masks: NDArray[np.uint8]
    order: Ids
    arranged: Shapes
    references: Ids | None
    outside: int
    copied: Flags
    strays: Ids

    @property
    @abstractmethod
    def roots(self) -> Ids:
        """The cell that each question of a batch begins in, (q,), or all of them do, (1,)."""

    @property
    @abstractmethod
    def slacks(self) -> Floats:
        """The most by which items may lie outside of cells, per query, (q,), or for all, (1,)."""

    @property
    @abstractmethod
    def content_rows(self) -> Floats:
        """Bounds of the items of each cell and of all below it, made once, (6, m)."""

    def boxes_for(self, questions: int) -> Floats:
        """Return boxes around what cells hold, (6, m): tight ones if they exist or pay off."""
        is_worth = "content_rows" in vars(self) or len(self.begin) <= _WORTH * questions
        return self.content_rows if is_worth else self.loose_rows

    def children(self, cells: Ids) -> tuple[Ids, Ids]:
        """Return the children that hold items: the place of the parent, and the child."""
        bits = np.unpackbits(self.child_masks[cells, None], axis=1, bitorder="little")
        parents, children = bits.nonzero()
        return parents, self.first_child[cells[parents]] + children

    def entries_at(self, places: Ids) -> Ids:
        """Return the entries at these positions of the references."""
        if self.references is None:
            return places
        return self.references.take(places, mode="clip")


class AnyOctree(ABC):
    """An `Octree`, or an index of placements that answers the same queries: see `PlacedIndex`."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of items."""

    @abstractmethod
    def check(self) -> None:
        """Assert every invariant of the structure."""
