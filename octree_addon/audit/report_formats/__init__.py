"""Reports of an audit, each one file: CSV, JSON, BCF, HTML or JUnit, by file extension.

Read words first, then any report.
"""

from ...lengths import UNITS
from ...written_files import Writer, Writers
from .bcf_file import bcf_report
from .csv_file import csv_report
from .html_file import html_report
from .json_file import json_report, read_json
from .junit_file import fails, junit_report
from .words import About, Pictures, description, interval, title

__all__ = [
    "REPORTS",
    "UNITS",
    "About",
    "Pictures",
    "bcf_report",
    "csv_report",
    "description",
    "fails",
    "html_report",
    "interval",
    "json_report",
    "junit_report",
    "read_json",
    "title",
]

# Each writer takes findings, an `About`, pictures by finding and groups, or ignores some of them.
REPORTS: Writers = {
    "csv": Writer(".csv", csv_report),
    "json": Writer(".json", json_report),
    "bcf": Writer(".bcf", bcf_report, is_pictured=True),
    "html": Writer(".html", html_report, is_pictured=True),
    "junit": Writer(".xml", junit_report),
}
