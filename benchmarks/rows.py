"""The rows: each compares our functions with the means of a Blender user, arrays to arrays.

Every function takes the seconds to spend on a row and a factor for the sizes, and yields rows.
"""

from collections.abc import Iterator
from functools import cache

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from benchmarks import memory, scan, scenes
from benchmarks.table import Row, fastest
from core import Frusta, Octree, Spheres, Triangles, build_octree, query
from octree_ext.octree_addon import reader

Rows = Iterator[Row]
landscape = cache(scenes.landscape)


@cache
def our_tree(triangles: int) -> Octree:
    """Build the octree of a landscape with default options."""
    mesh = landscape(triangles)
    return build_octree(Triangles(mesh.vertices, mesh.faces))


@cache
def their_tree(triangles: int) -> BVHTree:
    """Build Blender's tree of the same landscape."""
    return from_arrays(landscape(triangles))


def from_arrays(mesh: scenes.Mesh) -> BVHTree:
    """Make Blender's tree of arrays, as it must be: by way of lists."""
    vertices, faces = mesh.vertices.tolist(), mesh.faces.tolist()
    return BVHTree.FromPolygons(vertices, faces, all_triangles=True)


def build(seconds: float, scale: float) -> Rows:
    """Build at three sizes, against both of Blender's ways."""
    for triangles, must, aim in (
        (20_000, (None, None), (None, None)),
        (200_000, (None, None), (0.55, 0.4)),
        (1_000_000, (1.6, 1.0), (0.55, 0.4)),
    ):
        yield from _build(seconds, int(triangles * scale), must, aim)


def _build(seconds: float, triangles: int, by_object: tuple, by_polygons: tuple) -> Rows:
    mesh = landscape(triangles)
    subject = scenes.blender_object(mesh)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    vertices, faces = mesh.vertices.tolist(), mesh.faces.tolist()
    ours, of_object, of_arrays, of_lists = fastest(
        lambda: build_octree(Triangles(mesh.vertices, mesh.faces)),
        lambda: BVHTree.FromObject(subject, depsgraph),
        lambda: from_arrays(mesh),
        lambda: BVHTree.FromPolygons(vertices, faces, all_triangles=True),
        seconds=seconds,
    )
    bpy.data.objects.remove(subject)
    what = f"build, {len(mesh):,} triangles"
    must, aim = by_object
    yield Row(what, "BVHTree.FromObject", ours, of_object, must=must, aim=aim)
    must, aim = by_polygons
    yield Row(what, "BVHTree.FromPolygons", ours, of_arrays, of_lists, must, aim)


def spheres(seconds: float, scale: float) -> Rows:
    """Ask 10,000 spheres that touch about 25 triangles each, in two sizes of mesh."""
    for triangles in (200_000, 1_000_000):
        yield _spheres(seconds, int(triangles * scale))


def _spheres(seconds: float, triangles: int) -> Row:
    mesh, tree, bvh = landscape(triangles), our_tree(triangles), their_tree(triangles)
    centers = scenes.places_on(mesh, 10_000)
    radius = scenes.radius_touching(25, bvh, centers[:300])
    radii = np.full(len(centers), radius)
    vectors = [Vector(center) for center in centers]
    ours, theirs, ready = fastest(
        lambda: query(tree, Spheres(centers, radii)),
        lambda: sphere_loop(bvh, centers, radius),
        lambda: [bvh.find_nearest_range(vector, radius) for vector in vectors],
        seconds=seconds,
    )
    answers = sphere_answers(tree, centers, radius, sphere_loop(bvh, centers, radius))
    what = f"10,000 spheres, {len(mesh):,} triangles"
    return Row(what, "find_nearest_range", ours, theirs, ready, 0.7, 0.4, answers=answers)


def sphere_loop(bvh: BVHTree, centers: np.ndarray, radius: float) -> np.ndarray:
    """Ask Blender one sphere after another: pairs (2, h) of sphere and triangle."""
    answers = [bvh.find_nearest_range(center, radius) for center in centers.tolist()]
    counts = [len(hits) for hits in answers]
    items = np.array([hit[2] for hits in answers for hit in hits], dtype=np.intp)
    return np.stack([np.repeat(np.arange(len(answers)), counts), items])


