"""Defects of other libraries in geometry and in numbers, each with its name."""

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, assert_true_answers, built, flags
from numpy.testing import assert_array_equal

from core import Boxes, Frusta, Spheres, Triangles, query

UNIT = Boxes([[0, 0, 0]], [[1, 1, 1]])


def touched(items, volumes, **options):
    return query(built(items, **options), volumes)[1].tolist()


def test_a_box_at_the_frustums_corner_is_outside():
    """The box is outside of no single plane: a test of planes would keep it."""
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    view = Frusta([[*((x, y, 0) for x, y in ring), *((x, y, 4) for x, y in 10 * ring)]])
    boxes = Boxes([[10.5, -30, 0], [10, -30, 0], [10.5, -30, 5]], np.full((3, 3), 40))
    assert planes_alone(view, boxes).tolist() == [[True, True, False]]
    assert touched(boxes, view) == [1]


def test_boxes_that_only_products_of_edges_part_from_a_frustum():
    """No plane of the frustum and no axis of the box separates them."""
    boxes = scenes.as_boxes(scenes.random(2000, 0.5))
    views = scenes.views_about(boxes, 20)
    bounds = views.bounds()
    maybe = planes_alone(views, boxes) & oracle.touching(boxes, bounds)
    false = maybe & ~oracle.touching(boxes, views, 1e-9)
    assert false.sum() > 50
    found = flags(query(built(boxes), views), views, boxes)
    assert not (found & false).any()


def planes_alone(frusta, boxes):
    origins, normals = (rows[:, None, :, None] for rows in oracle.half_spaces(frusta, np.asarray))
    points = oracle.corners_of(boxes)[None, :, None]
    return (oracle.dot(points - origins, normals) >= 0).any(axis=3).all(axis=2)


def test_a_triangle_that_crosses_the_frustum_without_a_vertex_in_it():
    view = scenes.hexahedra(Boxes([[-1, -1, 1]], [[1, 1, 5]]))
    wall = Triangles([[-90, -90, 3], [90, -90, 3], [0, 90, 3]], [[0, 1, 2]])
    assert touched(wall, view) == [0]


def test_a_sphere_near_a_boxs_corner():
    """A box grown by the radius says yes."""
    corner = Spheres([[4, 4, 1], [4, 5, 1], [-2, -3, 7]], [5, 4.9, 9])
    assert touched(UNIT, corner[0]) == [0]
    assert touched(UNIT, corner[1]) == []
    assert touched(corner, UNIT) == [0, 2]


def test_two_crossing_bars():
    """No bar has a corner in another."""
    bars = Boxes([[-9, -1, -1], [-1, -9, -1], [-1, -1, -9]], [[9, 1, 1], [1, 9, 1], [1, 1, 9]])
    assert_array_equal(query(built(bars, capacity=1), bars), np.indices((3, 3)).reshape(2, -1))


@pytest.mark.parametrize("size", [3e-4, 1e-9, 1e-30])
@pytest.mark.parametrize("about", scenes.ABOUT)
def test_tiny_edges(about, size):
    items = scenes.moved(scenes.random(), size)
    tree = built(items, capacity=8)
    assert tree.node_depth.max() > 1
    assert_true_answers(tree, about(items))


@pytest.mark.parametrize("size", [3e-4, 1e-9])
def test_tiny_triangles_in_a_large_scene(size):
    corners = scenes.random(600).vertices.reshape(-1, 3, 3)
    corners = corners[:, :1] + size * (corners - corners[:, :1])
    tree = built(scenes.loose_triangles(corners), capacity=4)
    middles = Spheres(corners.mean(axis=1), np.full(600, size))
    pairs = query(tree, middles)
    assert np.isin(np.arange(600) * 601, pairs[0] * 600 + pairs[1]).all()
    assert_true_answers(tree, middles[:40])


@pytest.mark.parametrize("far", [1e5, 1e8, -1e8])
@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("about", scenes.ABOUT)
def test_far_from_the_origin(about, kind, far):
    items = kind(scenes.moved(scenes.random(), 1, (far, 0, far / 3)))
    tree = built(items, capacity=8)
    assert tree.node_depth.max() > 0
    assert_true_answers(tree, about(items))
    assert query(tree, Spheres([[far, 0, far / 3]], [5]))[1].tolist() == list(range(300))


