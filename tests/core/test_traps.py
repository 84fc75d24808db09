"""Defects that users of other libraries reported, each with its name."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, assert_true_answers, built
from numpy.testing import assert_array_equal

from core import Boxes, Frusta, Spheres, Triangles, build_octree, query, statistics

UNIT = Boxes([[0, 0, 0]], [[1, 1, 1]])


def touched(items, volumes, **options):
    return query(built(items, **options), volumes)[1].tolist()


def points(*places):
    return Spheres(places, np.zeros(len(places)))


# Building


@pytest.mark.parametrize("policy", POLICIES)
def test_a_fan_of_more_triangles_than_capacity_ends(policy):
    """Kurt Miller's octree divides the pole of a UV sphere for ever."""
    tree = built(scenes.uv_sphere(32, 16), capacity=30, max_depth=20, straddlers=policy)
    assert tree.node_depth.max() <= 20
    assert statistics(tree).references_per_item < 20
    assert_array_equal(query(tree, points((0, 0, 1)))[1], np.arange(960)[touching_pole()])


def touching_pole():
    triangles = scenes.uv_sphere(32, 16)
    return (triangles.vertices[triangles.faces] == (0, 0, 1)).all(axis=2).any(axis=1)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_coincident_items_end_in_one_leaf(kind, policy):
    item = kind(scenes.random())[np.zeros(100, int)]
    tree = built(item, straddlers=policy)
    assert len(tree.node_depth) == 1
    assert_array_equal(tree.items_in(0), np.arange(100))


def test_coincident_items_beside_others_make_no_chain_of_cells():
    """The pile and the far point part at once; the pile is then divided no further."""
    tree = built(points(*[(0.1, 0.1, 0.1)] * 100, (1, 1, 1), (0, 0, 0)), capacity=8)
    deepest = tree.node_depth[tree.cells_of([5])[1]]
    assert deepest.max() < 5
    assert tree.item_counts.max() == 100


def test_one_tiny_and_one_far_item():
    tree = built(points((0, 0, 0), (1e-30, 0, 0), (1, 1, 1)), capacity=1)
    assert len(tree.node_depth) == 9
    assert touched(tree.items, points((1e-30, 0, 0)), capacity=1) == [1]


@pytest.mark.parametrize("scene", ["uv_sphere", "icosphere", "random", "clustered"])
def test_straddlers_do_not_multiply(scene):
    """By default; a larger capacity and the other policies are for what is left."""
    assert statistics(built(scenes.SCENES[scene]())).references_per_item < 8


def test_child_walls_do_not_drift_apart():
    bounds = Boxes([[0.1, 0.2, 0.3]], [[0.7, 0.9, 1.1]])
    tree = built(
        points((0.1, 0.2, 0.3), (0.1 + 0.6 * 2**-19.5, 0.2, 0.3)),
        capacity=1,
        max_depth=20,
        bounds=bounds,
    )
    walls = np.concatenate((tree.node_lower[:, 0], tree.node_upper[:, 0]))
    depth = tree.node_depth.max()
    assert depth == 20
    assert len(np.unique(walls)) == depth + 2
    assert touched(tree.items, points(*tree.node_middle[~tree.is_leaf][-1:]), capacity=1) == []


# Walls of cells


@pytest.mark.parametrize("policy", POLICIES)
def test_a_point_on_a_middle_plane_is_found(policy):
    """A strict comparison puts it in none of eight leaves."""
    places = [(x, y, z) for x in (0, 0.5, 1) for y in (0, 0.5, 1) for z in (0, 0.5, 1)]
    items = points(*places)
    tree = built(items, capacity=1, straddlers=policy)
    assert_array_equal(tree.node_middle[0], [0.5, 0.5, 0.5])
    assert_array_equal(query(tree, items), [np.arange(27)] * 2)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_sheets_exactly_on_cell_walls(kind, policy):
    items = kind(scenes.grid(4))[:96]
    tree = built(items, capacity=2, max_depth=6, straddlers=policy)
    ask = Boxes(tree.node_lower[1:60], tree.node_upper[1:60])
    assert_true_answers(tree, ask, exactly=kind is not scenes.as_spheres)


@pytest.mark.parametrize("policy", POLICIES)
def test_boxes_that_fill_cells_touch_all_their_neighbours(policy):
    places = np.stack(np.meshgrid(*[range(4)] * 3), axis=-1).reshape(-1, 3)
    tree = built(Boxes(places, places + 1), capacity=1, straddlers=policy)
    counts = np.bincount(query(tree, tree.items)[0])
    assert_array_equal(counts, (3 - (places % 3 == 0)).prod(axis=1))


