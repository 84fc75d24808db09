"""A `blender` made of the wheel, in which somebody presses Ctrl-C at a moment of the command.

python tests/interrupted_stand_in.py MOMENT --command octree ...
"""

import os
import runpy
import signal
import sys
from pathlib import Path

import bpy
import conftest  # noqa: F401

from octree_ext import core
from octree_ext.octree_addon.command_line import audit, budget, chunks, distances, seen
from octree_ext.octree_addon.place import carrying

moment = sys.argv.pop(1)


def press(*_):
    os.kill(os.getpid(), signal.SIGINT)


def in_the_second_step(run):
    """Return a `run` whose work is interrupted between its first and second yield."""

    def interrupted(steps, **options):
        def pressing():
            fraction = next(steps)
            yield fraction
            press()
            return (yield from steps)

        return run(pressing(), **options)

    return interrupted


if moment == "working":
    for module in (audit, budget, chunks, distances, carrying, seen):
        module.run = in_the_second_step(module.run)
elif moment == "Blender":  # which forgets what this raises
    handlers = bpy.app.handlers
    for listeners in (handlers.load_post, handlers.frame_change_post):
        listeners.append(handlers.persistent(press))
elif moment == "writing":
    sys.modules[core.atomic_file.__wrapped__.__module__].os.fsync = press
else:
    assert moment == "never"

runpy.run_path(str(Path(__file__).with_name("blender_stand_in.py")), run_name="__main__")