def test_obtuse_triangles_in_all_seven_regions():
    """The nearest point is on the face, on each edge, and at each corner."""
    triangle = Triangles([[0, 0, 0], [12, 0, 0], [-4, 3, 0]], [[0, 1, 2]])
    near = [
        (1, 1, 2),
        (5, -2, 0),
        (4, 3.75, 0),
        (-2.6, 1.2, 0),
        (-1, -2, 2),
        (14, 1, 2),
        (-6, 4, 2),
    ]
    radii = np.sqrt([4, 4, 4 * 265 / 256, 0.36, 9, 9, 9])
    assert_true_answers(built(triangle), Spheres(near, radii * (1 + 1e-6)))
    assert_true_answers(built(triangle), Spheres(near, radii * (1 - 1e-6)))
    exact = Spheres([near[k] for k in (0, 1, 4, 5, 6)], [2, 2, 3, 3, 3])
    assert query(built(triangle), exact)[0].tolist() == [0, 1, 2, 3, 4]


def test_a_sphere_beside_an_edge_in_the_triangles_plane():
    triangle = Triangles([[0, 0, 0], [4, 0, 0], [0, 4, 0]], [[0, 1, 2]])
    beside = Spheres(
        [[2, -1, 0], [2, -1, 0], [-3, 2, 0], [5, 5, 0], [5, 5, 0]], [1, 0.99, 3, 4.3, 4.2]
    )
    assert query(built(triangle), beside)[0].tolist() == [0, 2, 3]


def test_slivers_against_exact_fractions():
    """Where rounding hides on which side of an edge the foot of a perpendicular lies."""
    tree = built(scenes.slivers()[:60], capacity=4)
    assert_true_answers(tree, scenes.spheres_about(tree.items, 30), exactly=True)


@pytest.mark.parametrize("about", scenes.WHOLE_VOLUMES)
def test_triangles_of_no_area(about):
    corners = scenes.numbers(30).integers(-6, 7, (60, 3, 3))
    corners[:20, 1] = corners[:20, 0]
    corners[20:40, 2] = 2 * corners[20:40, 1] - corners[20:40, 0]
    corners[40:50] = corners[40:50, :1]
    assert_true_answers(
        built(scenes.loose_triangles(corners), capacity=4), about(60), exactly=True
    )


def test_a_sphere_at_the_frustums_edge_is_not_its_box():
    """Castle Game Engine tests the sphere's box; the box reaches the edge, the sphere does not."""
    view = scenes.hexahedra(Boxes([[0, 0, 0]], [[4, 4, 4]]))
    spheres = Spheres([[-3, -4, 2], [-3, -4, 2], [7, 2, 8], [-2, -3, -6]], [5, 4.9, 4.9, 7])
    assert touched(spheres, view) == [0, 3]
    assert touched(spheres.bounds(), view) == [0, 1, 2, 3]


def test_a_sphere_takes_no_cell_for_its_box():
    """Nor is a question's sphere: the cells in the corners of its box are dropped."""
    places = np.array([(x, y, z) for x in (-9, 9) for y in (-9, 9) for z in (-9, 9)])
    tree = built(Spheres(places, np.zeros(8)), capacity=1)
    assert query(tree, Spheres([[0, 0, 0]], [9.1]), relation="candidates")[1].tolist() == list(
        range(8)
    )
    corner = Spheres([[-6, -6, -6]], [8.4])
    assert query(tree, corner, relation="candidates")[1].tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("wall", [0.5, 1 / 3, 1e5, 1e-30])
def test_a_rounding_beside_a_wall_is_enough_and_no_more(wall, policy):
    """A tolerance for the placement of items must not affect query results."""
    below, above = np.nextafter(wall, -np.inf), np.nextafter(wall, np.inf)
    beside = np.array([below, wall, above])
    places = np.full((43, 3), 0.7 * wall)
    places[:, 0] = np.sort(np.concatenate((beside, np.linspace(0, 2 * wall, 40))))
    items = Spheres(places, np.zeros(43))
    root = Boxes([[0, 0, 0]], [[2 * wall] * 3])
    tree = built(items, capacity=4, max_depth=20, straddlers=policy, bounds=root)
    assert tree.node_middle[0, 0] == wall
    first = int(np.flatnonzero(places[:, 0] == below)[0])
    assert_array_equal(query(tree, items), [np.arange(43)] * 2)
    left = Boxes([[0, 0, 0]], [[below, wall, wall]])
    right = Boxes([[above, 0, 0]], [[2 * wall, wall, wall]])
    assert_array_equal(query(tree, left)[1], np.arange(first + 1))
    assert_array_equal(query(tree, right)[1], np.arange(first + 2, 43))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -3, 1e-3), (2, 0, -1), (0, 0, 5), (0, 0, 0)])
def test_mirrored_stretched_and_flattened_meshes(scale, policy):
    items = scenes.moved(scenes.random(), np.array(scale, float))
    tree = built(items, capacity=8, max_depth=6, straddlers=policy)
    for volumes in (scenes.whole_spheres(), scenes.whole_boxes()):
        assert_true_answers(tree, scenes.moved(volumes, 0.1))
