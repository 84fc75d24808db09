"""Every writer takes every damaged mesh: Blender lives, and all that is written is sound."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import bpy
import pytest
from damaged_meshes import MESHES
from damaged_writers import WRITERS

pytestmark = pytest.mark.skipif(
    bool(bpy.app.binary_path), reason="the processes are made of a wheel"
)
TESTS = Path(__file__).resolve().parents[1]


@cache
def said(writer: str) -> str:
    """Return what a process says that tries a writer: Blender may end in it."""
    with TemporaryDirectory() as folder:
        paths = (TESTS.parent, TESTS, os.environ.get("PYTHONPATH", ""))
        done = subprocess.run(
            [sys.executable, TESTS / "damaged_writers.py", writer, folder],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1500,
            check=False,
        )
    return f"{done.stdout}\nended with {done.returncode}"


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("writer", WRITERS)
def test_every_writer_takes_every_mesh(writer, mesh):
    lines = said(writer).splitlines()
    assert f"right {mesh}" in lines, "\n".join(lines[max(0, len(lines) - 60) :])
