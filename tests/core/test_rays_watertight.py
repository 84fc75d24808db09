"""No ray slips out of a closed mesh, wherever it is aimed."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import built

from core import Triangles, ray_cast, ray_cast_all, ray_test

CLOSED = {"uv_sphere": scenes.uv_sphere, "icosphere": scenes.icosphere}


def welded(items):
    """Make corners at one place one vertex."""
    corners = items.vertices[items.faces.ravel()].round(12)
    vertices, faces = np.unique(corners, axis=0, return_inverse=True)
    return Triangles(vertices, faces.reshape(-1, 3))


def targets(items, count=3000):
    """Vertices, middles of edges, and other points on edges."""
    corners, random = items.vertices[items.faces], scenes.numbers(31)
    starts, ends = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    picks = random.integers(0, len(starts), count)
    share = random.uniform(0, 1, (count, 1))
    on_edges = starts[picks] + share * (ends - starts)[picks]
    return np.concatenate((items.vertices, (starts + ends) / 2, on_edges))


@pytest.mark.parametrize("far", [0, 1e5, 1e8])
@pytest.mark.parametrize("mesh", CLOSED)
def test_rays_at_edges_and_vertices_never_escape(mesh, far):
    shift = np.array([far, -far, far / 3])
    items = scenes.moved(welded(CLOSED[mesh]()), 1, shift)
    tree, aims = built(items, capacity=8), targets(items)
    eyes = shift + scenes.numbers(32).uniform(-0.4, 0.4, aims.shape)
    assert ray_test(tree, eyes, aims - eyes).all()
    hits = ray_cast(tree, eyes, aims - eyes)
    assert (hits.items >= 0).all()
    # A rounding of the target moves the hit along surfaces seen at a slant.
    assert np.abs(hits.positions - aims).max() < 1e-12 + 1e-13 * abs(far)


@pytest.mark.parametrize("mesh", CLOSED)
def test_rays_from_outside_cross_as_often_inwards_as_outwards(mesh):
    """Not so at edges and vertices, where neighbors are crossed together."""
    items = welded(CLOSED[mesh]())
    eyes = scenes.numbers(33).normal(size=(2000, 3))
    eyes *= 3 / np.linalg.norm(eyes, axis=1)[:, None]
    aims = scenes.numbers(34).uniform(-0.5, 0.5, (2000, 3))
    found = ray_cast_all(built(items), eyes, aims - eyes)
    assert (np.bincount(found.pairs[0], minlength=2000) == 2).all()


def test_rays_in_whole_numbers_through_a_lattice_hit_every_corner_and_edge():
    """Through each vertex of a triangulated floor, from places in whole numbers."""
    items = scenes.grid()
    sheet = Triangles(items.vertices, items.faces[: len(items) // 3])
    tree = built(sheet, capacity=1, bounds=scenes.smallest_cube(sheet))
    aims = sheet.vertices[: 9 * 9]
    for eye in ([3, 5, 20], [-7, 2, 13], [4, 4, -9]):
        hits = ray_cast(tree, np.broadcast_to(eye, aims.shape), aims - eye)
        assert (hits.items >= 0).all()
        np.testing.assert_allclose(hits.positions, aims, atol=1e-12)
        shared = ray_cast_all(tree, np.broadcast_to(eye, aims.shape), aims - eye).pairs[0]
        faces_at = np.bincount(sheet.faces.ravel(), minlength=len(sheet.vertices))[: 9 * 9]
        assert np.array_equal(np.bincount(shared), faces_at)
