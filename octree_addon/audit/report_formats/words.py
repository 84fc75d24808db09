"""Words of reports: escaped names, rounded numbers, units, titles and descriptions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Floats
from ...xml_formats import one_line
from ..model.findings import IGNORED, Findings
from ..model.grouping import Groups
from ..model.identity import canonical_rows

Pictures = Mapping[int, bytes]
Option = str | float | bool


@dataclass(frozen=True)
class About:
    """Description of an audit for its reports.

    Attributes
    ----------
    file : str
        Name of the audited file.
    author : str
        Author of the audit.
    date : str
        Date and time in ISO 8601; may be empty for formats that need no date.
    options : Mapping of str to text, number or bool
        Options of the audit.
    units : str
        Unit of lengths in HTML pages: a name in `UNITS` or `SYSTEMS`; empty for the unit of the
        findings. Other formats do not use it.
    scale : float
        Length of a unit of the options in the unit of the findings.
    offset : tuple of float
        Offset from world to model coordinates, in the unit of the findings: Blender's importer
        shifts an IFC file that is far from the origin.
    axis : tuple of float
        Direction of the world's X axis in the model's plane, of length 1.
    fail_on : tuple of str
        The classes of findings that JUnit reports as failures.
    """

    file: str = ""
    author: str = "Octree"
    date: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)
    units: str = ""
    scale: float = 1.0
    offset: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis: tuple[float, float] = (1.0, 0.0)
    fail_on: tuple[str, ...] = FINDING_CLASSES

    def turned(self, vectors: Floats) -> Floats:
        """Return world-space directions in model space, (..., 3)."""
        (cosine, sine), (x, y, z) = self.axis, np.moveaxis(vectors, -1, 0)
        return np.stack((x * cosine - y * sine, x * sine + y * cosine, z), axis=-1)

    def in_model(self, places: Floats) -> Floats:
        """Return world-space points in model space, (..., 3)."""
        moved: Floats = self.turned(places) + np.array(self.offset)
        return moved


def checked_date(date: str) -> str:
    """Return a date and time in the form of XML Schema; raise `ValueError` if it is invalid."""
    try:
        return datetime.fromisoformat(date).isoformat()
    except ValueError:
        raise ValueError(f"date must be given in ISO 8601, got {date!r}") from None


def rounded(values: Floats) -> list[float]:
    """Return numbers rounded to nine digits, on which machines agree; without negative zeros."""
    return [float(f"{value:.9g}") + 0.0 for value in values.ravel().tolist()]


def known(length: float) -> float | None:
    """Return a length rounded to the six digits of single precision; None if it is NaN."""
    return None if np.isnan(length) else float(f"{length:.6g}")


def judged_by(findings: Findings, row: int) -> str:
    """Return the tolerance used for a finding as text; empty if it is unknown."""
    if np.isnan(findings.audit.bands[row]):
        return ""
    said = f"Tolerance {findings.audit.bands[row]:.4g} {findings.unit}"
    return f"{said}, as fine as its coordinates are" if findings.widened[row] else said


def tolerance_of(findings: Findings) -> str:
    """Return the stated tolerance and the number of widened ones as text; empty if unknown."""
    band = findings.audit.band
    if np.isnan(band):
        return ""
    stated = f"{band:.4g} {findings.unit}" if band else "by precision"
    count = int(findings.widened.sum())
    return f"tolerance {stated}" + (f", widened by precision for {count:,}" if count else "")


def rounded_places(places: Floats) -> list[list[float]]:
    """Return coordinates rounded to a millionth of the unit."""
    whole: list[list[float]] = (np.round(places.reshape(-1, 3), 6) + 0.0).tolist()
    return whole


def in_order(
    findings: Findings, pictures: Pictures, groups: Groups | None
) -> tuple[Findings, Pictures, Groups | None]:
    """Return findings in canonical order, with their pictures and groups."""
    ordered, rows = canonical_rows(findings)
    drawn = {new: pictures[old] for new, old in enumerate(rows.tolist()) if old in pictures}
    return ordered, drawn, replace(groups, of=groups.of[rows]) if groups else groups


def unit_of(findings: Findings, measure: str) -> str:
    """Return the unit of a measure, such as "m" or "m2"."""
    return findings.unit + ("2" if measure == "area" else "")


def side_name(findings: Findings, row: int, side: int) -> str:
    """Return the name of one object of a finding, such as "Tree" or "#3 Tree" for an instance."""
    number = int(findings.audit.pairs[side, row])
    numbers = ".".join(str(each) for each in findings.objects.numbers_of(number))
    name = findings.objects.names[number]
    return f"#{numbers} {name}" if numbers else name


def names_of(findings: Findings, row: int) -> str:
    """Return the names of a finding's objects in one line; a self-intersection has one."""
    sides = (0, 1) if findings.audit.pairs[0, row] != findings.audit.pairs[1, row] else (0,)
    return " / ".join(one_line(side_name(findings, row, side)) for side in sides)


def interval(findings: Findings, row: int) -> str:
    """Return the measured interval in words, such as "depth 0.012 to 0.013 m"."""
    measure, audit = findings.measure_of(row), findings.audit
    low, high = (f"{float(each[row]):.4g}" for each in (audit.lower, audit.upper))
    number = low if low == high else f"{low} to {high}"
    return f"{measure} {number} {unit_of(findings, measure)}"


def title(findings: Findings, row: int) -> str:
    """Return a finding in one line, such as "overlap: Pipe / Beam, depth 0.012 m"."""
    return f"{findings.class_of(row)}: {names_of(findings, row)}, {interval(findings, row)}"


def description(findings: Findings, row: int) -> str:
    """Return a description of a finding in several lines."""
    x, y, z = rounded_places(findings.audit.places[row])[0]
    lines = [
        title(findings, row),
        f"At {x:.10g}, {y:.10g}, {z:.10g} {findings.unit}",
        *_sides(findings, row),
    ]
    if judged_by(findings, row):
        lines.append(judged_by(findings, row))
    if findings.statuses[row] == IGNORED:
        lines.append(f"Ignored: {one_line(findings.reasons[row] or 'no reason given')}")
    return "\n".join(lines)


def _sides(findings: Findings, row: int) -> Iterable[str]:
    objects = findings.objects
    for number in dict.fromkeys(findings.audit.pairs[:, row].tolist()):
        known = {
            "GlobalId": objects.guids[number],
            "collection": objects.collections[number],
            "library": objects.libraries[number],
        }
        said = "".join(f", {word} {one_line(text)}" for word, text in known.items() if text)
        yield one_line(objects.names[number]) + said