@pytest.mark.parametrize("policy", POLICIES)
def test_an_object_beside_the_root_is_not_dropped(policy):
    items = points((0.5, 0.5, 0.5), (2, 0, 0), (1, 1, 1), (-9, -9, -9))
    tree = built(items, capacity=1, bounds=UNIT, straddlers=policy)
    assert_array_equal(query(tree, items), [[0, 1, 2, 3]] * 2)
    assert len(tree) == 4


# Flat, and without extent


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("policy", POLICIES)
def test_flat_meshes(axis, policy):
    corners = np.roll(scenes.flat().vertices, axis, axis=1).reshape(-1, 3, 3)
    tree = built(scenes.loose_triangles(corners), capacity=8, max_depth=6, straddlers=policy)
    assert tree.node_depth.max() > 1
    assert_true_answers(tree, scenes.spheres_about(tree.items))


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 0, -1), (1, 2, 3)])
def test_all_on_a_line(direction):
    places = np.arange(200)[:, None] * np.array(direction)
    tree = built(points(*places), capacity=4)
    assert_array_equal(query(tree, points(*places)), [np.arange(200)] * 2)
    assert tree.node_depth.max() >= 5


@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("place", [(0, 0, 0), (1 / 3, -7, 1e6)])
def test_all_in_one_point(place, kind):
    items = kind(Triangles([place], np.zeros((100, 3), int)))
    for capacity in (1, 100):
        tree = built(items, capacity=capacity)
        assert len(query(tree, points(place))[0]) == 100
        assert len(query(tree, points(np.add(place, 1e-3)))[0]) == 0


# Questions


def test_a_box_at_the_frustums_corner_is_outside():
    """Outside of no single plane: planes alone say maybe."""
    view = scenes.hexahedra(Boxes([[-1, -1, 0]], [[1, 1, 4]]))
    corners = view.corners * np.where(np.arange(8) < 4, 1, 10)[None, :, None] ** np.array(
        [1, 1, 0]
    )
    view = Frusta(corners)
    large = Boxes([[2.5, -30, -30], [2.5, -30, -20]], [[40, 30, -1], [40, 30, 1]])
    assert (planes_alone(view, large) == [[False, True]]).all()
    assert touched(large, view) == []
    assert touched(Boxes(large.lower - [[1.5, 0, 0]], large.upper), view) == [1]


def planes_alone(frusta, boxes):
    both = np.stack((boxes.lower, boxes.upper))
    corners = np.stack([both[[x, y, z], :, range(3)].T for x, y, z in np.ndindex(2, 2, 2)], axis=1)
    planes = frusta.plane_rows.transpose(2, 0, 1)[:, None, :, None]
    inside = (planes[..., :3] * corners[None, :, None]).sum(axis=-1) + planes[..., 3] >= 0
    return inside.any(axis=3).all(axis=2)


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
    """Neither has a corner in the other."""
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


# Bad items


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_items_that_are_not_finite_are_set_aside_and_listed(kind, policy, bad):
    good = kind(scenes.random())
    rows = good.rows.copy()
    spoilt = np.array([0, 7, 150, 299])
    rows[[0, -1, 1, 2], spoilt] = bad
    items = type(good)._of(rows) if kind is not scenes.as_triangles else with_corners(rows)
    tree = built(items, capacity=8, straddlers=policy)
    assert_array_equal(tree.invalid_items, spoilt)
    assert len(tree) == 296
    assert not np.isin(spoilt, tree.cells_of()[0]).any()
    everything = Boxes([[-9, -9, -9]], [[9, 9, 9]])
    wanted = np.setdiff1d(np.arange(300), spoilt)
    for relation in ("touching", "inside", "candidates"):
        assert_array_equal(query(tree, everything, relation=relation)[1], wanted)


def with_corners(rows):
    return scenes.loose_triangles(rows.reshape(3, 3, -1).transpose(2, 0, 1))


def test_infinite_spheres_are_set_aside_without_a_warning():
    tree = built(Spheres([[np.inf, 0, 0], [0, 0, 0], [1, 0, 0]], [np.inf, np.inf, 1]))
    assert_array_equal(tree.invalid_items, [0, 1])


def test_only_bad_items_make_an_empty_tree():
    tree = built(Boxes(np.full((3, 3), np.nan), np.full((3, 3), np.nan)))
    assert len(tree) == 0
    assert query(tree, UNIT).shape == (2, 0)


def test_bad_vertices_that_no_face_uses_do_not_matter():
    good = scenes.random()
    vertices = np.concatenate((good.vertices, [[np.nan] * 3, [np.inf] * 3]))
    tree = built(Triangles(vertices, good.faces), capacity=8)
    assert len(tree.invalid_items) == 0
    assert_array_equal(tree.node_lower, build_octree(good, capacity=8).node_lower)
