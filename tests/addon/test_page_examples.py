"""What pages tell scripts and shells to type is there: operators, settings, commands, options."""

import ast
import re
import shlex
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import cube

import octree_ext
import octree_ext.core
from octree_ext.octree_addon import command_line

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDERS = ("", "docs", "docs/recipes", "docs/listing", "docs/website", "kernel")
TEXTS = {
    path.relative_to(CHECKOUT).as_posix(): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for path in sorted((CHECKOUT / folder).glob("*.md"))
}
COMMAND = re.compile(r"blender --command octree (\w.*?)(?:`|$)", re.MULTILINE)
CALL = re.compile(r"bpy\.ops\.octree\.(\w+)(\([^()]*\))")
SETTING = re.compile(r"scene\.octree\.(\w+(?:\.\w+)*)")


def found(pattern):
    """Return what matches anywhere, with its page."""
    return [(page, each) for page, text in TEXTS.items() for each in pattern.findall(text)]


def test_the_front_pages_example_for_blender(monkeypatch):
    """The one that `tests/core/test_docs.py` cannot run."""
    monkeypatch.setitem(sys.modules, "bl_ext.user_default.octree", octree_ext)
    monkeypatch.setitem(sys.modules, "bl_ext.user_default.octree.core", octree_ext.core)
    blocks = re.findall(r"```python\n(.*?)```", TEXTS["README.md"], re.DOTALL)
    (block,) = [each for each in blocks if "bpy" in each]
    box = cube("Box", 2.0)
    bpy.context.view_layer.update()
    known = {
        "bpy": bpy,
        "origins": np.array([[0.0, 0, 9], [9, 9, 9]]),
        "directions": np.array([[0.0, 0, -1], [0, 0, -1]]),
    }
    exec(block, known)
    assert known["hits"].items.tolist()[1] == -1
    assert known["objects"] == [box]


def test_commands_are_understood(capsys):
    lines = [(page, line) for page, line in found(COMMAND) if "..." not in line]
    assert len(lines) > 20
    for page, line in lines:
        try:
            command_line._parser().parse_args(shlex.split(line, comments=True))
        except SystemExit:
            pytest.fail(f"{page}: {line}: {capsys.readouterr().err}")


def test_the_reference_names_every_option_of_every_command(capsys):
    section = re.compile(r"^## octree (\w+)\n(.*?)(?=^## )", re.DOTALL | re.MULTILINE)
    text = TEXTS["docs/reference.md"]
    common = text.split("\n## Exit codes\n")[1]
    told = {name: body + common for name, body in section.findall(text)}
    assert told.keys() == {each.name for each in command_line.COMMANDS}
    for name, body in told.items():
        command_line.main([name, "--help"])
        options = set(re.findall(r"(?<!\w)--[a-z][a-z-]+", capsys.readouterr().out)) - {"--help"}
        assert len(options) > 3
        missing = {each for each in options if not re.search(rf"`[^`]*{each}\b", body)}
        assert not missing, name


def test_calls_of_operators_have_their_options():
    calls = found(CALL)
    assert len(calls) > 10
    for page, (name, arguments) in calls:
        known = getattr(bpy.ops.octree, name).get_rna_type().properties
        for given in ast.parse(f"f{arguments}", mode="eval").body.keywords:
            option = known.get(given.arg)
            assert option, (page, name, given.arg)
            if option.type == "ENUM":
                names = {each.identifier for each in option.enum_items}
                assert not names or ast.literal_eval(given.value) in names, (page, name, given.arg)


@pytest.mark.parametrize("name", sorted({each for _, each in found(SETTING)}))
def test_settings_of_a_scene_are_there(name):
    thing = bpy.context.scene.octree
    for each in name.split("."):
        assert hasattr(thing, each)
        thing = getattr(thing, each)
