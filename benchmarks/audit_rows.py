"""The rows about clash audits: all classes of a building, again after a move, and many objects.

Every function is as those of `rows` are. Libraries that find which objects touch are asked in
`peers`; here we are held against Blender's tree and against bounds that were set beforehand.
"""

from collections.abc import Iterator

import bpy  # noqa: F401  # mathutils comes with it
import numpy as np
from mathutils.bvhtree import BVHTree

from benchmarks import buildings, placed_rows, scenes
from benchmarks.rows import from_arrays
from benchmarks.table import Row, fastest
from core import (
    FINDING_CLASSES,
    Audit,
    SceneOctree,
    Triangles,
    audit,
    audit_again,
    build_octree,
    overlapping_pairs,
)

Rows = Iterator[Row]
NEAR = FINDING_CLASSES.index("near")
CLEARANCE, MOVED = 0.03, 0.01  # meters
SPREAD = 2.5


def crossing(seconds: float, scale: float) -> Rows:
    """Find all pairs of triangles of two large meshes that cross, trees built beforehand."""
    one = scenes.landscape(int(200_000 * scale))
    c, s = np.cos(0.3), np.sin(0.3)
    tilt = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    meshes = (one, scenes.Mesh(one.vertices @ tilt.T + 0.1, one.faces))
    trees = [build_octree(Triangles(mesh.vertices, mesh.faces)) for mesh in meshes]
    bvhs = [from_arrays(mesh) for mesh in meshes]
    ours, theirs, ready = fastest(
        lambda: overlapping_pairs(*trees),
        lambda: _overlap(*bvhs),
        lambda: bvhs[0].overlap(bvhs[1]),
        seconds=seconds,
    )
    found, known = overlapping_pairs(*trees), _overlap(*bvhs)
    keys = [np.sort(pairs[0] << 32 | pairs[1]) for pairs in (found, known)]
    answers = f"{found.shape[1]:,} pairs, {len(np.setxor1d(*keys)):,} on the rim"
    what = f"two meshes of {len(one):,} triangles that cross"
    yield Row(what, "BVHTree.overlap", ours, theirs, ready, 3.0, 1.5, answers=answers)


def _overlap(one: BVHTree, other: BVHTree) -> np.ndarray:
    return np.array(one.overlap(other), np.intp).reshape(-1, 2).T


def audit_building(seconds: float, scale: float) -> Rows:
    """Audit a building, straight and turned, and again after an object has moved."""
    office = buildings.office(max(1, round(buildings.FLOORS * scale)))
    for building in (office, office.turned(0.5), *buildings.given()):
        scenes_of = [buildings.scene_of(building.objects)]
        kept: list[Audit] = []

        def anew(number: int, fresh: list = scenes_of, made: object = building) -> None:
            fresh[:] = [buildings.scene_of(made.objects)]

        def ask(fresh: list = scenes_of, kept: list = kept) -> None:
            kept[:] = [audit(fresh[0], clearance=CLEARANCE)]

        (whole,) = fastest(ask, seconds=seconds, before=anew, turns=2)
        what = f"{building.name}: {len(building):,} objects, {len(building.faces):,} triangles"
        goals = {"must": 1.0, "aim": 0.375} if building.name == "office" else {}
        yield Row(
            f"{what}, all classes", "the goal", whole, 8_000.0, **goals, answers=_told(kept[0])
        )
        again, same = _again(scenes_of[0], kept[0], seconds)
        goals = {"must": 1 / 20, "aim": 1 / 50} if building.name == "office" else {}
        yield Row(f"{building.name}, 1 moved", "all classes", again, whole, **goals, answers=same)


def _told(found: Audit) -> str:
    """Return the numbers of touching and of near pairs as text."""
    contacts = np.unique(found.pairs[:, found.classes != NEAR], axis=1).shape[1]
    return f"{contacts:,} in contact, {np.count_nonzero(found.classes == NEAR):,} near"


def _again(scene: SceneOctree, before: Audit, seconds: float) -> tuple[float, str]:
    """Move the object of the median size to and fro, and audit it again, in ms."""
    boxes = scene.bounds_of(scene.ids)
    sizes = (boxes.upper - boxes.lower).prod(axis=1)
    moved = scene.ids[[np.argsort(sizes)[len(sizes) // 2]]]
    matrices, kept = scene.matrices_of(moved), [before]

    def move(_: int) -> None:
        matrices[:, 0, 3] = MOVED - matrices[:, 0, 3]
        scene.move(moved, matrices)

    def ask() -> None:
        kept[:] = [audit_again(scene, kept[0], moved)]

    (again,) = fastest(ask, seconds=seconds, before=move)
    found = audit(scene, clearance=CLEARANCE, band=before.band or None)
    same = all(
        np.array_equal(getattr(kept[0], name), getattr(found, name))
        for name in ("classes", "pairs", "lower", "upper")
    )
    return again, f"{'equal' if same else 'DIFFER'}: {len(found):,} findings"


def audit_many(seconds: float, scale: float) -> Rows:
    """Audit 10,000 objects that are mostly apart."""
    count = int(10_000 * scale)
    which, matrices = placed_rows.places(count)
    matrices = matrices.copy()
    matrices[:, :3, 3] *= SPREAD
    meshes = placed_rows.meshes()[3:]
    fresh: list[SceneOctree] = []
    kept: list[Audit] = []

    def anew(_: int) -> None:
        scene = SceneOctree()
        numbers = np.array([scene.add_mesh(mesh) for mesh in meshes])
        scene.place(numbers[which % len(meshes)], matrices)
        fresh[:] = [scene]

    (ours,) = fastest(
        lambda: kept.__setitem__(slice(None), [audit(fresh[0])]), seconds=seconds, before=anew
    )
    triangles = sum(len(meshes[number]) for number in which % len(meshes))
    what = f"{count:,} placements, {triangles:,} triangles placed, all classes"
    yield Row(what, "the goal", ours, 4_000.0, None, 1.0, 0.5, answers=_told(kept[0]))


EVERY = (crossing, audit_building, audit_many)
