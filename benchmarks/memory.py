"""Peak memory of a build in a process of its own: `memory.py ours|theirs ARRAYS.npz` prints MB."""

import subprocess
import sys
import tempfile
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


def _child(whose: str, arrays: Path) -> float:
    command = [sys.executable, __file__, whose, str(arrays)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


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


def _kilobytes(name: str) -> int:
    lines = dict(line.split(":") for line in STATUS.read_text().splitlines())
    return int(lines[name].split()[0])


if __name__ == "__main__":
    print(_build(sys.argv[1], Path(sys.argv[2])))
