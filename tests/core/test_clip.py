"""Triangles cut at the walls of cells: against fractions, and by law, for whatever comes."""

from itertools import product

import clip_oracle as oracle
import core_scenes as scenes
import numpy as np
import pytest
from clip_oracle import assert_lawful, canonical, corners_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from core import (
    Boxes,
    Spheres,
    Triangles,
    assign,
    build_octree,
    clip,
    load,
    nearest,
    query,
    ray_cast,
    save,
    statistics,
)

KINDS = {
    "whole": lambda random, shape: random.integers(-4, 5, shape).astype(float),
    "halves": lambda random, shape: random.integers(-8, 9, shape) / 2,
    "any": lambda random, shape: random.uniform(-4, 4, shape),
    "far": lambda random, shape: random.uniform(-4, 4, shape) + 1e6,
    "slivers": lambda random, shape: random.uniform(-4, 4, shape) * (1, 1e-14, 1e-3) + 1,
    "flat": lambda random, shape: random.integers(-4, 5, shape) * (1.0, 1.0, 0.0),
}
ROOTS = {
    "fitting": None,
    "even": Boxes([[-4] * 3], [[4] * 3]),
    "small": Boxes([[-2, -1, -2]], [[2, 3, 1]]),
    "low": Boxes([[0, -4, 0]], [[4, 0, 4]]),
}


