"""Meshes of chunks: polygons, corners' attributes and edges; and where the triangles are."""

import audit_scenes as solids
import clip_oracle as oracle
import core_scenes as scenes
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from core import (
    Triangles,
    chunk_polygons,
    chunks,
    density,
    interpolated,
    interpolated_normals,
    sphere_directions,
)


def quads(count=9):
    """Return a hilly square of quads that share vertices, and one pentagon beside it.

    Triangles, the polygon corners of each, their polygons, and where polygons begin.
    """
    x, y = np.meshgrid(*[np.linspace(-1, 1, count + 1)] * 2, indexing="ij")
    vertices = np.stack((x, y, 0.3 * np.sin(3 * x) * y), axis=-1).reshape(-1, 3)
    number = np.arange(len(vertices)).reshape(count + 1, -1)
    sides = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    polygons = np.stack([side.ravel() for side in sides], axis=1).tolist()
    angles = np.arange(5) * 2 * np.pi / 5
    rim = np.stack((1.6 + 0.4 * np.cos(angles), 0.4 * np.sin(angles), 0 * angles), axis=1)
    polygons.append([len(vertices) + corner for corner in range(5)])
    starts = np.cumsum([0, *map(len, polygons)])
    fans = [
        (start, start + i, start + i + 1, polygon)
        for polygon, start in enumerate(starts[:-1])
        for i in range(1, len(polygons[polygon]) - 1)
    ]
    fans = np.array(fans)
    faces = np.concatenate(polygons)[fans[:, :3]]
    return Triangles(np.concatenate((vertices, rim)), faces), fans[:, :3], fans[:, 3], starts


def made(budget=40, **options):
    items, corners, of, starts = quads()
    found = chunks(items, budget=budget, **options)
    return items, found, chunk_polygons(found, items.faces, corners, of, starts), starts


def test_polygons_in_one_chunk_stay_and_the_others_are_triangles():
    _items, found, polygons, starts = made()
    sizes = np.diff(polygons.starts)
    assert_array_equal(
        sizes[polygons.is_whole], np.diff(starts)[polygons.polygons[polygons.is_whole]]
    )
    assert (sizes[~polygons.is_whole] == 3).all()
    assert 20 < polygons.is_whole.sum() < len(starts) - 1
    assert (np.diff(polygons.cells) >= 0).all()
    # A whole polygon is the only part of its source and has its source's corners.
    kept, counts = np.unique(polygons.polygons, return_counts=True)
    assert (counts[np.isin(kept, polygons.polygons[polygons.is_whole])] == 1).all()
    assert set(kept) == set(range(len(starts) - 1))
    of_corner = np.repeat(np.arange(len(sizes)), sizes)
    corners = np.arange(len(of_corner)) - polygons.starts[of_corner]
    first = starts[polygons.polygons[of_corner]]
    whole = polygons.is_whole[of_corner]
    assert_array_equal(polygons.sources[whole, 0], (first + corners)[whole])
    assert_array_equal(polygons.edges[whole], (first + corners)[whole])
    assert (polygons.weights[whole] == (1, 0, 0)).all()
    # In all, the triangles of the chunks.
    assert (sizes - 2).sum() == found.counts.sum()
    assert_array_equal(np.bincount(polygons.cells, sizes - 2), found.counts)


def test_attributes_and_places_of_corners_are_interpolated():
    items, found, polygons, starts = made(budget=12)
    corner_places = np.empty((starts[-1], 3))
    items, corners, _of, starts = quads()
    corner_places[corners] = items.vertices[items.faces]
    places = interpolated(corner_places, polygons.sources, polygons.weights)
    assert_allclose(places, found.pieces.vertices[polygons.vertices], atol=1e-15)
    random = scenes.numbers(1)
    values = random.normal(size=(starts[-1], 4))
    wanted = (values[polygons.sources] * polygons.weights[:, :, None]).sum(axis=1)
    got = interpolated(values, polygons.sources, polygons.weights)
    assert_allclose(got, wanted, atol=1e-14)
    alone = (polygons.weights == 1).any(axis=1)
    source = polygons.sources[alone, polygons.weights[alone].argmax(axis=1)]
    assert_array_equal(got[alone], values[source])
    values[1:] = np.nan  # what counts nothing is not looked at
    assert np.isfinite(interpolated(values, [[0, 1, 2]], [[1, 0, 0]])).all()
    # Attributes equal on both sides of an edge stay equal at cuts, to the last bit.
    smooth = random.normal(size=(len(items.vertices), 2))
    corner_vertices = np.empty(starts[-1], int)
    corner_vertices[corners] = items.faces
    got = interpolated(smooth[corner_vertices], polygons.sources, polygons.weights)
    on_edge = (polygons.weights == 0).any(axis=1)
    order = np.argsort(polygons.vertices[on_edge], kind="stable")
    vertex, value = polygons.vertices[on_edge][order], got[on_edge][order]
    inner = np.isin(vertex, polygons.vertices[~on_edge])
    same = (vertex[1:] == vertex[:-1]) & ~inner[1:]
    assert same.sum() > 100
    assert_array_equal(value[1:][same], value[:-1][same])


