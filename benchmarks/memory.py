"""Peak memory in a process of its own, in MB.

`memory.py ours|theirs|placed ARRAYS.npz` prints that of a build, or of placed meshes, `memory.py
index COUNT` that of an index of a scene, and that of Blender without it. `memory.py chunks
ARRAYS.npz` prints the milliseconds of a cut, its peak, and the numbers of chunks and triangles;
`memory.py levels COUNT` those of tiles of three levels, written.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
STATUS = Path("/proc/self/status")


def peaks(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, float]:
    """Measure our build and Blender's in MB above what the arrays themselves take."""
    with tempfile.TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        np.savez(arrays, vertices=vertices, faces=faces)
        ours, theirs = (_child(whose, arrays) for whose in ("ours", "theirs"))
    return ours, theirs


def of_index(count: int) -> tuple[float, float]:
    """Measure an index of linked objects, made and asked, and what Blender takes for them."""
    ours, theirs = _printed("index", count)
    return ours, theirs


def peak_of_placed(meshes: Sequence, which: np.ndarray, matrices: np.ndarray) -> float:
    """Measure the index of placed meshes, and questions to it, in MB beyond its input."""
    arrays = {"which": which, "matrices": matrices}
    for number, mesh in enumerate(meshes):
        arrays |= {f"vertices{number}": mesh.vertices, f"faces{number}": mesh.faces}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, **arrays)
        return _child("placed", path)


def of_chunks(arrays: Path) -> list[float]:
    """Measure a cut into chunks: milliseconds, MB above the mesh, chunks and triangles."""
    return _printed("chunks", arrays)


def of_levels(triangles: int) -> list[float]:
    """Measure tiles of three levels: milliseconds, MB in all, and the numbers of triangles."""
    return _printed("levels", triangles)


def _child(whose: str, arrays: Path) -> float:
    return _printed(whose, arrays)[-1]


def _printed(*arguments: object) -> list[float]:
    command = [sys.executable, __file__, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def _build(whose: str, arrays: Path) -> float:
    """Build once and return the highest use of memory since just before, in MB."""
    sys.path.insert(0, str(ROOT))
    import bpy  # noqa: F401  # mathutils comes with it
    from mathutils.bvhtree import BVHTree

    from core import Triangles, build_octree

    with np.load(arrays) as file:
        vertices, faces = file["vertices"], file["faces"]
    # Not getrusage: what it calls the maximum is inherited from the parent.
    Path("/proc/self/clear_refs").write_text("5")
    before = _kilobytes("VmRSS")
    if whose == "ours":
        tree = build_octree(Triangles(vertices, faces))
    else:
        tree = BVHTree.FromPolygons(vertices.tolist(), faces.tolist(), all_triangles=True)
    peak = _kilobytes("VmHWM")
    del tree
    return (peak - before) / 1024


def _index(count: int) -> tuple[float, float]:
    """Return the highest use of memory above Blender's while an index is made and asked."""
    sys.path.insert(0, str(ROOT))
    import bpy

    import tests.conftest  # noqa: F401  # lets the checkout be imported as octree_ext
    from benchmarks import scenes

    before = _kilobytes("VmRSS")
    import octree_ext
    from octree_ext.core import Boxes, objects_touching, ray_cast

    octree_ext.register()
    scene = scenes.placed_objects(count, [scenes.ball()])
    bpy.context.evaluated_depsgraph_get()
    blender = _kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    octree = octree_ext.scene_index().octree
    ray_cast(octree, *scenes.segments_through(scene, 10_000))
    objects_touching(octree, Boxes([[-20.0] * 3], [[0.0] * 3]))
    peak = _kilobytes("VmHWM")
    octree_ext.unregister()
    return (peak - blender) / 1024, (blender - before) / 1024


def _levels(triangles: int) -> tuple[float, ...]:
    """Export a landscape as tiles of three levels; return what `of_levels` does."""
    sys.path.insert(0, str(ROOT))
    import json

    import bpy

    import tests.conftest  # noqa: F401  # lets the checkout be imported as octree_ext
    from benchmarks import scenes

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    import octree_ext

    octree_ext.register()
    made = scenes.landscape(triangles)
    for item in [*bpy.data.objects]:
        bpy.data.objects.remove(item)
    mesh = bpy.data.meshes.new("landscape")
    mesh.from_pydata(made.vertices, [], made.faces.tolist())
    mesh.shade_smooth()
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("landscape", mesh))
    bpy.context.view_layer.update()
    del made
    with tempfile.TemporaryDirectory() as folder:
        Path("/proc/self/clear_refs").write_text("5")
        start = time.process_time()
        bpy.ops.octree.export_chunks(folder=folder, form="TILES", levels=3)
        spent = 1000 * (time.process_time() - start)
        chunks = json.loads((Path(folder) / "manifest.json").read_text())["chunks"]
    peak = _kilobytes("VmHWM") / 1024
    octree_ext.unregister()
    counts = [sum(each["triangles"] for each in chunks if each["height"] == k) for k in range(3)]
    return spent, peak, *counts


def _place(arrays: Path) -> float:
    """Make an index of placed meshes, ask it, and return the highest use of memory, in MB."""
    sys.path.insert(0, str(ROOT))
    from core import (
        SceneOctree,
        Spheres,
        Triangles,
        nearest,
        objects_touching,
        overlapping_objects,
        query,
        ray_cast,
    )

    with np.load(arrays) as file:
        held = dict(file)
    which, matrices = held["which"], held["matrices"]
    parts = [(held[f"vertices{i}"], held[f"faces{i}"]) for i in range(which.max() + 1)]
    middles = matrices[:10_000, :3, 3]
    Path("/proc/self/clear_refs").write_text("5")
    before = _kilobytes("VmRSS")
    scene = SceneOctree()
    numbers = np.array([scene.add_mesh(Triangles(*part)) for part in parts])
    scene.place(numbers[which], matrices)
    query(scene, Spheres(middles, np.full(len(middles), 0.5)))
    objects_touching(scene, Spheres([middles.mean(axis=0)], [1e9]))
    ray_cast(scene, middles + 2.0, np.roll(middles, 1, axis=0) - middles)
    nearest(scene, middles + 1.0)
    overlapping_objects(scene)
    return (_kilobytes("VmHWM") - before) / 1024


def _cut(arrays: Path) -> tuple[float, float, int, int]:
    """Cut once into chunks of 50,000; return the time in ms, the peak in MB, and counts."""
    sys.path.insert(0, str(ROOT))
    from core import Triangles, chunks

    with np.load(arrays) as file:
        items = Triangles(file["vertices"], file["faces"])
    Path("/proc/self/clear_refs").write_text("5")
    before, start = _kilobytes("VmRSS"), time.perf_counter()
    made = chunks(items)
    spent = 1000 * (time.perf_counter() - start)
    return spent, (_kilobytes("VmHWM") - before) / 1024, len(made.counts), len(items)


def _kilobytes(name: str) -> int:
    lines = dict(line.split(":") for line in STATUS.read_text().splitlines())
    return int(lines[name].split()[0])


if __name__ == "__main__":
    whose, what = sys.argv[1:]
    if whose == "index":
        print(*_index(int(what)))
    elif whose == "levels":
        print(*_levels(int(what)))
    elif whose == "chunks":
        print(*_cut(Path(what)))
    else:
        print(_place(Path(what)) if whose == "placed" else _build(whose, Path(what)))
    sys.stdout.flush()
    os._exit(0)  # the wheel of 4.2 may crash when it ends by itself
