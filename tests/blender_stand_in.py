"""A `blender` with a command line, made of the wheel that runs it, for tests of its callers.

python tests/blender_stand_in.py --command octree ...
"""

import os
import shutil
import sys

import bpy  # the first, as in a Blender
import conftest  # noqa: F401

import octree_ext
from octree_ext.octree_addon import command_line

assert sys.argv[1:3] == ["--command", "octree"], sys.argv
octree_ext.register()
code = command_line.main(sys.argv[3:])
sys.stdout.flush()
sys.stderr.flush()
shutil.rmtree(bpy.app.tempdir, ignore_errors=True)  # as a Blender does at its end
os._exit(code)  # as run_in_blender.py does
