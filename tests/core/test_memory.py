"""Memory is flat in the number of questions."""

import core_scenes as scenes
import numpy as np
import pytest
from costs import most_held

from core import Boxes, Spheres, build_octree, query, query_any, query_count

ITEMS = scenes.random(20_000, 0.03)
# Peak memory, for any number of queries.
CEILING = 100_000_000
# Memory per query: its coordinates and bounds, its number, its answer.
BYTES_PER_QUESTION = 300


def points(count):
    """ItemBounds that touch no item, though each has a leaf's items to look at."""
    centers = scenes.numbers(40).uniform(-0.9, 0.9, (count, 3))
    return Spheres(centers, np.zeros(count))


def lines(count):
    """Boxes without volume that pass through many cells and touch next to nothing."""
    starts = scenes.numbers(41).uniform(-0.9, 0.9, (count, 3))
    return Boxes(starts, starts + np.array([0.5, 0, 0]))


def needles(count):
    """Return lines as frusta."""
    boxes = lines(count)
    return scenes.hexahedra(Boxes(boxes.lower, boxes.upper + 1e-6))


@pytest.mark.parametrize("ask", [query_any, query_count, query])
@pytest.mark.parametrize(
    ("volumes", "count"), [(points, 160_000), (lines, 48_000), (needles, 8_000)]
)
def test_many_questions_need_no_more_memory(volumes, count, ask):
    tree, many = build_octree(ITEMS), volumes(count)
    assert most_held(lambda: ask(tree, many)) <= CEILING + count * BYTES_PER_QUESTION


@pytest.mark.parametrize(("volumes", "count"), [(points, 8_000), (lines, 4_000), (needles, 500)])
def test_kept_items_need_no_more_memory(volumes, count):
    """An inner cell's own items are looked at by every question that touches it."""
    tree, many = build_octree(ITEMS, straddlers="keep"), volumes(count)
    assert most_held(lambda: query_any(tree, many)) <= CEILING + count * BYTES_PER_QUESTION


def test_outsiders_are_looked_at_in_slices():
    tree = build_octree(ITEMS, bounds=Boxes([[5, 5, 5]], [[6, 6, 6]]))
    assert most_held(lambda: query_any(tree, points(400))) <= CEILING


def test_many_large_questions_are_looked_at_in_slices():
    """Each of them crosses thousands of cells, and is not answered by the first."""
    heights = scenes.numbers(42).uniform(-0.9, 0.9, 2000)
    lower = np.column_stack((np.full((2000, 2), -2.0), heights))
    tree, sheets = build_octree(ITEMS), Boxes(lower, lower * (-1, -1, 1))
    assert most_held(lambda: query_count(tree, sheets)) <= CEILING


def test_coincident_items_across_all_parts_are_not_spread_over_ever_more_cells():
    pile = Boxes(np.full((100, 3), (0, 0, 0.3)), np.full((100, 3), (1, 1, 0.3)))
    unit = Boxes([[0, 0, 0]], [[1, 1, 1]])
    assert most_held(lambda: build_octree(pile, max_depth=8, bounds=unit)) < 1_000_000


def test_an_answer_needs_little_more_than_its_pairs():
    everything = Boxes(np.full((200, 3), -2.0), np.full((200, 3), 2.0))
    tree = build_octree(ITEMS)
    size = query(tree, everything).nbytes
    assert size == 200 * 20_000 * 16
    assert most_held(lambda: query(tree, everything)) < 4 * size


@pytest.mark.usefixtures("in_numpy")
@pytest.mark.parametrize(("radius", "least", "most"), [(0.05, 3, 5), (0.19, 70, 110)])
def test_while_an_answer_grows_its_items_wait_in_half_a_number(radius, least, most):
    """The answer takes 16 bytes a pair; besides, a pair takes four and a question as before."""
    tree, count = build_octree(ITEMS), 60_000
    centers = ITEMS.vertices[scenes.numbers(43).integers(0, 60_000, count)]
    spheres = Spheres(centers, np.full(count, radius))
    answer = query(tree, spheres)
    hits = answer.shape[1]
    assert least * count < hits < most * count
    besides = most_held(lambda: query(tree, spheres)) - answer.nbytes
    assert besides < 30_000_000 + 4 * hits + count * BYTES_PER_QUESTION


def test_counting_needs_no_pairs(in_numpy):
    tree = build_octree(ITEMS)
    everything = Boxes(np.full((500, 3), -2.0), np.full((500, 3), 2.0))
    assert query_count(tree, everything).tolist() == [20_000] * 500
    assert most_held(lambda: query_count(tree, everything)) < 30_000_000
