"""The rows about placed meshes: two levels against one octree over all baked triangles.

Every function is as those of `rows` are. 10,000 placements of five meshes, 6.7M triangles placed;
what Blender itself takes for a ray into such a scene is asked elsewhere.
"""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import cache, partial

import bpy
import numpy as np

from benchmarks import memory, scan, scenes
from benchmarks.table import Row, fastest
from core import (
    Frusta,
    Octree,
    SceneOctree,
    Spheres,
    Triangles,
    audit,
    build_octree,
    distances,
    nearest,
    overlapping_objects,
    overlapping_pairs,
    query,
    query_count,
    ray_cast,
)

Rows = Iterator[Row]
PEER = "one octree, baked"
COUNT, ASKED = 10_000, 10_000
# Approximate distance between centers of neighbors; meshes are about two units wide.
APART = 4.5
# The most seconds that these rows take together are a multiple of this.
SECONDS = 2.0
MESHES = {
    "monkey": bpy.ops.mesh.primitive_monkey_add,
    "ball": bpy.ops.mesh.primitive_uv_sphere_add,
    "ring": partial(bpy.ops.mesh.primitive_torus_add, major_segments=24, minor_segments=12),
    "stone": partial(bpy.ops.mesh.primitive_ico_sphere_add, subdivisions=3),
    "post": partial(bpy.ops.mesh.primitive_cylinder_add, vertices=128),
}


@cache
def meshes() -> tuple[Triangles, ...]:
    """Make five meshes of Blender's."""
    return tuple(_mesh(add) for add in MESHES.values())


def _mesh(add: Callable[[], object]) -> Triangles:
    add()
    made = bpy.context.object
    arrays = scenes.textbook_arrays(made.data)
    bpy.data.objects.remove(made)
    return Triangles(*arrays)


