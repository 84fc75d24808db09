"""The last question of each scene's tree, and what it found: scene -> `Asked`.

It goes with its tree, and with what an undo takes back: the file and each undo step keep the
number of the question, as they keep the number of the tree.
"""

import secrets
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import bpy
import numpy as np
from numpy.typing import NDArray

from ..core import Frusta, Octree, Spheres, trace
from . import trees
from .properties import settings_of, tag_redraw

Ray = tuple[NDArray[np.float64], NDArray[np.float64], float]


@dataclass(frozen=True, eq=False)
class Asked:
    """One question, and what was found.

    Attributes
    ----------
    octree : Octree
        What was asked.
    title : str
        What the user calls the question.
    volume : Frusta or Spheres of one, tuple, or None
        What it was about; a ray is its origin, direction and greatest distance. None for pairs.
    relation : str
        As for `query`, or "pairs".
    items : ndarray of intp, shape (h,)
        What was found, sorted, each once.
    notes : tuple of str
        What else there is to say of it, line by line.
    """

    octree: Octree
    title: str
    volume: Frusta | Spheres | Ray | None
    relation: str
    items: NDArray[np.intp]
    notes: tuple[str, ...] = ()

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """What the question took each cell for, as `core.trace` tells it; found when asked for."""
        if self.volume is None:
            return np.zeros(len(self.octree.node_depth), np.uint8)
        return trace(self.octree, self.volume)

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """Whether each item was found, shape (n,), in the order of the tree's items."""
        ids = self.octree.ids
        numbers = self.items if ids is None else np.searchsorted(ids, self.items)
        flags = np.zeros(len(self.octree.items), np.bool_)
        flags[numbers] = True
        return flags

    @cached_property
    def missed(self) -> NDArray[np.bool_]:
        """Whether each item could have been found and was not, shape (n,)."""
        flags = ~self.found
        flags[self.octree.invalid_items] = False
        return flags


_asked: WeakKeyDictionary[trees.BuiltTree, tuple[int, Asked]] = WeakKeyDictionary()


def remember(scene: bpy.types.Scene, asked: Asked) -> None:
    """Keep the last question asked of the scene's tree, and show it."""
    built = trees.get(scene)
    assert built is not None
    settings = settings_of(scene)
    settings.question_number = secrets.randbelow(2**31 - 1) + 1
    _asked[built] = (settings.question_number, asked)
    tag_redraw()


def get(scene: bpy.types.Scene) -> Asked | None:
    """Return the last question, unless its tree has changed or an undo has taken it back."""
    built = trees.get(scene)
    number, asked = (0, None) if built is None else _asked.get(built, (0, None))
    if asked is None or number != settings_of(scene).question_number:
        return None
    return asked if asked.octree is built.octree else None
