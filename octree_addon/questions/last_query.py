"""The last query of each scene with its answer.

A `Query` keeps the target of its question, frozen. The blend file and each undo step store its
number, so an undo brings back the previous query.
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

# Names of the options that all buttons of the tab share.
SHARED = (*SelectionOptions.flat, "meshes")


@dataclass(frozen=True, eq=False, kw_only=True)
class Query:
    """A question with the scene that was asked and the items that were found.

    Attributes
    ----------
    target : SceneTarget
        The scene at the time of the question.
    title : str
        The question's name in the user interface.
    items : ndarray of intp, shape (h,)
        The numbers of the items found, sorted, each once.
    relation : str
        For a volume, the relation of `core.query`.
    objects_only : bool
        If true, only objects were tested, and `items` has only the first item of each found one.
    notes : tuple of str
        Further lines of the report, the most important first; for pairs, their number.
    distances : ndarray of float64, shape (h,), optional
        Distance of each of `items`, if the question measures distances.
    pair_rows : Rows, optional
        The rows of the result, for questions about pairs.
    hint : str
        A limitation of the answer that the user should know, or an empty string.
    outlines_answer : bool
        If true, the outline depends on the items found, not on the question only.
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
        """The volume or the ray for `core.trace`; None for other questions."""
        return None

    @cached_property
    def outline(self) -> Outline | None:
        """The wireframe of the query's shape; None without a shape."""
        return None

    @cached_property
    def found_text(self) -> str:
        """The number of items found, such as "627 of 968 triangles"."""
        found, possible = self.target.counts(self.items)
        if self.objects_only:
            count = int((possible > 0).sum())
            return f"{len(self.items):,} of {count:,} objects and instances"
        return f"{found.sum():,} of {plural(int(possible.sum()), 'triangle')}"

    @cached_property
    def words(self) -> str:
        """Objects or pairs, then items: "1 object: 627 of 968 triangles"."""
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
        """Flags of the items found, or of all items of found objects, shape (n,)."""
        return self.flags_of(self.items)

    def flags_of(self, hits: Ids) -> Flags:
        """Flag hits among all items, (n,); if `objects_only`, all items of hit objects."""
        target = self.target
        if self.objects_only:
            has_hit = np.bincount(target.placements_of(hits), minlength=len(target.owners)) > 0
            return has_hit[target.placement_of_item] & target.possible
        flags = np.zeros(int(target.starts[-1]), np.bool_)
        flags[hits] = True
        return flags

    @cached_property
    def whole_items(self) -> Ids:
        """The numbers of the items found; if `objects_only`, of all items of found objects."""
        return np.flatnonzero(self.found) if self.objects_only else self.items

    @cached_property
    def missed(self) -> Flags:
        """Flags of the items that could have been found but were not, shape (n,)."""
        return self.target.possible & ~self.found


class QueryRecord:
    """Numbers of the last query in the file and undo steps: a mixin of `OctreeSettings`."""

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


# By session id of a scene and number of its last query: whether status bars show that query.
_is_said: SessionStore[bool] = SessionStore()


def note_last(scene: bpy.types.Scene, number: int) -> None:
    """Record the number of the answer to the last query."""
    settings = settings_of(scene)
    settings.question_number, settings.question_tree = number, settings.tree_number
    _is_said.put((scene.session_uid, number), True)


def last_answer(scene: bpy.types.Scene) -> Answer[Query] | None:
    """Return the answer to the last query; None if there is none, or after an undo of it."""
    return numbered_answer(scene, settings_of(scene).question_number, Query)


def get(scene: bpy.types.Scene) -> Query | None:
    """Return the last query; None if there is none, or after an undo of it."""
    answer = last_answer(scene)
    return answer.found if answer else None


def shared_of(scene: bpy.types.Scene) -> dict[str, str]:
    """Return the last query's values of the options that all questions share, `action` for one."""
    answer = last_answer(scene)
    return {name: answer.options[name] for name in SHARED} if answer else {}


def is_current(scene: bpy.types.Scene) -> bool:
    """Return whether there is a last query and the scene is known to be unchanged since.

    After a change the result is False until the idle scene has been compared.
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
    """Return whether the scene's octree was built after the last query."""
    settings = settings_of(scene)
    return bool(settings.question_tree != settings.tree_number)


def is_empty() -> bool:
    """Return whether no scene has a query."""
    return not is_any_found(Query)
