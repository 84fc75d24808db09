"""Graphics contexts in background mode, created only after a trial in a child process.

Without a display, Blender creates the context with EGL. If the EGL library is missing, Blender
exits instead of raising an error. So once a session, a child process of the same Blender tries
first.
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

# Timeout of the child process, in seconds.
_PATIENCE = 120


def can_draw() -> bool:
    """Return whether the `gpu` module can draw; create its context if there is none yet.

    Notes
    -----
    With a window the result is always True. In background mode, the first call starts a child
    process, which takes a few seconds.
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
    """Create a context in a child process; return whether the child survived."""
    script = make_context.__code__.co_filename
    if bpy.app.binary_path:
        command = [bpy.app.binary_path, "--background", "--factory-startup", "--python", script]
    else:
        command = [sys.executable, "-P", script]
    try:
        # The child may end without removing its temporary files, so give it a folder of its own.
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
    """Suppress standard error while a context is created; print the output if that fails.

    EGL tries several configurations and reports each failure ("EGL Error (0x3009)").
    """
    try:
        kept = os.dup(2)
    except OSError:  # the process has no standard error
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
