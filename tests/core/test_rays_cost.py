"""Costs of ray queries: tested items, each once, and memory."""

import core_scenes as scenes
import numpy as np
import pytest
import ray_scenes as rays
from agreement import built
from costs import most_held
from numpy.testing import assert_array_equal

from core import Triangles, build_octree, ray_cast, ray_cast_all, ray_test
from core.rays import walked

ASK = (ray_cast, ray_test, ray_cast_all)
pytestmark = pytest.mark.usefixtures("in_numpy")


@pytest.fixture
def tested(monkeypatch):
    """Pairs of ray and entry that came to the exact test, in the order of the calls."""
    pairs, exact = [np.empty((2, 0), int)], walked.crossings

    def counted(items, ids, lines, numbers):
        pairs.append(np.stack((numbers, ids)))
        return exact(items, ids, lines, numbers)

    monkeypatch.setattr(walked, "crossings", counted)
    return lambda: np.concatenate(pairs, axis=1)


def terrain(cells=100):
    x, y = np.divmod(np.arange((cells + 1) ** 2), cells + 1)
    first = (x * (cells + 1) + y)[(x < cells) & (y < cells)]
    right, up = first + cells + 1, first + 1
    faces = np.concatenate(
        (np.column_stack((first, right, right + 1)), np.column_stack((first, right + 1, up)))
    )
    return Triangles(np.column_stack((x, y, np.sin(x / 9) * np.cos(y / 7) * 5)), faces)


@pytest.mark.parametrize("ask", ASK)
def test_a_vertical_ray_over_a_terrain_tests_few_items(ask, tested):
    tree = built(terrain())
    x, y = np.meshgrid(np.arange(0, 100, 6.25), np.arange(0, 100, 6.25))
    origins = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, 50.0)))
    ask(tree, origins, np.broadcast_to([0, 0, -1], origins.shape))
    assert 0 < tested().shape[1] < 12 * len(origins)


@pytest.mark.parametrize("axis", range(3))
def test_rays_stop_at_their_hit(axis, tested):
    """A thousand parallel sheets: all but the first few are hidden."""
    corners = np.array([(0, 0), (9, 0), (0, 9)])
    sheets = [np.insert(corners, axis, depth, axis=1) for depth in range(1000)]
    tree = built(scenes.loose_triangles(sheets), capacity=8, max_depth=10)
    random = scenes.numbers(60).uniform(1, 3, (200, 2))
    origins = np.insert(random, axis, -5, axis=1)
    towards = np.insert(random + 1e-3, axis, 2000, axis=1) - origins
    hits = ray_cast(tree, origins, towards)
    assert (hits.items == 0).all()
    assert 0 < tested().shape[1] <= 40 * len(origins)


def test_in_a_dense_scene_most_items_on_the_way_are_not_looked_at(tested):
    items = scenes.random(20_000, 0.2)
    tree = built(items)
    origins, directions = rays.about(items, 500)
    every = ray_cast_all(tree, origins, directions)
    assert every.pairs.shape[1] > 30 * 500
    all_tests = tested().shape[1]
    ray_cast(tree, origins, directions)
    assert 0 < tested().shape[1] - all_tests < all_tests / 4


def room():
    """Six walls around balls; rays from between them."""
    wall = terrain(20)
    sheet = wall.vertices * (0.1, 0.1, 0) - (1, 1, 1)
    corners = [np.roll(side * sheet, axis, axis=1) for side in (1, -1) for axis in range(3)]
    balls = [scenes.icosphere(2).vertices * 0.1 + middle for middle in MIDDLES]
    walls = np.concatenate([corner[wall.faces] for corner in corners])
    items = np.concatenate((walls, np.concatenate(balls).reshape(-1, 3, 3)))
    eyes = scenes.numbers(62).uniform(-0.9, 0.9, (3000, 3))
    apart = np.linalg.norm(eyes[:, None] - MIDDLES, axis=2).min(axis=1)
    eyes = eyes[apart > 0.1]
    return scenes.loose_triangles(items), eyes, scenes.numbers(63).normal(size=eyes.shape)


MIDDLES = scenes.numbers(61).uniform(-0.8, 0.8, (12, 3))


def test_in_a_closed_room_any_hit_is_found_with_fewer_tests(tested):
    items, eyes, directions = room()
    tree = built(items)
    assert ray_test(tree, eyes, directions).all()
    for_any = tested().shape[1]
    assert (ray_cast(tree, eyes, directions).items >= 0).all()
    for_closest = tested().shape[1] - for_any
    assert for_any <= 0.7 * for_closest


# Further memory per ray: its coordinates, their copies, and its answer.
BYTES_PER_RAY = 500


@pytest.mark.parametrize(
    ("ask", "count"), [(ray_cast, 250_000), (ray_test, 100_000), (ray_cast_all, 100_000)]
)
def test_many_rays_need_no_more_memory(ask, count):
    tree = build_octree(scenes.random(5_000, 0.02))
    random = scenes.numbers(64)
    origins, directions = random.uniform(-1, 1, (2, count, 3))
    few, many = (
        most_held(lambda n=n: ask(tree, origins[:n], directions[:n])) for n in (25_000, count)
    )
    assert few < 100_000_000
    assert many < few + count * BYTES_PER_RAY


def test_rays_that_meet_much_need_no_more_memory():
    """Copies that are tested are remembered, but not those of earlier rays."""
    tree = build_octree(scenes.random(20_000, 0.1))
    origins, directions = rays.about(tree.items, 30_000)
    assert most_held(lambda: ray_cast(tree, origins, directions)) < 200_000_000


@pytest.mark.parametrize("count", [1, 3, 20_000, 70_000])
def test_answers_do_not_depend_on_how_many_ask(count):
    """For a single ray no table of all the items is made."""
    tree = built(scenes.random(3000, 0.1))
    origins, directions = rays.about(tree.items, count)
    together, alone = ray_cast(tree, origins, directions), ray_cast_all(tree, origins, directions)
    some = np.arange(0, count, max(1, count // 40))
    assert_array_equal(together.items[some], ray_cast(tree, origins[some], directions[some]).items)
    few = ray_cast_all(tree, origins[some], directions[some])
    kept = np.isin(alone.pairs[0], some)
    assert_array_equal(alone.pairs[1][kept], few.pairs[1])
    assert_array_equal(alone.distances[kept], few.distances)