def sphere_answers(tree: Octree, centers: np.ndarray, radius: float, theirs: np.ndarray) -> str:
    """Hold Blender's single precision between our answers for a little less and a little more."""
    slack = 1e-6 * np.abs(tree.node_upper[0] - tree.node_lower[0]).max()
    less, ours, more = (
        _keys(query(tree, Spheres(centers, np.full(len(centers), radius + change))))
        for change in (-slack, 0.0, slack)
    )
    known = _keys(theirs)
    if not (np.isin(less, known).all() and np.isin(known, more).all()):
        return f"DIFFER: {len(ours):,} and {len(known):,} hits"
    return f"equal: {len(ours):,} hits, {len(np.setxor1d(ours, known))} on the rim"


def _keys(pairs: np.ndarray) -> np.ndarray:
    return pairs[0] << 32 | pairs[1]


def frusta(seconds: float, scale: float) -> Rows:
    """Query the frusta of cameras that see a small part and half of the triangles."""
    yield from _frustum(seconds, int(1_000_000 * scale), share=0.05, must=0.5, aim=0.3)
    yield from _frustum(seconds, int(1_000_000 * scale), share=0.5, must=1.0, aim=0.7)


def _frustum(seconds: float, triangles: int, share: float, must: float, aim: float) -> Rows:
    mesh, tree = landscape(triangles), our_tree(triangles)
    corners = scan.corners_of(mesh.vertices, mesh.faces)
    matrix = scenes.camera_seeing(share, corners)
    planes = scenes.planes_of(matrix)
    ours, sums, products = fastest(
        lambda: query(tree, Frusta.from_matrices(matrix[None])),
        lambda: scan.touching(corners, planes, scan.by_sums),
        lambda: scan.touching(corners, planes, scan.by_products),
        seconds=seconds,
    )
    what = f"frustum seeing {share:.0%} of {len(mesh):,}"
    answers = frustum_answers(tree, matrix, corners)
    yield Row(what, "scan, sums", ours, sums, None, must, aim, answers=answers)
    yield Row(what, "scan, matrix products", ours, products)


def frustum_answers(tree: Octree, matrix: np.ndarray, corners: np.ndarray) -> str:
    """Compare: the same lie inside, and what touches is among what the planes let pass."""
    frustum, planes = Frusta.from_matrices(matrix[None]), scenes.planes_of(matrix)
    inside, ours = query(tree, frustum, relation="inside")[1], query(tree, frustum)[1]
    passed = scan.touching(corners, planes)
    same = np.array_equal(inside, scan.inside(corners, planes))
    if not (same and np.isin(ours, passed).all() and np.isin(inside, ours).all()):
        return f"DIFFER: {len(ours):,} and {len(passed):,} hits"
    return f"equal: {len(ours):,} hits, the planes alone pass {len(passed) - len(ours)} more"


def single(seconds: float, scale: float) -> Rows:
    """Ask one sphere at a time, a hundred times."""
    triangles = int(1_000_000 * scale)
    mesh, tree, bvh = landscape(triangles), our_tree(triangles), their_tree(triangles)
    centers = scenes.places_on(mesh, 100)
    radius = scenes.radius_touching(25, bvh, centers)
    ours, theirs = fastest(
        lambda: [query(tree, Spheres(center[None], [radius])) for center in centers],
        lambda: [sphere_loop(bvh, center[None], radius) for center in centers],
        seconds=seconds,
    )
    ours, theirs = ours / len(centers), theirs / len(centers)
    what = f"one sphere alone, {len(mesh):,} triangles"
    yield Row(what, "find_nearest_range", ours, theirs, None, 1.0, 0.3, absolute=True)


def reading(seconds: float, scale: float) -> Rows:
    """Turn a Blender mesh into arrays, against the way of the tutorials."""
    mesh = scenes.blender_object(landscape(int(1_000_000 * scale))).data
    ours, theirs = fastest(
        lambda: reader.mesh_arrays(changed(mesh)),
        lambda: scenes.textbook_arrays(changed(mesh)),
        seconds=seconds,
    )
    what = f"mesh to arrays, {len(mesh.polygons):,} triangles"
    yield Row(what, 'foreach_get("vertices")', ours, theirs, None, 20.0, 12.0, absolute=True)


def changed(mesh: bpy.types.Mesh) -> bpy.types.Mesh:
    """Have Blender forget the triangles that it made of the polygons."""
    mesh.vertices[0].co = mesh.vertices[0].co
    return mesh


def peak(seconds: float, scale: float) -> Rows:
    """Build once, each in a process of its own, and compare the highest use of memory."""
    mesh = landscape(int(1_000_000 * scale))
    ours, theirs = memory.peaks(mesh.vertices, mesh.faces)
    yield Row(f"peak memory, {len(mesh):,}", "BVHTree.FromPolygons", ours, theirs, unit="MB")


EVERY = (build, spheres, frusta, single, reading, peak)
