"""JSON report: all data of findings in a versioned format; written and read.

    {"format": "octree-audit", "version": 1,
     "file": "house.blend", "unit": "m", "options": {"clearance": 0.03},
     "tolerance": 1e-05, "widened": 0,
     "counts": {"overlap": 1, ...},
     "objects": [{"name": "Pipe", "instance": [], "library": "", "guid": "", "collection": "MEP",
                  "size": 4.2}, ...],
     "findings": [{"id": "...", "class": "overlap", "objects": [0, 1], "names": ["Pipe", "Beam"],
                   "measure": "depth", "unit": "m", "lower": 0.012, "upper": 0.013,
                   "band": 1e-05,
                   "place": [1, 2, 3], "segments": [[[x, y, z], [x, y, z]], ...],
                   "faces": [[3, 4], [7]], "status": "new", "reason": ""}, ...]}

`tolerance` is the stated tolerance, 0 if none was stated. `band` is the tolerance used for a
finding: the stated one, or a larger one from the rounding of its coordinates, as in `widened`
findings. Both are null if unknown. A finding in a group of the user also has its name as
`group`.

`objects` of a finding are indices into the list of objects. `id`, `names`, `counts` and the unit
of a finding are redundant, for other readers of the file.

Numbers are rounded to nine digits, coordinates to a millionth. The content does not depend on
the date or the order of the scene, so equal findings give equal files. The file is ASCII only,
whatever the names contain.
"""

from typing import Any

import numpy as np

from ....core import FINDING_CLASSES, FINDING_MEASURES, Audit
from ...arrays import UNUSED, Ids
from ...text_formats import json_lines, json_members, json_text, read_head
from ..model.findings import (
    CONTAINED,
    STATUSES,
    AuditedObjects,
    Findings,
    audited_objects,
    checked,
)
from ..model.identity import canonical, finding_ids
from ..model.parts import columns_of, parts_of
from .words import About, known, rounded, rounded_places, unit_of

FORMAT, VERSION = "octree-audit", 1


def json_report(findings: Findings, about: About, *_: object) -> str:
    """Return findings as JSON, in the format of this module's docstring."""
    ordered = canonical(findings)
    counts = np.bincount(ordered.audit.classes, minlength=len(FINDING_CLASSES)).tolist()
    head = {
        "format": FORMAT,
        "version": VERSION,
        "file": about.file,
        "unit": ordered.unit,
        "options": dict(sorted(about.options.items())),
        "tolerance": known(ordered.audit.band),
        "widened": int(ordered.widened.sum()),
        "counts": dict(zip(FINDING_CLASSES, counts, strict=True)),
    }
    body = {"objects": _objects(ordered.objects), "findings": _findings(ordered)}
    members = {name: _ascii(value) for name, value in head.items()}
    members |= {name: _lined(values) for name, values in body.items()}
    return "".join(json_lines(json_members(members.items()), "{}", 1)) + "\n"


def _ascii(value: Any) -> str:
    return json_text(value, ascii_only=True)


def _lined(values: list[Any]) -> str:
    """Return a list with a line for each entry, so that files can be compared by line."""
    return "".join(json_lines(map(_ascii, values), depth=2)) if values else "[]"


def _objects(objects: AuditedObjects) -> list[dict[str, Any]]:
    sizes = rounded(objects.sizes)
    return [
        {
            "name": objects.names[number],
            "instance": objects.numbers_of(number),
            "library": objects.libraries[number],
            "guid": objects.guids[number],
            "collection": objects.collections[number],
            "size": sizes[number],
        }
        for number in range(len(objects))
    ]


