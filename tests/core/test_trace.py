"""A trace tells what the walk did: held against geometry, and against the answer."""

import core_scenes as scenes
import numpy as np
import oracle
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import (
    CROSSING,
    INSIDE,
    OUTSIDE,
    UNVISITED,
    Boxes,
    Spheres,
    Triangles,
    build_octree,
    cells_along_ray,
    query,
    ray_cast,
    trace,
)

SMALL = Boxes([[-0.3, 0.1, -1]], [[0.5, 0.6, 0]])
BOUNDS = (None, SMALL)
ABOUT = (scenes.boxes_about, scenes.spheres_about, scenes.views_about)


def traces(tree, volumes):
    """Yield each volume with its trace."""
    for number in range(len(volumes)):
        one = volumes[number]
        states = trace(tree, one)
        assert (states.shape, states.dtype) == (tree.node_depth.shape, np.uint8)
        yield one, states


def test_the_numbers_are_fixed():
    assert (UNVISITED, OUTSIDE, CROSSING, INSIDE) == (0, 1, 2, 3)


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("about", ABOUT)
def test_just_the_occupied_parts_of_crossed_cells_are_visited(about, policy, bounds):
    tree = built(scenes.random(), capacity=4, straddlers=policy, bounds=bounds)
    occupied = np.array([len(tree.items_below(cell)) for cell in range(len(tree.node_depth))]) > 0
    for _, states in traces(tree, about(tree.items)):
        wanted = occupied & (states[tree.node_parent] == CROSSING)
        wanted[0] = True
        assert_array_equal(states != UNVISITED, wanted)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("about", ABOUT)
def test_cells_are_taken_for_what_they_are(about, policy):
    tree = built(scenes.random(), capacity=4, straddlers=policy, loose_factor=1.5)
    cells = Boxes(tree.loose_lower, tree.loose_upper)
    seen = np.zeros(4, int)
    for volume, states in traces(tree, about(tree.items)):
        touched, held = oracle.touching(cells, volume)[0], oracle.inside(cells, volume)[0]
        surely = oracle.touching(cells, volume, 1e-4)[0]
        surely_held = oracle.inside(cells, volume, -1e-4)[0]
        assert not touched[states == OUTSIDE].any()
        assert held[states == INSIDE].all()
        assert surely[states == CROSSING].all()
        assert not surely_held[states == CROSSING].any()
        seen += np.bincount(states, minlength=4)
    assert (seen[:INSIDE] > 0).all()
    assert seen[INSIDE] > 0 or policy == "keep"


@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("about", ABOUT)
def test_the_answer_comes_from_the_cells_that_are_crossed_or_taken_whole(about, policy, bounds):
    tree = built(scenes.random(), capacity=4, straddlers=policy, bounds=bounds)
    outsiders = tree.order[tree.references[: tree.outside]]
    items, cells = tree.cells_of(np.setdiff1d(tree.order, outsiders))
    for volume, states in traces(tree, about(tree.items)):
        looked_at = states == INSIDE
        for _ in range(tree.node_depth.max()):
            looked_at[1:] |= looked_at[tree.node_parent[1:]]
        looked_at |= states == CROSSING
        wanted = np.union1d(items[looked_at[cells]], outsiders)
        assert_array_equal(query(tree, volume, relation="candidates")[1], wanted)


def test_a_volume_around_everything_takes_the_root_whole():
    states = trace(built(scenes.random(), capacity=4), Spheres([[0, 0, 0]], [100]))
    assert states[0] == INSIDE
    assert (states[1:] == UNVISITED).all()


def test_a_volume_far_away_is_dropped_at_the_root():
    states = trace(built(scenes.random(), capacity=4), Spheres([[100, 0, 0]], [1]))
    assert states[0] == OUTSIDE
    assert (states[1:] == UNVISITED).all()


def test_an_example_by_hand():
    """A sphere in one corner of a cube: seven parts are dropped, one is crossed."""
    places = np.array([(x, y, z) for x in (0, 8) for y in (0, 8) for z in (0, 8)])
    tree = built(Spheres(places, np.zeros(8)), capacity=1)
    states = trace(tree, Spheres([[0, 0, 0]], [1]))
    assert states.tolist() == [CROSSING, CROSSING] + [OUTSIDE] * 7
    states = trace(tree, Boxes([[-1, -1, -1]], [[9, 9, 5]]))
    assert states.tolist() == [CROSSING] + [INSIDE] * 4 + [CROSSING] * 4


