"""The extension as a zip, and the command line that packs it."""

import subprocess
import sys
from pathlib import Path

import bpy

CHECKOUT = Path(__file__).resolve().parent.parent
SCRIPTS = Path(bpy.utils.system_resource("SCRIPTS"))
COMMAND_LINE = SCRIPTS / "addons_core/bl_pkg/cli/blender_ext.py"
TAGS = SCRIPTS / "modules/_bpy_internal/extensions/tags.py"
MODULE = "bl_ext.user_default.octree"
# The wheel of 4.2 crashes at exit once a pointer property with a `poll` was registered.
LEAVE_WHEEL = """
import os
sys.stdout.flush()
os._exit(0)
"""


def extension(*arguments):
    """Run the extension command line that Blender ships, without a Blender around it."""
    command = [sys.executable, COMMAND_LINE, *arguments, "--valid-tags", TAGS]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def packed(folder):
    """Pack the checkout into a folder."""
    path = folder / "octree.zip"
    extension("build", "--source-dir", CHECKOUT, "--output-filepath", path)
    return path
