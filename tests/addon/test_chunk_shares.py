"""Chunks exported in shares: their merge equals the whole to the byte; what is amiss is said."""

import json

import bpy
import pytest
from blender_scenes import collection_instance, cube, mesh_object
from chunk_folders import MANIFEST, files_in, octree
from chunk_scenes import bumpy, textured

CHUNKS = ("--triangles", "120", "--least-triangles", "0", "--least-size", "0.5")


@pytest.fixture
def blend(empty_scene, tmp_path):
    """Save a sheet, boxes with pictures, an instance, and loose edges without any triangle."""
    bumpy("Sheet")
    for number, values in enumerate(((0.1, 0.2, 0.3, 1), (0.9, 0, 0, 1))):
        box = cube(f"Box {number}", 0.5, location=(8.3 + 3 * number, 0.2, 0.1))
        box.data.uv_layers.new(name="UVMap")
        box.data.materials.append(textured(f"Wood {number}", values))
    collection_instance([cube("Part", 0.4, location=(0, 7, 0))])
    wire = mesh_object("Wire", [(-1, -1, 0), (1.5, 1, 0), (9, 0, 0), (11, 0, 0)], [])
    wire.data.edges.add(2)
    wire.data.edges.foreach_set("vertices", [0, 1, 2, 3])
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def shared(blend, folder, form, count, *words):
    """Return the folders of all shares."""
    parts = [folder / f"{form} {at}-of-{count}" for at in range(1, count + 1)]
    for at, part in enumerate(parts, 1):
        asked = (*CHUNKS, *words, f"--{form}", part, "--chunk", f"{at}/{count}")
        assert octree("chunks", blend, *asked) == 0
    return parts


@pytest.mark.parametrize(
    ("form", "count", "words"),
    [
        ("gltf", 3, ()),
        ("tiles", 4, ("--quadtree",)),
        ("out", 40, ("--assign",)),
        ("blend", 2, ()),
    ],
)
def test_merged_shares_are_the_whole_to_the_byte(blend, tmp_path, capsys, form, count, words):
    place = ("--georeference", "8.5,47.4") if form == "tiles" else ()
    assert octree("chunks", blend, *CHUNKS, *words, *place, f"--{form}", tmp_path / "whole") == 0
    said = capsys.readouterr().out
    parts = shared(blend, tmp_path, form, count, *words)
    capsys.readouterr()
    folder = tmp_path / "merged"
    assert octree("chunks", "--merge", *reversed(parts), *place, f"--{form}", folder) == 0
    assert capsys.readouterr().out == said.replace("whole", "merged")
    whole, merged = files_in(tmp_path / "whole"), files_in(folder)
    assert merged.keys() == whole.keys()
    same = {name for name in whole if merged[name] == whole[name]}
    if form == "blend":
        assert not same
    else:
        others = whole.keys() - same
        assert others == {name for name in whole if name.endswith(".blend")} | (
            {MANIFEST} if form == "out" else set()
        )
    of_cells = [json.loads((part / MANIFEST).read_bytes())["chunks"] for part in parts]
    assert sum(map(len, of_cells)) == len(json.loads(merged[MANIFEST])["chunks"]) > 4
    triangles = [sum(each["triangles"] for each in cells) for cells in of_cells]
    assert count > 5 or max(triangles) < 0.8 * sum(triangles)


def test_a_second_merge_writes_what_has_changed_alone(blend, tmp_path):
    parts = shared(blend, tmp_path, "glb", 2)
    folder = tmp_path / "merged"
    merge = ("chunks", "--merge", *parts, folder, "--glb", folder)
    assert octree(*merge[:-3], *merge[-2:]) == 0
    times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert octree(*merge) == 0
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == times
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.data.objects["Box 1"].location.z += 0.125
    bpy.ops.wm.save_mainfile()
    shared(blend, tmp_path, "glb", 2)
    assert octree(*merge) == 0
    assert octree("chunks", blend, *CHUNKS, "--glb", tmp_path / "whole") == 0
    assert files_in(folder) == files_in(tmp_path / "whole")
    changed = {
        path.name for path in folder.iterdir() if path.stat().st_mtime_ns != times.get(path)
    }
    cells = json.loads((folder / MANIFEST).read_bytes())["chunks"]
    moved = {name for each in cells if "Box 1" in each["objects"] for name in each["files"]}
    assert changed == {MANIFEST, *moved}


def test_what_cannot_be_merged_is_said_and_nothing_is_written(blend, tmp_path, capsys):
    one, two, three = shared(blend, tmp_path, "glb", 3)
    (other,) = shared(blend, tmp_path / "other", "glb", 1, "--quadtree")
    assert octree("chunks", blend, *CHUNKS, "--glb", tmp_path / "whole") == 0
    for parts, form, message in (
        ((one, three), "glb", "Missing of 3 chunks: 2"),
        ((one, two, three, two), "glb", None),
        ((one, two, other), "glb", "different exports: options"),
        ((one, two, three), "tiles", "written as glb, not as tiles"),
        ((one, two, tmp_path / "whole"), "glb", "whole cannot be merged: it was not written with"),
        ((one, two, tmp_path), "glb", MANIFEST),
        ((tmp_path / "out",), "glb", "the only file or folder to --merge"),
    ):
        capsys.readouterr()
        code = octree("chunks", "--merge", *parts, f"--{form}", tmp_path / "out")
        said = capsys.readouterr().err
        assert "Traceback" not in said
        assert (code == 0) == (message is None)
        assert message is None or message in said
        assert (tmp_path / "out").exists() == (message is None)
        if message is None:
            for path in (tmp_path / "out").iterdir():
                path.unlink()
            (tmp_path / "out").rmdir()
    merge = ("chunks", "--merge", one, two, three, "--glb", tmp_path / "out")
    manifest = json.loads((two / MANIFEST).read_bytes())
    name = next(iter(manifest["chunks"][0]["files"]))
    content = (two / name).read_bytes()
    (two / name).write_bytes(content[:-1])
    assert octree(*merge) == 2
    assert f"a file is gone or damaged: one of {name}" in capsys.readouterr().err
    (two / name).write_bytes(content)
    for change, message in (
        ({"unfinished": [name]}, "it was not finished"),
        ({"share": {"chunk": [2, 3], "sha1": "0"}}, "different exports: sha1"),
        ({"share": {"chunk": [2, 2], "sha1": manifest["share"]["sha1"]}}, "different splits"),
        ({"share": None}, "This is no share of chunks"),
    ):
        (two / MANIFEST).write_text(json.dumps(manifest | change))
        assert octree(*merge) == 2
        assert message in capsys.readouterr().err
    away = json.dumps(manifest).replace(name, f"../{name}")
    (two / MANIFEST).write_text(away)
    (tmp_path / name).write_bytes(content)
    assert octree(*merge) == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("--glb", "a"), ("FILE", "--merge", "b", "--glb", "a"),
        ("--merge", "b", "--glb", "a", "--chunk", "1/2"),
        ("--merge", "b", "--glb", "a", "--triangles", "9"),
        ("--merge", "b", "--glb", "a", "--assign"),
        ("--merge", "b", "--glb", "a", "--gltf", "c"),
        ("FILE", "--tiles", "a", "--chunk", "1/2", "--georeference", "1,2"),
        ("FILE", "--tiles", "a", "--chunk", "1/2", "--levels", "2"),
        ("--merge", "b", "--tiles", "a", "--levels", "2"),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(blend, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert octree("chunks", *(blend if word == "FILE" else word for word in words)) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["scene.blend"]
