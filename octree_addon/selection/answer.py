"""What a question found: item ids, to be gathered into objects or faces."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trees import BuiltTree

Flags = NDArray[np.bool_]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class Answer:
    """The items that a question found, and what counts as finding an object or a face.

    Attributes
    ----------
    built : BuiltTree
        What was asked.
    items : ndarray of intp, shape (h,)
        The items found, as answers call them.
    whole : bool
        An object or a face is found only with all of its items, else with any of them.
    invert : bool
        Those that are not found are wanted instead.
    """

    built: BuiltTree
    items: Ids
    whole: bool = False
    invert: bool = False

    def flags(self) -> tuple[Flags, Flags]:
        """Return for each item whether it was found, and whether it could be."""
        found = np.zeros(self.built.source.item_count, np.bool_)
        found[self.built.places_of(self.items)] = True
        possible = np.ones_like(found)
        possible[self.built.octree.invalid_items] = False
        return found, possible

    def wanted(self, found: Ids, possible: Ids) -> Flags:
        """Judge groups of items by how many of each were found, and how many could be."""
        matched: Flags = found == possible if self.whole else found > 0
        return (possible > 0) & (matched != self.invert)
