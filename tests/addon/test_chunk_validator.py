"""Validators of glTF and of 3D Tiles find nothing in exported chunks: `make test-tiles`."""

import json
import shutil
import subprocess
from pathlib import Path

import bpy
import pytest
from blender_scenes import collection_instance, cube, monkey
from chunk_scenes import bumpy

from octree_ext.octree_addon import command_line

HOME = Path(__file__).resolve().parents[2] / ".cache" / "tiles"
VALIDATOR = HOME / "node_modules" / "gltf-validator"
TILES_VALIDATOR = HOME / "3d-tiles-validator" / "build" / "main.js"
SCRIPT = """
const validator = require(process.argv[1]), fs = require("fs"), path = require("path");
const read = (file) => new Uint8Array(fs.readFileSync(file));
const check = (file) => validator.validateBytes(read(file), {
    externalResourceFunction: (uri) =>
        Promise.resolve(read(path.join(path.dirname(file), decodeURIComponent(uri)))),
});
Promise.all(process.argv.slice(2).map(check)).then((found) => console.log(JSON.stringify(
    found.map((each) => each.issues.messages.filter((issue) => issue.severity < 2)))));
"""
pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="no Node.js")


def everything():
    """Add a sheet with all layers, shape keys, modifiers, instances, and a sheared box."""
    bumpy("Sheet")
    keyed = cube("Keyed", 0.5, location=(4, 0, 0))
    keyed.shape_key_add(name="Basis")
    keyed.shape_key_add(name="Bent").data[0].co.z += 0.3
    monkey(1, location=(8, 1, 0))
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1, 3, -1)
    cube("Child", 0.4, location=(4, 1, 0), rotation_euler=(0.3, 0.4, 0.5)).parent = parent
    collection_instance([cube("Part", 0.4, location=(0, 7, 0))])


@pytest.mark.skipif(not VALIDATOR.is_dir(), reason="no gltf-validator: make test-tiles")
@pytest.mark.parametrize("form", ["gltf", "glb", "tiles"])
@pytest.mark.parametrize(
    "words", [("--levels", "3"), ("--assign", "--quadtree", "--levels", "2"), ("--real",)]
)
def test_there_are_no_errors_and_no_warnings(empty_scene, tmp_path, form, words):
    everything()
    path, out = tmp_path / "scene.blend", tmp_path / "out"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    asked = ("--triangles", "200", "--least-triangles", "0", *words, f"--{form}", str(out))
    assert command_line.main(["chunks", str(path), *asked]) == 0
    files = sorted(map(str, [*out.glob("*.gltf"), *out.glob("*.glb")]))
    assert len(files) > 5
    command = [shutil.which("node"), "-e", SCRIPT, str(VALIDATOR), *files]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    issues = dict(zip(files, json.loads(done.stdout), strict=True))
    assert {file: found for file, found in issues.items() if found} == {}


@pytest.mark.skipif(not TILES_VALIDATOR.is_file(), reason="no 3d-tiles-validator: make test-tiles")
@pytest.mark.parametrize(
    "words", [("--levels", "3"), ("--quadtree",), ("--georeference", "8.5417,47.3769,408")]
)
def test_a_tileset_has_no_errors_and_no_warnings(empty_scene, tmp_path, words):
    everything()
    path, out = tmp_path / "scene.blend", tmp_path / "out"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    asked = ("--triangles", "200", "--least-triangles", "0", *words, "--tiles", str(out))
    assert command_line.main(["chunks", str(path), *asked]) == 0
    report = tmp_path / "report.json"
    command = [shutil.which("node"), str(TILES_VALIDATOR), "-t", str(out / "tileset.json")]
    subprocess.run([*command, "--reportFile", str(report)], check=True, capture_output=True)
    found = json.loads(report.read_text())
    assert (found["numErrors"], found["numWarnings"]) == (0, 0), found
