"""Quads that the kernel splits are split as Blender splits them, whatever shape they have."""

import bpy
import kernel_meshes
import numpy as np
import pytest
from blender_scenes import depsgraph, monkey, text
from tuned import tuned

from octree_ext import core, octree_addon
from octree_ext.core import Triangles, compiled, run, split_quads
from octree_ext.octree_addon.reader import mesh_arrays, mesh_layers, meshes

needs_kernel = pytest.mark.skipif(bool(compiled.why_not()), reason=compiled.why_not() or "there")


def blender_mesh(positions, corners, polygons):
    """Make a mesh of polygons."""
    sizes = np.bincount(polygons) + 2 if len(polygons) else np.empty(0, np.int64)
    mesh = bpy.data.meshes.new("Quads")
    mesh.vertices.add(len(positions))
    mesh.attributes["position"].data.foreach_set("vector", positions.ravel())
    mesh.loops.add(len(corners))
    mesh.loops.foreach_set("vertex_index", corners)
    mesh.polygons.add(len(sizes))
    mesh.polygons.foreach_set("loop_start", (np.cumsum(sizes) - sizes).astype(np.int32))
    mesh.update(calc_edges=True)
    return mesh


def cache_normals(mesh):
    """Let Blender know the normals of faces, by which it may split otherwise."""
    normals = np.empty(3 * len(mesh.polygons), np.float32)
    mesh.polygon_normals.foreach_get("vector", normals)


def own_triangles(mesh):
    """Ask Blender: the corners of triangles, their vertices, and their polygons."""
    mesh.calc_loop_triangles()
    found = [(tuple(t.loops), tuple(t.vertices), t.polygon_index) for t in mesh.loop_triangles]
    corners, vertices, polygons = zip(*found, strict=True) if found else ((), (), ())
    return (
        np.array(corners, int).reshape(-1, 3),
        np.array(vertices, int).reshape(-1, 3),
        np.array(polygons, int),
    )


@needs_kernel
@pytest.mark.parametrize("has_normals", [False, True])
@pytest.mark.parametrize("shape", kernel_meshes.SHAPES)
def test_each_quad_that_is_certain_is_split_as_by_blender(shape, has_normals):
    """Quad by quad, since one in doubt leaves all of a mesh to Blender."""
    random = np.random.default_rng(7)
    places = kernel_meshes.quads_of(random, 2_000, shape)
    corners = np.arange(4, dtype=np.int32)
    alone = [split_quads(each, corners, np.zeros(2, np.int32)) for each in places]
    mesh = blender_mesh(
        places.reshape(-1, 3),
        np.arange(8_000, dtype=np.int32),
        np.arange(2_000, dtype=np.int32).repeat(2),
    )
    if has_normals:
        cache_normals(mesh)
    _, vertices, _ = own_triangles(mesh)
    expected = vertices.reshape(-1, 2, 3) - 4 * np.arange(2_000)[:, None, None]
    told = [number for number, faces in enumerate(alone) if faces is not None]
    assert len(told) > 1_000 or shape in ("whole", "line", "point", "sizes", "far")
    for number in told:
        assert np.array_equal(alone[number].T, expected[number]), (shape, places[number])


@tuned(octree_addon, split_triangles=0)
@pytest.mark.parametrize("has_normals", [False, True])
@pytest.mark.parametrize("shape", kernel_meshes.SHAPES)
def test_meshes_are_read_as_blender_splits_them(shape, has_normals):
    for seed in range(15):
        random = np.random.default_rng(seed)
        count = int(random.choice([1, 2, 60]))
        given = kernel_meshes.polygons_of(random, count, shape)
        one, other = blender_mesh(*given), blender_mesh(*given)
        if has_normals:
            cache_normals(one)
            cache_normals(other)
        corners, vertices, polygons = own_triangles(other)
        assert_read(one, corners, vertices, polygons)


def assert_read(mesh, corners, vertices, polygons):
    """Compare what is read of a mesh with what Blender says of it."""
    found, layers = mesh_arrays(mesh), mesh_layers(mesh)
    assert np.array_equal(found.triangles, vertices)
    assert np.array_equal(found.polygons, polygons)
    for triangles, of in (
        meshes.triangle_corners(mesh),
        (layers.triangle_corners, layers.triangle_polygons),
    ):
        assert triangles.dtype == np.int32 and triangles.flags.c_contiguous
        assert np.array_equal(triangles, corners)
        assert np.array_equal(of, polygons)


@tuned(octree_addon, split_triangles=0)
@pytest.mark.parametrize("make", [monkey, text])
def test_meshes_that_are_evaluated_are_read_as_blender_splits_them(make):
    """Text has triangles alone."""
    evaluated = make().evaluated_get(depsgraph())
    read, again = (evaluated.to_mesh().copy() for _ in range(2))
    assert_read(read, *own_triangles(again))


@needs_kernel
def test_only_large_meshes_are_split_by_the_kernel(monkeypatch):
    asked = []

    def split(positions, corners, polygons, *, by_corner=False):
        asked.append(len(polygons))
        return split_quads(positions, corners, polygons, by_corner=by_corner)

    monkeypatch.setattr(meshes, "split_quads", split)
    mesh = blender_mesh(*kernel_meshes.polygons_of(np.random.default_rng(0), 60, "convex"))
    count = meshes.triangle_count(mesh)
    with tuned(octree_addon, split_triangles=count):
        before = mesh_arrays(mesh)
    assert asked == []
    with tuned(octree_addon, split_triangles=count - 1):
        now = mesh_arrays(mesh)
    assert asked == [count]
    assert now.triangles.dtype == np.intp
    assert np.array_equal(before.triangles, now.triangles)
    assert meshes.sample_of(before) == meshes.sample_of(now)
    with tuned(core, piece=7):
        made = run(Triangles.steps(now.positions, now.triangles))
    assert np.shares_memory(made.faces, now.triangles)  # and is not copied
