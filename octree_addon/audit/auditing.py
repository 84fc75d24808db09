"""Audits of the visible scene, complete or of changed objects only.

The session stores the core's result with the scene that was audited. A re-check compares that
scene with the current one, and tests only pairs with a changed placement.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from ...core import FINDING_CLASSES, Audit, Steps, audit_again_steps, audit_steps, between
from ..answers.kept import answers_of
from ..arrays import Ids
from ..reader import UNUSED
from ..scene_index import changed
from ..scope import viewport_of
from ..snapshots import SceneTarget, scene_steps
from ..ui import length_unit
from .model import (
    AuditedObjects,
    Findings,
    audited_objects,
    bonsai_file,
    bonsai_number,
    findings_of,
    global_ids_in,
    own_global_id,
)
from .rules import Rules, Wish, first_collections, rules_of
from .shares import rules_in_share

# Number of audits of a scene that the session stores for re-checks.
REMEMBERED = 4


@dataclass(frozen=True, eq=False)
class Looked:
    """An audit run: the core's result, and the scene that was audited.

    Attributes
    ----------
    found : Audit
        The findings of all classes.
    target : SceneTarget
        The scene, frozen.
    rules : Rules
        The rules of the run.
    wish : Wish
        The options of the run.
    looked_at : int
        Number of placements changed since the audit before; -1 if all were audited.
    """

    found: Audit
    target: SceneTarget
    rules: Rules
    wish: Wish
    looked_at: int

    @property
    def leaves_nothing_out(self) -> bool:
        """True if all pairs of placements were audited, even those of one owner."""
        rules = self.rules
        is_whole = rules.ones is None and rules.others is None and not rules.skipped.size
        return is_whole and len(np.unique(rules.owners)) == len(rules.owners)


LookSteps = Steps[Looked]
Audited = tuple[Looked, Findings]


def without_rules(scene: bpy.types.Scene) -> Looked | None:
    """Return the session's last audit of a scene without excluded pairs, None if there is none."""
    audits = [each.found for each in reversed(answers_of(scene, Looked))]
    return next((each for each in audits if each.leaves_nothing_out), None)


def look_steps(
    context: bpy.types.Context,
    wish: Wish,
    before: Looked | None = None,
    chunk: tuple[int, int] | None = None,
) -> LookSteps:
    """Audit visible placements, in steps; if possible, only those changed since `before`.

    With a `chunk`, a number and a count, audit only this shard of the pairs.
    """
    target = yield from between(0.0, 0.3, scene_steps(context, viewport_of(context)))
    target = target.frozen()
    octree = target.octree
    rules = rules_of(octree, target.placements, wish)
    if chunk is not None:
        rules = rules_in_share(rules, octree, max(wish.clearance, wish.band), chunk)
    others = None if before is None or before.wish != wish else changes(before, target, rules)
    if others is None or before is None:
        steps = audit_steps(
            octree,
            clearance=wish.clearance,
            band=wish.band,
            self_intersections=wish.itself,
            **rules.options,
        )
    else:
        steps = audit_again_steps(octree, before.found, others, **rules.options)
    found = yield from between(0.3, 1.0, steps)
    return Looked(found, target, rules, wish, -1 if others is None else len(others))


def audited_steps(
    context: bpy.types.Context,
    wish: Wish,
    before: Looked | None = None,
    chunk: tuple[int, int] | None = None,
) -> Steps[Audited]:
    """Audit as `look_steps` does; return also the findings of the wanted classes."""
    looked = yield from between(0.0, 0.95, look_steps(context, wish, before, chunk))
    yield 0.95
    findings = yield from between(0.95, 1.0, findings_steps(context.scene, looked))
    return looked, findings


def changes(before: Looked, target: SceneTarget, rules: Rules) -> Ids | None:
    """Return the ids of changed placements; None if both audits are of different indexes."""
    if before.target.index is not target.index:
        return None
    # A removed and restored placement has a new id, by which the core knows it.
    then, now = (
        each.placements.snapshot(each.octree.ids, codes)
        for each, codes in ((before.target, before.rules.codes), (target, rules.codes))
    )
    gone, came = changed(then, now)
    return np.union1d(before.target.octree.ids[gone], target.octree.ids[came])


def findings_steps(scene: bpy.types.Scene, looked: Looked) -> Steps[Findings]:
    """Return the findings of the wanted classes, with their objects, in the scene's unit."""
    target, found = looked.target, looked.found
    classes = [FINDING_CLASSES.index(name) for name in looked.wish.classes]
    found = found.take(np.flatnonzero(np.isin(found.classes, classes)))
    ids, pairs = np.unique(found.pairs, return_inverse=True)
    rows = np.searchsorted(target.octree.ids, ids)
    unit, scale = length_unit(scene)
    objects = objects_here(scene, target, rows, scale)
    yield 0.5
    numbered = replace(found, pairs=pairs.reshape(found.pairs.shape))
    return findings_of(numbered, objects, scale=scale, unit=unit)


def objects_here(
    scene: bpy.types.Scene, target: SceneTarget, rows: Ids, scale: float
) -> AuditedObjects:
    """Return names, GlobalIds, collections and sizes of placements, for findings."""
    placements = target.placements
    present = {item.session_uid: item for item in scene.objects}
    uids = placements.owners[rows].tolist()
    if not present.keys() >= set(uids):
        raise ValueError("An object has left the scene meanwhile: audit again")
    items = [present[uid] for uid in uids]
    homes = first_collections(scene)
    boxes = target.octree.bounds_of(target.octree.ids[rows])
    instanced = placements.is_instance[rows]
    guids = guids_of(scene, {item.session_uid: item for item in items})
    return audited_objects(
        [item.name for item in items],
        instances=np.where(instanced[:, None], placements.persistent_ids[rows], UNUSED),
        libraries=[item.library.filepath if item.library else "" for item in items],
        guids=[guids.get(uid, "") for uid in uids],
        collections=[homes[uid].name if uid in homes else "" for uid in uids],
        sizes=np.linalg.norm(boxes.upper - boxes.lower, axis=1) * scale,
        uids=uids,
    )


def guids_of(scene: bpy.types.Scene, items: dict[int, bpy.types.Object]) -> dict[int, str]:
    """Return the known IFC GlobalIds of objects, by session id."""
    own = {uid: own_global_id(item) for uid, item in items.items()}  # type: ignore[arg-type]
    path = Path(bpy.path.abspath(bonsai_file(scene)) or ".")
    if path.is_file():
        numbers = {uid: bonsai_number(item) for uid, item in items.items() if not own[uid]}
        known = global_ids_in(path.read_bytes(), (each for each in numbers.values() if each))
        own.update({uid: known.get(number, "") for uid, number in numbers.items()})
    return own
