"""Run inside Blender by the window tests: answer the calls that `harness.py` leaves in a folder.

A call is `<number>.call`, JSON with the source of one function, its name and its arguments; the
answer is `<number>.answer`, JSON with either its `result` or a `traceback`.
"""

import json
import os
import sys
import traceback
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


def answer(call):
    """Run one call and wrap what comes of it."""
    names = {}
    try:
        with bpy.context.temp_override(**view_3d()):
            exec(compile(call["source"], call["name"], "exec"), names)
            return {"result": names[call["name"]](*call["arguments"])}
    except Exception:
        return {"traceback": traceback.format_exc()}


def poll():
    """Answer every waiting call; an answer appears whole, by renaming."""
    for path in sorted(FOLDER.glob("*.call")):
        call = json.loads(path.read_text())
        path.unlink()
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(answer(call)))
        os.replace(draft, path.with_suffix(".answer"))
    return POLL_SECONDS


bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.use_save_prompt = False
bpy.app.timers.register(poll, first_interval=0.5, persistent=True)
