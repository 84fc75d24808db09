"""What the buttons of every feature share; read feature, operators, then rows."""

from .feature import Draw, Feature, Group, Listeners, listen, schedule
from .operators import (
    Mixin,
    RefusingOperator,
    Status,
    SteppedOperator,
    Steps,
    given_values,
    named_object,
    number,
    run,
    settings_of,
    tag_redraw,
    take,
    write_back,
)
from .rows import SidebarPanel, SubPanel, column_of, draw_hint, draw_rows, draw_table

__all__ = [
    "Draw",
    "Feature",
    "Group",
    "Listeners",
    "Mixin",
    "RefusingOperator",
    "SidebarPanel",
    "Status",
    "SteppedOperator",
    "Steps",
    "SubPanel",
    "column_of",
    "draw_hint",
    "draw_rows",
    "draw_table",
    "given_values",
    "listen",
    "named_object",
    "number",
    "run",
    "schedule",
    "settings_of",
    "tag_redraw",
    "take",
    "write_back",
]
