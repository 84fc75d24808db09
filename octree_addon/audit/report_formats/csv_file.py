"""CSV report: a line for each finding, units in the header, no names that run as formulas."""

from collections.abc import Iterable
from typing import Any

from ....core import FINDING_MEASURES
from ...text_formats import delimited
from ...xml_formats import plain
from ..model.findings import STATUSES, Findings
from ..model.identity import canonical, finding_ids
from .words import known, rounded, rounded_places, side_name, unit_of


def csv_report(findings: Findings, *_: object) -> str:
    """Return findings as CSV (RFC 4180) in UTF-8, in canonical order.

    Each measure has its own columns, since each has its own unit; the columns of other measures
    are empty. Groups made by the user have a column, if there are any. A text that a spreadsheet
    would take for a formula gets an apostrophe.
    """
    ordered = canonical(findings)
    return delimited([_header(ordered), *_lines(ordered)])


def _header(findings: Findings) -> list[str]:
    sides = ("Object", "Collection", "Library", "GlobalId", "Faces")
    numbers = [
        f"{measure.capitalize()} {end} [{unit_of(findings, measure)}]"
        for measure in FINDING_MEASURES
        for end in ("min", "max")
    ]
    places = [f"{axis} [{findings.unit}]" for axis in "XYZ"]
    others = [f"Other {name}" for name in sides]
    tolerances = [f"{name} [{findings.unit}]" for name in ("Tolerance", "Judged by")]
    ends = ["Status", "Reason", "Id", *tolerances]
    groups = ["Group"] * bool(findings.groups)
    return ["Class", *sides, *others, *numbers, *places, *ends, *groups]


def _lines(findings: Findings) -> Iterable[list[Any]]:
    ids, places = finding_ids(findings), rounded_places(findings.audit.places)
    lows, highs = rounded(findings.audit.lower), rounded(findings.audit.upper)
    for row, place in enumerate(places):
        measured = dict.fromkeys(FINDING_MEASURES, ("", "")) | {
            findings.measure_of(row): (lows[row], highs[row])
        }
        yield [
            findings.class_of(row),
            *_side(findings, row, 0),
            *_side(findings, row, 1),
            *(end for ends in measured.values() for end in ends),
            *place,
            STATUSES[findings.statuses[row]],
            plain(findings.reasons[row]),
            ids[row],
            known(findings.audit.band),
            known(findings.audit.bands[row]),
            *([plain(findings.group_of(row))] if findings.groups else []),
        ]


def _side(findings: Findings, row: int, side: int) -> list[Any]:
    number, objects = int(findings.audit.pairs[side, row]), findings.objects
    texts = (
        side_name(findings, row, side),
        objects.collections[number],
        objects.libraries[number],
        objects.guids[number],
    )
    return [*map(plain, texts), len(findings.faces_of(row, side))]
