"""Operators Audit and Re-check; findings keep the statuses of earlier equal ones."""

import json
from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np

from ...core import FINDING_CLASSES, Steps
from ..answers.answer import Answer
from ..answers.asking import QuestionOperator, Told
from ..answers.kept import keep, numbered_answer
from ..arrays import Ids
from ..options import as_json
from ..result_list import active_row, place_for
from ..scope import chosen_objects
from ..snapshots import refuse_empty
from ..ui import (
    Status,
    SteppedOperator,
    mode_obstacle,
    plural,
    settings_of,
)
from .auditing import REMEMBERED, Audited, Looked, audited_steps
from .keeping import QUESTION, TITLE, active_audit, answer_of, findings_in
from .model import Comparison, Findings, compare, match_objects
from .rules import wish_of
from .settings import AuditOptions, ContactOptions, SideOptions, stated_band


class OCTREE_OT_audit(QuestionOperator[AuditOptions], bpy.types.Operator):
    """Find objects that overlap, are duplicates or are too near, all over the visible scene."""

    bl_idname = "octree.audit"
    bl_label = "Audit"
    bl_description = (
        "Find objects that overlap, lie in each other, stand there twice, share faces or come too"
        " near, all over the visible scene; nothing is changed, moved or deleted"
    )
    doing = "Auditing"
    key, keeps, most = "audit", Looked, REMEMBERED

    def run(self, context: bpy.types.Context, options: AuditOptions) -> Steps[Audited]:
        self.put(chosen=names_meant(context, options))
        wish = wish_of(context.scene, audit_options(self.taken))
        audited = yield from audited_steps(context, wish)
        refuse_empty(audited[0].target)
        return audited

    def told(self, context: bpy.types.Context, found: Audited, options: AuditOptions) -> Told:
        answer, text, _ = judged(context.scene, found, audit_options(options), options.result)
        return answer, text


class OCTREE_OT_recheck(SteppedOperator, bpy.types.Operator):
    """Audit changed objects again, and report new, remaining and resolved findings."""

    bl_idname = "octree.recheck"
    bl_label = "Re-check"
    bl_description = (
        "Audit again with the same options, only what has changed since; what is gone is resolved,"
        " what was reviewed or ignored stays so"
    )
    bl_options = {"REGISTER", "UNDO"}
    doing = "Checking again"

    @classmethod
    def obstacle(cls, context: bpy.types.Context) -> str:
        other = mode_obstacle(context, may_edit=True)
        return other or ("" if active_audit(context.scene) else "Audit the scene first")

    def steps(self, context: bpy.types.Context) -> Steps[Audited]:
        result = active_audit(context.scene)
        options = json.loads(result.options)
        before = numbered_answer(context.scene, result.number, Looked)
        wish = wish_of(context.scene, options)
        return (yield from audited_steps(context, wish, before.found if before else None))

    def finish(self, context: bpy.types.Context, result: Audited) -> Status:
        scene = context.scene
        kept = active_audit(scene)
        if kept is None:
            raise ValueError("The result is gone: audit again")
        answer, text, compared = judged(scene, result, json.loads(kept.options), kept.name)
        again = compared.row_again(active_row(scene)) if compared else None
        keep(context, answer, kept.name, kind=Looked, most=REMEMBERED)
        if again is not None and again < len(answer.rows):
            show_again(scene, again)
        count = result[0].looked_at
        changed = "all looked at" if count < 0 else f"{count:,} changed"
        self.report({"INFO"}, f"{text} ({changed})")
        return {"FINISHED"}


def means_selected(sides: SideOptions) -> bool:
    """Return whether an audit is about selected objects."""
    return "SELECTED" in (sides.ones, sides.others)


def names_meant(context: bpy.types.Context, options: AuditOptions | ContactOptions) -> str:
    """Return the names of the selected objects as JSON, or the given ones; empty if not needed."""
    if options.chosen or not means_selected(options.sides):
        return options.chosen
    return json.dumps([item.name for item in chosen_objects(context)])


def audit_options(options: AuditOptions | ContactOptions) -> dict[str, Any]:
    """Return the options of an audit run as JSON values."""
    values = as_json(options)
    values["band"] = stated_band(options.band)
    if not means_selected(options.sides):
        values.pop("chosen")
    return values


def judged(
    scene: bpy.types.Scene, audited: Audited, options: Mapping[str, Any], name: str
) -> tuple[Answer[Looked], str, Comparison | None]:
    """Return the answer with the statuses of earlier findings of this name, and a summary.

    The third value is the comparison with the earlier findings; None without any.
    """
    looked, findings = audited
    text, old, compared = found_text(findings), earlier(scene, name), None
    if old is not None and old[0].unit == findings.unit:
        matching = match_objects(old[0].objects, findings.objects, same_session=True)
        compared = compare(old[0], findings, matching)
        owners = looked.target.placements.owners
        findings, said = with_earlier(compared, owners, is_same=old[1] == options)
        text += said
    return answer_of(scene, findings, looked, options), text, compared


def show_again(scene: bpy.types.Scene, row: int) -> None:
    """Make a row the active one; leave the view where it is."""
    settings = settings_of(scene).results
    follows, settings.follow = settings.follow, False
    settings.row = row
    settings.follow = follows


def with_earlier(compared: Comparison, owners: Ids, *, is_same: bool) -> tuple[Findings, str]:
    """Return the findings with the statuses of earlier ones, and a text about the changes.

    If the options are the same, earlier findings that are gone become resolved. Findings of
    objects that exist but were not audited, because they are hidden, keep their status.
    """
    said = f"; {int(compared.is_new.sum()):,} new"
    if not is_same:
        return compared.judged(), said
    old = compared.old
    hidden = ~np.isin(old.objects.uids, owners) & (old.objects.uids > 0)
    is_hidden = hidden[old.audit.pairs].any(axis=0)
    resolved = int((~is_hidden[compared.resolved]).sum())
    kept = len(compared.resolved) - resolved
    said += f", {resolved:,} resolved"
    whole = compared.history(is_unknown=is_hidden)
    return whole, f"{said}, {kept:,} of hidden objects" if kept else said


def earlier(scene: bpy.types.Scene, name: str) -> tuple[Findings, dict[str, Any]] | None:
    """Return the findings of an existing result of this name, and their options; None without."""
    settings = settings_of(scene).results
    place = place_for(settings, TITLE, name)
    if place == len(settings.kept) or settings.kept[place].question != QUESTION:
        return None
    try:
        return findings_in(scene, settings.kept[place]), json.loads(settings.kept[place].options)
    except ValueError:
        return None


def found_text(findings: Findings) -> str:
    """Return the number of findings by class as text."""
    counts = np.bincount(findings.audit.classes, minlength=len(FINDING_CLASSES)).tolist()
    parts = [
        f"{count:,} {name}" for name, count in zip(FINDING_CLASSES, counts, strict=True) if count
    ]
    text = plural(len(findings), "finding")
    return f"{text}: {', '.join(parts)}" if parts else text
