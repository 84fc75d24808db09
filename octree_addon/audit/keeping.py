"""Kept findings: rows of the list of results, with what else was found of each packed beside.

Pairs, classes and numbers are in the rows, places, curves and faces in `details`, reasons in
`marks`. Objects are references: what is renamed keeps its findings.
"""

import io
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from zipfile import BadZipFile

import bpy
import numpy as np
from numpy.typing import NDArray

from ...core import FINDING_CLASSES, Audit
from ..answers.answer import Answer
from ..answers.groups import groups_text
from ..answers.kept import write_rows
from ..answers.view import View
from ..arrays import Floats, Ids
from ..results import Column, Rows, active_result, view_of
from ..results.choosing import activate_in_place
from ..ui import at_forgetting, length_unit, settings_of
from .data import (
    AREA,
    CONTAINED,
    IGNORED,
    NEAR,
    NEW,
    STATUSES,
    AuditedObjects,
    Findings,
    audited_objects,
    by_collections,
    by_smaller_object,
    checked,
    grouped_as,
    match_objects,
)
from .data.parts import columns_of, faces_of, starts_of
from .rules import first_collections

QUESTION, TITLE = "audit", "Audit"
_TEXTS = ("names", "libraries", "guids", "collections")


def active_audit(scene: bpy.types.Scene) -> Any:
    """Return the active result if an audit made it, else None."""
    result = active_result(scene)
    return result if result is not None and result.question == QUESTION else None


def answer_of(
    scene: bpy.types.Scene, findings: Findings, found: Any, options: Mapping[str, Any]
) -> Answer[Any]:
    """Return the answer of an audit, of which the session keeps `found`."""
    rows = rows_of(scene, findings)
    return Answer(
        found=found,
        title=TITLE,
        question=QUESTION,
        options=options,
        rows=rows,
        gone=names_of_gone(rows, findings),
        details=pack(findings),
        marks=json.dumps({str(row): text for row, text in enumerate(findings.reasons) if text}),
        groups=groups_text(rows_by_group(findings)),
    )


def rows_by_group(findings: Findings) -> dict[str, list[int]]:
    """Return the findings of each group by hand, by its name."""
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(findings.groups):
        if name:
            rows.setdefault(name, []).append(row)
    return rows


def severity_of(rows: Rows) -> Floats:
    """Return how grave each finding is, (n,): open before settled, by class, then by how much."""
    classes, lengths, areas, statuses = (each.values for each in rows.columns[:4])
    amounts = np.where(np.isnan(areas), lengths, areas) * np.where(classes == NEAR, -1, 1)
    order = np.lexsort((amounts, -classes, statuses < IGNORED))
    grave = np.empty(len(order))
    grave[order] = np.arange(len(order))
    return grave


def row_key(scene: bpy.types.Scene, result: Any, row: int) -> Ids | None:
    """Return what tells a finding from others of a result, or None if there is no such row."""
    return _row_keys(scene, result)[row] if 0 <= row < result.count else None


def _row_keys(scene: bpy.types.Scene, result: Any) -> Ids:
    """Return objects, instances and class of each finding, as a row of numbers, (n, 19)."""
    view = view_of(scene, result)
    classes = view.rows.column("Class")
    assert classes is not None
    uids = np.array([*view.uids, 0])[view.rows.objects]
    width = len(view.rows.objects) * view.rows.instances.shape[-1]
    instances = view.rows.instances.swapaxes(0, 1).reshape(result.count, width)
    return np.column_stack((uids.T, instances, classes.values)).astype(np.intp)


def show_again(scene: bpy.types.Scene, result: Any, key: Ids | None) -> None:
    """Let the finding with this key be the active row again, if it is still there."""
    if key is None:
        return
    (found,) = (_row_keys(scene, result) == key).all(axis=1).nonzero()
    if len(found):
        activate_in_place(settings_of(scene).results, int(found[0]))


def rewrite(scene: bpy.types.Scene, result: Any, findings: Findings) -> None:
    """Let a result hold other findings: with other statuses, or more of them."""
    write_rows(scene, result, answer_of(scene, findings, None, {}))


def names_of_gone(rows: Rows, findings: Findings) -> dict[int, str]:
    """Return the names of what has left the scene, by the numbers below 0 in the rows."""
    numbers = np.unique(rows.objects)
    return {uid: findings.objects.names[-1 - uid] for uid in numbers[numbers < 0].tolist()}


def rows_of(scene: bpy.types.Scene, findings: Findings) -> Rows:
    """Return a row for each finding. What is gone has numbers below 0 for a session id."""
    objects, (_, scale) = findings.objects, length_unit(scene)
    present = {item.session_uid for item in scene.objects}
    is_there = np.array([uid in present for uid in objects.uids.tolist()], np.bool_)
    uids = np.where(is_there, objects.uids, -1 - np.arange(len(objects)))
    audit = findings.audit
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
    return Rows(uids[audit.pairs], objects.instances[audit.pairs], columns)


