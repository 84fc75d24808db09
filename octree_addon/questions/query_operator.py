"""Base of the query operators: query the scene, select the items found, keep the answer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

import bpy

from ...core import Steps, between
from ..answers import verbs
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..answers.options import AnswerOptions
from ..arrays import Flags, Ids
from ..options import Extra, draw_options, enum
from ..scene_index import unread_triangles
from ..scope import SizeOptions, is_too_much, too_much_text, viewport_of
from ..selection import FoundItems, SelectionOptions
from ..snapshots import SceneTarget, TargetSteps, refuse_empty, scene_steps
from ..ui import (
    ChangedMeanwhileError,
    Status,
    column_of,
    offer_anyway,
)
from . import last_query
from .last_query import Query
from .outlines import Outline, Volume, volume_outline
from .result_rows import placement_rows

QuerySteps = Steps[Query]


def within(place: str) -> Literal["TOUCHING", "INSIDE"]:
    """Return an option: how much of an item must be in a place, such as "in view"."""
    return enum(
        "TOUCHING",
        "Within",
        f"How much of an item must be {place}",
        {
            "TOUCHING": ("Partly", f"Any part of it is {place}"),
            "INSIDE": ("Wholly", f"All of it is {place}"),
        },
    )


def asked_meshes(settings: Extra) -> Literal["EVALUATED", "ORIGINAL"]:
    """Return an option: which meshes are asked. If `settings` is None, only operators have it."""
    return enum(
        "EVALUATED",
        "Ask Meshes",
        "Which meshes questions are about",
        {
            "EVALUATED": ("As Shown", "With modifiers, and what these instance"),
            "ORIGINAL": (
                "Original",
                "Without modifiers and shape keys: the faces that are edited",
            ),
        },
        settings=settings,
    )


class QuestionOptions(SelectionOptions, AnswerOptions, SizeOptions):
    """Options of all questions; scenes store `meshes` with the tab, not with each question."""

    meshes: Literal["EVALUATED", "ORIGINAL"] = asked_meshes(settings=None)

    @property
    def of_original(self) -> bool:
        """True if original meshes are asked, without modifiers."""
        return self.meshes == "ORIGINAL"


class VolumeOptions(QuestionOptions):
    """Options of all questions about a volume."""

    @property
    def relation(self) -> str:
        """The exactness of the answer, or how much of an item must be in the volume."""
        raise NotImplementedError


Asked = TypeVar("Asked", bound=QuestionOptions)
InVolume = TypeVar("InVolume", bound=VolumeOptions)


class QueryOperator(QuestionOperator[Asked]):
    """The base of questions about triangles; a mixin.

    Attributes
    ----------
    settings : property group
        Scene settings with the options of the operator, except those of a single call.
    """

    keeps = Query
    settings: type[bpy.types.PropertyGroup]
    _whole_objects = False

    def prepare(self, context: bpy.types.Context) -> None:
        """Read the scene data that the question needs, or refuse by an error."""

    def ask(self, target: SceneTarget) -> Query:
        """Return the answer to the question."""
        raise NotImplementedError

    def ask_steps(self, target: SceneTarget) -> QuerySteps:
        """Return the answer to the question, in steps."""
        found = self.ask(target)
        yield 1.0
        return found

    def needed(self, target: SceneTarget) -> Ids:
        """Return the placements that the question may have to test."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Status:
        options = self.taken
        triangles = unread_triangles(context, of_original=options.of_original)
        if is_too_much(triangles) and not (options.any_size or bpy.app.background):
            offer_anyway(context, self, f"Read {too_much_text(triangles)}?")
            return {"CANCELLED"}
        return super().invoke(context, event)

    def run(self, context: bpy.types.Context, options: Asked) -> QuerySteps:
        """Query the current scene."""
        self.prepare(context)
        target = yield from between(0.0, 0.4, self.target_steps(context))
        yield from between(0.4, 0.6, target.prepare_steps(self.needed(target)))
        if not target.is_current:
            raise ChangedMeanwhileError
        # Later changes of the scene do not affect the frozen target.
        target = target.frozen()
        is_large = is_too_much(int(target.starts[-1]))
        self._whole_objects = is_large and not self.taken.selects_faces(context)
        return (yield from between(0.6, 1.0, self.ask_steps(target)))

    def target_steps(self, context: bpy.types.Context) -> TargetSteps:
        """Update the index of the scene, and return it as the target of the question."""
        original = self.taken.of_original
        target = yield from scene_steps(context, viewport_of(context), of_original=original)
        refuse_empty(target)
        return target

    def told(self, context: bpy.types.Context, found: Query, options: Asked) -> Told:
        """Select the items found, and return the answer and its report."""
        is_inside, inverts = found.relation == "inside", self.inverts(options)
        items = FoundItems(found.target, found.items, is_inside, inverts)
        faces = options.selects_faces(context)
        said = verbs.select(context, items.subjects, options.action, faces=faces)
        notes = found.notes[: found.pair_rows is None]  # for pairs, `words` has the note
        rows = found.pair_rows or placement_rows(found, items)
        answer = Answer(found=found, title=found.title, rows=rows)
        return answer, "; ".join([*notes, found.words, said])

    def keep(self, context: bpy.types.Context, answer: Answer[Query], name: str) -> Any:
        """Store the answer, and record it as that of the last query."""
        self.keep_more(context)
        kept = super().keep(context, answer, name)
        last_query.note_last(context.scene, kept.number)
        return kept

    def keep_more(self, context: bpy.types.Context) -> None:
        """Store by-products of the question."""

    def inverts(self, options: Asked) -> bool:
        """Return whether to select everything except the items found."""
        return False

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel, with the options of all questions last."""
        column = column_of(self)
        draw_options(column, self, self.asks, without=QuestionOptions.flat)
        draw_options(column, self, QuestionOptions)


@dataclass(frozen=True, eq=False, kw_only=True)
class VolumeQuery(Query):
    """The items that touch a volume, lie inside it, or are its potential colliders.

    Attributes
    ----------
    volume : Capsules, Frusta or Spheres
        The volume.
    apart : ndarray of bool, shape (p,)
        Flags of the placements of the object that defines the volume, which are left out.
    """

    volume: Volume
    apart: Flags

    @property
    def traced(self) -> Volume:
        return self.volume

    @cached_property
    def outline(self) -> Outline:
        return volume_outline(self.volume)

    @cached_property
    def missed(self) -> Flags:
        return super().missed & ~self.apart[self.target.placement_of_item]


class VolumeOperator(QueryOperator[InVolume]):
    """A question about a volume; a mixin."""

    _volume: Volume
    # Session id of the object that defines the volume and is left out; 0 for none.
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
        relation, volume = self.taken.relation.lower(), self._volume
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
