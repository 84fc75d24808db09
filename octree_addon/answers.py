"""The last question of each scene's tree, and what it found: scene -> `Asked`.

It goes with its tree, and with what an undo takes back: the file and each undo step keep the
number of the question, as they keep the number of the tree.
"""

import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import bpy
import numpy as np
from bpy.props import IntProperty
from numpy.typing import NDArray

from ..core import Frusta, Octree, Spheres, trace
from . import trees
from .ui import settings_of, tag_redraw


class QueryRecord:
    """What a scene remembers of its last query: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        question_number: int
    else:
        question_number: IntProperty(description="Which question was its last; 0 is none", min=0)


class Ray(NamedTuple):
    """What a ray meets, first of all or altogether."""

    origin: NDArray[np.float64]
    direction: NDArray[np.float64]
    reach: float
    is_first: bool


class Nearby(NamedTuple):
    """Which few items are nearest to a point, and how far the farthest of those found is."""

    point: NDArray[np.float64]
    wanted: int
    reach: float
    farthest: float


class Pairing(NamedTuple):
    """Which items of different owners come this near to each other."""

    owners: NDArray[np.intp]
    margin: float


@dataclass(frozen=True, eq=False)
class Asked:
    """One question, and what was found.

    Attributes
    ----------
    octree : Octree
        What was asked.
    title : str
        What the user calls the question.
    question : Frusta or Spheres of one, Ray, Nearby or Pairing
        What it was about.
    items : ndarray of intp, shape (h,)
        What was found, sorted, each once.
    relation : str
        As for `query`, if it was about a volume.
    notes : tuple of str
        What else there is to say of it, line by line, the most important first.
    """

    octree: Octree
    title: str
    question: Frusta | Spheres | Ray | Nearby | Pairing
    items: NDArray[np.intp]
    relation: str = "touching"
    notes: tuple[str, ...] = ()

    @property
    def shape(self) -> Frusta | Spheres | Ray | None:
        """What there is to draw of it: of the nearest the sphere they lie in, of pairs nothing."""
        if isinstance(self.question, Pairing):
            return None
        if isinstance(self.question, Nearby):
            return Spheres([self.question.point], [self.question.farthest])
        return self.question

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """What the question took each cell for, as `core.trace` tells it; found when asked for."""
        shape = self.shape
        if shape is None:
            return np.zeros(len(self.octree.node_depth), np.uint8)
        return trace(self.octree, shape[:3] if isinstance(shape, Ray) else shape)

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
