"""Export of an audit as CSV, JSON, BCF, HTML or JUnit, by file extension, with pictures."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np

from ..display import snapshots
from ..file_export import FILE_PATH, FileExport, FileOptions
from ..options import boolean, enum, string
from ..ui import length_unit, plural
from .marking import FindingOperator
from .model import (
    GROUPINGS,
    IGNORED,
    REPORTS,
    About,
    Findings,
    bonsai_file,
    bonsai_place,
    meters_in,
)
from .report_formats import UNITS

# Maximum number of pictures, since they make a report large: of the first open findings.
MOST_PICTURES = 200


def about_of(scene: bpy.types.Scene, options: dict[str, Any], scale: float = 1.0) -> About:
    """Return the description of an audit of this file for reports.

    `scale` is the length of a unit of the options, in meters, or in Blender units without a unit.
    """
    name = Path(bpy.data.filepath).name if bpy.data.filepath else ""
    said = {key: value for key, value in options.items() if isinstance(value, str | float | bool)}
    units = scene.unit_settings
    is_open = units.system == "NONE" or units.length_unit == "ADAPTIVE"
    (x, y, z), axis = bonsai_place(scene)
    meters = project_unit(scene) if x or y or z else 1.0
    return About(
        file=name,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        options=said,
        units=units.system.replace("NONE", "") if is_open else units.length_unit,
        scale=scale,
        offset=(x * meters, y * meters, z * meters),
        axis=axis,
    )


def project_unit(scene: bpy.types.Scene) -> float:
    """Return the IFC project's unit in meters, from its file, else the displayed unit's."""
    path = Path(bpy.path.abspath(bonsai_file(scene)) or ".")
    told = meters_in(path.read_bytes()) if path.is_file() else None
    return told or UNITS.get(scene.unit_settings.length_unit, UNITS["METERS"])[1]


class ExportAuditOptions(FileOptions):
    """Options of an audit report."""

    filepath: str = string(
        "",
        "File",
        "Path of the report: .csv, .json, .bcf, .html or .xml",
        subtype="FILE_PATH",
        options=FILE_PATH,
    )
    pictures: bool = boolean(
        True,
        "Pictures",
        "Draw a picture of each contact for BCF and HTML, of"
        f" {MOST_PICTURES} at most; only with a window",
    )
    group: Literal["CLASS", "SMALLER_OBJECT", "COLLECTIONS"] = enum(
        "CLASS",
        "Group By",
        "What HTML reports and BCF topics put together",
        {
            "CLASS": ("Class", "By class in HTML; each finding is a topic in BCF"),
            "SMALLER_OBJECT": ("Smaller Object", "By the smaller of the two objects"),
            "COLLECTIONS": ("Collections", "By the collections of both objects"),
        },
    )
    filter_glob: str = string(
        "*.csv;*.json;*.bcf;*.html;*.xml", "", "", options={"HIDDEN", "SKIP_SAVE"}
    )


class OCTREE_OT_export_audit(FileExport[ExportAuditOptions], FindingOperator, bpy.types.Operator):
    """Write a report of the audit."""

    bl_idname = "octree.export_audit"
    bl_label = "Export Audit"
    bl_description = (
        "Write all findings to a report, by the file extension: .csv, .json, .bcf (BCF 3.0), .html"
        " or .xml (JUnit)"
    )
    bl_options = {"REGISTER"}
    stem, ending = "audit", ".html"

    def judge(self, context: bpy.types.Context, result: Any, findings: Findings) -> str:
        options = self.taken
        path, writer = self.chosen(REPORTS)  # refuse before pictures are drawn
        pictures: dict[int, bytes] = {}
        if options.pictures and writer.is_pictured:
            rows = np.flatnonzero(findings.statuses < IGNORED)[:MOST_PICTURES].tolist()
            pictures = dict(snapshots(context, result, rows))
        grouping = GROUPINGS[options.group.lower().replace("_", " ")]
        groups = grouping(findings) if options.group != "CLASS" else None
        about = about_of(context.scene, json.loads(result.options), length_unit(context.scene)[1])
        drawn = f", {plural(len(pictures), 'picture')}" if pictures else ""
        said = plural(len(findings), "finding") + drawn
        return self.write(path, writer, findings, about, pictures, groups, said=said)