@st.composite
def meshes(draw, kinds):
    """Draw vertices, some of them in one place, and triangles between any of them."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(3, 12))
    vertices = KINDS[draw(st.sampled_from(kinds))](random, (count, 3))
    faces = random.integers(0, count, (draw(st.integers(1, 25)), 3))
    if draw(st.booleans()):
        faces = faces[[len(set(face)) == 3 for face in faces.tolist()]]
    if draw(st.booleans()):
        faces = np.concatenate((faces, faces[:3], faces[:2, ::-1]))
    if draw(st.booleans()):  # a soup
        vertices, faces = vertices[faces.ravel()], np.arange(faces.size).reshape(-1, 3)
    return Triangles(vertices, faces)


@st.composite
def trees(draw, kinds=tuple(KINDS)):
    return build_octree(
        draw(meshes(kinds)),
        capacity=draw(st.integers(1, 6)),
        max_depth=draw(st.integers(0, 4)),
        split=draw(st.sampled_from(["middle", "median"])),
        straddlers=draw(st.sampled_from(["copy", "keep", "hybrid", "clip"])),
        bounds=ROOTS[draw(st.sampled_from(sorted(ROOTS)))],
    )


def check(tree, pieces=None):
    pieces = clip(tree) if pieces is None else pieces
    assert (tree.is_leaf[pieces.cells] | (pieces.cells < 0)).all()
    assert_lawful(tree.items, pieces, tree.node_lower, tree.node_upper)
    assert_no_cracks(tree.items, pieces)
    return pieces


def assert_no_cracks(items, pieces):
    """Edges are open where those of the source are, by vertex number and by place."""
    numberings = [np.arange(len(pieces.vertices))]
    if (items.vertices % 0.25).any():
        # With small integer coordinates, edges overlap by chance.
        numberings.append(oracle.places_of(pieces.vertices))
    for numbers in numberings:
        faces = numbers[items.faces[np.unique(pieces.triangles)]]
        before = oracle.open_length(pieces.vertices, *named(faces, numbers))
        after = oracle.open_length(pieces.vertices, *named(numbers[pieces.faces], numbers))
        reach = np.abs(pieces.vertices[pieces.faces]).max(initial=0)
        slack = 1e-12 * before + 1e-13 * reach * (len(faces) + 1)
        assert after <= before + slack
        # A flat mesh may be closed by vertices that were merged at one place.
        assert after >= before - slack or not have_area(items)


def have_area(items):
    vectors = oracle.area_vectors(items.vertices[items.faces])
    return (np.abs(vectors).max(axis=1) > 1e-14 * np.abs(items.vertices).max() ** 2).all()


def named(faces, numbers):
    """Return faces by the first vertex of each number."""
    first = np.zeros(int(numbers.max(initial=0)) + 1, int)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return (first[faces],)


@examples(120)
@given(trees())
def test_pieces_are_lawful(tree):
    check(tree)


@examples(40)
@given(trees(("whole", "halves", "any")))  # planes that meet walls at angles, or lie in them
def test_pieces_are_those_of_fractions(tree):
    pieces, items = clip(tree), tree.items
    vectors, corners = oracle.area_vectors(corners_of(pieces)), corners_of(pieces)
    reach = np.abs(items.vertices[items.faces]).max(initial=0)
    for triangle in range(min(len(items), 6)):
        source = items.vertices[items.faces[triangle]]
        if not oracle.area_vectors(source[None]).any():
            continue
        for cell in tree.is_leaf.nonzero()[0]:
            walls = tree.node_lower[cell], tree.node_upper[cell]
            polygon = oracle.clipped_polygon(source, *walls)
            some = (pieces.triangles == triangle) & (pieces.cells == cell)
            wanted = np.array([float(each) for each in oracle.area_vector(polygon)])
            on_walls = (source[0] == walls[0]) | (source[0] == walls[1])
            if ((np.ptp(source, axis=0) == 0) & on_walls).any():
                continue  # one of two cells has it: see below
            slack = 1e-14 * reach * np.ptp(source, axis=0).max()
            assert_allclose(vectors[some].sum(axis=0), wanted, atol=slack, rtol=0)
            if np.abs(wanted).max() > slack:
                exact = np.array([[float(each) for each in corner] for corner in polygon])
                there = corners[some].reshape(-1, 3)
                far = np.abs(exact[:, None] - there).max(axis=2).min(axis=1)
                assert (far <= 4 * oracle.STEP * reach).all()


@examples(30)
@given(trees(), st.integers(-60, 60), st.integers(0, 2**32))
def test_neither_order_nor_scale_changes_a_piece(tree, power, seed):
    items, factor = tree.items, 2.0**power
    order = np.random.default_rng(seed).permutation(len(items))
    wanted = canonical(clip(tree))
    options = {name: getattr(tree, name) for name in ("capacity", "max_depth", "split")}
    bounds = tree.bounds and Boxes(tree.bounds.lower * factor, tree.bounds.upper * factor)
    shuffled = build_octree(items[order], **options, bounds=tree.bounds)
    scaled = build_octree(
        Triangles(items.vertices * factor, items.faces), **options, bounds=bounds
    )
    if len(shuffled.node_depth) == len(tree.node_depth):
        found = clip(shuffled)
        assert_array_equal(canonical(found, triangles=order[found.triangles]), wanted)
    found = canonical(clip(scaled))
    found[:, 2:] /= factor
    assert_array_equal(found, canonical(clip(build_octree(items, **options, bounds=tree.bounds))))


@pytest.mark.parametrize("split", ["middle", "median"])
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_every_scene_is_cut(scene, split):
    items = scenes.SCENES[scene]()
    pieces = check(build_octree(items, capacity=8, max_depth=6, split=split))
    areas = np.sqrt((oracle.area_vectors(corners_of(pieces)) ** 2).sum(axis=1))
    before = np.sqrt((oracle.area_vectors(items.vertices[items.faces]) ** 2).sum(axis=1))
    assert_allclose(areas.sum(), before.sum(), rtol=1e-12)
    wanted = oracle.volume(items.vertices, items.faces)
    scale = np.abs(items.vertices).max() * before.sum()
    assert_allclose(
        oracle.volume(pieces.vertices, pieces.faces), wanted, rtol=0, atol=1e-12 * scale
    )


def welded(soup):
    """Return the same triangles with one vertex at each place."""
    vertices, numbers = np.unique(soup.vertices, axis=0, return_inverse=True)
    return Triangles(vertices, numbers.reshape(-1)[soup.faces])


def test_closed_surfaces_stay_closed_by_number_and_soups_by_place():
    for shift in (0.0, 1e6):
        ball = scenes.icosphere()
        soup = Triangles(ball.vertices + shift, ball.faces)
        items = welded(soup)
        by_number, by_place = (
            clip(build_octree(each, capacity=6, max_depth=5)) for each in (items, soup)
        )
        assert len(by_number.faces) > 2 * len(items)
        assert len(oracle.open_edges(by_number.faces)) == 0
        assert len(oracle.open_edges(oracle.places_of(by_place.vertices)[by_place.faces])) == 0
        assert_array_equal(canonical(by_number), canonical(by_place))


def in_octants(vertices, faces):
    """Return a tree of eight leaves, with a small triangle more in each; these come last."""
    corners = np.array(list(product((-0.5, 0.4), repeat=3)))[:, None] + np.eye(3) / 8
    more = len(vertices) + np.arange(24).reshape(-1, 3)
    items = Triangles(np.concatenate((vertices, corners.reshape(-1, 3))), [*faces, *more])
    tree = build_octree(items, capacity=1, max_depth=1, bounds=Boxes([[-1] * 3], [[1] * 3]))
    assert len(tree.node_depth) == 9
    return tree


@pytest.mark.parametrize("axis", range(3))
def test_what_lies_in_a_wall_is_of_the_lower_side(axis):
    for at, side in ((-1, -1), (0, -1), (1, 1)):
        square = np.insert([[-1, -1], [1, -1], [1, 1], [-1, 1]], axis, at, axis=1)
        tree = in_octants(square, [[0, 1, 2], [2, 3, 0]])
        pieces = check(tree)
        cells = pieces.cells[pieces.triangles < 2]
        assert len(cells) >= 4
        lower, upper = tree.node_lower[cells], tree.node_upper[cells]
        centers = (lower + upper)[:, axis] / 2
        assert (np.sign(centers) == side).all()
        assert_array_equal(np.unique(np.sign(centers)), side)
        assigned = assign(tree)[:2]
        assert (tree.node_lower[assigned, axis] == min(side, 0)).all()


def test_what_is_invalid_has_no_piece_and_what_is_beyond_no_cell():
    items = scenes.random(60)
    vertices = items.vertices.copy()
    vertices[4], vertices[100] = np.nan, np.nan
    items = Triangles(vertices, items.faces)
    tree = build_octree(items, capacity=4, bounds=Boxes([[-0.5] * 3], [[0.5] * 3]))
    pieces = check(tree)
    assert_array_equal(tree.invalid_items, [1, 33])
    beyond = corners_of(pieces)[pieces.cells < 0]
    assert len(beyond) > 20
    # Each of them wholly beyond one wall.
    assert ((beyond >= 0.5).all(axis=1) | (beyond <= -0.5).all(axis=1)).any(axis=1).all()
    assert (pieces.cells >= 0).any()


def test_a_triangle_of_no_area_keeps_a_piece():
    vertices = np.array([[0, 0, 0], [3, 3, 3], [1, 1, 1], [0, 0, 0]]) / 3 - 0.4
    pieces = check(in_octants(vertices, [[0, 1, 2], [0, 0, 1], [0, 3, 1], [2, 2, 2]]))
    assert (np.bincount(pieces.triangles) >= 1).all()


def test_a_flat_triangle_closes_what_it_closed():
    """A vertex on the middle of an edge, sewn to it by a triangle of no area; a wall there."""
    vertices = [[-1, 0, 0.1], [1, 0, 0.1], [0, 1, 0.2], [0, -1, 0.3], [0, 0, 0.1]]
    faces = np.array([[0, 1, 2], [0, 3, 4], [4, 3, 1], [1, 0, 4]])
    pieces = check(in_octants(vertices, faces))
    there = oracle.open_edges(pieces.faces[pieces.triangles < 4])
    ends = pieces.vertices[there]
    length = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)).sum()
    assert_allclose(length, oracle.open_length(np.array(vertices), faces), rtol=1e-14)


def test_a_flat_triangle_joins_two_vertices_at_one_place_when_it_is_cut():
    """One piece has both: new vertices are merged there, source vertices are not."""
    vertices = np.array([[3, 2, 0], [-4, 1, 0], [-3, 1, 0], [-3, -4, 0], [-4, 1, 0.0]])
    check(in_octants(vertices, [[1, 0, 4], [0, 2, 4], [3, 0, 1]]))


@examples(40)
@given(trees())
def test_each_triangle_is_assigned_to_the_leaf_of_its_centroid(tree):
    cells, items = assign(tree), tree.items
    centers = items.vertices[items.faces].sum(axis=1) / 3
    lower, upper = tree.node_lower, tree.node_upper
    root = (centers >= lower[0]).all(axis=1) & (centers <= upper[0]).all(axis=1)
    above = (centers[:, None] > lower) | (lower == lower[0])
    holds = (above & (centers[:, None] >= lower) & (centers[:, None] <= upper)).all(axis=2)
    holds &= tree.is_leaf & root[:, None] & (upper > lower).all(axis=1)
    if (upper[0] > lower[0]).all():
        assert_array_equal(holds.sum(axis=1), root)
        assert_array_equal(cells, np.where(root, holds.argmax(axis=1), -1))


@pytest.mark.parametrize("scene", ["random", "uv_sphere", "clustered"])
def test_a_tree_of_pieces_answers_as_the_triangles_do(scene):
    items = scenes.SCENES[scene]()
    pieces = clip(build_octree(items, capacity=8))
    whole = build_octree(items, capacity=8)
    parts = build_octree(Triangles(pieces.vertices, pieces.faces), capacity=8)
    random = scenes.numbers(3)
    centers = random.uniform(-1, 1, (60, 3))
    spheres = Spheres(centers, random.uniform(0.05, 0.5, 60))
    found = query(parts, spheres)
    found = np.unique(np.stack((found[0], pieces.triangles[found[1]])), axis=1)
    assert_array_equal(found, query(whole, spheres))
    rays = centers * 3, random.normal(size=(60, 3)) - centers
    hits, wanted = ray_cast(parts, *rays), ray_cast(whole, *rays)
    named = np.where(hits.items >= 0, pieces.triangles[hits.items], -1)
    assert_array_equal(named, wanted.items)
    assert_allclose(hits.distances, wanted.distances, rtol=1e-9)
    near, close = nearest(parts, centers), nearest(whole, centers)
    assert_allclose(near.distances, close.distances, atol=1e-12)
    again = clip(parts)
    assert_lawful(parts.items, again, parts.node_lower, parts.node_upper)


def test_walls_that_rounding_bends_make_no_crack():
    """Long slivers nearly in a wall, whose borders cross it many times by roundings."""
    random = scenes.numbers(5)
    for shift in (0.0, 1e5):
        ends = random.uniform(-1, 1, (80, 3, 3)) * (1, 1, 1e-15) + (shift, shift, shift)
        tree = build_octree(
            scenes.loose_triangles(ends),
            capacity=2,
            max_depth=7,
            bounds=Boxes([[shift - 1] * 3], [[shift + 1] * 3]),
        )
        check(tree)


@pytest.mark.parametrize("scene", ["random", "whole", "uv_sphere"])
def test_as_a_policy_it_is_copy_with_statistics_of_pieces(scene, tmp_path):
    items = scenes.SCENES[scene]()
    one, other = (build_octree(items, capacity=8, straddlers=how) for how in ("copy", "clip"))
    other.check()
    for name, array in vars(one).items():
        if isinstance(array, np.ndarray):
            assert_array_equal(array, vars(other)[name])
    pieces = clip(other)
    counted = statistics(other)
    assert counted.references == len(pieces.faces) == counted.items_per_depth.sum()
    assert counted.fullest_leaf == np.bincount(pieces.cells).max()
    assert counted == statistics(other)
    assert counted.cells == statistics(one).cells
    save(other, tmp_path / "tree")
    loaded = load(tmp_path / "tree")
    assert loaded.straddlers == "clip"
    assert clip(loaded) == pieces
    with pytest.raises(ValueError, match="straddlers must not be 'clip' with Spheres"):
        build_octree(Spheres([[0, 0, 0]], [1]), straddlers="clip")
    with pytest.raises(ValueError, match="tree must hold Triangles, got Spheres"):
        clip(build_octree(Spheres([[0, 0, 0]], [1])))
