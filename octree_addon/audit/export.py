"""Export of an audit: CSV, JSON, BCF, HTML or JUnit by the extension, with snapshots."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ..display import snapshots
from ..ui import FILE_PATH, FileExport, plural
from .data import GROUPINGS, IGNORED, REPORTS, About, Findings
from .marking import FindingOperator

# Pictures make a report large: so many at most, of the gravest that are not settled.
MOST_PICTURES = 200


def about_of(options: dict[str, Any]) -> About:
    """Return what a report says of the audit of this file."""
    name = Path(bpy.data.filepath).name if bpy.data.filepath else ""
    said = {key: value for key, value in options.items() if isinstance(value, str | float | bool)}
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return About(file=name, date=date, options=said)


class OCTREE_OT_export_audit(FileExport, FindingOperator, bpy.types.Operator):
    """Write a report of the audit."""

    bl_idname = "octree.export_audit"
    bl_label = "Export Audit"
    bl_description = (
        "Write all findings to a report, by the file extension: .csv, .json, .bcf (BCF 3.0), .html"
        " or .xml (JUnit)"
    )
    bl_options = {"REGISTER"}
    stem, ending = "audit", ".html"

    if TYPE_CHECKING:
        filepath: str
        pictures: bool
        group: str
        filter_glob: str
    else:
        filepath: StringProperty(
            name="File",
            description="Path of the report: .csv, .json, .bcf, .html or .xml",
            subtype="FILE_PATH",
            options=FILE_PATH,
        )
        pictures: BoolProperty(
            name="Pictures",
            description="Draw a picture of each contact for BCF and HTML, of"
            f" {MOST_PICTURES} at most; only with a window",
            default=True,
        )
        group: EnumProperty(
            name="Group By",
            description="What HTML reports and BCF topics put together",
            items=(
                ("CLASS", "Class", "By class in HTML; each finding is a topic in BCF"),
                ("SMALLER_OBJECT", "Smaller Object", "By the smaller of the two objects"),
                ("COLLECTIONS", "Collections", "By the collections of both objects"),
            ),
            default="CLASS",
        )
        filter_glob: StringProperty(
            default="*.csv;*.json;*.bcf;*.html;*.xml", options={"HIDDEN", "SKIP_SAVE"}
        )

    def use(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        path, writer = self.chosen(REPORTS)  # refused before pictures are drawn
        pictures: dict[int, bytes] = {}
        if self.pictures and writer.is_pictured:
            rows = np.flatnonzero(findings.statuses < IGNORED)[:MOST_PICTURES].tolist()
            pictures = dict(snapshots(context, result, rows))
        grouping = GROUPINGS[self.group.lower().replace("_", " ")]
        groups = grouping(findings) if self.group != "CLASS" else None
        about = about_of(json.loads(result.options))
        drawn = f", {plural(len(pictures), 'picture')}" if pictures else ""
        said = plural(len(findings), "finding") + drawn
        return self.write(path, writer, findings, about, pictures, groups, said=said)
