"""Query operators: a question asked of the scene's tree, its answer selected and remembered."""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import EnumProperty

from ...core import Frusta, Octree, Spheres, pairs_inside, pairs_touching, query
from .. import trees
from ..arrays import Ids
from ..build import keep, note_source, visible_tree_steps
from ..reader import ObjectSource
from ..selection import Answer, found_text, select_faces, select_objects
from ..trees import BuiltTree
from ..ui import (
    Status,
    SteppedOperator,
    column_of,
    draw_rows,
    number,
    settings_of,
    take,
    write_back,
)
from . import last_query
from .last_query import HitSteps, Query
from .outlines import Outline, hexahedron_outline, sphere_outline

QuerySteps = Generator[float, None, Query]
AnswerSteps = Generator[float, None, tuple[BuiltTree, Query]]
Volume = Frusta | Spheres
# At most this many items are tested at a time.
_BLOCK = 65_536


class SelectionOptions:
    """What is selected, and what becomes of the selection before."""

    if TYPE_CHECKING:
        kind: str
        action: str
    else:
        kind: EnumProperty(
            name="Select",
            description="What is selected",
            items=(
                ("AUTOMATIC", "By Mode", "Objects in Object Mode, faces in Edit Mode"),
                ("OBJECTS", "Objects", "Whole objects; an instance found selects its instancer"),
                ("FACES", "Faces", "Faces of the meshes in Edit Mode"),
            ),
            default="AUTOMATIC",
        )
        action: EnumProperty(
            name="Action",
            description="What becomes of the present selection",
            items=(
                ("REPLACE", "Set", "Replace the selection"),
                ("EXTEND", "Extend", "Add to the selection"),
                ("SUBTRACT", "Subtract", "Take away from the selection"),
            ),
            default="REPLACE",
        )

    def selects_faces(self, context: bpy.types.Context) -> bool:
        """Tell whether faces are selected, not objects."""
        edits = self.kind == "AUTOMATIC" and context.mode == "EDIT_MESH"
        return edits or self.kind == "FACES"


class QueryOperator(SelectionOptions, SteppedOperator):
    """A question: what all of them share; a mixin.

    Attributes
    ----------
    key : str
        The name of its settings under `scene.octree`.
    settings : property group
        They have the same properties as the operator, except what only one question can know.
    rows : tuple of str
        The properties that its redo panel shows, and the sidebar those of them that the settings
        have.
    panel_rows : tuple of str
        What the sidebar shows, if that is less than the rows.
    panel : str
        The panel of the sidebar that it stands in.
    """

    bl_options = {"REGISTER", "UNDO"}
    key: str
    settings: type[bpy.types.PropertyGroup]
    rows: tuple[str, ...]
    panel_rows: tuple[str, ...] = ()
    panel = "OCTREE_PT_cursor"
    invert = False

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.mode not in {"OBJECT", "EDIT_MESH"}:
            cls.poll_message_set("Go to Object Mode, or to Edit Mode of a mesh")
            return False
        return True

    def prepare(self, context: bpy.types.Context) -> None:
        """Read the scene as far as the question needs it, or refuse; the settings are taken."""

    def ask(self, octree: Octree) -> Query:
        """Ask the tree."""
        raise NotImplementedError

    def ask_steps(self, built: BuiltTree) -> QuerySteps:
        """Ask the tree, step by step."""
        found = self.ask(built.octree)
        yield 1.0
        return found

    def steps(self, context: bpy.types.Context) -> AnswerSteps:
        """Ask the scene's tree, or one of all that is visible, which is built first."""
        take(self, self._settings(context))
        self.prepare(context)
        built = trees.get(context.scene) or (yield from visible_tree_steps(context))
        found = yield from self.ask_steps(built)
        return built, found

    def finish(self, context: bpy.types.Context, result: tuple[BuiltTree, Query]) -> Status:
        """Select the answer; a new tree becomes the scene's."""
        built, found = result
        answer = Answer(built, found.items, found.relation == "inside", self.invert)
        counts = self._select(context, answer)
        write_back(self, self._settings(context))
        is_new = trees.get(context.scene) is not built
        if is_new:
            note_source(context.scene, "VISIBLE")
            keep(context.scene, built)
        last_query.remember(context.scene, found)
        text = "; ".join([*found.notes[:1], answer_text(counts, self.action, built, is_new)])
        self.report({"WARNING"} if built.stale else {"INFO"}, text)
        return {"FINISHED"}

    @classmethod
    def rows_of(cls, options: Any) -> tuple[str, ...]:
        """Return the rows that have an effect with these options, an operator or its settings."""
        return cls.rows

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        draw_rows(column_of(self), self, self.rows_of(self))

    def _settings(self, context: bpy.types.Context) -> Any:
        return getattr(settings_of(context.scene), self.key)

    def _select(self, context: bpy.types.Context, answer: Answer) -> Counter[str]:
        if self.selects_faces(context):
            return select_faces(context, answer, self.action)
        return select_objects(context.view_layer, answer, self.action)


def answer_text(counts: Counter[str], action: str, built: BuiltTree, is_new: bool) -> str:
    """Say what was really selected or deselected, and by which tree.

    Such as "12 objects, 340 instances selected".
    """
    text = found_text(counts, action, by_bounds=isinstance(built.source, ObjectSource))
    if built.stale:
        text += "; the octree is out of date"
    if is_new:
        items = number(built.statistics.items, f"visible {built.source.noun}")
        text += f"; built an octree of {items} first"
    return text


@dataclass(frozen=True, eq=False, kw_only=True)
class VolumeQuery(Query):
    """The items that touch one volume, lie in it, or are its potential colliders."""

    volume: Volume

    @property
    def traced(self) -> Volume:
        return self.volume

    @cached_property
    def outline(self) -> Outline:
        if isinstance(self.volume, Frusta):
            return hexahedron_outline(self.volume.corners[0])
        return sphere_outline(self.volume.centers[0], float(self.volume.radii[0]))

    def hit_steps(self, numbers: Ids) -> HitSteps:
        test = pairs_inside if self.relation == "inside" else pairs_touching
        hits = [np.empty(0, np.intp)]
        for start in range(0, len(numbers), _BLOCK):
            some = numbers[start : start + _BLOCK]
            volumes = np.zeros(len(some), np.intp)
            hits.append(some[test(self.octree.items, some, self.volume, volumes)])
            yield min(start + _BLOCK, len(numbers)) / len(numbers)
        return np.concatenate(hits)


class VolumeOperator(QueryOperator):
    """A question about a volume; a mixin."""

    if TYPE_CHECKING:
        relation: str
    _volume: Volume

    def volume(self, context: bpy.types.Context) -> Volume:
        """Return what is asked about."""
        raise NotImplementedError

    def prepare(self, context: bpy.types.Context) -> None:
        self._volume = self.volume(context)

    def ask(self, octree: Octree) -> VolumeQuery:
        relation = self.relation.lower()
        return VolumeQuery(
            octree=octree,
            title=self.bl_label,
            items=query(octree, self._volume, relation=relation)[1],
            relation=relation,
            volume=self._volume,
        )