def test_normals_stay_unit():
    normals = sphere_directions(30)
    sources = scenes.numbers(2).integers(0, 30, (50, 3))
    weights = scenes.numbers(3).dirichlet([1, 1, 1], 50)
    weights[:10] = 1, 0, 0
    found = interpolated_normals(normals, sources, weights)
    assert_array_equal(found[:10], normals[sources[:10, 0]])
    assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-15)
    assert_array_equal(
        interpolated_normals([[0, 0, 1], [0, 0, -1]], [[0, 1, 1]], [[0.5, 0.5, 0]]), [[0] * 3]
    )


def test_edges_of_pieces_tell_the_edge_of_their_polygon():
    items, found, polygons, starts = made(budget=12)
    vertices = found.pieces.vertices[polygons.vertices]
    sizes = np.diff(polygons.starts)
    following = np.arange(len(vertices)) + 1
    following[polygons.starts[1:] - 1] = polygons.starts[:-1]
    _, corners, _of, _ = quads()
    places = np.empty((starts[-1], 3))
    places[corners] = items.vertices[items.faces]
    after = np.arange(starts[-1]) + 1
    after[starts[1:] - 1] = starts[:-1]
    on = polygons.edges >= 0
    low, high = places[polygons.edges[on]], places[after[polygons.edges[on]]]
    for end in (vertices[on], vertices[following][on]):
        assert np.abs(np.cross(high - low, end - low)).max() < 1e-15
    # The parts of a source edge have its total length.
    lengths = np.linalg.norm(vertices[following] - vertices, axis=1)[on]
    total = np.bincount(polygons.edges[on], lengths, minlength=starts[-1])
    assert_allclose(total, np.linalg.norm(places[after] - places, axis=1), rtol=1e-13)
    assert sizes.sum() == len(vertices)


def test_triangles_assigned_apart_are_triangles():
    items, found, polygons, _starts = made(budget=12, modes=[1])
    assert len(found.pieces.faces) == 0
    parted = ~polygons.is_whole
    assert 0 < parted.sum()
    assert (polygons.edges[np.repeat(parted, np.diff(polygons.starts))] == -1).any()
    assert (np.diff(polygons.starts) - 2).sum() == len(items)


def test_all_are_triangles_where_that_is_asked_for():
    items, corners, of, starts = quads()
    found = chunks(items, budget=1000)
    polygons = chunk_polygons(found, items.faces, corners, of, starts, triangulate=True)
    assert not polygons.is_whole.any()
    assert_array_equal(np.diff(polygons.starts), 3)
    assert_array_equal(polygons.polygons, of)
    assert_array_equal(polygons.vertices, items.faces.ravel())
    # All sides are source edges, except diagonals that divide a polygon.
    assert (polygons.edges >= 0).sum() == starts[-1]


