"""The extension as a user gets it: packed, installed from the zip, enabled; never the checkout."""

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import bpy

CHECKOUT = Path(__file__).resolve().parent.parent
MODULE = "bl_ext.user_default.octree"


def install(folder: Path) -> Path:
    """Pack the checkout into `folder`, install the zip in the running Blender and enable it."""
    scripts = Path(bpy.utils.resource_path("LOCAL")) / "scripts"
    packed = folder / "octree.zip"
    tool = scripts / "addons_core" / "bl_pkg" / "cli" / "blender_ext.py"
    tags = scripts / "modules" / "_bpy_internal" / "extensions" / "tags.py"
    command = [sys.executable, tool, "build", "--source-dir", CHECKOUT]
    command += ["--output-filepath", packed, "--valid-tags", tags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"The extension could not be packed:\n{done.stdout}{done.stderr}")
    bpy.ops.extensions.package_install_files(
        filepath=str(packed), repo="user_default", enable_on_install=True
    )
    return packed


def part(name: str) -> ModuleType:
    """Return a module of the installed extension, such as `core` or `octree_addon.trees`."""
    return importlib.import_module(f"{MODULE}.{name}")


def uninstall() -> None:
    """Disable the extension, so that nothing of it runs while Blender goes down."""
    bpy.ops.preferences.addon_disable(module=MODULE)
