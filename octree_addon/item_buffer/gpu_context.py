"""Graphics contexts in background mode: made only after a child process has survived it.

Where there is no display, Blender makes a context with EGL. Without that library it does not
raise an error, it ends. So a child process of the same Blender tries first, once a session.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from tempfile import TemporaryDirectory, TemporaryFile

import bpy
import gpu

from .make_context import SURVIVED, make_context

log = logging.getLogger(__name__)

# What a child may take, in seconds.
_PATIENCE = 120


def can_draw() -> bool:
    """Tell whether the `gpu` module can draw here; make its context if there is none yet.

    Notes
    -----
    In a window it always can. In background the first call starts a child process, which takes
    a few seconds.
    """
    return not bpy.app.background or _has_context()


@cache
def _has_context() -> bool:
    if not _child_survives():
        log.info("No graphics context in background mode: item buffers are drawn in NumPy")
        return False
    try:
        with _quiet():
            make_context()
        return gpu.capabilities.max_texture_size_get() > 0
    except Exception:
        log.exception("The graphics context could not be made")
        return False


def _child_survives() -> bool:
    """Make a context in a child process, and tell whether it lived on."""
    script = make_context.__code__.co_filename
    if bpy.app.binary_path:
        command = [bpy.app.binary_path, "--background", "--factory-startup", "--python", script]
    else:
        command = [sys.executable, "-P", script]
    try:
        # Blender clears its temporary folder when it ends, not when the child does.
        with TemporaryDirectory(prefix="octree_", ignore_cleanup_errors=True) as folder:
            done = subprocess.run(
                command,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
                env=os.environ | dict.fromkeys(("TMPDIR", "TMP", "TEMP"), folder),
            )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and SURVIVED.encode() in done.stdout


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what libraries write to standard error while a context is made, unless it fails.

    EGL tries what it may not have, and says so ("EGL Error (0x3009)"), before it tries the next.
    """
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with TemporaryFile() as said:
        if sys.stderr:
            sys.stderr.flush()
        os.dup2(said.fileno(), 2)
        try:
            yield
        except BaseException:
            said.seek(0)
            os.write(kept, said.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
