"""The extension registered in Blender, and a file without anything in it for every test."""

from collections.abc import Iterator

import pytest

import octree_ext

try:
    import bpy
except ImportError:  # a plain Python: it has the core's tests to run
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session", autouse=True)
def registered() -> Iterator[None]:
    """Register for the whole run; left registered, Blender 4.2 and 4.5 crash at exit."""
    octree_ext.register()
    yield
    octree_ext.unregister()


@pytest.fixture(autouse=True)
def empty_scene() -> "bpy.types.Scene":
    """Open an empty file."""
    bpy.ops.wm.read_homefile(use_empty=True)
    return bpy.context.scene
