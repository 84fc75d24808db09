"""Query operators: ask the scene as it is now, select the answer, remember the query."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...core import Steps, between, pairs_inside, pairs_touching
from .. import tuning
from ..answers import verbs
from ..answers.kept import keep
from ..arrays import Flags, Ids
from ..scene_index import unread_triangles
from ..scope import is_too_much, too_much_text, viewport_of
from ..selection import FoundItems
from ..targets import SceneTarget, TargetSteps, scene_steps
from ..ui import (
    ChangedMeanwhileError,
    SelectionOptions,
    Status,
    SteppedOperator,
    column_of,
    draw_rows,
    mode_obstacle,
    offer_anyway,
    settings_of,
    take,
    write_back,
)
from . import last_query
from .last_query import HitSteps, Query
from .outlines import Outline, Volume, volume_outline
from .result_rows import answer_of

QuerySteps = Steps[Query]


def within(place: str) -> Any:
    """Return the property for how much of an item must be in a place, such as "in view"."""
    return EnumProperty(
        name="Within",
        description=f"How much of an item must be {place}",
        items=(
            ("TOUCHING", "Partly", f"Any part of it is {place}"),
            ("INSIDE", "Wholly", f"All of it is {place}"),
        ),
        default="TOUCHING",
    )


class MeshOptions:
    """Which meshes are asked."""

    if TYPE_CHECKING:
        meshes: str
    else:
        meshes: EnumProperty(
            name="Ask Meshes",
            description="Which meshes questions are about",
            items=(
                ("EVALUATED", "As Shown", "With modifiers, and what these instance"),
                (
                    "ORIGINAL",
                    "Original",
                    "Without modifiers and shape keys: the faces that are edited",
                ),
            ),
            default="EVALUATED",
        )

    @property
    def of_original(self) -> bool:
        """Whether original meshes are asked."""
        return self.meshes == "ORIGINAL"


class QueryOperator(MeshOptions, SelectionOptions, SteppedOperator):
    """A question: what all of them share; a mixin.

    Attributes
    ----------
    key : str
        The name of its settings under `scene.octree`.
    settings : property group
        They have the same properties as the operator, except what only one question can know.
    rows : tuple of str
        The properties that its redo panel shows; the sidebar shows those of them that the settings
        have, except `kind` and `action`, which all of its buttons share.
    panel_rows : tuple of str
        What the sidebar shows, if those are other rows.
    """

    bl_options = {"REGISTER", "UNDO"}
    key: str
    settings: type[bpy.types.PropertyGroup]
    rows: tuple[str, ...]
    panel_rows: tuple[str, ...] = ()
    invert = False
    _whole_objects = False

    if TYPE_CHECKING:
        any_size: bool
        result: str
    else:
        result: StringProperty(
            name="Result",
            description="Name under which the answer is kept in Results; that of the question if"
            " empty",
            options={"HIDDEN", "SKIP_SAVE"},
        )
        any_size: BoolProperty(
            name="Any Size",
            description="Ask even if more triangles have to be read than the preferences allow",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)

    def prepare(self, context: bpy.types.Context) -> None:
        """Read what the question needs of the scene, or refuse; the settings are taken."""

    def ask(self, target: SceneTarget) -> Query:
        """Ask."""
        raise NotImplementedError

    def ask_steps(self, target: SceneTarget) -> QuerySteps:
        """Ask, step by step."""
        found = self.ask(target)
        yield 1.0
        return found

    def needed(self, target: SceneTarget) -> Ids:
        """Return the placements that the question may have to look into."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        triangles = unread_triangles(context, of_original=self.of_original)
        if is_too_much(triangles) and not (self.any_size or bpy.app.background):
            offer_anyway(context, self, f"Read {too_much_text(triangles)}?")
            return {"CANCELLED"}
        return super().invoke(context, event)

    def steps(self, context: bpy.types.Context) -> QuerySteps:
        """Ask the scene as it is now."""
        take(self, self._settings(context))
        self.prepare(context)
        target = yield from between(0.0, 0.4, self.target_steps(context))
        yield from between(0.4, 0.6, target.prepare_steps(self.needed(target)))
        if not target.is_current:
            raise ChangedMeanwhileError
        # From here on later changes leave it alone.
        target = target.frozen()
        is_large = is_too_much(int(target.starts[-1]))
        self._whole_objects = is_large and not self.selects_faces(context)
        return (yield from between(0.6, 1.0, self.ask_steps(target)))

    def target_steps(self, context: bpy.types.Context) -> TargetSteps:
        """Bring the index of the scene up to date, and return what is asked of it."""
        reading = scene_steps(context, viewport_of(context), of_original=self.of_original)
        target = yield from reading
        if not target.owners.size:
            raise ValueError("There are no triangles: no visible object has faces")
        return target

    def finish(self, context: bpy.types.Context, result: Query) -> Status:
        """Select the answer, and keep it."""
        answer = FoundItems(result.target, result.items, result.relation == "inside", self.invert)
        found = verbs.select(
            context,
            answer.subjects,
            self.action,
            faces=self.selects_faces(context),
        )
        write_back(self, self._settings(context))
        self.keep_more(context)
        kept = keep(context, answer_of(self, result, answer), self.result, kind=Query)
        last_query.note_last(context.scene, kept.number)
        notes = result.notes[: result.pair_rows is None]  # of pairs the words begin with it
        self.report({"INFO"}, "; ".join([*notes, result.words, found]))
        return {"FINISHED"}

    def keep_more(self, context: bpy.types.Context) -> None:
        """Keep what was made besides the answer."""

    @classmethod
    def rows_of(cls, options: Any) -> tuple[str, ...]:
        """Return the rows that have an effect with these options, an operator or its settings."""
        return cls.rows

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        draw_rows(column_of(self), self, (*self.rows_of(self), "meshes"))

    def _settings(self, context: bpy.types.Context) -> Any:
        return getattr(settings_of(context.scene), self.key)


