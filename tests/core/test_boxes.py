"""Boxes as rows: each function agrees with its definition, coordinate by coordinate."""

import numpy as np
import pytest

from core import boxes

# Whole coordinates, so that many boxes touch, are flat, or are the same.
RANDOM = np.random.default_rng(5)


def some_boxes(count):
    sides = np.sort(RANDOM.integers(0, 5, (2, 3, count)), axis=0)
    return sides.reshape(6, count).astype(float)


def spans(rows, number):
    return list(zip(rows[:3, number], rows[-3:, number], strict=True))


@pytest.mark.parametrize("axes", [2, 3])
def test_boxes_meet_where_they_have_a_point_in_common(axes):
    ones, others = some_boxes(500), some_boxes(500)
    expected = [
        all(
            max(a, c) <= min(b, d)
            for (a, b), (c, d) in zip(spans(ones, i)[:axes], spans(others, i)[:axes], strict=True)
        )
        for i in range(500)
    ]
    assert 0 < sum(expected) < 500
    assert boxes.boxes_meet(ones, others, axes).tolist() == expected


def test_boxes_that_meet_share_a_box_and_have_no_gap():
    ones, others = some_boxes(500), some_boxes(500)
    shared, gaps = boxes.boxes_shared(ones, others), boxes.box_gaps(ones, others)
    assert np.array_equal((shared[:3] <= shared[3:]).all(axis=0), boxes.boxes_meet(ones, others))
    assert np.array_equal(gaps, np.maximum(shared[:3] - shared[3:], 0))


def test_boxes_contain_those_that_they_share_wholly():
    large, small = some_boxes(500), some_boxes(500)
    found = boxes.boxes_contain(large, small[:3], small[3:])
    assert 0 < found.sum() < 500
    assert np.array_equal(found, (boxes.boxes_shared(large, small) == small).all(axis=0))


def test_points_count_as_boxes_without_size():
    ones, points = some_boxes(500), some_boxes(500)[:3]
    flat = np.concatenate((points, points))
    assert np.array_equal(boxes.boxes_meet(ones, points), boxes.boxes_meet(ones, flat))
    assert np.array_equal(boxes.box_gaps(ones, points), boxes.box_gaps(ones, flat))
    assert np.array_equal(boxes.boxes_grown(points, 1.0), boxes.boxes_grown(flat, 1.0))


@pytest.mark.parametrize("count", [0, 1, 7])
@pytest.mark.parametrize("length", [0, 1, 200])
def test_the_bounds_of_an_owner_are_around_all_its_boxes(length, count):
    rows = some_boxes(length)
    owners = RANDOM.integers(0, count, length) if count else np.zeros(0, int)
    rows = rows[:, : len(owners)]
    found = boxes.bounds_by_owner(rows[:3], rows[3:], owners, count)
    assert found.shape == (6, count)
    for owner in range(count):
        some = rows[:, owners == owner]
        lower = some[:3].min(axis=1, initial=np.inf)
        assert np.array_equal(found[:3, owner], lower)
        assert np.array_equal(found[3:, owner], some[3:].max(axis=1, initial=-np.inf))
