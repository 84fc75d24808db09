"""HTML report: one page that opens by itself; findings in groups, with pictures, to be sorted."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape

import numpy as np

from .....core import FINDING_CLASSES
from ....arrays import Ids
from ..findings import IGNORED, STATUSES, Findings
from ..grouping import Groups, by_class
from .html_page import page
from .words import (
    About,
    Pictures,
    in_order,
    interval,
    judged_by,
    one_line,
    plain,
    rounded,
    side_name,
    tolerance_of,
)

# Style, header and order of each column. In a group by class all findings have one class.
_CLASS = ("class", "Class", "text")
_HEADERS = (
    ("", "Object", "text"),
    ("", "Other object", "text"),
    ("number much", "How much", "number"),
    ("number place", "Place", "text"),
    ("status", "Status", "text"),
)


def html_report(
    findings: Findings, about: About, pictures: Pictures, groups: Groups | None = None
) -> str:
    """Return findings as a page; `pictures` holds PNG files by finding.

    They are grouped by class unless `groups` says otherwise; in a group, what is
    settled comes last, and the most first.
    """
    findings, pictures, groups = in_order(findings, pictures, groups)
    chosen = groups or by_class(findings)
    heading = f"Audit of {one_line(about.file)}" if about.file else "Audit"
    parts = [f"<h1>{_text(heading)}</h1>\n", _about(findings, about), _counts(findings)]
    for name, rows in zip(chosen.names, chosen.rows(), strict=True):
        parts.append(_group(findings, pictures, name, rows, has_classes=chosen.by != "class"))
    return page(one_line(heading), "".join(parts))


def _text(text: str) -> str:
    return escape(plain(text))


def _about(findings: Findings, about: About) -> str:
    options = (
        f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in about.options.items()
    )
    count = f"{len(findings):,} finding{'s' if len(findings) != 1 else ''}"
    said = [about.date, count, f"lengths in {findings.unit}", tolerance_of(findings), *options]
    return f'<p class="about">{_text(" · ".join(each for each in said if each))}</p>\n'


def _counts(findings: Findings) -> str:
    """Return a table of how many findings each class has, by status."""
    width = len(STATUSES)
    cells = np.bincount(
        findings.audit.classes * width + findings.statuses, minlength=len(FINDING_CLASSES) * width
    ).reshape(-1, width)
    rows = [
        f"<tr><th>{name}</th>{_number_cells(counts.tolist())}</tr>"
        for name, counts in zip(FINDING_CLASSES, cells, strict=True)
        if counts.any()
    ]
    if not rows:
        return "<p>Nothing was found.</p>\n"
    head = "".join(f"<th>{status}</th>" for status in STATUSES)
    whole = "\n".join(rows)
    return f'<table class="counts">\n<tr><th></th>{head}</tr>\n{whole}\n</table>\n'


def _number_cells(counts: Iterable[int]) -> str:
    return "".join(f'<td class="number">{count:,}</td>' for count in counts)


def _group(
    findings: Findings, pictures: Pictures, name: str, rows: Ids, *, has_classes: bool
) -> str:
    settled = findings.statuses[rows] >= IGNORED
    order = np.lexsort((-findings.audit.upper[rows], findings.audit.classes[rows], settled))
    lines = []
    for row in rows[order].tolist():
        classes = [findings.class_of(row)] * has_classes
        images = [_picture(pictures.get(row))] * bool(pictures)
        lines.append(_line(findings, row, classes, images))
    heads = _heads(has_classes=has_classes, has_pictures=bool(pictures))
    return (
        f"<details open>\n<summary>{_text(one_line(name))} <span>{len(rows):,}</span></summary>\n"
        f'<div class="scroll"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
        f"{''.join(lines)}</tbody>\n</table></div>\n</details>\n"
    )


def _heads(*, has_classes: bool, has_pictures: bool) -> str:
    headers = (_CLASS,) * has_classes + _HEADERS
    heads = [f'<th class="{style}" data-by="{by}">{label}</th>' for style, label, by in headers]
    return "".join(heads) + '<th class="picture">Picture</th>' * has_pictures


def _line(findings: Findings, row: int, classes: list[str], pictures: list[str]) -> str:
    status = STATUSES[findings.statuses[row]]
    place = ", ".join(f"{each:.10g}" for each in np.round(findings.audit.places[row], 3) + 0.0)
    reason = f"<small>{_text(findings.reasons[row])}</small>" if findings.reasons[row] else ""
    alone = findings.audit.pairs[0, row] == findings.audit.pairs[1, row]
    cells = [
        *(f"<td>{each}</td>" for each in classes),
        _side(findings, row, 0),
        "<td></td>" if alone else _side(findings, row, 1),
        _much(findings, row),
        f'<td class="number">{place}</td>',
        f"<td>{status}{reason}</td>",
        *(f"<td>{each}</td>" for each in pictures),
    ]
    return f'<tr class="{status}">{"".join(cells)}</tr>\n'


def _much(findings: Findings, row: int) -> str:
    measure, _, number = interval(findings, row).partition(" ")
    value, number = rounded(findings.audit.upper[row])[0], number.replace(" ", "&nbsp;")
    if findings.widened[row]:
        measure += f", {judged_by(findings, row).lower()}"
    return f'<td class="number" data-value="{value!r}">{number}<small>{measure}</small></td>'


def _side(findings: Findings, row: int, side: int) -> str:
    number, objects = int(findings.audit.pairs[side, row]), findings.objects
    known = [objects.collections[number], objects.libraries[number], objects.guids[number]]
    more = _text(" · ".join(one_line(each) for each in known if each))
    name = _text(one_line(side_name(findings, row, side)))
    return f'<td><i class="side{side}"></i>{name}<small>{more}</small></td>'


def _picture(picture: bytes | None) -> str:
    if picture is None:
        return ""
    data = b64encode(picture).decode("ascii")
    return f'<img tabindex="0" alt="The contact" src="data:image/png;base64,{data}">'
