"""The rows about placing: many props dropped at once, and stones pushed apart.

Every function is as those of `rows` are. Peers are what is done today: for each prop, lowest
first, the drop is halved twenty times by `BVHTree.overlap` with what already lies there; or one
ray a prop; stones pushed apart one after the other, each out of all others, in shuffled order;
along one axis, where it is installed, SciPy's `linprog`.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType

import bpy  # noqa: F401  # mathutils comes with it
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from benchmarks.table import Row, fastest
from core import SceneOctree, Slides, Triangles, audit, overlapping_objects, separate, slide

Rows = Iterator[Row]


def installed(name: str) -> ModuleType | None:
    """Import a peer, if it is there."""
    try:
        return import_module(name)
    except ImportError:
        return None


DOWN, ALONG = np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])
HALVINGS, RUNS, PASSES = 20, 20, 40
STONES, SIDE = 200, 7.9


def terrain(triangles: int) -> Triangles:
    """Make a hilly square of 200 units."""
    many = int(np.sqrt(triangles / 2))
    x, y = np.meshgrid(*2 * (np.linspace(0, 200, many + 1),), indexing="ij")
    z = 3 * np.sin(x / 7) * np.cos(y / 9) + 0.4 * np.sin(x * 1.3) * np.sin(y * 1.1)
    numbers = np.arange((many + 1) ** 2).reshape(many + 1, many + 1)
    a, b, c, d = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    faces = np.concatenate([np.stack(f, -1).reshape(-1, 3) for f in ((a, b, c), (a, c, d))])
    return Triangles(np.stack((x, y, z), -1).reshape(-1, 3), faces)


def stone(random: np.random.Generator, rings: int) -> Triangles:
    """Make a closed, bumpy ball of 4 (rings - 1) rings triangles."""
    down = np.linspace(0, np.pi, rings + 1)[1:-1, None]
    around = np.linspace(0, 2 * np.pi, 2 * rings + 1)[:-1]
    parts = np.sin(down) * np.cos(around), np.sin(down) * np.sin(around), np.cos(down) + 0 * around
    points = np.concatenate((np.stack(parts, -1).reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]))
    here = np.arange(2 * rings * (rings - 1)).reshape(rings - 1, -1)
    next_one = np.roll(here, -1, axis=1)
    top, bottom = np.full(2 * rings, len(points) - 2), np.full(2 * rings, len(points) - 1)
    quads = here[:-1], here[1:], next_one[:-1], next_one[1:]
    faces = [
        np.stack((top, here[0], next_one[0]), 1),
        np.stack((bottom, next_one[-1], here[-1]), 1),
    ]
    for each in ((0, 1, 2), (2, 1, 3)):
        faces.append(np.stack([quads[i] for i in each], -1).reshape(-1, 3))
    bumps = 1 + 0.3 * np.sin(3 * points @ random.normal(size=(3, 3))).mean(axis=1)
    return Triangles(points * bumps[:, None] * random.uniform(0.5, 1.2, 3), np.concatenate(faces))


def placed(meshes: list[Triangles], places: np.ndarray) -> SceneOctree:
    """Place each mesh once."""
    scene = SceneOctree()
    matrices = np.tile(np.eye(4), (len(meshes), 1, 1))
    matrices[:, :3, 3] = places
    scene.place([scene.add_mesh(mesh) for mesh in meshes], matrices)
    return scene


def tree_of(mesh: Triangles, place: np.ndarray) -> BVHTree:
    """Build Blender's tree of a mesh at a place."""
    return BVHTree.FromPolygons((mesh.vertices + place).tolist(), mesh.faces.tolist())


def drop(seconds: float, scale: float) -> Rows:
    """Drop props of a thousand triangles onto a terrain, and onto each other."""
    count, random = max(10, int(1_000 * scale)), np.random.default_rng(1)
    meshes = [terrain(int(1_000_000 * scale)), *(stone(random, 16) for _ in range(count))]
    places = np.zeros((count + 1, 3))
    places[1:, :2] = random.uniform(5, 195, (count, 2))
    places[1:, 2] = 8 + 4 * (np.arange(count) % 40)
    scene, trees = placed(meshes, places), [tree_of(meshes[0], places[0])]
    crossing = overlapping_objects(scene).shape[1]
    found = slid(scene)
    ours, theirs, rays = fastest(
        lambda: slid(scene),
        lambda: halved(meshes, places, trees[0]),
        lambda: by_rays(meshes, places, trees[0]),
        seconds=seconds,
        turns=1,
    )
    what = f"{count:,} props of {len(meshes[1]):,} triangles onto {len(meshes[0]):,}"
    again = slide(moved(scene, found.moves), scene.ids[1:], DOWN)
    more = again.crossing.sum() - found.crossing.sum()
    told = f"{more} cross more, slid again {np.abs(again.moves).max():.1g}"
    falls = halved(meshes, places, trees[0]), by_rays(meshes, places, trees[0])
    cut, struck = (
        overlapping_objects(moved(scene, np.outer(each, DOWN))).shape[1] for each in falls
    )
    yield Row(what, "20 halvings", ours, theirs, None, 1 / 3, 1 / 6, answers=told)
    told = f"pairs that overlap: {crossing} at first, {cut} halved, {struck} by rays"
    yield Row("the same", "a ray a prop", ours, rays, answers=told)


