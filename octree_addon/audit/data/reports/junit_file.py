"""JUnit report: a test suite for each class, a failure for each finding of a class that fails."""

from collections.abc import Collection
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from .....core import FINDING_CLASSES
from ....arrays import Flags
from ..findings import IGNORED, RESOLVED, Findings
from ..identity import canonical, finding_ids
from .words import About, description, one_line, plain, title, tolerance_of, xml


def junit_report(findings: Findings, about: About, *_: object) -> bytes:
    """Return findings as JUnit XML, for the summary of a CI.

    A finding of another class passes, one that is ignored is skipped with its reason, one that is
    resolved is left out. A class of which nothing was found has one case, which passes: it says
    that somebody looked.
    """
    ordered = canonical(findings)
    ordered = ordered.take(np.flatnonzero(ordered.statuses != RESOLVED))
    failing = fails(ordered, about.fail_on)
    root = Element("testsuites", name=one_line(about.file) if about.file else "octree")
    ids = finding_ids(ordered)
    for kind, name in enumerate(FINDING_CLASSES):
        suite = SubElement(root, "testsuite", name=name)
        if tolerance_of(ordered):
            properties = SubElement(suite, "properties")
            value = tolerance_of(ordered).removeprefix("tolerance ")
            SubElement(properties, "property", name="tolerance", value=value)
        rows = np.flatnonzero(ordered.audit.classes == kind).tolist()
        for row in rows:
            _add_case(suite, ordered, row, ids[row], fails=bool(failing[row]))
        if not rows:
            SubElement(suite, "testcase", classname=f"octree.{name}", name=f"no {name}", time="0")
        _count(suite)
    _count(root)
    return xml(root)


def fails(findings: Findings, fail_on: Collection[str]) -> Flags:
    """Return which findings are of some classes, and neither ignored nor resolved, (n,)."""
    wanted = np.array([name in fail_on for name in FINDING_CLASSES])
    settled = (findings.statuses == IGNORED) | (findings.statuses == RESOLVED)
    flags: Flags = wanted[findings.audit.classes] & ~settled
    return flags


def _add_case(suite: Element, findings: Findings, row: int, own: str, *, fails: bool) -> None:
    said = title(findings, row)
    # The id keeps cases apart whose objects have one name, and their history in one place.
    name = f"{said.partition(': ')[2].rpartition(',')[0]} [{own[:8]}]"
    kind = findings.class_of(row)
    case = SubElement(suite, "testcase", classname=f"octree.{kind}", name=name, time="0")
    if fails:
        SubElement(case, "failure", message=said, type=kind).text = description(findings, row)
    elif findings.statuses[row] == IGNORED:
        reason = plain(findings.reasons[row]) or "ignored"
        SubElement(case, "skipped", message=one_line(reason))


def _count(element: Element) -> None:
    counted = {"tests": "testcase", "failures": "failure", "skipped": "skipped"}
    for name, tag in counted.items():
        element.set(name, str(len(list(element.iter(tag)))))
    element.set("errors", "0")
