"""Options, each declared once: the source of records, properties, rows, JSON and arguments.

Reading order: declared, fields, then blender, data and arguments. Only `blender` needs Blender.
"""

from .arguments import add_arguments, given
from .blender import Asking, draw_options, read, settings_group
from .data import as_json, from_values
from .declared import Extra, Option, OptionGroup, when
from .fields import boolean, enum, integer, nested, pointer, real, string, switches, vector

__all__ = [
    "Asking",
    "Extra",
    "Option",
    "OptionGroup",
    "add_arguments",
    "as_json",
    "boolean",
    "draw_options",
    "enum",
    "from_values",
    "given",
    "integer",
    "nested",
    "pointer",
    "read",
    "real",
    "settings_group",
    "string",
    "switches",
    "vector",
    "when",
]
