"""JUnit report: a test suite for each class of findings, a failure for each failing finding."""

from collections.abc import Collection

import numpy as np

from ....core import FINDING_CLASSES
from ...arrays import Flags
from ...xml_formats import JUnitCase, JUnitSuite, junit_file, plain
from ..model.findings import IGNORED, RESOLVED, Findings
from ..model.identity import canonical, finding_ids
from .words import About, description, title, tolerance_of


def junit_report(findings: Findings, about: About, *_: object) -> bytes:
    """Return findings as JUnit XML, for CI systems.

    A finding of a class that does not fail passes; an ignored one is skipped with its reason; a
    resolved one is left out. A class without findings has one case, which passes.
    """
    ordered = canonical(findings)
    ordered = ordered.take(np.flatnonzero(ordered.statuses != RESOLVED))
    failing, ids = fails(ordered, about.fail_on), finding_ids(ordered)
    tolerance = tolerance_of(ordered).removeprefix("tolerance ")
    suites = (
        JUnitSuite(
            name,
            f"no {name}",
            [
                _case(ordered, row, ids[row], fails=bool(failing[row]))
                for row in np.flatnonzero(ordered.audit.classes == kind).tolist()
            ],
            {"tolerance": tolerance} if tolerance else {},
        )
        for kind, name in enumerate(FINDING_CLASSES)
    )
    return junit_file(about.file, suites)


def fails(findings: Findings, fail_on: Collection[str]) -> Flags:
    """Flag the findings of some classes that are neither ignored nor resolved, (n,)."""
    wanted = np.array([name in fail_on for name in FINDING_CLASSES])
    settled = (findings.statuses == IGNORED) | (findings.statuses == RESOLVED)
    flags: Flags = wanted[findings.audit.classes] & ~settled
    return flags


def _case(findings: Findings, row: int, own: str, *, fails: bool) -> JUnitCase:
    said = title(findings, row)
    # The id distinguishes cases with equal names, and links the history of a case across runs.
    name = f"{said.partition(': ')[2].rpartition(',')[0]} [{own[:8]}]"
    if fails:
        return JUnitCase(name, said, description(findings, row))
    if findings.statuses[row] == IGNORED:
        return JUnitCase(name, skipped=plain(findings.reasons[row]) or "ignored")
    return JUnitCase(name)
