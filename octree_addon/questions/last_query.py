"""The last query of each scene, and its answer: scene -> `Query`.

It holds what was asked as it was then, and goes with what an undo takes back: the file and each
undo step keep the number of the query.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import bpy
import numpy as np
from bpy.props import BoolProperty, IntProperty
from numpy.typing import NDArray

from ...core import Octree, trace
from ..answers.answer import Answer
from ..answers.kept import is_any_found, numbered_answer, version_at
from ..arrays import Flags, Floats, Ids
from ..result_list import Rows, has_results
from ..selection import SelectionOptions
from ..snapshots import SceneTarget
from ..ui import (
    SessionStore,
    plural,
    redraw_status_bars,
    schedule,
    settings_of,
    tag_redraw,
)
from .outlines import Outline

# What the buttons of the tab share.
SHARED = (*SelectionOptions.flat, "meshes")


@dataclass(frozen=True, eq=False, kw_only=True)
class Query:
    """A question, what it was asked of, and what was found.

    Attributes
    ----------
    target : SceneTarget
        What was asked.
    title : str
        What the user calls the question.
    items : ndarray of intp, shape (h,)
        The numbers of what was found, sorted, each once.
    relation : str
        As for `query`, if it was about a volume.
    objects_only : bool
        Whether `items` are the first items alone of objects that were found.
    notes : tuple of str
        Further lines of the report, the most important first: of pairs, how many there are.
    distances : ndarray of float64, shape (h,), optional
        How far each of `items` is, if it is about distances.
    pair_rows : Rows, optional
        The rows of the result, if they are pairs.
    hint : str
        What the user should know of the answer, and can ask about.
    outlines_answer : bool
        Whether the outline depends on what was found, not on the question alone.
    """

    target: SceneTarget
    title: str
    items: Ids
    relation: str = "touching"
    objects_only: bool = False
    notes: tuple[str, ...] = ()
    distances: Floats | None = None
    pair_rows: Rows | None = None
    hint: str = ""
    outlines_answer: ClassVar[bool] = False

    @property
    def traced(self) -> Any:
        """The volume or the ray for `trace`; none if there is neither."""
        return None

    @cached_property
    def outline(self) -> Outline | None:
        """The wireframe of the shape in the query, if there is one."""
        return None

    @cached_property
    def found_text(self) -> str:
        """How much was found, such as "627 of 968 triangles"."""
        found, possible = self.target.counts(self.items)
        if self.objects_only:
            count = int((possible > 0).sum())
            return f"{len(self.items):,} of {count:,} objects and instances"
        return f"{found.sum():,} of {plural(int(possible.sum()), 'triangle')}"

    @cached_property
    def words(self) -> str:
        """The same after what was asked for: "1 object: 627 of 968 triangles", or pairs."""
        if self.pair_rows is not None:
            return f"{self.notes[0]}: {self.found_text}"
        if self.objects_only or not len(self.items):
            return self.found_text
        owners = np.unique(self.target.owners[self.target.placements_of(self.items)])
        return f"{plural(len(owners), 'object')}: {self.found_text}"

    def states_in(self, octree: Octree) -> NDArray[np.uint8]:
        """Return the state that `core.trace` gives each cell of an octree, shape (m,)."""
        if self.traced is None:
            return np.zeros(len(octree.node_depth), np.uint8)
        return trace(octree, self.traced)

    @cached_property
    def found(self) -> Flags:
        """Whether each item of the target was found, itself or with its object, shape (n,)."""
        return self.flags_of(self.items)

    def flags_of(self, hits: Ids) -> Flags:
        """Tell which items are hits, (n,); or, of objects only, belong to one that has a hit."""
        target = self.target
        if self.objects_only:
            has_hit = np.bincount(target.placements_of(hits), minlength=len(target.owners)) > 0
            return has_hit[target.placement_of_item] & target.possible
        flags = np.zeros(int(target.starts[-1]), np.bool_)
        flags[hits] = True
        return flags

    @cached_property
    def whole_items(self) -> Ids:
        """Return `items`; where they are the first ones of objects alone, all of these."""
        return np.flatnonzero(self.found) if self.objects_only else self.items

    @cached_property
    def missed(self) -> Flags:
        """Whether each item could have been found and was not, shape (n,)."""
        return self.target.possible & ~self.found


class QueryRecord:
    """Numbers of the last query, in the file and each undo step: a mixin of `OctreeSettings`."""

    if TYPE_CHECKING:
        question_number: int
        question_tree: int
    else:
        question_number: IntProperty(description="Number of the last question; 0 is none", min=0)
        question_tree: IntProperty(description="Number of the tree that there was then", min=0)


class OctreeAnswerSettings(bpy.types.PropertyGroup):
    """Switches for the drawing of the last query: `scene.octree.answer`."""

    if TYPE_CHECKING:
        outline: bool
        found: bool
        missed: bool
        dim: bool
        fade: bool
    else:
        outline: BoolProperty(
            name="Outline",
            description="Draw the outline of the shape in the last question",
            default=True,
            update=tag_redraw,
        )
        found: BoolProperty(
            name="Color Answer",
            description="Color what the last question found blue, until the scene changes",
            default=True,
            update=tag_redraw,
        )
        missed: BoolProperty(
            name="Color Rest",
            description="Color what the last question did not find purple",
            default=False,
            update=tag_redraw,
        )
        fade: BoolProperty(
            name="Fade Rest",
            description="Fade all that was not found while what was found is colored",
            default=True,
            update=tag_redraw,
        )
        dim: BoolProperty(
            name="Dim Cells",
            description="Draw the cells of the octree faintly since the last question, until it is"
            " built again",
            default=True,
            update=tag_redraw,
        )


# By the session id of a scene and the number of its last query: whether status bars say it.
_is_said: SessionStore[bool] = SessionStore()


def note_last(scene: bpy.types.Scene, number: int) -> None:
    """Let the answer of this number be that of the last query."""
    settings = settings_of(scene)
    settings.question_number, settings.question_tree = number, settings.tree_number
    _is_said.put((scene.session_uid, number), True)


def last_answer(scene: bpy.types.Scene) -> Answer[Query] | None:
    """Return the answer to the last query, unless an undo has taken it back."""
    return numbered_answer(scene, settings_of(scene).question_number, Query)


def get(scene: bpy.types.Scene) -> Query | None:
    """Return the last query, unless an undo has taken it back."""
    answer = last_answer(scene)
    return answer.found if answer else None


def shared_of(scene: bpy.types.Scene) -> dict[str, str]:
    """Return what the last query was asked with of what all questions have, such as `action`."""
    answer = last_answer(scene)
    return {name: answer.options[name] for name in SHARED} if answer else {}


def is_current(scene: bpy.types.Scene) -> bool:
    """Tell whether there is a last query, and the scene is known to be as it was asked.

    After a change it is not, until the scene has come to rest and was compared.
    """
    answer = last_answer(scene)
    if answer is None:
        return False
    key = scene.session_uid, answer.number
    version = replace(version_at(scene, answer.number), own=True)
    is_same = has_results(scene) and version.is_same(scene)
    if is_same != _is_said.get(key, False):
        _is_said[key] = is_same
        schedule(redraw_status_bars, 0.0)
    return is_same


def is_before_tree(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene's tree was built after the last query."""
    settings = settings_of(scene)
    return bool(settings.question_tree != settings.tree_number)


def is_empty() -> bool:
    """Tell whether no scene has a query."""
    return not is_any_found(Query)
