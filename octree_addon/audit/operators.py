"""Audit and re-check: stepped operators; statuses of earlier findings are carried over."""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import bpy
import numpy as np

from ...core import FINDING_CLASSES, Steps
from ..answers.kept import keep, numbered_answer
from ..arrays import Ids
from ..options import Asking, as_json, draw_options
from ..results import active_row, place_for
from ..scope import chosen_objects
from ..ui import (
    Status,
    SteppedOperator,
    column_of,
    mode_obstacle,
    plural,
    settings_of,
)
from .auditing import REMEMBERED, Looked, look_steps, wanted
from .data import Findings, carried_over, compare, gone_from, match_objects
from .keeping import (
    QUESTION,
    TITLE,
    active_audit,
    answer_of,
    findings_in,
    row_key,
    show_again,
)
from .rules import wish_of
from .settings import AuditOptions, ChosenOptions, ContactOptions, SideOptions, stated_band

Paired = TypeVar("Paired", AuditOptions, ContactOptions)


class AuditingOperator(SteppedOperator):
    """An operator that audits the visible scene; a mixin."""

    bl_options = {"REGISTER", "UNDO"}
    doing = "Auditing"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        return mode_obstacle(context, may_edit=True)


class PairingOperator(Asking[Paired], AuditingOperator):
    """An operator that asks about pairs of objects, by the settings of an audit; a mixin."""

    def take_pairs(self, context: bpy.types.Context) -> None:
        """Take which pairs count from the settings, and what Selected means."""
        options = self.take(settings_of(context.scene).audit)
        if means_selected(options.sides) and not options.chosen:
            self.put(chosen=json.dumps([item.name for item in chosen_objects(context)]))

    def draw(self, context: bpy.types.Context) -> None:
        draw_options(column_of(self), self, self.asks, without=ChosenOptions.flat)


class OCTREE_OT_audit(PairingOperator[AuditOptions], bpy.types.Operator):
    """Find what overlaps, is doubled or comes too near, all over the visible scene."""

    bl_idname = "octree.audit"
    bl_label = "Audit"
    bl_description = (
        "Find objects that overlap, lie in each other, stand there twice, share faces or come too"
        " near, all over the visible scene; nothing is changed, moved or deleted"
    )

    def steps(self, context: bpy.types.Context) -> Steps[Looked]:
        self.take_pairs(context)
        options = audit_options(self.taken)
        looked = yield from look_steps(context, wish_of(context.scene, options))
        if not len(looked.target.octree):
            raise ValueError("There are no triangles: no visible object has faces")
        return looked

    def finish(self, context: bpy.types.Context, result: Looked) -> Status:
        self.write_back(settings_of(context.scene).audit)
        options = self.taken
        text = keep_looked(context, result, audit_options(options), options.result)
        self.report({"INFO"}, text)
        return {"FINISHED"}


class OCTREE_OT_recheck(AuditingOperator, bpy.types.Operator):
    """Audit again what has changed, and tell what is new, still there and resolved."""

    bl_idname = "octree.recheck"
    bl_label = "Re-check"
    bl_description = (
        "Audit again with the same options, only what has changed since; what is gone is resolved,"
        " what was reviewed or ignored stays so"
    )
    doing = "Checking again"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = super().obstacle(context)
        return other or ("" if active_audit(context.scene) else "Audit the scene first")

    def steps(self, context: bpy.types.Context) -> Steps[Looked]:
        result = active_audit(context.scene)
        options = json.loads(result.options)
        before = numbered_answer(context.scene, result.number, Looked)
        wish = wish_of(context.scene, options)
        return (yield from look_steps(context, wish, before.found if before else None))

    def finish(self, context: bpy.types.Context, result: Looked) -> Status:
        kept = active_audit(context.scene)
        if kept is None:
            raise ValueError("The result is gone: audit again")
        scene, row = context.scene, active_row(context.scene)
        before = row_key(scene, kept, row)
        text = keep_looked(context, result, json.loads(kept.options), kept.name)
        show_again(scene, active_audit(scene), before)
        looked = result.looked_at
        changed = "all looked at" if looked < 0 else f"{looked:,} changed"
        self.report({"INFO"}, f"{text} ({changed})")
        return {"FINISHED"}


def means_selected(sides: SideOptions) -> bool:
    """Tell whether an audit is about the objects that are selected."""
    return "SELECTED" in (sides.ones, sides.others)


def audit_options(options: AuditOptions | ContactOptions) -> dict[str, Any]:
    """Return what an audit ran with, as values that JSON has."""
    values = as_json(options)
    values["band"] = stated_band(options.band)
    if not means_selected(options.sides):
        values.pop("chosen")
    return values


def keep_looked(
    context: bpy.types.Context, looked: Looked, options: Mapping[str, Any], name: str
) -> str:
    """Keep the findings, with the statuses that earlier ones of this name had; return a report."""
    scene = context.scene
    findings = wanted(looked.findings, looked.wish.classes)
    text, old = found_text(findings), earlier(scene, name)
    if old is not None and old[0].unit == findings.unit:
        owners = looked.target.placements.owners
        findings, said = with_earlier(old[0], findings, owners, is_same=old[1] == options)
        text += said
    answer = answer_of(scene, findings, looked, options)
    keep(context, answer, name, kind=Looked, most=REMEMBERED)
    return text


def with_earlier(
    old: Findings, new: Findings, owners: Ids, *, is_same: bool
) -> tuple[Findings, str]:
    """Return the findings with the statuses of earlier ones, and what has become of these.

    What is gone is resolved, if the same was asked: not what is about an object that is there and
    was not looked at, for it is hidden; that stays as it was.
    """
    matching = match_objects(old.objects, new.objects, same_session=True)
    compared = compare(old, new, matching)
    whole = carried_over(old, new, matching)
    said = f"; {int(compared.is_new.sum()):,} new"
    if not is_same:
        return whole.take(np.arange(len(new))), said
    # Behind the new ones stand the old ones that are gone, in order.
    gone = gone_from(old, new, matching)
    hidden = ~np.isin(old.objects.uids, owners) & (old.objects.uids > 0)
    is_hidden = hidden[old.audit.pairs].any(axis=0)
    for tail, row in enumerate(gone.tolist(), len(new)):
        if is_hidden[row]:
            whole = whole.with_statuses(tail, int(old.statuses[row]), old.reasons[row])
    resolved = int((~is_hidden[compared.resolved]).sum())
    kept = len(compared.resolved) - resolved
    said += f", {resolved:,} resolved"
    return whole, f"{said}, {kept:,} of hidden objects" if kept else said


def earlier(scene: bpy.types.Scene, name: str) -> tuple[Findings, dict[str, Any]] | None:
    """Return the findings that the next ones of this name will replace, and what was asked."""
    settings = settings_of(scene).results
    place = place_for(settings, TITLE, name)
    if place == len(settings.kept) or settings.kept[place].question != QUESTION:
        return None
    try:
        return findings_in(scene, settings.kept[place]), json.loads(settings.kept[place].options)
    except ValueError:
        return None


def found_text(findings: Findings) -> str:
    """Say how many findings there are, by class."""
    counts = np.bincount(findings.audit.classes, minlength=len(FINDING_CLASSES)).tolist()
    parts = [
        f"{count:,} {name}" for name, count in zip(FINDING_CLASSES, counts, strict=True) if count
    ]
    text = plural(len(findings), "finding")
    return f"{text}: {', '.join(parts)}" if parts else text
