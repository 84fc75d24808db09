"""Shared parts of all features' buttons: read feature, operators, status_text, stepped, rows."""

from .feature import Draw, Feature, Group
from .operators import (
    Listeners,
    RefusingOperator,
    Status,
    given_values,
    is_listening,
    length_text,
    listen,
    memory_text,
    mode_obstacle,
    named_object,
    offer_anyway,
    plural,
    schedule,
    settings_of,
    tag_redraw,
    take,
    write_back,
)
from .rows import SidebarPanel, column_of, draw_hint, draw_rows, draw_table
from .status_text import clear_status, redraw_status_bars, write_status
from .stepped import FEATURE, SteppedOperator, forget_redo
from .table_export import TableExport

__all__ = [
    "FEATURE",
    "Draw",
    "Feature",
    "Group",
    "Listeners",
    "RefusingOperator",
    "SidebarPanel",
    "Status",
    "SteppedOperator",
    "TableExport",
    "clear_status",
    "column_of",
    "draw_hint",
    "draw_rows",
    "draw_table",
    "forget_redo",
    "given_values",
    "is_listening",
    "length_text",
    "listen",
    "memory_text",
    "mode_obstacle",
    "named_object",
    "offer_anyway",
    "plural",
    "redraw_status_bars",
    "schedule",
    "settings_of",
    "tag_redraw",
    "take",
    "write_back",
    "write_status",
]
