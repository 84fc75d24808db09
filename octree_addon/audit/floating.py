"""Select Floating: components of the contact graph without any object of the ground."""

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from ...core import Steps, Supports, between, supports_steps
from ..answers import verbs
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..arrays import Ids
from ..reader import UNUSED
from ..result_list import Column, Rows
from ..selection import Subjects
from ..snapshots import SceneTarget, refuse_empty
from ..ui import named_object, plural, settings_of
from .auditing import look_steps, without_rules
from .rules import Wish, members_of
from .settings import FloatingOptions, GroundOptions, stated_band

FLOATING = "select_floating"


@dataclass(frozen=True, eq=False)
class Floating:
    """Floating components, and the scene that they belong to."""

    found: Supports
    target: SceneTarget


class OCTREE_OT_select_floating(QuestionOperator[FloatingOptions], bpy.types.Operator):
    """Select objects without a chain of contacts to the ground."""

    bl_idname = "octree.select_floating"
    bl_label = "Select Floating"
    bl_description = (
        "Select objects that hang together with nothing on the ground, and list how far each would"
        " fall until it lands, and on what"
    )
    doing = "Looking for what floats"
    key = "floating"

    def run(self, context: bpy.types.Context, options: FloatingOptions) -> Steps[Floating]:
        grounded = grounded_by(context.scene, options)
        # Every contact supports: within a collection, with parents, and between instances, too.
        looked = before = without_rules(context.scene)
        if before is not None:
            looked = yield from between(0.0, 0.1, look_steps(context, before.wish, before))
        if looked is None or not looked.leaves_nothing_out:
            band = settings_of(context.scene).audit.band
            wish = Wish(instances=True, parents=True, band=stated_band(band))
            looked = yield from between(0.1, 0.7, look_steps(context, wish))
        refuse_empty(looked.target)
        octree, owners = looked.target.octree, looked.target.placements.owners
        count = len(octree) - len(octree.invalid_ids)
        grounds: str | Ids = options.ground.lower()
        if grounded is not None:
            grounds = octree.ids[np.isin(owners, list(grounded))]
            count = len(grounds)
        if not count:
            raise ValueError("Nothing of the ground is visible: choose another ground")
        finding = supports_steps(octree, looked.found, grounds)
        return Floating((yield from between(0.7, 1.0, finding)), looked.target)

    def told(self, context: bpy.types.Context, found: Floating, options: FloatingOptions) -> Told:
        rows, uids = floating_rows(context.scene, found)
        selected = verbs.select(context, Subjects(dict.fromkeys(uids, 0)))
        ground = ground_text(context.scene, found)
        said = f"{plural(len(uids), 'object')} {'floats' if len(uids) == 1 else 'float'}"
        if len(rows) != len(uids):  # several instances of an object, or objects in contact
            said = f"{said}, in {plural(len(rows), 'piece')}"
        answer = Answer(found=None, rows=rows, details=ground.encode())
        return answer, f"{said}; ground: {ground}; {selected}"


def grounded_by(scene: bpy.types.Scene, options: GroundOptions) -> frozenset[int] | None:
    """Return the session ids of the chosen ground; None if it is to be found."""
    if options.ground == "OBJECT":
        if not options.ground_object:
            raise ValueError("Choose the object that is the ground")
        return frozenset([named_object(scene, options.ground_object).session_uid])
    return members_of(options.collection) if options.ground == "COLLECTION" else None


def ground_text(scene: bpy.types.Scene, floating: Floating) -> str:
    """Return the name of the ground's first object, and the number of further ones."""
    placements, ids = floating.target.placements, floating.target.octree.ids
    uids = placements.owners[np.searchsorted(ids, floating.found.grounds)].tolist()
    known = {item.session_uid: item.name for item in scene.objects}
    names = [known[uid] for uid in dict.fromkeys(uids) if uid in known]
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return f"{names[0]}{more}" if names else "nothing"


def floating_rows(scene: bpy.types.Scene, floating: Floating) -> tuple[Rows, list[int]]:
    """Return a row for each floating component, by its drop, and all floating objects' ids."""
    found, placements = floating.found, floating.target.placements
    ids = floating.target.octree.ids
    order = np.argsort(found.drops, kind="stable")
    # The placement that lands represents its component; without a landing, the first one does.
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
    """Return distinct names of the objects landed on, and each landing's index in the names."""
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
