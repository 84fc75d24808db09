"""Dice a building by usd-optimize, in a Python 3.12 that has it; prints the best time in ms.

    python3.12 -m venv usd && usd/bin/pip install usd-optimize numpy
    usd/bin/python benchmarks/usd_dice.py BUILDING.npz EDGE TURNS

Each object is a mesh; they are cut at planes so far apart, in single precision, on one thread.
Only cutting is timed, of a new stage each turn.
"""

import sys
import time

import numpy as np
from pxr import Usd, UsdGeom, Vt
from usd_optimize import core


def stage_of(path: str) -> Usd.Stage:
    """Return a stage with a mesh for each object of a building."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    with np.load(path) as arrays:
        vertices, faces, owners = (
            arrays[name] for name in ("vertices", "faces", "object_of_face")
        )
    for owner in np.unique(owners).tolist():
        used, numbers = np.unique(faces[owners == owner], return_inverse=True)
        mesh = UsdGeom.Mesh.Define(stage, f"/Object{owner}")
        points = np.ascontiguousarray(vertices[used], np.float32)
        mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points))
        corners = np.ascontiguousarray(numbers.ravel(), np.int32)
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(corners))
        sizes = np.full(len(corners) // 3, 3, np.int32)
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(sizes))
    return stage


def diced(stage: Usd.Stage, edge: float) -> tuple[float, int]:
    """Dice all meshes of a stage; return the milliseconds, and how many faces there are then."""
    context = core.ExecutionContext()
    context.singleThreaded = 1
    context.set_stage(stage)
    options = {f"gridCell{axis}": edge for axis in "XYZ"}
    start = time.perf_counter()
    done = core.UsdOptimizeCore.getInstance().executeOperation("diceMeshes", context, options)
    spent = 1000 * (time.perf_counter() - start)
    if not done[0]:
        raise RuntimeError(f"usd-optimize did not dice: {done}")
    meshes = [UsdGeom.Mesh(each) for each in stage.Traverse() if each.IsA(UsdGeom.Mesh)]
    faces = sum(len(each.GetFaceVertexCountsAttr().Get()) for each in meshes)
    context.remove_stage()
    return spent, faces


if __name__ == "__main__":
    turns = [diced(stage_of(sys.argv[1]), float(sys.argv[2])) for _ in range(int(sys.argv[3]))]
    print(min(turns)[0], turns[0][1])
