"""Clash audit: findings as data, compared from run to run, grouped, reported; nothing of Blender.

Read ragged, findings, answers, identity, comparison, grouping and duplicates, then reports and
gate.
"""

from .answers import AuditArrays, findings_of
from .comparison import Comparison, carried_over, compare
from .duplicates import DuplicateGroups, duplicate_groups, duplicates_of
from .findings import (
    CLASSES,
    IGNORED,
    MEASURES,
    NEW,
    RESOLVED,
    REVIEWED,
    STATUSES,
    AuditedObjects,
    Findings,
    are_widened,
    audited_objects,
    make_findings,
    no_findings,
)
from .gate import Gate, add_options, exit_code, gate_of, run_audit
from .grouping import GROUPINGS, Groups, by_cell, by_class, by_collections, by_smaller_object
from .identity import canonical, finding_ids, finding_keys, match_objects
from .ifc_ids import bonsai_file, bonsai_number, global_ids_in, own_global_id, valid_global_id
from .ragged import Ragged, ragged
from .reports import REPORTS, About, Pictures, read_json, report_of

__all__ = [
    "CLASSES",
    "GROUPINGS",
    "IGNORED",
    "MEASURES",
    "NEW",
    "REPORTS",
    "RESOLVED",
    "REVIEWED",
    "STATUSES",
    "About",
    "AuditArrays",
    "AuditedObjects",
    "Comparison",
    "DuplicateGroups",
    "Findings",
    "Gate",
    "Groups",
    "Pictures",
    "Ragged",
    "add_options",
    "are_widened",
    "audited_objects",
    "bonsai_file",
    "bonsai_number",
    "by_cell",
    "by_class",
    "by_collections",
    "by_smaller_object",
    "canonical",
    "carried_over",
    "compare",
    "duplicate_groups",
    "duplicates_of",
    "exit_code",
    "finding_ids",
    "finding_keys",
    "findings_of",
    "gate_of",
    "global_ids_in",
    "make_findings",
    "match_objects",
    "no_findings",
    "own_global_id",
    "ragged",
    "read_json",
    "report_of",
    "run_audit",
    "valid_global_id",
]
