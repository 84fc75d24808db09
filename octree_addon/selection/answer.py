"""What a question found: triangle ids, to be gathered into objects or faces."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..trees import BuiltTree

Flags = NDArray[np.bool_]
Ids = NDArray[np.intp]


@dataclass(frozen=True)
class Answer:
    """The triangles that a question found, and what counts as finding an object or a face.

    Attributes
    ----------
    built : BuiltTree
        What was asked.
    triangles : ndarray of intp, shape (h,)
        The triangles found.
    whole : bool
        An object or a face is found only with all of its triangles, else with any of them.
    invert : bool
        Those that are not found are wanted instead.
    """

    built: BuiltTree
    triangles: Ids
    whole: bool = False
    invert: bool = False

    def flags(self) -> tuple[Flags, Flags]:
        """Return for each triangle whether it was found, and whether it could be."""
        found = np.zeros(len(self.built.source.faces), np.bool_)
        found[self.triangles] = True
        possible = np.ones_like(found)
        possible[self.built.octree.invalid_items] = False
        return found, possible

    def wanted(self, found: Ids, possible: Ids) -> Flags:
        """Judge groups of triangles by how many of each were found, and how many could be."""
        matched: Flags = found == possible if self.whole else found > 0
        return (possible > 0) & (matched != self.invert)