def slid(scene: SceneOctree) -> Slides:
    """Drop all placements but the first, by slides reduced by the rounding of moves.

    A placement that lies on a reduced one is reduced once more.
    """
    found = slide(scene, scene.ids[1:], DOWN)
    depth, above = np.zeros(len(scene)), found.onto >= 0
    while True:
        deeper = np.append(0.0, np.where(above, depth[found.onto] + 1, 0))
        if (deeper == depth).all():
            break
        depth = deeper
    step = 4 * np.spacing(np.abs(scene.bounds_of(scene.ids).upper).max())
    moves = found.moves - step * np.outer(depth[1:], DOWN)
    return replace(found, moves=np.minimum(moves, 0.0))


def moved(scene: SceneOctree, moves: np.ndarray) -> SceneOctree:
    """Return the scene with all but the first moved."""
    other = scene.only(scene.ids)
    matrices = other.matrices_of(other.ids[1:])
    matrices[:, :3, 3] += moves
    other.move(other.ids[1:], matrices)
    return other


def halved(meshes: list[Triangles], places: np.ndarray, ground: BVHTree) -> np.ndarray:
    """Drop each prop, lowest first, by halving the way that it overlaps nothing on."""
    lying, falls = [(ground, None, None)], np.zeros(len(meshes) - 1)
    bounds = [(mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)) for mesh in meshes]
    for number in 1 + np.argsort(places[1:, 2], kind="stable"):
        mesh, low, high = meshes[number], 0.0, places[number, 2] + 10
        lower, upper = (each + places[number] for each in bounds[number])
        below = [
            tree
            for tree, least, most in lying
            if least is None or ((least[:2] <= upper[:2]) & (most[:2] >= lower[:2])).all()
        ]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            tree = tree_of(mesh, places[number] + middle * DOWN)
            if any(tree.overlap(other) for other in below):
                high = middle
            else:
                low = middle
        falls[number - 1] = low
        lying.append((tree_of(mesh, places[number] + low * DOWN), lower, upper))
    return falls


def by_rays(meshes: list[Triangles], places: np.ndarray, ground: BVHTree) -> np.ndarray:
    """Drop each prop by one ray from its lowest point."""
    falls = np.zeros(len(meshes) - 1)
    for number in range(1, len(meshes)):
        vertices = meshes[number].vertices
        lowest = vertices[vertices[:, 2].argmin()] + places[number]
        distance = ground.ray_cast(Vector(lowest), Vector(DOWN))[3]
        falls[number - 1] = distance or 0.0
    return falls


def push_apart(seconds: float, scale: float) -> Rows:
    """Push stones apart, against the best of twenty sequential runs, by the sum of lengths."""
    count, random = max(10, int(STONES * scale)), np.random.default_rng(5)
    meshes = [stone(random, 6) for _ in range(count)]
    scene = placed(meshes, random.uniform(0, SIDE * np.cbrt(count / STONES), (count, 3)))
    pairs = overlapping_objects(scene).shape[1]
    (ours,) = fastest(lambda: separate(scene, scene.ids), seconds=seconds, turns=1)
    found = separate(scene, scene.ids)
    after = scene.only(scene.ids)
    matrices = after.matrices_of(after.ids)
    matrices[:, :3, 3] += found.moves
    after.move(after.ids, matrices)
    left = int((audit(after).classes < 3).sum())
    total = float(np.linalg.norm(found.moves, axis=1).sum())
    sequential = OneByOne(meshes, scene.matrices_of(scene.ids)[:, :3, 3])
    runs = [sequential.run(np.random.default_rng(run)) for run in range(max(2, int(RUNS * scale)))]
    parted = [length for length, are_apart in runs if are_apart]
    what = f"{count} stones, {pairs} pairs that overlap, sum of lengths"
    told = f"{left} overlap; {len(parted)} of {len(runs)} runs ended apart"
    best = min(parted, default=np.nan)
    yield Row(what, "one by one, the best", total, best, None, 1.1, 1.0, unit="", answers=told)
    yield Row("the same, time", "the goal", ours, 10_000.0, None, 1.0, 0.3)


