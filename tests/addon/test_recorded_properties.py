"""All properties of settings and operators, as recorded: files, presets and scripts name them.

If a property changes on purpose, record anew and read the difference:
OCTREE_RECORD=1 .venv/bpy-5.2/bin/python tests/run_in_blender.py -- \
    tests/addon/test_recorded_properties.py
"""

import inspect
import json
import os
from pathlib import Path

import bpy

from octree_ext.octree_addon import CLASSES, GROUPS, OctreeSettings

RECORD = Path(__file__).parents[1] / "fixtures" / "properties.json"
OPERATORS = [each for each in CLASSES if issubclass(each, bpy.types.Operator)]
TEXTS = {"name": "", "description": "", "subtype": "NONE", "unit": "NONE", "icon": "NONE"}
FLAGS = ("is_hidden", "is_skip_save", "is_enum_flag", "is_readonly")
LIMITS = ("hard_min", "soft_min", "soft_max", "hard_max", "step", "precision")


def facts_of_class(each):
    """Return the facts of a class and of all its own properties, by name."""
    inherited = {"rna_type", "name"} if issubclass(each, bpy.types.PropertyGroup) else {"rna_type"}
    rna = each.bl_rna
    if issubclass(each, bpy.types.Operator):
        module, name = each.bl_idname.split(".")
        rna = getattr(getattr(bpy.ops, module), name).get_rna_type()
    own = {name for base in each.__mro__ for name in inspect.get_annotations(base)}
    found = {
        row.identifier: facts_of(row)
        for row in rna.properties
        if row.identifier not in inherited or row.identifier in own
    }
    words = {"label": getattr(each, "bl_label", ""), "says": getattr(each, "bl_description", "")}
    words["options"] = sorted(getattr(each, "bl_options", ()))
    head = {"id": getattr(each, "bl_idname", "")} | words
    return {"": {key: value for key, value in head.items() if value}} | found


def facts_of(row):
    """Return the facts of a property that its type does not tell."""
    facts = {"type": row.type}
    facts |= {key: getattr(row, key) for key, usual in TEXTS.items() if getattr(row, key) != usual}
    if row.translation_context != "*":
        facts["context"] = row.translation_context
    facts["flags"] = [key for key in FLAGS if getattr(row, key, False)]
    if row.type in ("INT", "FLOAT"):
        facts["limits"] = [rounded(getattr(row, key, None)) for key in LIMITS]
    if getattr(row, "is_array", False):
        facts["default"] = [rounded(value) for value in row.default_array]
    elif row.type in ("POINTER", "COLLECTION"):
        facts["of"] = row.fixed_type.identifier
    elif getattr(row, "is_enum_flag", False):
        facts["default"] = sorted(row.default_flag)
    else:
        facts["default"] = rounded(row.default)
    if row.type == "STRING" and row.length_max:
        facts["length"] = row.length_max
    if row.type == "ENUM":
        facts["items"] = [
            [item.identifier, item.name, item.description, item.icon, item.value]
            for item in row.enum_items
        ]
    return {key: value for key, value in facts.items() if value not in (None, [], "")}


def rounded(value):
    """Return a number as single precision holds it."""
    return float(f"{value:.7g}") if isinstance(value, float) else value


def text_of(found):
    """Write a property a line, by the names of classes and properties."""
    lines = []
    for name, properties in sorted(found.items()):
        own = [f"{json.dumps(key)}: {json.dumps(properties[key])}" for key in sorted(properties)]
        lines.append(f"{json.dumps(name)}: {{\n" + ",\n".join(own) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def test_properties_are_as_recorded():
    groups = (*GROUPS, OctreeSettings)
    found = {each.__name__: facts_of_class(each) for each in (*groups, *OPERATORS)}
    if os.environ.get("OCTREE_RECORD"):
        RECORD.write_text(text_of(found), encoding="utf-8")
    assert text_of(found).splitlines() == RECORD.read_text(encoding="utf-8").splitlines()
