"""Defects of other libraries in rays and in the nearest item, each with its name."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_allclose, assert_array_equal

from core import (
    CROSSING,
    Boxes,
    Spheres,
    Triangles,
    nearest,
    ray_cast,
    ray_cast_all,
    ray_test,
    trace,
)

X, Z = np.eye(3)[[0, 2]]


def terrain(side=40):
    """Make rolling ground over the square from -1 to 1."""
    x, y = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-1, 1, side + 1)] * 2))
    first = np.arange((side + 1) ** 2).reshape(side + 1, -1)[:-1, :-1].ravel()
    quads = first[:, None] + [0, 1, side + 2, side + 1]
    vertices = np.column_stack((x, y, 0.2 * np.sin(5 * x) * np.cos(4 * y)))
    return Triangles(vertices, quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("way", [-1, 1])
def test_a_ray_along_an_axis_over_a_terrain_does_not_look_at_everything(turn, way):
    """Zero times infinity is NaN; comparisons with it switched the culling off."""
    ground = terrain()
    turned = Triangles(np.roll(ground.vertices, turn, axis=1), ground.faces)
    tree = built(turned, capacity=8)
    flat, down = scenes.numbers(70).uniform(-0.9, 0.9, (20, 2)), np.roll(way * Z, turn)
    places = np.roll(np.column_stack((flat, np.full(20, -way))), turn, axis=1)
    assert ray_test(tree, places, np.tile(down, (20, 1))).all()
    crossed = [(trace(tree, (place, down, np.inf)) == CROSSING).sum() for place in places]
    assert max(crossed) < 6 * tree.node_depth.max() < 0.05 * len(tree.node_depth)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_hit_in_another_cell_waits_for_nearer_ones(policy):
    """A long triangle is in the ray's first cell, but the ray meets it in the last cell."""
    slope = [[-1, -1, 0.9], [1, -1, 0.9], [0, 99, 0.9]]
    sheet = np.array([[-8, -1, -8], [9, -1, 9], [0.5, 40, 0.5]])
    small = [[4, -0.1, -0.1], [4, 0.2, -0.1], [4, -0.1, 0.2]]
    more = [[[x, 0.4, 0.4], [x, 0.5, 0.4], [x, 0.4, 0.5]] for x in np.linspace(-8, 9, 30)]
    tree = built(
        scenes.loose_triangles([sheet + 5 * X, small, slope, *more]),
        capacity=2,
        straddlers=policy,
    )
    hits = ray_cast(tree, [[-8, 0, 0.01]], [X])
    assert hits.items.tolist() == [1]
    assert hits.distances.tolist() == [12]
    everything = ray_cast_all(tree, [[-8, 0, 0.01]], [X])
    assert everything.pairs[1].tolist() == [1, 0]
    assert everything.distances[1] > 12


@pytest.mark.parametrize("policy", POLICIES)
def test_a_ray_that_starts_in_a_cell_looks_at_it(policy):
    """Entering behind itself, at a negative distance, counts as entering at 0."""
    places = np.stack(np.meshgrid(*[np.arange(8) + 0.5] * 3), axis=-1).reshape(-1, 3)
    tree = built(Boxes(places - 0.4, places + 0.4), capacity=1, straddlers=policy)
    for shift in (0, 0.45, 0.5):
        hits = ray_cast(tree, places - shift * X, np.tile(X, (512, 1)))
        assert_array_equal(hits.items, np.arange(512))
        assert_allclose(hits.distances, max(0, shift - 0.4), atol=1e-12)


@pytest.mark.parametrize("far", [1e5, 1e8])
def test_rays_and_nearest_far_from_the_origin(far):
    """Single precision misses by whole triangles there."""
    shift = np.array([far, -far, far / 3]).round()
    ground = terrain()
    near, moved = built(ground, capacity=8), built(scenes.moved(ground, 1, shift), capacity=8)
    places = scenes.numbers(71).uniform(-0.9, 0.9, (200, 3)) * (1, 1, 0) + Z
    down = np.tile(-Z, (200, 1))
    one, other = (
        ray_cast(tree, at, down) for tree, at in ((near, places), (moved, places + shift))
    )
    assert (other.items >= 0).all()
    assert_allclose(other.distances, one.distances, atol=1e-7)
    assert (one.items == other.items).mean() > 0.9
    one, other = nearest(near, places), nearest(moved, places + shift)
    assert_allclose(other.distances, one.distances, atol=1e-7)


def test_a_ray_through_a_shared_vertex_or_edge_is_stopped():
    ground = terrain(8)
    tree = built(ground, capacity=4)
    inner = ground.vertices[(np.abs(ground.vertices[:, :2]) < 1).all(axis=1)]
    edges = ground.vertices[ground.faces[:, :2]].mean(axis=1)
    edges = edges[(np.abs(edges[:, :2]) < 1).all(axis=1)]
    for places in (inner, edges):
        down = np.tile(-Z, (len(places), 1))
        assert ray_test(tree, places * (1, 1, 0) + Z, down).all()


@pytest.mark.parametrize("size", [3e-4, 1e-12])
def test_a_ray_meets_triangles_with_tiny_edges(size):
    """A determinant below 1e-7 is not zero."""
    tree = built(scenes.loose_triangles([[[0, 0, 0], [size, 0, 0], [0, size, 0]]]))
    assert ray_cast(tree, [[size / 4, size / 4, 1]], [-Z]).items.tolist() == [0]


@pytest.mark.parametrize("kind", scenes.KINDS)
def test_nothing_is_nearest_for_a_nothing_and_ties_go_to_the_smaller(kind):
    """More wanted than there are; from outside the root; two that are equally far."""
    items = kind(scenes.loose_triangles([np.full((3, 3), x) for x in (5, -5, 5, -5)]))
    found = nearest(built(items, capacity=1), [[0, 0, 0], [900, 900, 900]], count=6)
    assert found.items.tolist() == [[0, 1, 2, 3, -1, -1], [0, 2, 1, 3, -1, -1]]
    assert np.isinf(found.distances[:, 4:]).all()
    assert np.isnan(found.positions[:, 4:]).all()


def test_nearest_prunes_by_the_distance_to_a_cell_not_to_its_middle():
    """The nearest item sticks out of a large far cell; a nearer cell's middle misleads."""
    items = Spheres([[9.9, 0, 0], [0, 0, 0], [10.2, 3, 0], [20, 9, 9], [20, -9, -9]], [0.05] * 5)
    found = nearest(built(items, capacity=1), [[10.05, 0, 0]], count=2)
    assert found.items.tolist() == [[0, 2]]