@pytest.mark.parametrize("options", [{"budget": 60}, {"budget": 0, "least_size": 0.2}])
def test_density_counts_each_triangle_once(options):
    items = scenes.random(400)
    vertices = items.vertices.copy()
    vertices[0] = np.nan
    items = Triangles(vertices, items.faces)
    owners, materials = np.arange(400) % 7, np.arange(400) % 3
    found = density(items, cell=0.5, owners=owners, materials=materials, **options)
    cells = found.chunks.cells
    centers = items.vertices[items.faces].sum(axis=1) / 3
    inside = cells >= 0
    assert_array_equal(inside, np.arange(400) > 0)
    lower, upper = found.chunks.lower[cells[inside]], found.chunks.upper[cells[inside]]
    assert ((centers[inside] >= lower) & (centers[inside] <= upper)).all()
    assert (
        found.chunks.counts.sum() == found.object_triangles.sum() == found.culprits[2].sum() == 399
    )
    areas = np.linalg.norm(oracle.area_vectors(items.vertices[items.faces]), axis=1) / 2
    for cell in range(len(found.volumes)):
        here = cells == cell
        assert found.objects[cell] == len(set(owners[here]))
        assert found.materials[cell] == len(set(materials[here]))
        assert_allclose(found.areas[cell], areas[here].sum(), rtol=1e-12)
        assert_allclose(found.densities[cell] * found.volumes[cell], here.sum())
        _, names, counts = found.culprits[:, found.culprits[0] == cell]
        assert_array_equal(counts, np.bincount(owners[here], minlength=7)[names])
        assert (np.diff(counts) <= 0).all()
    for owner in range(7):
        mine = inside & (owners == owner)
        corners = items.vertices[items.faces[mine]].reshape(-1, 3)
        assert_array_equal(found.object_lower[owner], corners.min(axis=0))
        assert_array_equal(found.object_upper[owner], corners.max(axis=0))
        assert_allclose(found.object_areas[owner], areas[mine].sum(), rtol=1e-12)
        assert found.object_cells[owner] == len(set(cells[mine]))


def test_a_box_is_as_dense_as_can_be_and_a_frame_sparse():
    box = solids.box((0, 0, 0), (1, 2, 3))
    assert_allclose(density(box).object_sparseness, 1.0)
    frame = Triangles([[0, 0, 0], [9, 0, 0], [9, 0.1, 9], [0, 9, 9]], [[0, 1, 2], [0, 2, 3]])
    alone = density(frame, owners=[0, 2])
    assert alone.object_sparseness[0] > 2
    assert np.isnan(alone.object_sparseness[1])
    empty = Triangles(np.empty((0, 3)), np.empty((0, 3), int))
    assert density(empty).culprits.shape == (3, 0)


@pytest.mark.parametrize(
    "polygon", [(1, 0, 5, 0, 4), (0, 1, 4, 0, 5), (0, 1, 2, 0, 3, 5), (0, 1, 0)]
)
@pytest.mark.parametrize("budget", [1, 2, 1000])
def test_no_polygon_names_a_vertex_twice(polygon, budget):
    """Nor does a piece, nor is one counted: Blender dies of such faces."""
    vertices = np.array([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (4, 0, 3), (0, 0, 3)], float)
    polygons, count = [polygon, (0, 1, 2, 3)], len(polygon)
    starts = np.array([0, count, count + 4])
    fans = [
        (start, start + i, start + i + 1, number)
        for number, start in enumerate(starts[:-1])
        for i in range(1, len(polygons[number]) - 1)
    ]
    fans = np.array(fans)
    faces = np.concatenate(polygons)[fans[:, :3]]
    found = chunks(Triangles(vertices, faces), budget=budget, least_size=0.5)
    made = chunk_polygons(found, faces, fans[:, :3], fans[:, 3], starts)
    rows = [each.tolist() for each in np.split(made.vertices, made.starts[1:-1])]
    assert all(len(set(row)) == len(row) >= 3 for row in rows)
    assert sum(len(row) - 2 for row in rows) == found.counts.sum()
    sound = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    wanted = areas_of(vertices[faces[sound]])
    assert_allclose(areas_of(triangles_in(found, made)), wanted, rtol=1e-12)


def triangles_in(found, made):
    """Return the triangles (t, 3, 3) of polygons that are triangles or convex."""
    rows = zip(made.starts[:-1], made.starts[1:], strict=True)
    corners = [(a, a + i, a + i + 1) for a, b in rows for i in range(1, b - a - 1)]
    return found.pieces.vertices[made.vertices[np.array(corners)]]


def areas_of(corners):
    sides = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return np.linalg.norm(np.cross(*sides), axis=1).sum() / 2


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_in_no_chunk_beside_what_is_cut_there(value):
    """Though it shares edges with what walls cut, whatever becomes of other objects."""
    items, *_ = quads()
    vertices = np.concatenate((items.vertices, items.vertices + np.array([5, 0, 0])))
    vertices[40] = value
    faces = np.concatenate((items.faces, items.faces + len(items.vertices)))
    owners = np.repeat([0, 1], len(items.faces))
    found = chunks(Triangles(vertices, faces), budget=9, owners=owners, modes=[0, 2])
    bad = (faces == 40).any(axis=1)
    assert (found.cells[bad] == -1).all()
    assert not np.isin(found.pieces.triangles, np.flatnonzero(bad)).any()
    assert (found.pieces.cells >= 0).all()
