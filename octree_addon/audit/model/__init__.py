"""Findings of audits as data: comparison of runs, groups, reports; independent of Blender.

Read parts, findings, record, identity, comparison and grouping, then gate and shares.
"""

from ..report_formats import REPORTS, About, Pictures, read_json
from .comparison import Comparison, compare
from .findings import (
    AREA,
    CONTAINED,
    DUPLICATE,
    IGNORED,
    NEAR,
    NEW,
    RESOLVED,
    REVIEWED,
    STATUSES,
    AuditedObjects,
    Findings,
    audited_objects,
    checked,
    findings_of,
)
from .gate import Gate, add_options, gate_of, run_audit
from .grouping import GROUPINGS, by_class, by_collections, by_smaller_object
from .identity import canonical, finding_ids, match_objects
from .ifc_ids import bonsai_file, bonsai_number, global_ids_in, own_global_id, valid_global_id
from .ifc_place import bonsai_place, meters_in
from .record import DAMAGED, pack_findings, unpack_findings
from .shares import AuditShare, merged_shares, read_share, share_content

__all__ = [
    "AREA",
    "CONTAINED",
    "DAMAGED",
    "DUPLICATE",
    "GROUPINGS",
    "IGNORED",
    "NEAR",
    "NEW",
    "REPORTS",
    "RESOLVED",
    "REVIEWED",
    "STATUSES",
    "About",
    "AuditShare",
    "AuditedObjects",
    "Comparison",
    "Findings",
    "Gate",
    "Pictures",
    "add_options",
    "audited_objects",
    "bonsai_file",
    "bonsai_number",
    "bonsai_place",
    "by_class",
    "by_collections",
    "by_smaller_object",
    "canonical",
    "checked",
    "compare",
    "finding_ids",
    "findings_of",
    "gate_of",
    "global_ids_in",
    "match_objects",
    "merged_shares",
    "meters_in",
    "own_global_id",
    "pack_findings",
    "read_json",
    "read_share",
    "run_audit",
    "share_content",
    "unpack_findings",
    "valid_global_id",
]
