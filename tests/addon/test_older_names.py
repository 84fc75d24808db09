"""Scripts of 0.1 find every operator, option, setting and function where they were."""

import json
from pathlib import Path

import bpy
import pytest

from octree_ext import core

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
NAMES = json.loads((FIXTURES / "names_0.1.0.json").read_text(encoding="utf-8"))


def is_operator(name):
    operator, _, option = name.partition(".")
    made = getattr(bpy.ops.octree, operator)
    return not option or option in made.get_rna_type().properties


def is_setting(name):
    group = bpy.context.scene
    *groups, last = name.split(".")[1:]
    for each in groups:
        group = getattr(group, each)
    return last in group.bl_rna.properties


@pytest.mark.parametrize(
    ("kind", "is_there"),
    [("core", core.__all__.__contains__), ("operators", is_operator), ("settings", is_setting)],
)
def test_every_name_is_where_it_was(kind, is_there):
    assert len(NAMES[kind]) > 30
    assert [name for name in NAMES[kind] if not is_there(name)] == []
