"""Run inside Blender by the window tests: answer the calls that `harness.py` leaves in a folder.

A call is `<number>.call`, JSON with the source of one function, its name and its arguments; the
answer is `<number>.answer`, JSON with either its `result` or a `traceback`. Where the function
yields, it goes on at a later turn of Blender's main loop, which has handled events meanwhile.
"""

import json
import os
import sys
import traceback
from inspect import isgenerator
from pathlib import Path

import bpy

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
POLL_SECONDS = 0.02


def view_3d():
    """Context members of the first 3D viewport: a timer runs without window, area and region."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return {"window": window, "screen": window.screen, "area": area, "region": region}


def steps_of(call):
    """Run one call, and wait where its function yields; return its result."""
    names = {}
    exec(compile(call["source"], call["name"], "exec"), names)
    found = names[call["name"]](*call["arguments"])
    return (yield from found) if isgenerator(found) else found


def advance(steps, path):
    """Go on with a call up to its next yield; tell if there is one, else write the answer."""
    try:
        with bpy.context.temp_override(**view_3d()):
            next(steps)
        return True
    except StopIteration as end:
        found = {"result": end.value}
    except Exception:
        found = {"traceback": traceback.format_exc()}
    draft = path.with_suffix(".draft")
    draft.write_text(json.dumps(found))
    os.replace(draft, path.with_suffix(".answer"))  # it appears whole
    return False


# Calls that have yielded, each with the path of its answer.
waiting = []


def poll():
    """Go on with every waiting call, and begin every new one."""
    for path in sorted(FOLDER.glob("*.call")):
        waiting.append((steps_of(json.loads(path.read_text())), path))
        path.unlink()
    waiting[:] = [each for each in waiting if advance(*each)]
    return POLL_SECONDS


bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.use_save_prompt = False
# Without a graphics card eight samples of each picture take most of the time of a test.
bpy.context.preferences.system.viewport_aa = "OFF"
bpy.app.timers.register(poll, first_interval=0.5, persistent=True)
