"""Storage of findings: one record for each audit, and the user's statuses, reasons and groups.

The record is written once, as the data of a result in the file; the session caches its decoded
form. Statuses and reasons are the result's marks, and groups its groups, so a change of status
adds only these to an undo step. The rows of the list combine record and marks. Objects are weak
references, so findings follow renamed objects.
"""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...core import FINDING_CLASSES
from ..answers.answer import Answer
from ..answers.groups import groups_in, groups_text
from ..answers.kept import subjects_now, write_marks, write_rows
from ..arrays import Floats, Ids
from ..result_list import Column, Rows, active_result
from ..ui import SessionStore, length_unit, settings_of
from .auditing import REMEMBERED
from .model import (
    AREA,
    DAMAGED,
    IGNORED,
    NEAR,
    NEW,
    STATUSES,
    Findings,
    by_collections,
    by_smaller_object,
    compare,
    match_objects,
    pack_findings,
    unpack_findings,
)
from .rules import first_collections

QUESTION, TITLE = "audit", "Audit"
FORMAT, VERSION = "octree findings", 1
# By session id of the scene and details of the result, which are a random name of the record:
# a comparison with a report writes another record under the same number.
_records: SessionStore[Findings] = SessionStore(most=REMEMBERED)


def active_audit(scene: bpy.types.Scene) -> Any:
    """Return the active result if an audit made it, else None."""
    result = active_result(scene)
    return result if result is not None and result.question == QUESTION else None


def answer_of(
    scene: bpy.types.Scene, findings: Findings, found: Any, options: Mapping[str, Any]
) -> Answer[Any]:
    """Return the answer of an audit; the session keeps `found` with it."""
    pruned = findings.pruned()
    objects, audit = pruned.objects, pruned.audit
    present = {item.session_uid for item in scene.objects}
    is_there = np.array([uid in present for uid in objects.uids.tolist()], np.bool_)
    # Objects that no longer exist get negative numbers instead of session ids.
    numbers = np.where(is_there, objects.uids, -1 - np.arange(len(objects)))
    uids, first, places = np.unique(numbers, return_index=True, return_inverse=True)
    names = (objects.names[each] for each in first.tolist())
    # Single precision suffices for sizes, and for lines relative to a nearby place.
    lines = audit.segments - audit.places[audit.segment_findings, None]
    record = Findings(
        replace(objects, uids=places.reshape(-1), sizes=objects.sizes.astype(np.float32)),
        replace(audit, segments=lines.astype(np.float32)),
        np.full(len(audit), NEW),
        ("",) * len(audit),
        findings.unit,
    )
    return Answer(
        found=found,
        title=TITLE,
        question=QUESTION,
        options=options,
        rows=Rows(audit.pairs, objects.instances[audit.pairs]),
        subjects=dict(zip(uids.tolist(), names, strict=True)),
        data=pack_findings(record, FORMAT, VERSION),
        details=secrets.token_bytes(8),
        marks=marks_text(findings),
        groups=groups_text(rows_by_group(findings)),
    )


def marks_text(findings: Findings) -> str:
    """Return status and reason by row as JSON, of findings that are not new or have a reason."""
    judged = zip(findings.statuses.tolist(), findings.reasons, strict=True)
    marks = {
        row: [STATUSES[status], reason]
        for row, (status, reason) in enumerate(judged)
        if status != NEW or reason
    }
    return json.dumps(marks) if marks else ""


def marks_in(result: Any) -> dict[int, tuple[str, str]]:
    """Return the status, in words, and the reason of each row with a mark."""
    read = json.loads(result.marks or "{}")
    return {int(row): (status, reason) for row, (status, reason) in read.items()}


