"""The extension registered in Blender, and a file without anything in it for every test."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

import octree_ext

try:
    import bpy
except ImportError:  # a plain Python: it has the core's tests to run
    collect_ignore_glob = ["test_*.py"]
else:
    if (4, 3) <= bpy.app.version < (5, 0):
        # Of these the oldest and the newest Blender tell enough: costs, and programs around it.
        collect_ignore_glob = ["*_cost.py", "*_memory.py", "*_large.py"]
        collect_ignore = ["test_benchmarks.py", "test_command_processes.py", "test_demo.py"]


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


@pytest.fixture
def visible_scope(empty_scene: "bpy.types.Scene") -> None:
    """Have trees built of all that is visible, whatever is selected."""
    empty_scene.octree.source.scope = "VISIBLE"


@pytest.fixture
def in_numpy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have samples drawn in NumPy, whatever this machine has, and forget them."""
    from octree_ext.core import ZBuffer
    from octree_ext.octree_addon.cameras.never_seen import counting
    from octree_ext.octree_addon.ui import forget_session

    monkeypatch.setattr(counting.samples_steps, "__kwdefaults__", {"renderer": ZBuffer})
    yield
    forget_session()


@pytest.fixture
def ball() -> "bpy.types.Object":
    """Add a sphere of 1280 triangles, with a radius of 1, and evaluate the scene."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4)
    return bpy.context.object


@pytest.fixture
def build() -> Callable[..., Any]:
    """Return a function that builds a tree of objects, with any options of the core."""
    from octree_ext.core import run
    from octree_ext.octree_addon.cells.steps import build_tree_steps

    def build(objects: Iterable["bpy.types.Object"], **options: Any) -> Any:
        depsgraph = bpy.context.evaluated_depsgraph_get()
        return run(build_tree_steps(depsgraph, objects, options))

    return build