@dataclass(frozen=True, eq=False, kw_only=True)
class VolumeQuery(Query):
    """The items that touch one volume, lie in it, or are its potential colliders.

    Attributes
    ----------
    volume : Capsules, Frusta or Spheres
        The volume.
    apart : ndarray of bool, shape (p,)
        The placements of the object that gives the volume, which are not asked.
    """

    volume: Volume
    apart: Flags
    is_itemwise = True

    @property
    def traced(self) -> Volume:
        return self.volume

    @cached_property
    def outline(self) -> Outline:
        return volume_outline(self.volume)

    @cached_property
    def missed(self) -> Flags:
        return super().missed & ~self._apart_items

    @cached_property
    def _apart_items(self) -> Flags:
        return self.apart[self.target.placement_of_item]

    def hit_steps(self, numbers: Ids) -> HitSteps:
        numbers = numbers[~self._apart_items[numbers]]
        test = pairs_inside if self.relation == "inside" else pairs_touching
        hits = [np.empty(0, np.intp)]
        most = tuning.current.items_tested
        for start in range(0, len(numbers), most):
            some = numbers[start : start + most]
            volumes = np.zeros(len(some), np.intp)
            hits.append(some[test(self.target.items, some, self.volume, volumes)])
            yield min(start + most, len(numbers)) / len(numbers)
        return np.concatenate(hits)


class VolumeOperator(QueryOperator):
    """A question about a volume; a mixin."""

    if TYPE_CHECKING:
        relation: str
    _volume: Volume
    # The session id of the object that gives the volume, and is not found; 0 is none.
    _uid = 0

    def volume(self, context: bpy.types.Context) -> Volume:
        """Return the volume of the query."""
        raise NotImplementedError

    def prepare(self, context: bpy.types.Context) -> None:
        self._volume = self.volume(context)

    def needed(self, target: SceneTarget) -> Ids:
        return target.near(self._volume)

    def items_in(self, target: SceneTarget, relation: str) -> Ids:
        """Return the numbers of the items in the volume, sorted."""
        return target.in_volume(self._volume, relation)

    def ask(self, target: SceneTarget) -> VolumeQuery:
        relation, volume = self.relation.lower(), self._volume
        objects_only = self._whole_objects and relation == "touching"
        if objects_only:
            items = target.objects_in_volume(volume)
        else:
            items = self.items_in(target, relation)
        apart = target.owners == self._uid
        return VolumeQuery(
            target=target,
            title=self.bl_label,
            items=items[~apart[target.placements_of(items)]],
            apart=apart,
            relation=relation,
            objects_only=objects_only,
            volume=volume,
        )
