"""The packed extension: what is in the zip, that Blender accepts it, installs and enables it."""

import json
import os
import subprocess
import sys
import tomllib
import zipfile

import bpy
import pytest
from packed_extension import CHECKOUT, LEAVE_WHEEL, MODULE, extension, packed

MANIFEST = tomllib.loads((CHECKOUT / "blender_manifest.toml").read_text())

STATE = f"""
import addon_utils, bpy
assert addon_utils.check({MODULE!r}) == (True, True), addon_utils.check({MODULE!r})
assert bpy.context.scene.octree.build.capacity == 32
from {MODULE}.core import build_octree
print("in use")
"""
INSTALL_IN_WHEEL = """
import sys, bpy
bpy.ops.extensions.package_install_files(
    filepath=sys.argv[1], repo="user_default", enable_on_install=True)
"""
# Two objects, one of them in view in two frames; and a script that leaves one frame.
SAVE = """
import bpy, sys
bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
bpy.ops.mesh.primitive_cube_add(location=(0, 0, -9))
bpy.ops.mesh.primitive_cube_add(location=(0, 0, 9))
bpy.ops.object.camera_add(rotation=(0, 0, 0))
scene = bpy.context.scene
scene.camera, scene.frame_end = bpy.context.object, 2
script = bpy.data.texts.new("startup.py")
script.write("import bpy; bpy.context.scene.frame_end = 1")
script.use_module = True
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[-1])
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return packed(tmp_path_factory.mktemp("package"))


def modules(folder):
    """List the source files of a folder as they should stand in the zip."""
    found = (CHECKOUT / folder).rglob("*.py")
    return {path.relative_to(CHECKOUT).as_posix() for path in found}


def test_zip_holds_the_extension_and_nothing_else(package):
    front = {"blender_manifest.toml", "__init__.py", "README.md", "LICENSE", "CHANGELOG.md"}
    with zipfile.ZipFile(package) as archive:
        assert set(archive.namelist()) == front | modules("core") | modules("octree_addon")


def test_blender_accepts_the_zip(package):
    extension("validate", package)


def test_manifest_follows_the_platform():
    assert (MANIFEST["id"], MANIFEST["name"]) == ("octree", "Octree")
    assert "blender" not in MANIFEST["tagline"].lower()
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert MANIFEST["blender_version_min"] == "4.2.0"


def test_changelog_names_the_version():
    assert f"## {MANIFEST['version']}" in (CHECKOUT / "CHANGELOG.md").read_text()


def run_with_user_folder(folder, *command, code=0):
    environment = os.environ | {"BLENDER_USER_RESOURCES": str(folder)}
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == code, done.stdout
    assert "Traceback" not in done.stdout, done.stdout
    return done.stdout


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="there is a whole Blender")
def test_install_and_enable_in_wheel(package, tmp_path):
    python = (sys.executable, "-c", INSTALL_IN_WHEEL + STATE + LEAVE_WHEEL, str(package))
    assert "in use" in run_with_user_folder(tmp_path, *python)


@pytest.mark.skipif(not bpy.app.binary_path, reason="needs a whole Blender")
def test_install_and_start_in_blender(package, tmp_path):
    """Installed by one Blender, enabled at the start of the next, under its restricted context."""
    blender = bpy.app.binary_path
    install = ("--command", "extension", "install-file", "-r", "user_default", "--enable")
    run_with_user_folder(tmp_path, blender, *install, str(package))
    use = ("-b", "--python-exit-code", "1", "--python-expr", STATE)
    assert "in use" in run_with_user_folder(tmp_path, blender, *use)


@pytest.mark.skipif(not bpy.app.binary_path, reason="needs a whole Blender")
def test_command_line_of_the_installed_extension(package, tmp_path):
    blender, path, out = bpy.app.binary_path, tmp_path / "two.blend", tmp_path / "seen.json"

    def run(*words, code=0):
        return run_with_user_folder(tmp_path, blender, *map(str, words), code=code)

    def views():
        return len(json.loads(out.read_text())["views"]["frame"])

    install = ("--command", "extension", "install-file", "-r", "user_default", "--enable")
    run(*install, package)
    run("-b", "--python-exit-code", 1, "--python-expr", SAVE, "--", path)
    before = path.read_bytes()
    assert "\toctree" in run("--command", "help")
    ask = ("--command", "octree", "seen", path, "--out")
    assert "1 of 2 objects seen in 2 views" in run(*ask, out)
    assert views() == 2  # its script did not run
    run("--enable-autoexec", *ask, out)
    assert views() == 1  # but Blender may be told to run it
    parts = [tmp_path / f"{at}.json" for at in (1, 2)]
    for at, part in enumerate(parts, start=1):
        run(*ask, part, "--chunk", f"{at}/2")
    run(*ask, tmp_path / "whole.json")
    run("--command", "octree", "seen", "--merge", *parts, "--out", out)
    assert out.read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert "There is no folder" in run(*ask, tmp_path / "no" / "a.json", code=2)
    assert "usage:" in run("--command", "octree", "seen", code=2)
    assert path.read_bytes() == before
    run("--command", "extension", "remove", "user_default.octree")
    assert "\toctree" not in run("--command", "help")
