"""The rows about distances of objects, and about props that fit in a room.

Every function is as those of `rows` are. Peers are `coal` and `manifold3d`, where they are
installed, and Blender's tree, whose `overlap` is asked for each candidate. The rest of a prop's
answers is told, too: what lies whole in something touches no triangle of it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

import bpy  # noqa: F401  # mathutils comes with it
import numpy as np
from mathutils.bvhtree import BVHTree

from benchmarks.place_rows import installed, placed, stone, tree_of
from benchmarks.table import Row, fastest
from core import SceneOctree, Triangles, distances, fits, nearest_objects

Rows = Iterator[Row]
# Average distance of stones, side of a room, and its number of pieces of furniture.
APART, ROOM, FURNITURE = 3.5, 16.0, 208


def gaps(seconds: float, scale: float) -> Rows:
    """Measure how far each of many closed meshes is from its nearest."""
    count, random = max(10, int(1_000 * scale)), np.random.default_rng(7)
    meshes = [stone(random, 16) for _ in range(count)]
    side = int(np.ceil(np.cbrt(count)))
    grid = np.stack(np.unravel_index(np.arange(count), (side,) * 3), 1)
    places = grid * APART + random.uniform(-0.5, 0.5, (count, 3))
    scene = placed(meshes, places)
    near = nearest_objects(scene, scene.ids)[:, 0]
    pairs = np.stack((scene.ids, near))
    what = f"{count:,} distances to the nearest, {len(meshes[0]):,} triangles each"
    found = distances(scene, pairs).distances
    for name, make, measure in PEERS:
        peer = installed(name)
        if peer is None:
            continue
        models = partial(made, partial(make, peer), meshes)
        asked = partial(measure, places, pairs, peer)
        ours, theirs, ready = fastest(
            lambda: distances(scene, pairs),
            partial(with_models, asked, models),
            partial(asked, models()),
            seconds=seconds,
            turns=1,
        )
        apart = np.abs(asked(models()) - found).max()
        yield Row(what, name, ours, theirs, ready, 0.1, 0.03, answers=f"differ by {apart:.1g}")


def with_models(asked: Callable, models: Callable) -> np.ndarray:
    """Make the models and ask."""
    return asked(models())


def made(make: Callable, meshes: list[Triangles]) -> list:
    """Make the models of a peer."""
    return [make(mesh) for mesh in meshes]


def coal_model(coal: ModuleType, mesh: Triangles) -> object:
    """Hand a mesh over."""
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(mesh.faces), len(mesh.vertices))
    model.addVertices(mesh.vertices)
    model.addTriangles(mesh.faces)
    model.endModel()
    return model


def coal_distances(
    places: np.ndarray, pairs: np.ndarray, coal: ModuleType, models: list
) -> np.ndarray:
    """Ask for one pair after the other."""
    upright = np.eye(3)
    found = [
        coal.distance(
            models[one],
            coal.Transform3s(upright, places[one]),
            models[other],
            coal.Transform3s(upright, places[other]),
            coal.DistanceRequest(),
            coal.DistanceResult(),
        )
        for one, other in pairs.T.tolist()
    ]
    return np.array(found)


def manifold(manifold3d: ModuleType, mesh: Triangles) -> object:
    """Hand a closed mesh over, in double precision."""
    made = manifold3d.Mesh64(np.array(mesh.vertices), np.array(mesh.faces, np.uint64))
    return manifold3d.Manifold(made)


def manifold_distances(
    places: np.ndarray, pairs: np.ndarray, _: ModuleType, models: list
) -> np.ndarray:
    """Ask for one pair after the other, up to far beyond the nearest."""
    moved = [model.translate(place) for model, place in zip(models, places.tolist(), strict=True)]
    found = [moved[one].min_gap(moved[other], 4 * APART) for one, other in pairs.T.tolist()]
    return np.array(found)


PEERS: tuple[tuple[str, Callable, Callable], ...] = (
    ("coal", coal_model, coal_distances),
    ("manifold3d", manifold, manifold_distances),
)


def room(random: np.random.Generator, scale: float) -> tuple[list[Triangles], np.ndarray]:
    """Furnish a room with stones."""
    count = max(8, int(FURNITURE * scale))
    places = random.uniform(0, ROOM * np.cbrt(count / FURNITURE), (count, 3))
    return [stone(random, 16) for _ in range(count)], places


def fitting(seconds: float, scale: float) -> Rows:
    """Test where a prop fits, compared with a query of Blender's tree per candidate."""
    random = np.random.default_rng(11)
    meshes, places = room(random, scale)
    prop, count = stone(random, 16), max(100, int(10_000 * scale))
    matrices = np.tile(np.eye(4), (count, 1, 1))
    for matrix in matrices:
        matrix[:3, :3] = np.linalg.qr(random.normal(size=(3, 3)))[0]
    matrices[:, :3, 3] = random.uniform(0, places.max(), (count, 3))
    scene = placed(meshes, places)
    joined = whole(meshes, places)
    tree = tree_of(joined, np.zeros(3))
    free = fits(scene, prop, matrices)
    ours, theirs = fastest(
        lambda: fits(scene, prop, matrices),
        lambda: tried(tree, prop, matrices),
        seconds=seconds,
        turns=1,
    )
    missed = tried(tree, prop, matrices)
    inner = np.flatnonzero(missed & ~free)
    told = f"{free.sum():,} fit; {len(inner)} more by the tree"
    told += (
        f", {nested(scene, prop, matrices[inner])} of them inside; {(free & ~missed).sum()} less"
    )
    what = f"{count:,} candidates of {len(prop):,} triangles among {len(joined):,}"
    yield Row(what, "BVHTree.overlap", ours, theirs, None, 0.8, 0.5, answers=told)


def whole(meshes: list[Triangles], places: np.ndarray) -> Triangles:
    """Join meshes at their places into one."""
    counts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])[:-1]
    vertices = [mesh.vertices + place for mesh, place in zip(meshes, places, strict=True)]
    faces = [mesh.faces + first for mesh, first in zip(meshes, counts.tolist(), strict=True)]
    return Triangles(np.concatenate(vertices), np.concatenate(faces))


def tried(tree: BVHTree, prop: Triangles, matrices: np.ndarray) -> np.ndarray:
    """Ask for each candidate whether it overlaps."""
    faces, flags = prop.faces.tolist(), np.empty(len(matrices), bool)
    for number, matrix in enumerate(matrices):
        vertices = prop.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        flags[number] = not tree.overlap(BVHTree.FromPolygons(vertices.tolist(), faces))
    return flags


def nested(scene: SceneOctree, prop: Triangles, matrices: np.ndarray) -> int:
    """Count the candidates that touch nothing, so that they lie in something or hold it."""
    both = scene.only(scene.ids)
    count, mesh = 0, both.add_mesh(prop)
    for matrix in matrices:
        (one,) = both.place([mesh], matrix[None])
        near = distances(both, np.stack((scene.ids, np.full(len(scene.ids), one))))
        count += bool((near.distances > 0).all() and (near.inside >= 0).any())
        both.remove([one])
    return count


EVERY = (gaps, fitting)
