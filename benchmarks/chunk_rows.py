"""The rows about chunks: triangles cut at walls, held against bmesh's bisect, and density.

Every function is as those of `rows` are. Whoever cuts a scene by hand bisects it: a copy for each
tile, by its six planes, or halves of halves. The cells are ours, so that all cut alike. Meshes of
your own, OBJ files with paths in the environment variable `MESHES`, are cut, too. `USD_OPTIMIZE`
names a Python that has usd-optimize; with `ROOMS=10000000`, rooms of so many triangles are cut;
with `LEVELS=10000000` a landscape of so many is written as tiles of three levels.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import bmesh
import bpy
import numpy as np

from benchmarks import buildings, memory, scenes
from benchmarks.table import Row, fastest
from core import Chunks, Triangles, build_octree, chunks, clip, density

Rows = Iterator[Row]
BUDGET, TILE = 5_000, 1.0  # triangles, meters
DICE = Path(__file__).with_name("usd_dice.py")


def cut_by_budget(seconds: float, scale: float) -> Rows:
    """Cut meshes into chunks by a budget of triangles."""
    budget = int(BUDGET * scale)
    for name, items in meshes(scale):
        edge = float(np.ptp(items.vertices, axis=0).max()) / 16
        ours, theirs = fastest(
            lambda items=items, edge=edge: chunks(items, budget=budget, cell=edge),
            lambda items=items: build_octree(items),
            seconds=seconds,
        )
        made = chunks(items, budget=budget, cell=edge)
        what = f"{name}: {len(items):,} triangles, chunks of {budget:,}"
        goals = {"must": 250, "aim": 120, "absolute": True} if len(items) > 90_000 else {}
        yield Row(what, "build_octree", ours, theirs, **goals, answers=_told(made))
        source = _in_bmesh(items)
        halves, tiles = fastest(
            lambda source=source, made=made: _halves(source, made),
            lambda source=source, made=made: _tiles(source, made),
            seconds=0.0,
            turns=1,
        )
        source.free()
        yield Row(f"{name}, halves of halves", "bmesh bisect", ours, halves, must=1 / 4, aim=1 / 8)
        yield Row(f"{name}, tile by tile", "bmesh bisect", ours, tiles, must=1 / 50, aim=1 / 100)


def cut_in_tiles(seconds: float, _: float) -> Rows:
    """Cut buildings into tiles of a meter."""
    for building, path in zip(buildings.given(), buildings.paths(), strict=True):
        items = Triangles(building.vertices, building.faces)
        before = _diced(path)
        (ours,) = fastest(
            lambda items=items: chunks(items, budget=0, least_size=TILE, cell=TILE),
            seconds=seconds,
        )
        made = chunks(items, budget=0, least_size=TILE, cell=TILE)
        what = f"{building.name}: {len(items):,} triangles, tiles of {TILE:g} m"
        if before is None:
            yield Row(what, "the goal", ours, 200.0, must=1.0, aim=0.5, answers=_told(made))
            continue
        theirs = min(before[0], _diced(path)[0])
        answers = f"{_told(made)}; theirs {int(before[1]):,}"
        yield Row(what, "usd-optimize", ours, theirs, must=2.0, aim=1.0, answers=answers)


def _diced(path: Path) -> list[float] | None:
    """Return the time of usd-optimize in ms and its triangles; None where there is none."""
    python = os.environ.get("USD_OPTIMIZE")
    if not python:
        return None
    command = [python, str(DICE), str(path), str(TILE), "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def cut_rooms(_: float, __: float) -> Rows:
    """Cut many rooms made real, as large as `ROOMS` says: once, with its peak of memory."""
    wanted = int(os.environ.get("ROOMS", "0"))
    if not wanted:
        return
    with tempfile.TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        vertices, faces = rooms(wanted)
        np.savez(arrays, vertices=vertices, faces=faces)
        del vertices, faces
        spent, peak, made, count = memory.of_chunks(arrays)
    what = f"{int(count):,} triangles of rooms, chunks of 50,000"
    answers = f"{int(made)} chunks, {peak / 1000:.1f} GB beyond the mesh"
    yield Row(what, "the goal", spent, 60_000.0, must=1.0, aim=0.5, answers=answers)


def ship_levels(_: float, __: float) -> Rows:
    """Write a landscape, as large as `LEVELS` says, as tiles of three levels: once."""
    wanted = int(os.environ.get("LEVELS", "0"))
    if not wanted:
        return
    spent, peak, *counts = memory.of_levels(wanted)
    what = f"{wanted:,} triangles as tiles of three levels, written"
    told = ", ".join(f"{int(each):,}" for each in counts)
    answers = f"{told} triangles, {peak / 1000:.1f} GB in all"
    # A longer or shorter time for more or fewer than ten million.
    yield Row(what, "the goal", spent, 0.03 * wanted, must=1.0, aim=0.4, answers=answers)


def rooms(triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """Return buildings, or halls of stones, side by side, with about `triangles` triangles."""
    one = [*buildings.given(), buildings.stones(20)][0]
    size = np.ptp(one.vertices, axis=0)
    count = max(triangles // len(one.faces), 1)
    side = int(np.ceil(np.sqrt(count)))
    place = np.stack((np.arange(count) % side, np.arange(count) // side, np.zeros(count)), axis=1)
    vertices = one.vertices + (place * (size + 1.37))[:, None]
    faces = one.faces + len(one.vertices) * np.arange(count)[:, None, None]
    return vertices.reshape(-1, 3), faces.reshape(-1, 3)


def clip_at_leaves(seconds: float, scale: float) -> Rows:
    """Cut a landscape at all leaves of its octree."""
    mesh = scenes.landscape(int(200_000 * scale))
    tree = build_octree(Triangles(mesh.vertices, mesh.faces))
    ours, theirs = fastest(lambda: clip(tree), lambda: build_octree(tree.items), seconds=seconds)
    pieces = clip(tree)
    answers = f"{len(pieces.faces):,} pieces, {len(tree.references):,} copies"
    yield Row(
        f"{len(mesh):,} triangles at all leaves", "build_octree", ours, theirs, answers=answers
    )


def count_density(seconds: float, scale: float) -> Rows:
    """Count triangles, objects and materials in the cells of a landscape."""
    mesh = scenes.landscape(int(1_000_000 * scale))
    items, owners = Triangles(mesh.vertices, mesh.faces), np.arange(len(mesh)) // 1000
    (ours,) = fastest(lambda: density(items, owners=owners, materials=owners % 7), seconds=seconds)
    found = density(items, owners=owners, materials=owners % 7)
    answers = f"{len(found.volumes):,} cells, all {found.chunks.counts.sum():,} triangles"
    what = f"density of {len(items):,} triangles"
    yield Row(what, "the goal", ours, 2_000.0, must=1.0, aim=0.25, answers=answers)


def meshes(scale: float) -> Iterator[tuple[str, Triangles]]:
    """Yield a landscape, and the meshes that were given."""
    mesh = scenes.landscape(int(100_000 * scale))
    yield "landscape", Triangles(mesh.vertices, mesh.faces)
    for path in filter(None, os.environ.get("MESHES", "").split(os.pathsep)):
        yield Path(path).stem, _from_obj(Path(path))


def _from_obj(path: Path) -> Triangles:
    vertices, faces = [], []
    for line in path.read_text(errors="replace").splitlines():
        if line.startswith("v "):
            vertices.append([float(part) for part in line.split()[1:4]])
        elif line.startswith("f "):
            corners = [int(part.split("/")[0]) - 1 for part in line.split()[1:]]
            faces += [(corners[0], *pair) for pair in pairwise(corners[1:])]
    return Triangles(vertices, faces)


def _told(made: Chunks) -> str:
    over = f", {made.is_over.sum()} over" if made.is_over.any() else ""
    return f"{len(made.counts)} chunks, {made.counts.sum():,} triangles{over}"


def _in_bmesh(items: Triangles) -> bmesh.types.BMesh:
    mesh = bpy.data.meshes.new("chunks")
    mesh.from_pydata(items.vertices, [], items.faces.tolist())
    made = bmesh.new()
    made.from_mesh(mesh)
    bpy.data.meshes.remove(mesh)
    return made


def _bisected(made: bmesh.types.BMesh, axis: int, wall: float, **sides: bool) -> None:
    place, normal = np.zeros(3), np.eye(3)[axis]
    place[axis] = wall
    geometry = [*made.verts, *made.edges, *made.faces]
    bmesh.ops.bisect_plane(made, geom=geometry, plane_co=place, plane_no=normal, **sides)


def _tiles(source: bmesh.types.BMesh, made: Chunks) -> int:
    """Bisect a copy for each chunk; return how many faces there are."""
    faces = 0
    for lower, upper in zip(made.lower, made.upper, strict=True):
        part = source.copy()
        for axis in range(3):
            _bisected(part, axis, lower[axis], clear_inner=True)
            _bisected(part, axis, upper[axis], clear_outer=True)
        faces += len(part.faces)
        part.free()
    return faces


def _halves(source: bmesh.types.BMesh, made: Chunks) -> int:
    """Bisect halves of halves down to the chunks; return how many faces there are."""
    half, root = made.root_size / 2, made.root_lower
    return _halved(source.copy(), made, np.arange(len(made.lower)), root, half, 0)


def _halved(
    part: bmesh.types.BMesh, made: Chunks, cells: np.ndarray, lower: np.ndarray, half: float,
    axis: int,
) -> int:  # fmt: skip
    if len(cells) < 2:
        faces = len(part.faces) if len(cells) else 0
        part.free()
        return faces
    wall, faces = lower[axis] + half, 0
    for upper in (False, True):
        side = part.copy()
        _bisected(side, axis, wall, clear_inner=upper, clear_outer=not upper)
        corner = lower.copy()
        corner[axis] += half * upper
        here = cells[(made.lower[cells, axis] >= wall) == upper]
        size = half / 2 if axis == 2 else half
        faces += _halved(side, made, here, corner, size, (axis + 1) % 3)
    part.free()
    return faces


EVERY = (cut_by_budget, cut_in_tiles, cut_rooms, ship_levels, clip_at_leaves, count_density)