def pack(findings: Findings) -> bytes:
    """Write what the rows do not hold as one compressed string of bytes."""
    objects, audit, count = findings.objects, findings.audit, len(findings)
    owners, (faces, sides) = audit.segment_findings, faces_of(audit)
    texts = {name: _encoded(getattr(objects, name)) for name in _TEXTS}
    file = io.BytesIO()
    np.savez_compressed(
        file,
        unit=np.array(findings.unit),
        pairs=audit.pairs.astype(np.int32),
        measures=audit.measures.astype(np.int8),
        lower=audit.lower,
        upper=audit.upper,
        places=audit.places,
        bands=audit.bands,
        tolerance=np.array(audit.band),
        # From the place of each: single precision then loses next to nothing.
        segments=(audit.segments - audit.places[owners, None]).astype(np.float32),
        segment_starts=starts_of(owners, count).astype(np.int32),
        faces=faces.astype(np.int32),
        face_starts=starts_of(sides, 2 * count).astype(np.int32),
        sizes=objects.sizes.astype(np.float32),
        instances=objects.instances,
        **texts,
    )
    return file.getvalue()


def _encoded(texts: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> Findings:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        found: dict[str, Any] = dict(arrays.items())
    texts = {name: json.loads(found[name].tobytes()) for name in _TEXTS}
    objects = audited_objects(**texts, instances=found["instances"], sizes=found["sizes"])
    audit = _audit_of(found)
    return Findings(
        objects, audit, np.full(len(audit), NEW), ("",) * len(audit), str(found["unit"])
    )


at_forgetting(_unpacked.cache_clear)


def _audit_of(found: Mapping[str, Any]) -> Audit:
    """Return the audit that arrays hold; classes are in the rows."""
    places = found["places"]
    count = len(places)
    owners = np.repeat(np.arange(count), np.diff(found["segment_starts"]))
    sides = np.repeat(np.arange(2 * count), np.diff(found["face_starts"]))
    return Audit(
        np.zeros(count, np.intp),
        found["pairs"].astype(np.intp),
        found["measures"].astype(np.intp),
        found["lower"],
        found["upper"],
        places,
        np.full(count, -1),
        np.zeros((2, count), bool),
        found["segments"] + places[owners, None],
        owners,
        *columns_of(found["faces"].astype(np.intp), sides, count),
        # Files of before tell no band.
        found.get("bands", np.full(count, np.nan)),
        float(found.get("tolerance", np.nan)),
    )


def findings_in(scene: bpy.types.Scene, result: Any) -> Findings:
    """Return the findings that a result holds, with their objects as they are called now.

    A `ValueError` if they cannot be read.
    """
    view, kept = view_of(scene, result), unpacked(result)
    classes, statuses = (view.rows.column(name) for name in ("Class", "Status"))
    assert classes is not None
    assert statuses is not None
    inner = np.where(classes.values == CONTAINED, 0, -1)
    reasons = json.loads(result.marks or "{}")
    return checked(
        replace(
            kept,
            objects=_objects_now(scene, result, kept),
            audit=replace(kept.audit, classes=classes.values.astype(np.intp), inner=inner),
            statuses=statuses.values.astype(np.intp),
            reasons=tuple(reasons.get(str(row), "") for row in range(result.count)),
        ).with_groups(names_of_groups(view, result.count))
    )


def grouped_by_hand(scene: bpy.types.Scene, findings: Findings) -> Findings:
    """Return findings in the groups that the audits which the file keeps have; the last ones win.

    One that is damaged, or of another unit, says nothing.
    """
    for result in reversed(settings_of(scene).results.kept):
        if result.question == QUESTION and result.groups:
            try:
                old = findings_in(scene, result)
                matching = match_objects(old.objects, findings.objects, same_session=True)
                findings = grouped_as(old, findings, matching)
            except ValueError:
                continue
    return findings


def names_of_groups(view: View, count: int) -> list[str]:
    """Return the group by hand of each of some rows; empty for none."""
    return [view.folds.group_of(row) for row in range(count)]


def _objects_now(scene: bpy.types.Scene, result: Any, kept: Findings) -> AuditedObjects:
    """Return the objects of kept findings as they are called now; those gone as they were."""
    view, objects = view_of(scene, result), kept.objects
    entries = np.full(len(objects), -1)
    entries[kept.audit.pairs] = view.rows.objects
    names = list(objects.names)
    for number in np.flatnonzero(entries >= 0).tolist():
        names[number] = view.names[entries[number]]
    # A number of no entry is that of the 0 behind them.
    uids = np.array([*view.uids, 0])[entries]
    collections = collections_now(scene, uids, objects.collections)
    return replace(objects, names=tuple(names), uids=uids, collections=collections)


def collections_now(scene: bpy.types.Scene, uids: Ids, before: Sequence[str]) -> tuple[str, ...]:
    """Return the collections of objects by name; of those that are gone, the last ones."""
    homes = first_collections(scene)
    both = zip(uids.tolist(), before, strict=True)
    return tuple(homes[uid].name if uid in homes else old for uid, old in both)


def unpacked(result: Any) -> Findings:
    """Return what stands beside the rows; a `ValueError` if it is damaged.

    Classes, statuses and reasons are in the rows, and objects as they were called.
    """
    try:
        kept = _unpacked(bytes(result.details))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise ValueError(f"The findings in the file cannot be read: {error}") from None
    if len(kept) != result.count:
        raise ValueError("The findings in the file do not fit the list: audit again")
    return kept
