"""`octree chunks` and `octree budget`: files, exit codes, reports; the blend file as it was."""

import json
from xml.etree import ElementTree

import bpy
import numpy as np
import pytest
from blender_scenes import cube
from chunk_scenes import areas, bumpy, world

from octree_ext.octree_addon.command_line import main


def octree(*words):
    return main([str(word) for word in words])


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save a sheet and two boxes."""
    bumpy("Sheet")
    cube("Box", 0.5, location=(8.3, 0.2, 0.1))
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


CHUNKS = ("--triangles", "60", "--least-triangles", "0", "--least-size", "0.1")


def test_chunks_are_files_of_arrays_and_of_objects(blend, tmp_path, capsys):
    before, folder = blend.read_bytes(), tmp_path / "out" / "chunks"
    area = sum(areas(world(item)).sum() for item in bpy.context.scene.objects)
    assert octree("chunks", blend, *CHUNKS, "--out", folder) == 0
    assert "written" in capsys.readouterr().out
    assert blend.read_bytes() == before
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["format"], manifest["version"]) == ("octree chunks", 2)
    names = {each["id"]: each for each in manifest["chunks"]}
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json", *(f"{name}.{ending}" for name in names for ending in ("npz", "blend")),
    }  # fmt: skip
    total = 0.0
    for name, each in names.items():
        with np.load(folder / f"{name}.npz", allow_pickle=False) as arrays:
            corners = arrays["vertices"][arrays["faces"]]
            assert len(corners) == each["triangles"] <= 60
            assert (arrays["vertices"] >= each["lower"]).all()
            assert (arrays["vertices"] <= each["upper"]).all()
            assert set(arrays["object_names"].tolist()) == set(each["objects"])
            assert arrays["objects"].max() < len(each["objects"])
            assert arrays["materials"].max() < len(arrays["material_names"])
            total += areas(corners).sum()
        for side, others in each["neighbors"].items():
            back = side.translate(str.maketrans("+-", "-+"))
            assert all(name in names[other]["neighbors"][back] for other in others)
    assert total == pytest.approx(area, rel=1e-9)
    with bpy.data.libraries.load(str(folder / f"{next(iter(names))}.blend")) as (there, _):
        assert len(there.objects) >= 1
        assert len(there.collections) == 1


def test_a_second_run_writes_changed_cells_only(blend, tmp_path):
    folder = tmp_path / "chunks"
    assert octree("chunks", blend, *CHUNKS, "--out", folder) == 0
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert octree("chunks", blend, *CHUNKS, "--out", folder) == 0
    same = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert same == before
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.data.objects["Box"].location.z += 0.125
    bpy.ops.wm.save_mainfile()
    assert octree("chunks", blend, *CHUNKS, "--out", folder) == 0
    after = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    changed = {name for name in after if after[name] != same.get(name)}
    objects = {
        f"{each['id']}.{ending}": each["objects"]
        for each in json.loads((folder / "manifest.json").read_text())["chunks"]
        for ending in ("npz", "blend")
    }
    assert changed - {"manifest.json"}
    assert all("Box" in objects[name] for name in changed - {"manifest.json"})


def test_what_cannot_be_cut_is_told(blend, tmp_path, capsys):
    assert octree("chunks", blend, "--triangles", "0", "--out", tmp_path / "a") == 2
    assert octree("chunks", blend, "--cell", "0", "--out", tmp_path / "a") == 2
    assert octree("chunks", blend, "--out", blend) == 2
    assert octree("chunks", tmp_path / "none.blend", "--out", tmp_path / "a") == 2
    assert not (tmp_path / "a").exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("budget", "words", "code"),
    [
        ({"triangles": 1000}, (), 0),
        ({"triangles": 100}, (), 1),
        ({"triangles": 100}, ("--fail-on", "none"), 0),
        ({"cell": 1, "triangles_per_cell": 20}, (), 1),
        ({"cell": 100, "objects_per_cell": 2}, (), 0),
        ({"cell": 100, "materials_per_cell": 2}, (), 1),
        ({"triangles_per_cubic_meter": 0.001}, (), 1),
        ({}, (), 2),
        ({"triangels": 3}, (), 2),
        ({"triangles": -1}, (), 2),
        ({"triangles": True}, (), 2),
        ({"cell": 0, "triangles": 3}, (), 2),
        ([], (), 2),
        ({"triangles": 3}, ("--report", "out.txt"), 2),
    ],
)
def test_exit_codes_are_for_machines(blend, tmp_path, budget, words, code):
    path = tmp_path / "budget.json"
    path.write_text(json.dumps(budget))
    assert octree("budget", blend, "--budget", path, *words) == code


def test_reports_say_what_is_over(blend, tmp_path, capsys):
    path, out, xml = (tmp_path / name for name in ("budget.json", "out.json", "out.xml"))
    path.write_text(json.dumps({"cell": 1, "triangles_per_cell": 10, "triangles": 5}))
    before = blend.read_bytes()
    assert octree("budget", blend, "--budget", path, "--report", out, "--report", xml) == 1
    assert blend.read_bytes() == before
    found = json.loads(out.read_text())
    assert found["format"] == "octree budget"
    rules = [each["rule"] for each in found["over"]]
    assert {"triangles_per_cell", "triangles"} == set(rules)
    assert all(each["value"] > each["most"] for each in found["over"])
    assert {each["culprit"] for each in found["over"]} == {"Sheet"}
    root = ElementTree.fromstring(xml.read_bytes())
    assert len(list(root.iter("failure"))) == len(found["over"])
    assert [suite.get("name") for suite in root] == ["triangles_per_cell", "triangles"]
    assert "over budget" in capsys.readouterr().out
