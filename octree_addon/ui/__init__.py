"""What the buttons of every feature share; read feature, settings, then stepped_operator."""

from .feature import Draw, Feature, Group, Listeners, listen, schedule
from .settings import (
    SidebarPanel,
    SubPanel,
    column_of,
    draw_hint,
    draw_rows,
    draw_table,
    given_values,
    named_object,
    number,
    settings_of,
    tag_redraw,
    take,
    write_back,
)
from .stepped_operator import (
    Mixin,
    RefusingOperator,
    Status,
    SteppedOperator,
    Steps,
    run,
)

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
