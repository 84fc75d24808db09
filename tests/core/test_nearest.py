"""The nearest items against brute force: every kind, every policy, from anywhere."""

import core_scenes as scenes
import nearest_oracle as oracle
import numpy as np
import pytest
from agreement import POLICIES, TOLERANCE, built, largest_coordinate
from nearest_oracle import KINDS, as_kind, exact
from numpy.testing import assert_allclose, assert_array_equal

from core import Boxes, Regions, Spheres, Triangles, build_octree, nearest, query

SHAPES = pytest.mark.parametrize("kind", KINDS)
POLICY = pytest.mark.parametrize("policy", POLICIES)


def corners_of(scene):
    triangles = scenes.SCENES[scene]()
    return triangles.vertices[triangles.faces]


def points_about(items, count=60, seed=20):
    """Places all around, some far away, some in or on the items."""
    random, (middle, half) = scenes.numbers(seed), scenes.extent(items)
    spread = 10.0 ** random.choice([-2, -1, 0, 0, 0, 1, 4], (count, 1))
    bounds = items.bounds()
    chosen = random.integers(len(items), size=count // 2)
    inside = (bounds.lower + bounds.upper)[chosen] / 2
    return np.concatenate((middle + half * spread * random.uniform(-1, 1, (count, 3)), inside))


def whole_points(count=40, seed=21):
    return scenes.numbers(seed).integers(-9, 10, (count, 3)).astype(float)


def assert_nearest(tree, points, count=1, max_distance=np.inf):
    """Compare with brute force, up to what two correct formulas may differ by."""
    items = tree.items
    found = nearest(tree, points, count=count, max_distance=max_distance)
    assert_well_formed(found, len(points), count, max_distance)
    doubt = TOLERANCE * max(largest_coordinate(items), np.abs(points).max(initial=0))
    every = oracle.distances(items, points)
    every[np.isnan(every)] = np.inf
    best = np.sort(every, axis=1)[:, :count]
    wanted = np.full((len(points), count), np.inf)
    wanted[:, : best.shape[1]] = best
    surely = wanted <= max_distance - doubt
    assert (found.items[surely] >= 0).all()
    hit = found.items >= 0
    assert_allclose(found.distances[hit], wanted[hit], rtol=0, atol=doubt)
    own = every[hit.nonzero()[0], found.items[hit]]
    assert_allclose(found.distances[hit], own, rtol=0, atol=doubt)
    assert_positions(found, items, points, doubt)


def assert_well_formed(found, questions, count, max_distance):
    assert (found.items.dtype, found.items.shape) == (np.intp, (questions, count))
    assert (found.distances.dtype, found.distances.shape) == (float, (questions, count))
    assert (found.positions.dtype, found.positions.shape) == (float, (questions, count, 3))
    hit = found.items >= 0
    assert (found.distances[hit] <= max_distance).all()
    assert (found.items[~hit] == -1).all()
    assert (found.distances[~hit] == np.inf).all()
    assert np.isnan(found.positions[~hit]).all()
    assert np.isfinite(found.positions[hit]).all()
    # Ascending by distance, then by item; each item once.
    before, after = found.distances[:, :-1], found.distances[:, 1:]
    assert (before <= after).all()
    tied = (before == after) & hit[:, 1:]
    assert (found.items[:, :-1] < found.items[:, 1:])[tied].all()
    keys = found.items + np.arange(questions)[:, None] * (found.items.max(initial=0) + 1)
    assert len(np.unique(keys[hit])) == hit.sum()


def assert_positions(found, items, points, doubt):
    """See that positions lie on their items, so far from the points as is said."""
    row, rank = (found.items >= 0).nonzero()
    places, lengths = found.positions[row, rank], found.distances[row, rank]
    ids = found.items[row, rank]
    apart = np.sqrt(oracle.dot(places - points[row], places - points[row]))
    assert_allclose(apart, lengths, rtol=0, atol=doubt)
    for some in np.array_split(np.arange(len(ids)), max(1, len(ids) // 200)):
        left = np.diagonal(oracle.distances(items[ids[some]], places[some]))
        assert (left <= doubt).all()
    assert_array_equal(places[lengths == 0], points[row][lengths == 0])


def assert_exactly_nearest(tree, points, count=1, max_distance=np.inf, known=None):
    """In whole numbers: the same items, the same distances to the last bit."""
    found = nearest(tree, points, count=count, max_distance=max_distance)
    assert_well_formed(found, len(points), count, max_distance)
    known = oracle.distances(tree.items, points, exact) if known is None else known
    ids = oracle.nearest(known, count, max_distance)
    assert_array_equal(found.items, ids)
    row, rank = (ids >= 0).nonzero()
    assert_array_equal(found.distances[row, rank], known[row, ids[row, rank]])
    assert_positions(found, tree.items, points, 1e-9)


@SHAPES
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_answers_equal_brute_force(scene, kind):
    items = as_kind(kind, corners_of(scene))
    points = points_about(items)
    assert_nearest(built(items, capacity=8, max_depth=6), points)


@SHAPES
@pytest.mark.parametrize("scene", scenes.SCENES)
def test_several_nearest_equal_brute_force(scene, kind):
    items = as_kind(kind, corners_of(scene))
    _, half = scenes.extent(items)
    tree, points = built(items, capacity=4), points_about(items, 30)
    assert_nearest(tree, points, count=7)
    assert_nearest(tree, points, count=7, max_distance=half / 20)


@POLICY
@SHAPES
@pytest.mark.parametrize("count", [1, 5])
def test_every_policy_gives_the_same_answer(kind, policy, count):
    items = as_kind(kind, corners_of("random"))
    points = points_about(items)
    bounds = Boxes([[-0.5, -0.2, -0.5]], [[0.5, 0.9, 0.1]])
    wanted = nearest(build_octree(items, max_depth=0), points, count=count)
    for options in (
        {},
        {"split": "median"},
        {"loose_factor": 1.5},
        {"bounds": bounds},
        {"capacity": 1},
    ):
        tree = built(items, **{"capacity": 4, "straddlers": policy, **options})
        found = nearest(tree, points, count=count)
        assert_array_equal(found.items, wanted.items)
        assert_array_equal(found.distances, wanted.distances)
        assert_array_equal(found.positions, wanted.positions)


@SHAPES
@pytest.mark.parametrize("scene", scenes.WHOLE)
@pytest.mark.parametrize("count", [1, 6])
def test_whole_numbers_are_answered_exactly(scene, kind, count):
    items = as_kind(kind, corners_of(scene)[::3])
    assert_exactly_nearest(built(items, capacity=4), whole_points(), count)


def test_what_is_equally_far_comes_in_the_order_of_the_items():
    """The middle of a grid of unit squares: eight triangles share each vertex."""
    items = scenes.grid()
    random = scenes.numbers(22).permutation(len(items))
    points = np.array([[4, 4, 4], [2, 2, 4], [3, 3, 7], [2.5, 2.5, 9], [4, 4, -3]], float)
    for some in (items, items[random]):
        assert_exactly_nearest(built(some, capacity=4), points, 12)
    copies = items[np.repeat(np.arange(3), 20)]
    found = nearest(built(copies, capacity=4), points, count=25)
    assert_array_equal(np.sort(found.items[:, :20]), found.items[:, :20])
    assert_exactly_nearest(built(copies), points, 25)


@SHAPES
def test_the_distance_is_to_the_item_itself(kind):
    items = as_kind(kind, [[(0, 0, 0), (4, 2, 0), (1, 2, 0)]])
    inside = np.array([[0.5, 0.5, 0.0], [0.25, 0.375, 0.0]])
    found = nearest(built(items), inside)
    assert_array_equal(found.distances, np.zeros((2, 1)))
    assert_allclose(found.positions[:, 0], inside, rtol=0, atol=1e-15)
    if kind is not Triangles:
        assert_array_equal(found.positions[:, 0], inside)
    beyond = nearest(built(items), [[2.0, 1.0, 5.0]])
    assert (
        beyond.distances[0, 0] == {Triangles: 5, Boxes: 5, Spheres: 30**0.5 - 1, Regions: 4}[kind]
    )


def test_all_seven_regions_of_an_obtuse_triangle():
    triangle = Triangles([[0, 0, 0], [10, 0, 0], [14, 3, 0]], [[0, 1, 2]])
    points = np.array(
        [(-3, 0, 4), (11, -5, 0), (17, 7, 0), (5, -2, 1), (13, 1, 2), (5, 9, 0), (9, 1, 7)], float
    )
    for turn in range(3):
        turned = Triangles(triangle.vertices, np.roll(triangle.faces, turn, axis=1))
        assert_exactly_nearest(built(turned), points)


@pytest.mark.parametrize(
    "corners",
    [
        [(1, 2, 3)] * 3,
        [(1, 2, 3), (1, 2, 3), (5, 2, 3)],
        [(0, 0, 0), (2, 4, 6), (1, 2, 3)],
        [(0, 0, 0), (1, 2, 3), (2, 4, 6)],
        [(2, 0, 0), (0, 0, 0), (8, 0, 0)],
    ],
)
def test_triangles_of_no_area_have_nearest_points(corners):
    assert_exactly_nearest(built(as_kind(Triangles, [corners])), whole_points(60))


@SHAPES
def test_more_wanted_than_there_are(kind):
    items = as_kind(kind, corners_of("whole")[:5])
    assert_exactly_nearest(built(items, capacity=1), whole_points(), 9)


@SHAPES
@pytest.mark.parametrize("bounds", [None, Boxes([[-1, -1, -1]], [[1, 1, 1]])])
@pytest.mark.parametrize("count", [1, 3])
def test_an_empty_tree_has_no_nearest_item(kind, bounds, count):
    tree = built(as_kind(kind, []), bounds=bounds)
    for points in (whole_points(), np.empty((0, 3))):
        assert_well_formed(nearest(tree, points, count=count), len(points), count, np.inf)
        assert (nearest(tree, points, count=count).items == -1).all()


@pytest.mark.parametrize("points", [[], np.empty((0, 3))])
def test_no_points_have_no_answers(points):
    found = nearest(built(scenes.random()), points, count=4)
    assert_well_formed(found, 0, 4, np.inf)


def test_items_that_are_not_finite_are_never_found():
    corners = corners_of("random")[:30].copy()
    corners[[3, 7, 20], 1, 2] = np.nan, np.inf, -np.inf
    tree = built(as_kind(Triangles, corners), capacity=4)
    found = nearest(tree, np.nan_to_num(corners[:, 0], posinf=1, neginf=-1), count=30)
    assert (np.sort(found.items[:, :27]) == np.delete(np.arange(30), [3, 7, 20])).all()
    assert (found.items[:, 27:] == -1).all()


@SHAPES
def test_the_greatest_distance_counts_too(kind):
    items = as_kind(kind, corners_of("whole")[:60])
    tree, points = built(items, capacity=4), whole_points()
    known = oracle.distances(items, points, exact)
    for length in np.unique(np.sort(known, axis=1)[:, :3])[:20]:
        for most in (length, np.nextafter(length, -1).clip(0), 0.0):
            assert_exactly_nearest(tree, points, 3, most, known)


@SHAPES
@pytest.mark.parametrize("far", [1e3, 1e9, 1e150])
def test_from_far_outside_the_root(kind, far):
    items = as_kind(kind, corners_of("random"))
    directions = scenes.numbers(23).normal(size=(40, 3))
    points = far * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    points[:6] = far * np.concatenate((np.eye(3), -np.eye(3)))
    tree = built(items, capacity=4)
    assert_nearest(tree, points)
    assert_nearest(tree, points, count=4)


def test_so_far_above_a_face_that_rounding_hides_where_the_foot_is():
    """The sides of all edges come out as nothing, of which no share can be taken."""
    triangle = as_kind(Triangles, [[(1, 0, 0), (0, -1, 2), (-2, 2, -3)]])
    assert_nearest(built(triangle), np.array([[-1e16, -1e16, 0]]))


@SHAPES
def test_answers_agree_with_a_sphere_of_that_radius(kind):
    items = as_kind(kind, corners_of("random"))
    tree, points = built(items, capacity=8), points_about(items, 100)
    count = 4
    farthest = nearest(tree, points, count=count).distances[:, -1]
    doubt = TOLERANCE * np.maximum(np.abs(points).max(axis=1), 2)
    less = query(tree, Spheres(points, np.maximum(farthest - doubt, 0)))
    more = query(tree, Spheres(points, farthest + doubt))
    known = np.bincount(more[0], minlength=len(points))
    assert (known >= count).all()
    assert (np.bincount(less[0], minlength=len(points))[farthest > doubt] < count).all()


@POLICY
@pytest.mark.parametrize("count", [1, 3])
def test_items_beyond_the_root_are_found(policy, count):
    items = as_kind(Triangles, corners_of("random"))
    bounds = Boxes([[0.9, 0.9, 0.9]], [[1, 1, 1]])
    tree = built(items, straddlers=policy, bounds=bounds, capacity=2)
    assert tree.outside > 200
    assert_nearest(tree, points_about(items), count)


def test_slivers_are_as_far_as_they_are():
    """Their normals are not known well; seen from their faces, that must not matter."""
    corners = corners_of("slivers")[:60]
    items, random = as_kind(Triangles, corners), scenes.numbers(24)
    on = (corners * random.dirichlet((1, 1, 1), 60)[..., None]).sum(axis=1)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    doubt = TOLERANCE * largest_coordinate(items)
    for height in (0, 1e-6, 0.01, 1):
        points = on + height * normals
        found = nearest(built(items, capacity=2, max_depth=12), points)
        lengths, places = found.distances[:, 0], found.positions[:, 0]
        known = oracle.distances(items, points[:12], exact)
        assert_allclose(lengths[:12], known.min(axis=1), rtol=0, atol=1e-15)
        assert_allclose(np.linalg.norm(places - points, axis=1), lengths, rtol=0, atol=doubt)
        left = oracle.distances(items[found.items[:12, 0]], places[:12], exact)
        assert (np.diagonal(left) <= 1e-15).all()


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("asked", [1, 255, 257, 5_000])
def test_every_one_of_many_points_gets_its_answer(asked, count):
    items = as_kind(Spheres, corners_of("random"))
    tree = built(items, capacity=8)
    points = scenes.numbers(25).uniform(-1, 1, (asked, 3))
    found = nearest(tree, points, count=count)
    some = np.arange(0, asked, max(1, asked // 40))
    alone = [nearest(tree, points[[number]], count=count).items[0] for number in some]
    assert_array_equal(found.items[some], alone)


@SHAPES
@pytest.mark.parametrize("power", [-300, -100, -30, 30, 100, 450])
def test_scaled_by_a_power_of_two_gives_the_same_items(kind, power):
    corners, factor = corners_of("random"), 2.0**power
    one, other = (built(as_kind(kind, corners * by), capacity=8) for by in (1, factor))
    points = points_about(one.items)
    wanted, found = nearest(one, points, count=3), nearest(other, points * factor, count=3)
    assert_array_equal(found.items, wanted.items)
    assert_array_equal(found.distances, wanted.distances * factor)
    assert_array_equal(found.positions, wanted.positions * factor)


@SHAPES
@pytest.mark.parametrize("shift", [(64, -128, 8), (2**20, 0, 0), (-(2**33), 2**30, 2**31)])
def test_shifted_exactly_gives_the_same_items(kind, shift):
    """Coordinates have sixteen bits after the point."""
    corners = np.round(corners_of("random") * 2**16) / 2**16
    one, other = (built(as_kind(kind, corners + by), capacity=8) for by in (0, shift))
    points = np.round(points_about(one.items) * 2**16) / 2**16
    wanted, found = nearest(one, points, count=3), nearest(other, points + shift, count=3)
    assert_array_equal(found.items, wanted.items)
    assert_array_equal(found.distances, wanted.distances)


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([[0, 0]], {}, r"points must have shape \(n, 3\), got \(1, 2\)"),
        ([0, 0, 0], {}, r"points must have shape \(n, 3\), got \(3,\)"),
        ([[0, 0, 0], [0, np.nan, 0]], {}, r"points must be finite, got .*nan.* in row 1"),
        ([[0, 0, np.inf]], {}, r"points must be finite, got .*inf.* in row 0"),
        ([[0, 0, 0]], {"count": 0}, "count must be a whole number of at least 1, got 0"),
        ([[0, 0, 0]], {"count": 1.5}, "count must be a whole number, got 1.5"),
        ([[0, 0, 0]], {"count": True}, "count must be a whole number of at least 1, got True"),
        ([[0, 0, 0]], {"max_distance": -1}, "max_distance must be a number of at least 0, got -1"),
        ([[0, 0, 0]], {"max_distance": np.nan}, "max_distance must be a number of at least 0"),
        ([[0, 0, 0]], {"max_distance": "1"}, "max_distance must be a number of at least 0"),
        ([[0, 0, 0]], {"max_distance": [1, 2]}, "max_distance must be a number, got"),
    ],
)
def test_bad_questions_are_errors(points, options, message):
    with pytest.raises(ValueError, match=message):
        nearest(built(scenes.random()), points, **options)


def test_only_a_tree_can_be_asked():
    with pytest.raises(ValueError, match="tree must be one of Octree, got Triangles"):
        nearest(scenes.random(), [[0, 0, 0]])
