"""The last query of each scene, its answer and its brute force: scene -> `Query`.

It goes with its tree, and with what an undo takes back: the file and each undo step keep the
number of the query, as they keep the number of the tree.
"""

import secrets
from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import bpy
import numpy as np
from bpy.props import BoolProperty, IntProperty
from numpy.typing import NDArray

from ...core import Boxes, Octree, build_octree, trace
from .. import trees
from ..arrays import Flags, Ids
from ..ui import settings_of, tag_redraw
from .outlines import Outline

# Yields the fraction done, returns the numbers of the hits.
HitSteps = Generator[float, None, Ids]


@dataclass(frozen=True, eq=False, kw_only=True)
class Query:
    """What was asked of an octree, and what was found.

    Attributes
    ----------
    octree : Octree
        What was asked.
    title : str
        What the user calls the question.
    items : ndarray of intp, shape (h,)
        What was found, sorted, each once.
    relation : str
        As for `query`, if it was about a volume.
    notes : tuple of str
        What else there is to say of it, line by line, the most important first.
    """

    octree: Octree
    title: str
    items: Ids
    relation: str = "touching"
    notes: tuple[str, ...] = ()

    @property
    def traced(self) -> Any:
        """The volume or the ray that `trace` is asked about; none if there is neither."""
        return None

    @cached_property
    def outline(self) -> Outline | None:
        """The lines that show what was asked about, if there are any."""
        return None

    def hit_steps(self, numbers: Ids) -> HitSteps:
        """Ask these items again, (n,), one by one; yield the fraction done, return the hits."""
        raise NotImplementedError

    @cached_property
    def states(self) -> NDArray[np.uint8]:
        """The state of each cell as `core.trace` has it, shape (m,)."""
        if self.traced is None:
            return np.zeros(len(self.octree.node_depth), np.uint8)
        return trace(self.octree, self.traced)

    @cached_property
    def found(self) -> Flags:
        """Whether each item was found, shape (n,), in the order of the tree's items."""
        ids = self.octree.ids
        numbers = self.items if ids is None else np.searchsorted(ids, self.items)
        flags = np.zeros(len(self.octree.items), np.bool_)
        flags[numbers] = True
        return flags

    @cached_property
    def missed(self) -> Flags:
        """Whether each item could have been found and was not, shape (n,)."""
        flags = ~self.found
        flags[self.octree.invalid_items] = False
        return flags


def flat_octree(items: Any) -> Octree:
    """Return an octree of one cell that lies beyond all items: each of them has to be tested."""
    bounds = items.bounds()
    limits = np.concatenate((bounds.lower, bounds.upper))
    size = 1.0 + np.abs(limits[np.isfinite(limits)]).max(initial=0.0)
    return build_octree(items, max_depth=0, bounds=Boxes([[2 * size] * 3], [[3 * size] * 3]))


class QueryRecord:
    """What a scene remembers of its last query: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        question_number: int
    else:
        question_number: IntProperty(description="Which question was its last; 0 is none", min=0)


class OctreeAnswerSettings(bpy.types.PropertyGroup):
    """What is shown of the last query."""

    if TYPE_CHECKING:
        outline: bool
        found: bool
    else:
        outline: BoolProperty(
            name="Outline",
            description="Draw the outline of what the last question was about",
            default=True,
            update=tag_redraw,
        )
        found: BoolProperty(
            name="Color Answer",
            description="Color what the last question found blue, and what it did not find purple",
            default=False,
            update=tag_redraw,
        )


_queries: WeakKeyDictionary[trees.BuiltTree, tuple[int, Query]] = WeakKeyDictionary()


def remember(scene: bpy.types.Scene, query: Query) -> None:
    """Keep the last query of the scene's tree, and show it."""
    built = trees.get(scene)
    assert built is not None
    settings = settings_of(scene)
    settings.question_number = secrets.randbelow(2**31 - 1) + 1
    _queries[built] = (settings.question_number, query)
    tag_redraw()


def get(scene: bpy.types.Scene) -> Query | None:
    """Return the last query, unless its tree has changed or an undo has taken it back."""
    built = trees.get(scene)
    number, query = (0, None) if built is None else _queries.get(built, (0, None))
    if query is None or number != settings_of(scene).question_number:
        return None
    return query if query.octree is built.octree else None