def push_along(_: float, scale: float) -> Rows:
    """Push stones apart along one axis, against a linear program of the same order."""
    linprog = installed("scipy.optimize")
    count, random = max(10, int(STONES / 4 * scale)), np.random.default_rng(6)
    meshes = [stone(random, 6) for _ in range(count)]
    scene = placed(meshes, random.uniform(0, 0.8 * SIDE * np.cbrt(count / STONES), (count, 3)))
    moves = separate(scene, scene.ids, axes=[ALONG]).moves
    total, pairs = np.abs(moves).sum(), overlapping_objects(scene).shape[1]
    best = least(linprog, scene, moves) if linprog else np.nan
    what = f"{count} stones along one axis, {pairs} pairs that overlap, sum of lengths"
    yield Row(what, "linprog, the same order", total, best, None, 1.05, 1.0, unit="")


def least(optimize: ModuleType, scene: SceneOctree, moves: np.ndarray) -> float:
    """Return the least sum of moves along the axis that parts all in the order after some moves.

    The distance for each pair is found without `separate`: one slides to the other from afar.
    """
    boxes, afar = scene.bounds_of(scene.ids), 100.0
    near = (boxes.lower[:, None] <= boxes.upper) & (boxes.upper[:, None] >= boxes.lower)
    ones, others = np.triu(near[..., 1:].all(axis=2), 1).nonzero()
    places = ((boxes.lower + boxes.upper) / 2 + moves) @ ALONG
    swapped = places[ones] > places[others]
    before, behind = np.where(swapped, others, ones), np.where(swapped, ones, others)
    needs = np.empty(len(before))
    for row, pair in enumerate(zip(before.tolist(), behind.tolist(), strict=True)):
        both = scene.only(scene.ids[list(pair)])
        matrices = both.matrices_of(both.ids)
        row_moved = both.ids == scene.ids[pair[1]]
        matrices[row_moved, :3, 3] += afar * ALONG
        both.move(both.ids, matrices)
        needs[row] = afar - slide(both, both.ids[row_moved], -ALONG).distances[0]
    some = np.isfinite(needs)
    rules, count = np.zeros((some.sum(), 2 * len(scene))), len(scene)
    rows = np.arange(len(rules))
    for side, sign in ((behind[some], -1.0), (before[some], 1.0)):
        rules[rows, side], rules[rows, count + side] = sign, -sign
    found = optimize.linprog(np.ones(2 * count), A_ub=rules, b_ub=-needs[some])
    return float(found.fun)


class OneByOne:
    """Stones that are pushed out of all others in turn, by Blender's trees, in shuffled order.

    A stone takes the shortest way out of the boxes of what it overlaps, along an axis, and as
    little of that, by halving, as its own triangles ask for. It may then overlap others: passes
    are bounded, so that it always ends.
    """

    def __init__(self, meshes: list[Triangles], places: np.ndarray) -> None:
        self._meshes, self._places = meshes, places
        self._lower = np.stack([mesh.vertices.min(axis=0) for mesh in meshes])
        self._upper = np.stack([mesh.vertices.max(axis=0) for mesh in meshes])

    def run(self, random: np.random.Generator) -> tuple[float, bool]:
        """Return the sum of lengths, and whether all are apart."""
        self._now = self._places.copy()
        self._trees = [tree_of(*each) for each in zip(self._meshes, self._now, strict=True)]
        for _ in range(PASSES):
            order = random.permutation(len(self._now)).tolist()
            pushed = [self._pushed(one) for one in order]
            if not any(pushed):
                return float(np.linalg.norm(self._now - self._places, axis=1).sum()), True
        return float(np.linalg.norm(self._now - self._places, axis=1).sum()), False

    def _pushed(self, one: int) -> bool:
        """Push a stone out of overlapping stones; return whether there were any."""
        others = self._overlapped(one, self._trees[one], self._now[one])
        if not others:
            return False
        low, high = self._now[one] + self._lower[one], self._now[one] + self._upper[one]
        there = self._now[others]
        exits = np.concatenate(
            (
                (there + self._upper[others] - low).max(axis=0),
                (high - there - self._lower[others]).max(axis=0),
            )
        )
        best = int(exits.argmin())
        way = np.eye(3)[best % 3] * (1 if best < 3 else -1)
        short, far = 0.0, exits[best] + 1e-6
        for _ in range(HALVINGS // 2):
            middle = (short + far) / 2
            tree = tree_of(self._meshes[one], self._now[one] + middle * way)
            if any(tree.overlap(self._trees[other]) for other in others):
                short = middle
            else:
                far = middle
        self._now[one] += far * way
        self._trees[one] = tree_of(self._meshes[one], self._now[one])
        return True

    def _overlapped(self, one: int, tree: BVHTree, place: np.ndarray) -> list[int]:
        near = (self._now + self._lower <= place + self._upper[one]).all(axis=1)
        near &= (self._now + self._upper >= place + self._lower[one]).all(axis=1)
        near[one] = False
        return [each for each in near.nonzero()[0].tolist() if tree.overlap(self._trees[each])]


EVERY = (drop, push_apart, push_along)
