"""Kept findings: rows of the list of results, with what else was found of each packed beside.

Pairs, classes and numbers are in the rows, places, curves and faces in `details`, reasons in
`marks`. Objects are references: what is renamed keeps its findings.
"""

import io
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..arrays import Ids
from ..audit import (
    CLASSES,
    MEASURES,
    STATUSES,
    Findings,
    audited_objects,
    by_collections,
    by_smaller_object,
    make_findings,
)
from ..audit.ragged import Ragged
from ..results import Column, Rows, active_result, doubt_names, keep_result, view_of, write_rows

QUESTION, TITLE = "audit", "Audit"
_AREA = tuple(MEASURES).index("area")
_TEXTS = ("names", "libraries", "guids", "collections")


def active_audit(scene: bpy.types.Scene) -> Any:
    """Return the active result if an audit made it, else None."""
    result = active_result(scene)
    return result if result is not None and result.question == QUESTION else None


def keep_findings(
    context: bpy.types.Context, findings: Findings, options: Mapping[str, Any], name: str = ""
) -> Any:
    """Keep findings as a result, in place of that of the same name, and return it."""
    rows = rows_of(context.scene, findings)
    keep_result(
        context,
        rows,
        title=TITLE,
        question=QUESTION,
        options=options,
        name=name,
        gone=names_of_gone(rows, findings),
    )
    result = active_result(context.scene)
    _write_details(result, findings)
    return result


def rewrite(scene: bpy.types.Scene, result: Any, findings: Findings) -> None:
    """Let a result hold other findings: with other statuses, or more of them."""
    rows = rows_of(scene, findings)
    write_rows(scene, result, rows, names_of_gone(rows, findings))
    _write_details(result, findings)


def names_of_gone(rows: Rows, findings: Findings) -> dict[int, str]:
    """Return the names of what has left the scene, by the numbers below 0 in the rows."""
    numbers = np.unique(rows.objects)
    return {uid: findings.objects.names[-1 - uid] for uid in numbers[numbers < 0].tolist()}


def _write_details(result: Any, findings: Findings) -> None:
    result.details = pack(findings)
    reasons = {str(row): text for row, text in enumerate(findings.reasons) if text}
    result.marks = json.dumps(reasons)
    doubt_names()


def rows_of(scene: bpy.types.Scene, findings: Findings) -> Rows:
    """Return a row for each finding. What is gone has numbers below 0 for a session id."""
    objects, scale = findings.objects, 1.0
    if scene.unit_settings.system != "NONE":
        scale = scene.unit_settings.scale_length
    present = {item.session_uid for item in scene.objects}
    is_there = np.array([uid in present for uid in objects.uids.tolist()], np.bool_)
    uids = np.where(is_there, objects.uids, -1 - np.arange(len(objects)))
    areas = findings.measures == _AREA
    middles = (findings.lower + findings.upper) / 2
    smaller, collections = by_smaller_object(findings), by_collections(findings)
    columns = (
        Column("Class", "", findings.kinds, CLASSES),
        Column("Length", "LENGTH", np.where(areas, np.nan, middles / scale)),
        Column("Area", "AREA", np.where(areas, middles / scale**2, np.nan)),
        Column("Status", "", findings.statuses, STATUSES),
        Column("Smaller Object", "", smaller.of, smaller.names),
        Column("Collections", "", collections.of, collections.names),
    )
    return Rows(uids[findings.pairs], objects.instances[findings.pairs], columns)


def pack(findings: Findings) -> bytes:
    """Write what the rows do not hold as one compressed string of bytes."""
    objects = findings.objects
    owners = findings.segments.owners
    texts = {name: _encoded(getattr(objects, name)) for name in _TEXTS}
    file = io.BytesIO()
    np.savez_compressed(
        file,
        unit=np.array(findings.unit),
        pairs=findings.pairs.astype(np.int32),
        measures=findings.measures.astype(np.int8),
        lower=findings.lower,
        upper=findings.upper,
        places=findings.places,
        bands=findings.bands,
        tolerance=np.array(findings.tolerance),
        # From the place of each: single precision then loses next to nothing.
        segments=(findings.segments.values - findings.places[owners, None]).astype(np.float32),
        segment_starts=findings.segments.starts.astype(np.int32),
        faces=findings.faces.values.astype(np.int32),
        face_starts=findings.faces.starts.astype(np.int32),
        sizes=objects.sizes.astype(np.float32),
        instances=objects.instances,
        **texts,
    )
    return file.getvalue()


def _encoded(texts: tuple[str, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(texts).encode(), np.uint8)


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> dict[str, Any]:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        found: dict[str, Any] = dict(arrays.items())
    for name in _TEXTS:
        found[name] = json.loads(found[name].tobytes())
    # Files of before tell no band.
    found.setdefault("bands", np.full(len(found["places"]), np.nan))
    found.setdefault("tolerance", np.array(np.nan))
    owners = np.repeat(np.arange(len(found["places"])), np.diff(found["segment_starts"]))
    found["segments"] = found["segments"] + found["places"][owners, None]
    return found


def findings_in(scene: bpy.types.Scene, result: Any) -> Findings:
    """Return the findings that a result holds, with their objects as they are called now.

    A `ValueError` if they cannot be read.
    """
    view, kept = view_of(scene, result), unpacked(result)
    entries = np.zeros(len(kept["sizes"]), np.intp)
    entries[kept["pairs"]] = view.rows.objects
    used = np.zeros(len(entries), np.bool_)
    used[kept["pairs"]] = True
    names = list(kept["names"])
    for number in np.flatnonzero(used).tolist():
        names[number] = view.names[entries[number]]
    uids = np.where(used, np.array([*view.uids, 0])[entries], 0)
    objects = audited_objects(
        names,
        instances=kept["instances"],
        libraries=kept["libraries"],
        guids=kept["guids"],
        collections=collections_now(scene, uids, kept["collections"]),
        sizes=kept["sizes"],
        uids=uids,
    )
    reasons = json.loads(result.marks or "{}")
    classes, statuses = (view.rows.column(name) for name in ("Class", "Status"))
    assert classes is not None
    assert statuses is not None
    return make_findings(
        objects,
        classes.values,
        kept["pairs"],
        kept["measures"],
        kept["lower"],
        kept["upper"],
        kept["places"],
        segments=Ragged(kept["segments"], kept["segment_starts"].astype(np.intp)),
        faces=Ragged(kept["faces"].astype(np.intp), kept["face_starts"].astype(np.intp)),
        statuses=statuses.values,
        reasons=[reasons.get(str(row), "") for row in range(result.count)],
        bands=kept["bands"],
        tolerance=float(kept["tolerance"]),
        unit=str(kept["unit"]),
    )


def collections_now(scene: bpy.types.Scene, uids: Ids, before: list[str]) -> list[str]:
    """Return the collections of objects by name; of those that are gone, the last ones."""
    homes: dict[int, str] = {}
    for collection in (scene.collection, *scene.collection.children_recursive):
        for item in collection.objects:
            homes.setdefault(item.session_uid, collection.name)
    return [homes.get(uid, old) for uid, old in zip(uids.tolist(), before, strict=True)]


def unpacked(result: Any) -> dict[str, Any]:
    """Return the arrays beside the rows; a `ValueError` if they are damaged."""
    try:
        kept = _unpacked(bytes(result.details))
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ValueError(f"The findings in the file cannot be read: {error}") from None
    if kept["pairs"].shape[1] != result.count:
        raise ValueError("The findings in the file do not fit the list: audit again")
    return kept
