"""Reports of an audit, each one file: CSV, JSON, BCF, HTML, JUnit, by the extension of its name.

Read words, then one report each.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from ..findings import Findings
from .bcf_file import bcf_report
from .csv_file import csv_report
from .html_file import html_report
from .json_file import json_report, read_json
from .junit_file import fails, junit_report
from .words import About, Pictures, description, interval, title

__all__ = [
    "REPORTS",
    "About",
    "Pictures",
    "Report",
    "bcf_report",
    "csv_report",
    "description",
    "fails",
    "html_report",
    "interval",
    "json_report",
    "junit_report",
    "read_json",
    "report_of",
    "title",
]

Report = Callable[[Findings, About, Pictures], bytes]
REPORTS: Mapping[str, Report] = {
    ".csv": csv_report,
    ".json": json_report,
    ".bcf": bcf_report,
    ".html": html_report,
    ".xml": junit_report,
}


def report_of(path: str) -> Report:
    """Return what writes a file of this name; a `ValueError` if nothing does."""
    report = REPORTS.get(Path(path).suffix.lower())
    if report is None:
        *most, last = REPORTS
        raise ValueError(f"The name of a report must end in {', '.join(most)} or {last}: {path!r}")
    return report
