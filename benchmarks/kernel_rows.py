"""The compiled kernel beside Embree and BVHTree, in one run and in turns: medians of ratios.

    OCTREE_KERNEL=kernel/octree_kernel .venv/bpy-4.5/bin/python benchmarks/kernel_rows.py [TIMES]

Embreex is found by PYTHONPATH; without it its rows are left out.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import bpy  # noqa: F401  mathutils comes with it
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from core import Spheres, Triangles, build_octree, kernel, nearest, query, ray_cast

try:
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene
except ImportError:
    EmbreeScene = None

SIDE, MANY = 708, 10_000
Ask = Callable[[int], object]


def terrain(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices and faces of a wavy sheet, (side - 1)**2 quads of two triangles."""
    steps = np.linspace(-1, 1, side)
    x, y = np.meshgrid(steps, steps)
    vertices = np.stack((x, y, 0.1 * np.sin(9 * x) * np.cos(7 * y)), -1).reshape(-1, 3)
    at = np.arange(side * side).reshape(side, side)
    a, b, c, d = (each.ravel() for each in (at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]))
    return vertices, np.concatenate((np.stack((a, b, c), 1), np.stack((a, c, d), 1)))


def rays(random: np.random.Generator, side: int, is_camera: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return side**2 rays, of one camera above the sheet or from anywhere to anywhere."""
    if not is_camera:
        shape = (side * side, 3)
        return random.uniform(-1, 1, shape) * (1, 1, 0.3), random.normal(size=shape)
    x, y = np.meshgrid(*2 * [np.linspace(-0.8, 0.8, side)])
    directions = np.stack((x, y, -np.ones_like(x)), -1).reshape(-1, 3)
    return np.tile([0, 0, 1.2], (side * side, 1)), directions


def row(name: str, ours: Ask, peer: Callable[[], object], times: int) -> None:
    """Print milliseconds of the processor, and what one thread takes of the peer.

    Last, what two threads take of the time of one: not of the processor's.
    """
    ours(1), peer()
    laps = np.array(
        [[*lap(lambda: ours(1)), *lap(peer), *lap(lambda: ours(2))] for _ in range(times)]
    )
    (waited, _, both), (one, other, _) = laps.T[::2], laps.T[1::2]
    least = min(one) / min(other)
    ratio = f"{median(one / other):.2f} x | {least:.2f} x | {median(both / waited):.2f}"
    print(f"| {name} | {median(one):,.0f} | {median(other):,.0f} | {ratio} |", flush=True)


def lap(ask: Callable[[], object]) -> tuple[float, float]:
    """Return the milliseconds that a question takes, and those of the processor among them."""
    started, used = perf_counter(), process_time()
    ask()
    return 1e3 * (perf_counter() - started), 1e3 * (process_time() - used)


def embree_rows(tree: object, corners: np.ndarray, times: int) -> None:
    """Compare a million rays, and ten thousand, with Embree."""
    scene, random = EmbreeScene(), np.random.default_rng(3)
    TriangleMesh(scene, corners.astype(np.float32))
    for side in (1000, 100):
        for kind in ("camera", "random"):
            origins, ways = rays(random, side, kind == "camera")
            lengths = np.linalg.norm(ways, axis=1)[:, None]
            given = origins.astype(np.float32), (ways / lengths).astype(np.float32)
            row(
                f"{side * side:,} {kind} rays, all of `RayHits`; embreex",
                lambda threads, o=origins, d=ways: ray_cast(tree, o, d, threads=threads),
                lambda given=given: scene.run(*given, output=True),
                times,
            )


def blender_rows(tree: object, vertices: np.ndarray, faces: np.ndarray, times: int) -> None:
    """Compare with loops over BVHTree."""
    random = np.random.default_rng(4)
    bvh = BVHTree.FromPolygons([Vector(each) for each in vertices.tolist()], faces.tolist())
    origins, ways = rays(random, 100, True)

    def cast() -> None:
        for origin, way in zip(origins.tolist(), ways.tolist(), strict=True):
            bvh.ray_cast(Vector(origin), Vector(way))

    row(
        "10,000 camera rays from arrays; loop of `ray_cast`",
        lambda threads: ray_cast(tree, origins, ways, threads=threads),
        cast,
        times,
    )
    on = vertices[random.integers(0, len(vertices), MANY)]
    for name, away in (("on", 1e-3), ("off", 0.1)):
        points = on + random.normal(size=on.shape) * away
        ready = [Vector(each) for each in points.tolist()]
        row(
            f"10,000 nearest, {name} the surface; `find_nearest`, Vectors ready",
            lambda threads, points=points: nearest(tree, points, threads=threads),
            lambda ready=ready: [bvh.find_nearest(each) for each in ready],
            times,
        )
    spheres, ready = Spheres(on, np.full(MANY, 0.005)), [Vector(each) for each in on.tolist()]
    row(
        "10,000 spheres of 30 hits; `find_nearest_range`, Vectors ready",
        lambda threads: query(tree, spheres, threads=threads),
        lambda: [bvh.find_nearest_range(each, 0.005) for each in ready],
        times,
    )


def main(times: int) -> None:
    """Print the table."""
    vertices, faces = terrain(SIDE)
    tree = build_octree(Triangles(vertices, faces))
    print(f"{len(faces):,} triangles, {kernel()}, {times} times in turns")
    print("| what; peer | ours, ms | peer, ms | median | of the least | two threads |")
    print("|---|---:|---:|---:|---:|---:|")
    if EmbreeScene is not None:
        embree_rows(tree, vertices[faces], times)
    blender_rows(tree, vertices, faces, times)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