def _findings(findings: Findings) -> list[dict[str, Any]]:
    audit, ids, names = findings.audit, finding_ids(findings), findings.objects.names
    lows, highs = rounded(audit.lower), rounded(audit.upper)
    places = rounded_places(audit.places)
    return [
        {
            "id": ids[row],
            "class": findings.class_of(row),
            "objects": pair,
            "names": [names[number] for number in pair],
            "measure": findings.measure_of(row),
            "unit": unit_of(findings, findings.measure_of(row)),
            "lower": lows[row],
            "upper": highs[row],
            "band": known(audit.bands[row]),
            "place": places[row],
            "segments": _segments(findings, row),
            "faces": [findings.faces_of(row, side).tolist() for side in (0, 1)],
            "status": STATUSES[findings.statuses[row]],
            "reason": findings.reasons[row],
            **({"group": findings.group_of(row)} if findings.group_of(row) else {}),
        }
        for row, pair in enumerate(audit.pairs.T.tolist())
    ]


def _segments(findings: Findings, row: int) -> list[list[list[float]]]:
    ends = rounded_places(findings.segments_of(row))
    return [[first, last] for first, last in zip(ends[::2], ends[1::2], strict=True)]


def read_json(content: str | bytes) -> tuple[Findings, About]:
    """Return the findings in a file of `json_report`, and its file name and options.

    Raises
    ------
    ValueError
        If the content is no such report, or has another version.
    """
    try:
        head = read_head(content, FORMAT, VERSION)
        about = About(file=head["file"], options=dict(head["options"]))
        return _read_findings(head), about
    except (KeyError, TypeError, IndexError, RecursionError, OverflowError) as error:
        raise ValueError(f"This is no report of an audit: {error!r} is amiss") from None


def _read_findings(head: dict[str, Any]) -> Findings:
    rows = head["findings"]
    statuses = _numbers(rows, "status", STATUSES)
    audit = _read_audit(rows, _or_nan(head["tolerance"]))
    reasons = tuple(_column(rows, "reason", str))
    found = Findings(_read_objects(head["objects"]), audit, statuses, reasons, head["unit"])
    return checked(found.with_groups(str(row.get("group", "")) for row in rows))


def _read_audit(rows: list[dict[str, Any]], band: float) -> Audit:
    classes = _numbers(rows, "class", FINDING_CLASSES)
    lines, owners = parts_of(_column(rows, "segments", list), (2, 3), np.float64)
    sides = [side for one, other in _column(rows, "faces", list) for side in (one, other)]
    return Audit(
        classes,
        np.array(_column(rows, "objects", list), np.intp).reshape(-1, 2).T,
        _numbers(rows, "measure", FINDING_MEASURES),
        np.array(_column(rows, "lower", float, int), np.float64),
        np.array(_column(rows, "upper", float, int), np.float64),
        np.array(_column(rows, "place", list), np.float64).reshape(-1, 3),
        np.where(classes == CONTAINED, 0, -1),
        np.zeros((2, len(rows)), bool),
        lines,
        owners,
        *columns_of(*parts_of(sides, (), np.intp), len(rows)),
        np.array([_or_nan(row["band"]) for row in rows], np.float64),
        band,
    )


def _column(rows: list[dict[str, Any]], name: str, *kinds: type) -> list[Any]:
    values = [row[name] for row in rows]
    if not all(isinstance(value, kinds) for value in values):
        raise TypeError(name)
    return values


def _numbers(rows: list[dict[str, Any]], name: str, words: tuple[str, ...]) -> Ids:
    return np.array([words.index(word) for word in _column(rows, name, str)], np.intp)


def _or_nan(value: Any) -> float:
    """Return a number; NaN for None, an unknown value."""
    return np.nan if value is None else float(value)


def _read_objects(objects: list[dict[str, Any]]) -> AuditedObjects:
    instances = np.full((len(objects), 8), UNUSED, np.int32)
    for number, each in enumerate(objects):
        instances[number, : len(each["instance"])] = each["instance"]
    return audited_objects(
        [each["name"] for each in objects],
        instances=instances,
        libraries=[each["library"] for each in objects],
        guids=[each["guid"] for each in objects],
        collections=[each["collection"] for each in objects],
        sizes=[each["size"] for each in objects],
    )