@cache
def places(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a mesh for each placement, and matrices that turn, scale and spread them."""
    random = np.random.default_rng(5)
    matrices = np.zeros((count, 4, 4))
    matrices[:, :3, :3] = _turns(random.normal(size=(count, 4)))
    matrices[:, :3, :3] *= random.uniform(0.5, 1.5, size=(count, 1, 1))
    matrices[:, :3, 3] = random.uniform(0.0, _side(count), size=(count, 3))
    matrices[:, 3, 3] = 1.0
    # Blender keeps single precision.
    return random.integers(len(MESHES), size=count), matrices.astype(np.float32).astype(float)


def _side(count: int) -> float:
    return APART * float(np.cbrt(count))


def _turns(quaternions: np.ndarray) -> np.ndarray:
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1)[:, None]).T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def index(count: int) -> SceneOctree:
    """Make the index of a scene, ready to be asked."""
    which, matrices = places(count)
    scene = SceneOctree()
    numbers = np.array([scene.add_mesh(mesh) for mesh in meshes()])
    scene.place(numbers[which], matrices)
    for _ in scene.prepare_steps():
        pass
    return scene


@cache
def stage(count: int) -> tuple[SceneOctree, Octree, np.ndarray]:
    """Return a scene, the octree of its baked triangles, and the placement of each of these."""
    scene = index(count)
    counts = [len(mesh) for mesh in meshes()]
    owners = np.repeat(scene.ids, np.array(counts)[scene.meshes_of(scene.ids)])
    return scene, build_octree(scene.triangles_of(scene.ids)), owners


def placed_changes(seconds: float, scale: float) -> Rows:
    """Make the index, and bring it up to date after 50 placements have moved."""
    count = int(COUNT * scale)
    (made,) = fastest(lambda: index(count), seconds=min(seconds, SECONDS))
    scene, (_, matrices) = index(count), places(count)
    later = matrices.copy()

    def prepare(number: int) -> None:
        later[:50, :3, 3] += 0.01

    (few,) = fastest(
        lambda: scene.move(scene.ids[:50], later[:50]), seconds=seconds / 5, before=prepare
    )
    (all_given,) = fastest(
        lambda: scene.move(scene.ids, later), seconds=seconds / 5, before=prepare
    )
    triangles = scene.triangles_of(scene.ids)
    (baked,) = fastest(lambda: build_octree(triangles), seconds=0.0, turns=1)
    what = f"{count:,} placements of 5 meshes: "
    yield Row(f"{what}index made", PEER, made, baked, None, 500, 200, absolute=True)
    yield Row(f"{what}50 moved", PEER, few, baked, None, 15, 5, absolute=True)
    yield Row(f"{what}50 moved, all given", PEER, all_given, baked, None, 15, 5, absolute=True)


def placed_rays(seconds: float, scale: float) -> Rows:
    """Cast 20,000 rays from anywhere to anywhere."""
    scene, tree, owners = stage(int(COUNT * scale))
    random, side = np.random.default_rng(2), _side(len(scene))
    count = int(2 * ASKED * scale)
    rays = random.uniform(0.0, side, (count, 3)), random.normal(size=(count, 3))
    ours, theirs = fastest(
        lambda: ray_cast(scene, *rays),
        lambda: ray_cast(tree, *rays),
        seconds=min(seconds, SECONDS),
    )
    found, baked = ray_cast(scene, *rays), ray_cast(tree, *rays)
    same = np.array_equal(found.placements, np.append(owners, -1)[baked.items])
    yield Row(f"{count:,} rays", PEER, ours, theirs, answers=_answers(same, found.items >= 0))


def placed_frusta(seconds: float, scale: float) -> Rows:
    """Query frusta of cameras beside the scene that see a small part and half of it."""
    scene, tree, _ = stage(int(COUNT * scale))
    for share in (0.05, 0.5):
        frustum = Frusta.from_matrices(_camera(scene, share)[None])
        yield _volumes(f"frustum seeing {share:.0%}", frustum, scene, tree, seconds, 1.2, 0.7)


def _camera(scene: SceneOctree, share: float) -> np.ndarray:
    """Find a camera that sees this share of the placements."""
    middles = scene.matrices_of(scene.ids)[:, :3, 3].T
    # The benchmark's camera looks at the middle of a landscape of its own width.
    fit = np.eye(4)
    width = 2 * scenes.HALF_WIDTH / _side(len(scene))
    fit[:3] = np.column_stack((np.eye(3) * width, np.full(3, -scenes.HALF_WIDTH)))
    corners = np.broadcast_to(fit[:3, :3] @ middles + fit[:3, 3:], (3, *middles.shape))

    def seen(angle: float) -> float:
        planes = scenes.planes_of(scenes.camera(angle))
        return len(scan.touching(corners, planes)) / len(scene)

    angle = scenes.bisect(share, seen, np.radians(1), np.radians(150))
    return scenes.camera(angle) @ fit


def placed_spheres(seconds: float, scale: float) -> Rows:
    """Ask 10,000 spheres on the surfaces, that touch 3 and 60 triangles each."""
    scene, tree, _ = stage(int(COUNT * scale))
    centers = _on_surface(tree, int(ASKED * scale))
    for hits, must, aim in ((3, 1.0, 0.6), (60, 2.0, 1.2)):

        def touched(radius: float) -> float:
            some = centers[:1000]
            return float(query_count(tree, Spheres(some, np.full(len(some), radius))).mean())

        radius = scenes.bisect(hits, touched, 0.0, 2.0, steps=16)
        spheres = Spheres(centers, np.full(len(centers), radius))
        what = f"{len(centers):,} spheres of {hits} hits"
        yield _volumes(what, spheres, scene, tree, seconds, must, aim)


def _on_surface(tree: Octree, count: int) -> np.ndarray:
    """Return middles of some triangles, (count, 3)."""
    chosen = np.random.default_rng(3).integers(len(tree.items), size=count)
    return tree.items.vertices[tree.items.faces[chosen]].mean(axis=1)


def _volumes(
    what: str,
    volumes: Frusta | Spheres,
    scene: SceneOctree,
    tree: Octree,
    seconds: float,
    must: float,
    aim: float,
) -> Row:
    ours, theirs = fastest(
        lambda: query(scene, volumes), lambda: query(tree, volumes), seconds=min(seconds, SECONDS)
    )
    found, baked = query(scene, volumes), query(tree, volumes)
    starts = np.cumsum([0, *(len(meshes()[i]) for i in scene.meshes_of(scene.ids))])
    same = np.array_equal(starts[found[1]] + found[2], baked[1])
    answers = _answers(same and np.array_equal(found[0], baked[0]), found[0])
    return Row(what, PEER, ours, theirs, None, must, aim, answers=answers)


def placed_nearest(seconds: float, scale: float) -> Rows:
    """Ask for the nearest triangles of 10,000 points between the meshes, and near them."""
    scene, tree, owners = stage(int(COUNT * scale))
    count, random = int(ASKED * scale), np.random.default_rng(4)
    near = _on_surface(tree, count) + random.normal(0.0, 0.05, (count, 3))
    for where, points in (
        ("anywhere", random.uniform(0.0, _side(len(scene)), (count, 3))),
        ("near surfaces", near),
    ):
        ours, theirs = fastest(
            lambda points=points: nearest(scene, points),
            lambda points=points: nearest(tree, points),
            seconds=min(seconds, SECONDS),
        )
        found, baked = nearest(scene, points), nearest(tree, points)
        same = np.array_equal(found.placements, owners[baked.items])
        answers = _answers(same, found.items)
        what = f"{count:,} nearest, {where}"
        yield Row(what, PEER, ours, theirs, None, 2.0, 1.2, answers=answers)


def placed_pairs(seconds: float, scale: float) -> Rows:
    """Find all pairs of triangles of different placements that touch, and all such placements."""
    scene, tree, owners = stage(int(COUNT * scale))
    asks = {
        "ours": lambda: overlapping_pairs(scene),
        "objects": lambda: overlapping_objects(scene),
        "theirs": lambda: overlapping_pairs(tree, owners=owners),
    }
    kept = {}
    ours, objects, theirs = fastest(
        *(lambda name=name, ask=ask: kept.update({name: ask()}) for name, ask in asks.items()),
        seconds=0.0,
        turns=1,
    )
    baked = owners[kept["theirs"]]
    answers = _answers(np.array_equal(kept["ours"][[0, 2]], baked), baked[0])
    yield Row("all pairs of triangles", PEER, ours, theirs, None, 1.5, 1.0, answers=answers)
    same = np.array_equal(kept["objects"], np.unique(baked, axis=1))
    answers = _answers(same, kept["objects"][0])
    yield Row("all pairs of placements", PEER, objects, theirs, answers=answers)


def placed_memory(seconds: float, scale: float) -> Rows:
    """Make the index of 30,000 placements of three meshes in a process of its own."""
    count = int(30_000 * scale)
    which, matrices = places(count)
    some = meshes()[2:]
    used = memory.peak_of_placed(some, which % 3, matrices)
    times = np.bincount(which % 3, minlength=3).tolist()
    baked = sum(
        (mesh.vertices.nbytes + mesh.faces.nbytes) * n for mesh, n in zip(some, times, strict=True)
    )
    triangles = sum(len(mesh) * n for mesh, n in zip(some, times, strict=True))
    what = f"peak memory, {count:,} placements of 3 meshes, asked"
    against = f"{triangles:,} triangles, baked"
    yield Row(what, against, used, baked / 2**20, None, 300, 150, absolute=True, unit="MB")


def pool_memory(seconds: float, scale: float) -> Rows:
    """Measure the memory per triangle of distinct meshes after each kind of query."""
    count = max(2, int(100 * scale))
    add = partial(bpy.ops.mesh.primitive_torus_add, major_segments=100, minor_segments=50)
    vertices, faces = (_mesh(add).vertices, _mesh(add).faces)
    frames = np.tile(np.eye(4), (count, 1, 1))
    frames[:, 0, 3] = 2.4 * np.arange(count)
    middles, above = frames[:, :3, 3], np.array([0.0, 0.0, 9.0])
    tracemalloc.start()
    scene = SceneOctree()
    # The corners of each are its own, and what a caller would keep anyway.
    given = [Triangles(vertices * (1 + 1e-3 * number), faces) for number in range(count)]
    before = tracemalloc.get_traced_memory()[0]
    scene.place([scene.add_mesh(mesh) for mesh in given], frames)
    query(scene, Spheres(middles, np.full(count, 1.0)))
    query(scene, Frusta.from_matrices([np.diag([0.01, 4, 4, 1.0])]))
    ray_cast(scene, middles + above, np.tile([0.1, 0, -1.0], (count, 1)))
    nearest(scene, middles + 1)
    overlapping_pairs(scene)
    distances(scene, [[0], [1]])
    audit(scene, ones=[0], others=[1])
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    triangles = sum(map(len, given))
    each, its = held / triangles, vertices.nbytes / len(faces) + faces.nbytes / len(faces)
    what = f"bytes a triangle of {count} meshes, {triangles:,}, each kind of question asked"
    yield Row(what, "vertices and faces", each, its, None, 140, 100, absolute=True, unit="B")


def city(seconds: float, scale: float) -> Rows:
    """Cast rays, and look for the nearest, in a city of boxes of all sizes on a large ground."""
    scene, tree, corners = _city(2_000)
    random, count = np.random.default_rng(2), int(2 * ASKED * scale)
    points = corners[random.integers(len(corners), size=count)] + random.normal(size=(count, 3))
    ways = random.normal(size=(count, 3))
    for name, ask in (
        ("rays into a city", lambda index: ray_cast(index, points, ways)),
        ("nearest in a city", lambda index: nearest(index, points)),
    ):
        ours, theirs = fastest(partial(ask, scene), partial(ask, tree), seconds=seconds)
        same = np.array_equal(ask(scene).items, ask(tree).items)
        told = _answers(same, np.ravel(ask(scene).items) >= 0)
        yield Row(f"{count:,} {name}", PEER, ours, theirs, answers=told)


def _city(count: int) -> tuple[SceneOctree, Octree, np.ndarray]:
    """Return a scene of one mesh, its octree, and the corners of its boxes."""
    random, corners = np.random.default_rng(9), np.indices((2, 2, 2)).reshape(3, 8).T
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    faces = np.array(quads)[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    edges = np.exp(random.uniform(0, np.log(1_000), (count, 1, 3)))
    places = random.uniform(0, 5_000, (count, 1, 3)) * [1, 1, 0]
    vertices = (places + corners * edges).reshape(-1, 3)
    ground = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * 10_000.0
    number = 8 * count
    mesh = Triangles(
        np.concatenate((vertices, ground)),
        np.concatenate(
            (
                (8 * np.arange(count)[:, None, None] + faces).reshape(-1, 3),
                [[number, number + 1, number + 2], [number, number + 2, number + 3]],
            )
        ),
    )
    scene = SceneOctree()
    scene.place([scene.add_mesh(mesh)], np.eye(4)[None])
    return scene, build_octree(mesh), vertices


def _answers(same: bool, hits: np.ndarray) -> str:
    count = int(hits.sum()) if hits.dtype == bool else len(hits)
    return f"{'equal' if same else 'DIFFER'}: {count:,} hits"


EVERY = (
    placed_changes,
    placed_rays,
    placed_frusta,
    placed_spheres,
    placed_nearest,
    placed_pairs,
    placed_memory,
    pool_memory,
    city,
)
