"""Flat arrays of cells and references, as walks read them: of one octree, or many side by side."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids
from .records import Frozen
from .shapes import Shapes


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Walkable(Frozen):
    """Cells, and the references of each and of all below it: see `Octree` for every array.

    A walk takes each question of a batch down from the root that it begins in.
    """

    straddlers: str
    cell_rows: Floats
    loose_rows: Floats
    middle_rows: Floats
    first_child: Ids
    begin: Ids
    own_end: Ids
    end: Ids
    child_masks: NDArray[np.uint8]
    order: Ids
    arranged: Shapes
    references: Ids
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
        """How far items may lie outside of cells, for each question, (q,), or for all, (1,)."""

    @property
    @abstractmethod
    def content_rows(self) -> Floats:
        """Bounds of the items of each cell and of all below it, made once, (6, m)."""
