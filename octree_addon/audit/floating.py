"""Select Floating: components of the graph of contacts that nothing on the ground carries."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import EnumProperty, StringProperty

from ...core import Steps, Supports, between, supports_steps
from ..answers import verbs
from ..answers.answer import Answer
from ..answers.kept import keep
from ..arrays import Ids
from ..reader import UNUSED
from ..results import Column, Rows, options_of
from ..selection import Subjects
from ..targets import SceneTarget
from ..ui import Status, column_of, plural, settings_of
from .auditing import look_steps, without_rules
from .operators import AuditingOperator
from .rules import Wish, members_of
from .settings import stated_band


@dataclass(frozen=True, eq=False)
class Floating:
    """What floats, and the scene that it is of."""

    found: Supports
    target: SceneTarget


class OCTREE_OT_select_floating(AuditingOperator, bpy.types.Operator):
    """Select what touches nothing that stands on the ground."""

    bl_idname = "octree.select_floating"
    bl_label = "Select Floating"
    bl_description = (
        "Select objects that hang together with nothing on the ground, and list how far each would"
        " fall until it lands, and on what"
    )
    doing = "Looking for what floats"

    if TYPE_CHECKING:
        ground: str
        collection: str
        result: str
    else:
        ground: EnumProperty(
            name="Ground",
            description="What needs no support",
            items=(
                ("LOWEST", "Lowest Object", "What reaches as deep as the lowest point of all"),
                ("COLLECTION", "Collection", "The objects of a collection"),
            ),
            default="LOWEST",
        )
        collection: StringProperty(
            name="Collection", description="Name of the collection that is the ground"
        )
        result: StringProperty(
            name="Result",
            description="Name under which the answer is kept in Results",
            options={"HIDDEN", "SKIP_SAVE"},
        )

    def steps(self, context: bpy.types.Context) -> Steps[Floating]:
        grounded = members_of(self.collection) if self.ground == "COLLECTION" else None
        # Everything holds everything: of one collection, a parent, and instances among each other.
        looked = before = without_rules(context.scene)
        if before is not None:
            looked = yield from between(0.0, 0.1, look_steps(context, before.wish, before))
        if looked is None or not looked.leaves_nothing_out:
            band = settings_of(context.scene).audit.band
            wish = Wish(instances=True, parents=True, band=stated_band(band))
            looked = yield from between(0.1, 0.7, look_steps(context, wish))
        octree, owners = looked.target.octree, looked.target.placements.owners
        if not len(octree):
            raise ValueError("There are no triangles: no visible object has faces")
        grounds, count = None, len(octree) - len(octree.invalid_ids)
        if grounded is not None:
            grounds = octree.ids[np.isin(owners, list(grounded))]
            count = len(grounds)
        if not count:
            raise ValueError("Nothing of the ground is visible: choose another collection")
        finding = supports_steps(octree, looked.found, grounds)
        return Floating((yield from between(0.7, 1.0, finding)), looked.target)

    def finish(self, context: bpy.types.Context, result: Floating) -> Status:
        rows, uids = floating_rows(context.scene, result)
        selected = verbs.select(context, Subjects(dict.fromkeys(uids, 0)))
        options, title = options_of(self), self.bl_label
        answer = Answer(
            found=None, title=title, question="select_floating", options=options, rows=rows
        )
        keep(context, answer, self.result)
        said = f"{plural(len(uids), 'object')} {'floats' if len(uids) == 1 else 'float'}"
        if len(rows) != len(uids):  # instances, or what hangs together
            said = f"{said}, in {plural(len(rows), 'piece')}"
        self.report({"INFO"}, f"{said}; {selected}")
        return {"FINISHED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the redo panel."""
        column = column_of(self)
        column.prop(self, "ground")
        if self.ground == "COLLECTION":
            column.prop_search(self, "collection", bpy.data, "collections")


def floating_rows(scene: bpy.types.Scene, floating: Floating) -> tuple[Rows, list[int]]:
    """Return a row for each component that floats, nearest to landing first; and all objects."""
    found, placements = floating.found, floating.target.placements
    ids = floating.target.octree.ids
    order = np.argsort(found.drops, kind="stable")
    # What lands stands for its component; without a landing its first placement does.
    lands = np.where(found.landings[0] >= 0, found.landings[0], found.fallers)[order]
    rows = np.searchsorted(ids, lands)
    members = np.searchsorted(found.fallers, found.components[found.floating])
    counts = np.bincount(members, minlength=len(found.fallers))[order]
    names, below = _landings(scene, floating, found.landings[1][order])
    columns = (
        Column("Gap", "LENGTH", found.drops[order]),
        Column("Lands On", "", below, names),
        Column("Parts", "", counts.astype(np.int64)),
    )
    instances: Any = np.where(
        placements.is_instance[rows][:, None], placements.persistent_ids[rows], UNUSED
    ).astype(np.int32)
    uids = np.unique(placements.owners[found.floating]).tolist()
    return Rows(placements.owners[rows].astype(np.intp)[None], instances[None], columns), uids


def _landings(
    scene: bpy.types.Scene, floating: Floating, below: Ids
) -> tuple[tuple[str, ...], Ids]:
    """Return names, and for each landing the place of what it is on among them."""
    placements, ids = floating.target.placements, floating.target.octree.ids
    known = {item.session_uid: item.name for item in scene.objects}
    rows = np.searchsorted(ids, below)
    names = [
        known.get(int(placements.owners[row]), "") if number >= 0 else "nothing"
        for row, number in zip(rows.tolist(), below.tolist(), strict=True)
    ]
    distinct = tuple(dict.fromkeys(names))
    place = {name: number for number, name in enumerate(distinct)}
    return distinct, np.array([place[name] for name in names], np.int64)
