"""HTML report: one self-contained page with findings in groups, pictures, sorting and a filter."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Floats, Ids
from ...lengths import Unit, unit_for
from ...xml_formats import one_line, plain
from ..model.findings import AREA, IGNORED, NEAR, STATUSES, Findings
from ..model.grouping import Groups, by_class, with_hand_groups
from .html_page import FILTER, page
from .sentences import paragraphs
from .words import About, Pictures, in_order, rounded, side_name

# Style, header and sort order of each column; the header of Place has its unit as well. Groups by
# class have no column for the class.
_CLASS = ("class", "Class", "text")
_HEADERS = (
    ("", "Object", "text"),
    ("", "Other object", "text"),
    ("number much", "How much", "number"),
    ("number place", "Place", "text"),
    ("status", "Status", "text"),
)


@dataclass(frozen=True)
class _Units:
    """Units of the lengths, areas, places and tolerances of a page."""

    length: Unit
    area: Unit
    place: Unit
    band: Unit


def html_report(
    findings: Findings, about: About, pictures: Pictures, groups: Groups | None = None
) -> str:
    """Return findings as a page; `pictures` holds PNG files by finding.

    The user's groups come first, then `groups`, by default classes. In a group, settled findings
    come last, and large amounts first. Lengths are in the units of the scene.
    """
    findings, pictures, groups = in_order(findings, pictures, groups)
    chosen = with_hand_groups(findings, groups or by_class(findings))
    heading = f"Audit of {one_line(about.file)}" if about.file else "Audit"
    said = [f'<p class="about">{_text(each)}</p>\n' for each in paragraphs(findings, about)]
    head = f"<h1>{_text(heading)}</h1>\n{''.join(said)}"
    parts = [head, _counts(findings), FILTER if len(findings) else ""]
    units = _units_of(findings, about)
    for number, (name, rows) in enumerate(zip(chosen.names, chosen.rows(), strict=True)):
        has_classes = chosen.by != "class" or number < chosen.hand
        parts.append(_group(findings, pictures, name, rows, units, has_classes=has_classes))
    return page(one_line(heading), "".join(parts))


def _text(text: str) -> str:
    return escape(plain(text))


def _units_of(findings: Findings, about: About) -> _Units:
    """Return units of convenient size for most numbers, one for each column."""
    audit, areas = findings.audit, findings.audit.measures == AREA

    def unit(lengths: Floats, *, alone: bool = False) -> Unit:
        return unit_for(about.units, findings.unit, lengths, alone=alone)

    return _Units(
        length=unit(audit.upper[~areas]),
        area=unit(np.sqrt(audit.upper[areas])),
        place=unit(np.empty(0)),
        band=unit(audit.bands[findings.widened], alone=True),
    )


def _counts(findings: Findings) -> str:
    """Return a table with the number of findings of each class, by status."""
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
        return ""
    head = "".join(f"<th>{status}</th>" for status in STATUSES)
    whole = "\n".join(rows)
    return f'<table class="counts">\n<tr><th></th>{head}</tr>\n{whole}\n</table>\n'


def _number_cells(counts: Iterable[int]) -> str:
    return "".join(f'<td class="number">{count:,}</td>' for count in counts)


def _group(
    findings: Findings,
    pictures: Pictures,
    name: str,
    rows: Ids,
    units: _Units,
    *,
    has_classes: bool,
) -> str:
    settled = findings.statuses[rows] >= IGNORED
    order = np.lexsort((-findings.audit.upper[rows], findings.audit.classes[rows], settled))
    lines = []
    for row in rows[order].tolist():
        classes = [findings.class_of(row)] * has_classes
        images = [_picture(pictures.get(row))] * bool(pictures)
        lines.append(_line(findings, row, units, classes, images))
    heads = _heads(units, has_classes=has_classes, has_pictures=bool(pictures))
    return (
        f"<details open>\n<summary>{_text(one_line(name))} <span>{len(rows):,}</span>"
        f"{_sum(findings, rows, units) if has_classes else ''}</summary>\n"
        f'<div class="scroll"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n'
        f"{''.join(lines)}</tbody>\n</table></div>\n</details>\n"
    )


def _sum(findings: Findings, rows: Ids, units: _Units) -> str:
    """Return a group's number of findings and worst amount of each class, for its header."""
    classes, audit = findings.audit.classes[rows], findings.audit
    said = []
    for kind in np.unique(classes).tolist():
        of_kind = rows[classes == kind]
        is_near = kind == NEAR
        grave = -audit.lower[of_kind] if is_near else audit.upper[of_kind]
        worst = of_kind[grave.argmax()]
        unit, power = _unit_of(findings, int(worst), units)
        most = unit.write(audit.lower[worst], audit.upper[worst], power)
        bound = "from" if is_near else "up to"
        said.append(f"{len(of_kind):,} {FINDING_CLASSES[kind]}, {bound} {most}")
    return f"<small>{_text('; '.join(said))}</small>"


def _heads(units: _Units, *, has_classes: bool, has_pictures: bool) -> str:
    headers = (_CLASS,) * has_classes + _HEADERS
    named = {"Place": f"Place [{units.place.name}]"}
    heads = [
        f'<th class="{style}" data-by="{by}">{named.get(label, label)}</th>'
        for style, label, by in headers
    ]
    return "".join(heads) + '<th class="picture">Picture</th>' * has_pictures


def _line(
    findings: Findings, row: int, units: _Units, classes: list[str], pictures: list[str]
) -> str:
    status = STATUSES[findings.statuses[row]]
    coordinates = np.round(findings.audit.places[row] / units.place.size, 3) + 0.0
    place = ", ".join(f"{each:.10g}" for each in coordinates)
    reason = f"<small>{_text(findings.reasons[row])}</small>" if findings.reasons[row] else ""
    alone = findings.audit.pairs[0, row] == findings.audit.pairs[1, row]
    cells = [
        *(f"<td>{each}</td>" for each in classes),
        _side(findings, row, 0),
        "<td></td>" if alone else _side(findings, row, 1),
        _much(findings, row, units),
        f'<td class="number">{place}</td>',
        f"<td>{status}{reason}</td>",
        *(f"<td>{each}</td>" for each in pictures),
    ]
    return f'<tr class="{status}">{"".join(cells)}</tr>\n'


def _much(findings: Findings, row: int, units: _Units) -> str:
    measure, audit = findings.measure_of(row), findings.audit
    unit, power = _unit_of(findings, row, units)
    number = unit.write(audit.lower[row], audit.upper[row], power).replace(" ", "&nbsp;")
    value = rounded(audit.upper[row])[0]
    if findings.widened[row]:
        measure += f", tolerance {units.band.write(audit.bands[row])} by precision"
    return f'<td class="number" data-value="{value!r}">{number}<small>{measure}</small></td>'


def _unit_of(findings: Findings, row: int, units: _Units) -> tuple[Unit, int]:
    """Return the unit of a finding's amount, and its power of length."""
    return (units.area, 2) if findings.measure_of(row) == "area" else (units.length, 1)


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