def test_an_empty_tree_has_a_root_to_look_at():
    tree = built(Triangles([], []))
    assert trace(tree, SMALL).tolist() in ([OUTSIDE], [CROSSING], [INSIDE])


# Rays


def rays_about(count=40, seed=50):
    """Yield rays and segments, some of them along an axis and some from outside."""
    random = scenes.numbers(seed)
    origins = random.uniform(-1.5, 1.5, (count, 3))
    directions = random.normal(size=(count, 3))
    directions[: count // 3] = np.eye(3)[random.integers(0, 3, count // 3)]
    ends = np.where(random.random(count) < 0.5, np.inf, random.uniform(0, 2, count))
    return zip(origins, directions, ends.tolist(), strict=True)


def stretch(lower, upper, origin, direction):
    """Return where a line enters and leaves boxes, in scene units; nothing where it misses."""
    with np.errstate(divide="ignore", invalid="ignore"):
        times = (np.stack((lower, upper)) - origin) / (direction / np.linalg.norm(direction))
    between = (lower <= origin) & (origin <= upper)
    enter = np.where(direction == 0, np.where(between, -np.inf, np.inf), times.min(axis=0))
    leave = np.where(direction == 0, np.where(between, np.inf, -np.inf), times.max(axis=0))
    return enter.max(axis=1), leave.min(axis=1)


@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_ray_visits_what_it_crosses_before_its_hit(policy, kind):
    tree = built(kind(scenes.random(300, 0.1)), capacity=4, straddlers=policy)
    occupied = np.array([len(tree.items_below(cell)) for cell in range(len(tree.node_depth))]) > 0
    seen = np.zeros(4, int)
    for origin, direction, end in rays_about():
        states = trace(tree, (origin, direction, end))
        hit = ray_cast(tree, origin[None], direction[None], max_distance=end)
        last = min(end, hit.distances[0])
        below = occupied & (states[tree.node_parent] == CROSSING)
        below[0] = True
        assert below[states != UNVISITED].all()
        surely, possibly = (
            crossed(tree, origin, direction, last, slack) & below for slack in (-1e-3, 1e-3)
        )
        assert_array_equal(states[surely], CROSSING)
        assert_array_equal(states[below & ~crossed(tree, origin, direction, end, 1e-3)], OUTSIDE)
        assert (surely <= possibly).all()
        if hit.items[0] >= 0:
            assert (states[tree.cells_of(hit.items)[1]] == CROSSING).any()
        seen += np.bincount(states, minlength=4)
    assert (seen[:INSIDE] > 0).all()
    assert seen[INSIDE] == 0


@pytest.mark.parametrize("kind", scenes.KINDS)
@pytest.mark.parametrize("policy", POLICIES)
def test_a_ray_that_hits_an_item_beyond_the_root_calls_no_cell_outside_that_it_crosses(
    policy, kind
):
    """Items beyond the root are looked at first, so the hit may lie before the root, or in it."""
    tree = built(kind(scenes.random(100, 0.4)), capacity=4, straddlers=policy, bounds=SMALL)
    occupied = np.array([len(tree.items_below(cell)) for cell in range(len(tree.node_depth))]) > 0
    outsiders = set(tree.order[tree.references[: tree.outside]].tolist())
    before = 0
    for origin, direction, end in rays_about(120):
        states = trace(tree, (origin, direction, end))
        hit = ray_cast(tree, origin[None], direction[None], max_distance=end)
        last = min(end, hit.distances[0])
        below = occupied & (states[tree.node_parent] == CROSSING)
        below[0] = True
        assert below[states != UNVISITED].all()
        within_end, within_hit = (
            crossed(tree, origin, direction, length, -1e-3) & below for length in (end, last)
        )
        assert not (states[within_end] == OUTSIDE).any()
        assert_array_equal(states[within_hit], CROSSING)
        assert crossed(tree, origin, direction, last, 1e-3)[states == CROSSING].all()
        assert_array_equal(states[below & ~crossed(tree, origin, direction, end, 1e-3)], OUTSIDE)
        before += within_end[0] and not within_hit[0] and hit.items[0] in outsiders
    assert before > 0


def crossed(tree, origin, direction, end, slack):
    """Flag the cells that a segment crosses, both grown by `slack`."""
    enter, leave = stretch(tree.loose_lower - slack, tree.loose_upper + slack, origin, direction)
    return np.maximum(enter, 0) <= np.minimum(leave, end + slack)


def test_a_ray_beside_the_tree_is_dropped_at_the_root():
    states = trace(built(scenes.random(), capacity=4), ((-5, 9, 0), (1, 0, 0), 100.0))
    assert states[0] == OUTSIDE
    assert (states[1:] == UNVISITED).all()


@pytest.mark.parametrize(
    "volume",
    [
        Spheres([], []), scenes.whole_spheres(2), scenes.random(1), None, 3, "tree",
        Spheres([[np.nan, 0, 0]], [1]), [[0, 0, 0], [1, 1, 1]], (), ((0, 0, 0), (1, 0, 0)),
        ([(0, 0, 0)], (1, 0, 0), 1), ((0, 0, 0), (1, 0), 1), ((0, 0, 0), (1, 0, 0), [1, 2]),
    ],
)  # fmt: skip
def test_anything_but_one_question_is_refused(volume):
    with pytest.raises(ValueError, match="volume"):
        trace(built(scenes.random()), volume)


@pytest.mark.parametrize(
    ("ray", "name"),
    [
        (((0, 0, np.nan), (1, 0, 0), 1), "origin"), (((0, 0, 0), (0, 0, 0), 1), "direction"),
        (((0, 0, 0), (1, 0, 0), -1), "max_distance"), (((0, 0, 0), (1, 0, 0), "1"), "max_dist"),
    ],
)  # fmt: skip
def test_a_bad_ray_is_refused_as_in_a_cast(ray, name):
    with pytest.raises(ValueError, match=name):
        trace(built(scenes.random()), ray)


def test_only_trees_are_traced():
    with pytest.raises(ValueError, match="tree must be"):
        trace(scenes.random(), SMALL)


def slow_entry(rows, origin, direction):
    """Where a ray enters a box, corner by corner of the argument; None if it misses."""
    near, far = 0.0, np.inf
    for axis in range(3):
        if direction[axis] == 0:
            if not rows[axis] <= origin[axis] <= rows[axis + 3]:
                return None
            continue
        ends = sorted((rows[[axis, axis + 3]] - origin[axis]) / direction[axis])
        near, far = max(near, ends[0]), min(far, ends[1])
    return near if near <= far else None


RAYS = [
    ([-5, 0.1, 0.2], [1, 0, 0]),
    ([0, 0, 9], [0, 0, -2]),
    ([0.1, 0.2, 0.3], [1, 2, 3]),
    ([9, 9, 9], [1, 0, 0]),
    ([4, -3, 2], [-0.4, 0.31, -0.2]),
]


@pytest.mark.parametrize("enlarged", [False, True])
@pytest.mark.parametrize(("origin", "direction"), RAYS)
def test_cells_along_a_ray_are_all_that_it_enters(origin, direction, enlarged):
    lower = np.random.default_rng(1).normal(size=(500, 3))
    tree = build_octree(Boxes(lower, lower + 0.1), capacity=4, straddlers="keep", loose_factor=1.5)
    cells, distances = cells_along_ray(tree, origin, direction, enlarged=enlarged)
    rows = (tree.loose_rows if enlarged else tree.cell_rows).T
    length = np.linalg.norm(direction)
    slow = [slow_entry(each, np.array(origin, float), np.array(direction, float)) for each in rows]
    expected = {cell: entry * length for cell, entry in enumerate(slow) if entry is not None}
    assert sorted(cells.tolist()) == sorted(expected)
    np.testing.assert_allclose(distances, [expected[cell] for cell in cells.tolist()], atol=1e-12)
    assert (np.diff(tree.node_depth[cells]) >= 0).all()


def test_ray_from_a_corner_along_a_wall_enters_the_cells_on_it():
    tree = build_octree(Boxes([[0, 0, 0]], [[8, 8, 8]]), bounds=Boxes([[0] * 3], [[8] * 3]))
    cells, distances = cells_along_ray(tree, [0, 0, -1], [0, 0, 1])
    assert (cells.tolist(), distances.tolist()) == ([0], [1.0])
    cells, distances = cells_along_ray(tree, [0, 0, -1], [0, 0, -1])
    assert (cells.shape, distances.shape) == ((0,), (0,))


@pytest.mark.parametrize(
    ("origin", "direction", "words"),
    [
        ([0, 0], [1, 0, 0], "origin must have shape"),
        ([0, 0, np.nan], [1, 0, 0], "origin must be finite"),
        ([0, 0, 0], [0, 0, 0], "direction must not be zero"),
    ],
)
def test_bad_rays_are_refused(origin, direction, words):
    tree = build_octree(Boxes([[0, 0, 0]], [[1, 1, 1]]))
    with pytest.raises(ValueError, match=words):
        cells_along_ray(tree, origin, direction)
