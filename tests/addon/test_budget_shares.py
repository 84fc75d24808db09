"""Budgets counted in shares: the merge equals the whole to the byte; what is amiss is said."""

import json

import bpy
import pytest
from blender_scenes import collection_instance, cube

from octree_ext.octree_addon.command_line import main

BUDGET = {"cell": 1, "triangles": 90, "triangles_per_cell": 3, "objects_per_cell": 1}
BUDGET |= {"materials_per_cell": 1, "objects": 4, "triangles_per_cubic_meter": 4}

ASKED = ("FILE", "--budget", "budget.json")


def octree(*words):
    return main([str(word) for word in words])


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save boxes whose faces lie in walls, those of the root, too; an instance, an odd box."""
    empty_scene.unit_settings.scale_length = 0.5
    for number in range(6):
        box = cube(f"Box {number}", 2.0, location=(4.0 * (number % 3), 4.0 * (number // 3), 0))
        box.data.materials.append(bpy.data.materials.new(f"Material {number % 4}"))
    collection_instance([cube("Part", 0.5)], "Set", location=(0, 5, 0))
    cube("Odd", 1.0, location=(0.3, 0.2, 1.1)).data.materials.append(bpy.data.materials[0])
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    (tmp_path / "budget.json").write_text(json.dumps(BUDGET))
    return path


def shared(blend, count, *words):
    """Return the files of all shares."""
    parts = [blend.with_name(f"part {at}.json") for at in range(1, count + 1)]
    budget = ("--budget", blend.with_name("budget.json"))
    for at, part in enumerate(parts, 1):
        asked = (*budget, "--chunk", f"{at}/{count}", "--out", part, *words)
        assert octree("budget", blend, *asked) == 0
    return parts


@pytest.mark.parametrize("count", [1, 3, 20])
def test_merged_shares_are_the_whole_to_the_byte(blend, tmp_path, capsys, count):
    def reports(name):
        return [
            word for end in ("json", "xml") for word in ("--report", tmp_path / f"{name}.{end}")
        ]

    budget = ("--budget", tmp_path / "budget.json")
    assert octree("budget", blend, *budget, *reports("whole")) == 1
    said = capsys.readouterr().out
    parts = shared(blend, count)
    objects = [json.loads(part.read_text())["objects"] for part in parts]
    assert sum(objects) == 8
    assert count == 1 or max(objects) < 8
    capsys.readouterr()
    assert octree("budget", "--merge", *reversed(parts), *reports("merged")) == 1
    assert capsys.readouterr().out == said
    for end in ("json", "xml"):
        whole = (tmp_path / f"whole.{end}").read_bytes()
        assert (tmp_path / f"merged.{end}").read_bytes() == whole
    over = json.loads((tmp_path / "whole.json").read_text())["over"]
    assert {each["rule"] for each in over} == BUDGET.keys() - {"cell"}
    assert octree("budget", "--merge", tmp_path / "part *.json", "--fail-on", "none") == 0


def test_what_cannot_be_merged_is_said(blend, tmp_path, capsys):
    one, two, three = shared(blend, 3)
    content = json.loads(two.read_text())
    for change, message in (
        ({"chunk": [3, 3]}, "Missing of 3 chunks: 2"),
        ({"chunk": [2, 2]}, "different splits"),
        ({"asked": content["asked"] | {"sha1": "0"}}, "different budgets: sha1"),
        ({"asked": {}}, "part 2.json cannot be merged: This is no chunk of a budget"),
        ({"cells": [1]}, "part 2.json cannot be merged: This is no chunk of a budget"),
        ({"format": "octree budget"}, "part 2.json cannot be merged: format must be"),
    ):
        two.write_text(json.dumps(content | change))
        capsys.readouterr()
        assert octree("budget", "--merge", one, two, three) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        (), ("FILE",), ("FILE", "--merge", "a.json"),
        ("--merge", "a.json", "--budget", "budget.json"),
        (*ASKED, "--chunk", "1/2"), (*ASKED, "--out", "a.json"),
        (*ASKED, "--chunk", "1/2", "--out", "a.json", "--report", "b.json"),
        ("--merge", "a.json", "--out", "b.json"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(blend, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert octree("budget", *(blend if word == "FILE" else word for word in words)) == 2
    assert {path.name for path in tmp_path.iterdir()} == {"scene.blend", "budget.json"}