def rows_by_group(findings: Findings) -> dict[str, list[int]]:
    """Return the rows of each group made by the user, by its name."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(findings.groups):
        if name:
            rows.setdefault(name, []).append(row)
    return rows


def severity_of(rows: Rows) -> Floats:
    """Return the severity of each finding, (n,): open above settled, by class, then by amount."""
    classes, lengths, areas, statuses = (each.values for each in rows.columns[:4])
    amounts = np.where(np.isnan(areas), lengths, areas) * np.where(classes == NEAR, -1, 1)
    order = np.lexsort((amounts, -classes, statuses < IGNORED))
    grave = np.empty(len(order))
    grave[order] = np.arange(len(order))
    return grave


def judge(
    scene: bpy.types.Scene,
    result: Any,
    findings: Findings,
    rows: Ids,
    status: int,
    reason: str = "",
) -> None:
    """Change the status of some findings of a result; the record stays unchanged."""
    write_marks(scene, result, marks_text(findings.with_statuses(rows, status, reason)))


def rewrite(scene: bpy.types.Scene, result: Any, findings: Findings) -> None:
    """Replace the findings of a result under the same number."""
    write_rows(scene, result, answer_of(scene, findings, None, {}))


def kept_record(scene: bpy.types.Scene, result: Any) -> Findings:
    """Return the record of a result; raise `ValueError` if it is damaged.

    The record has no statuses or reasons. Its `uids` are indices of the result's objects instead
    of session ids.
    """
    key = scene.session_uid, int.from_bytes(bytes(result.details), "big")
    if key not in _records:
        try:
            record, _ = unpack_findings(bytes(result.data), FORMAT, VERSION)
        except (ValueError, *DAMAGED) as error:
            raise ValueError(f"The findings in the file cannot be read: {error}") from None
        if len(record) != result.count:
            raise ValueError("The findings in the file do not fit the list: audit again")
        audit = record.audit
        segments = audit.segments + audit.places[audit.segment_findings, None]
        _records.put(key, replace(record, audit=replace(audit, segments=segments)))
    return _records[key]


def read_rows(
    scene: bpy.types.Scene, result: Any, uids: Sequence[int], names: Sequence[str]
) -> Rows:
    """Return a row for each finding, with its columns."""
    findings, places = _judged(scene, result, uids, names), kept_record(scene, result).objects.uids
    audit, scale = findings.audit, scale_of(scene, findings)
    areas = audit.measures == AREA
    middles = (audit.lower + audit.upper) / 2
    smaller, collections = by_smaller_object(findings), by_collections(findings)
    columns = (
        Column("Class", "", audit.classes, FINDING_CLASSES),
        Column("Length", "LENGTH", np.where(areas, np.nan, middles / scale)),
        Column("Area", "AREA", np.where(areas, middles / scale**2, np.nan)),
        Column("Status", "", findings.statuses, STATUSES),
        Column("Smaller Object", "", smaller.of, smaller.names),
        Column("Collections", "", collections.of, collections.names),
    )
    return Rows(places[audit.pairs], findings.objects.instances[audit.pairs], columns)


def scale_of(scene: bpy.types.Scene, findings: Findings) -> float:
    """Return the length of a scene unit in the unit of the findings."""
    return length_unit(scene)[1] if findings.unit == "m" else 1.0


def findings_in(scene: bpy.types.Scene, result: Any) -> Findings:
    """Return the findings of a result, with the current names of their objects.

    Raise `ValueError` if the record is damaged.
    """
    return _judged(scene, result, *subjects_now(scene, result))


def _judged(
    scene: bpy.types.Scene, result: Any, uids: Sequence[int], names: Sequence[str]
) -> Findings:
    """Return the record of a result with its statuses and reasons, and with current objects.

    Objects that no longer exist keep their last names and collections.
    """
    record = kept_record(scene, result)
    places, homes = record.objects.uids.tolist(), first_collections(scene)
    collections = tuple(
        homes[uids[place]].name if uids[place] in homes else before
        for place, before in zip(places, record.objects.collections, strict=True)
    )
    objects = replace(
        record.objects,
        names=tuple(names[place] for place in places),
        uids=np.array(uids, np.intp)[places],
        collections=collections,
    )
    statuses, reasons = record.statuses.copy(), list(record.reasons)
    for row, (status, reason) in marks_in(result).items():
        statuses[row], reasons[row] = STATUSES.index(status), reason
    judged = replace(record, objects=objects, statuses=statuses, reasons=tuple(reasons))
    groups = {row: name for name, rows in groups_in(result.groups).items() for row in rows}
    return judged.with_groups(groups.get(row, "") for row in range(len(judged)))


def grouped_by_hand(scene: bpy.types.Scene, findings: Findings) -> Findings:
    """Return findings in the user's groups of stored audits; the latest audit wins.

    Audits that are damaged or in another unit are skipped.
    """
    for result in reversed(settings_of(scene).results.kept):
        if result.question == QUESTION and result.groups:
            try:
                old = findings_in(scene, result)
                matching = match_objects(old.objects, findings.objects, same_session=True)
                findings = compare(old, findings, matching).grouped()
            except ValueError:
                continue
    return findings
