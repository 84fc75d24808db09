"""Triangle against triangle: which touch, and which are no farther apart than a margin."""

from fractions import Fraction
from itertools import permutations

import core_scenes as scenes
import numpy as np
import pair_oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from core.arrays import exact_cross
from core.touch.triangle_pairs import triangles_near_triangles, triangles_touch_triangles

FLAT = [(0, 0, 0), (8, 0, 0), (0, 8, 0)]
# Triangles that share with the first one, in this order: nothing but its plane's inside, a corner,
# part of an edge, the middle of an edge, all of it, its inner part, a point within.
TOUCHING = {
    "piercing": [(2, 2, -3), (2, 2, 5), (9, 9, 9)],
    "corner on corner": [(8, 0, 0), (9, 3, 1), (9, 3, 5)],
    "corner on edge": [(4, 4, 0), (9, 9, 1), (9, 9, 5)],
    "corner on face": [(1, 2, 0), (1, 2, 7), (5, 5, 7)],
    "edge along edge": [(2, 0, 0), (5, 0, 0), (3, -4, 2)],
    "edge across edge": [(2, -2, 0), (2, 2, 0), (2, 0, 5)],
    "in the plane, across": [(3, -1, 0), (4, -1, 0), (3, 9, 0)],
    "in the plane, within": [(1, 1, 0), (3, 1, 0), (1, 3, 0)],
    "in the plane, around": [(-9, -9, 0), (40, -9, 0), (-9, 40, 0)],
    "the same": FLAT,
    "a segment through": [(2, 2, -1), (2, 2, 1), (2, 2, 1)],
    "a segment within": [(1, 1, 0), (2, 3, 0), (1, 1, 0)],
    "a point on the edge": [(4, 4, 0)] * 3,
    "a point within": [(2, 1, 0)] * 3,
}
APART = {
    "above": [(0, 0, 1), (8, 0, 1), (0, 8, 1)],
    "beside, in the plane": [(8, 1, 0), (9, 8, 0), (1, 8, 0)],
    "beside an edge, crossing the plane": [(5, 4, -2), (5, 4, 2), (9, 9, 0)],
    "planes cross, triangles do not": [(9, -1, -4), (9, -1, 4), (12, 5, 1)],
    "a segment beside": [(5, 4, 0), (9, 9, 0), (9, 9, 0)],
    "a segment above": [(1, 1, 1), (2, 2, 5), (2, 2, 5)],
    "a point above": [(1, 1, 1)] * 3,
    "a point beside, in the plane": [(5, 5, 0)] * 3,
}


def touch(ones, others):
    """All of the ones (rows) against all of the others (columns)."""
    return against(triangles_touch_triangles, ones, others)


def near(ones, others, margin):
    return against(triangles_near_triangles, ones, others, margin)


def against(test, ones, others, *margin):
    here, there = (grid.ravel() for grid in np.indices((len(ones), len(others))))
    return test(ones, here, others, there, *margin).reshape(len(ones), len(others))


@pytest.mark.parametrize("name", [*TOUCHING, *APART])
@pytest.mark.parametrize("turn", range(3))
def test_whatever_the_order_of_corners_and_axes(name, turn):
    pair = np.array((FLAT, (TOUCHING | APART)[name]))
    pair = np.roll(pair, turn, axis=2)
    for order in permutations(range(3)):
        first, second = (scenes.loose_triangles(one[None, list(order)]) for one in pair)
        still = scenes.loose_triangles(pair[1][None])
        for found in (touch(first, second), touch(second, first), touch(first, still)):
            assert found.tolist() == [[name in TOUCHING]]


@pytest.mark.parametrize(("span", "size"), [(1, 1), (2, 2), (4, 2), (6, 3), (9, 9)])
@pytest.mark.parametrize("margin", [0, 1, 2, 3])
def test_whole_numbers_are_exact(span, size, margin):
    random = scenes.numbers(span)
    corners = random.integers(-span, span + 1, (2, 50, 1, 3)) + random.integers(
        -size, size + 1, (2, 50, 3, 3)
    )
    corners[:, ::6, :, 2] = 0
    corners[:, 1::9, 1] = corners[:, 1::9, 0]
    corners[:, 2::11] = corners[:, 2::11, :1]
    ones, others = map(scenes.loose_triangles, corners)
    wanted = pair_oracle.near(ones, others, margin)
    found = near(ones, others, margin)
    assert_array_equal(found, wanted)
    assert_array_equal(near(others, ones, margin), wanted.T)
    if margin == 0:
        assert_array_equal(touch(ones, others), wanted)
        assert_array_equal(touch(others, ones), wanted.T)


whole_triangles = arrays(np.int64, (6, 3, 3), elements=st.integers(-3, 3)).map(
    scenes.loose_triangles
)


@given(whole_triangles, whole_triangles, st.integers(0, 4))
def test_answers_equal_brute_force(ones, others, margin):
    wanted = pair_oracle.near(ones, others, margin)
    assert_array_equal(near(ones, others, margin), wanted)
    if margin == 0:
        assert_array_equal(touch(ones, others), wanted)


@given(
    arrays(np.int64, (8, 3, 3), elements=st.integers(-20, 20)),
    arrays(np.int64, 3, elements=st.integers(-(2**30), 2**30)),
    st.integers(-300, 300),
    st.integers(0, 9),
)
def test_exact_shifts_and_powers_of_two_change_nothing(corners, shift, power, margin):
    plain = scenes.loose_triangles(corners)
    shifted, scaled = scenes.moved(plain, 1, shift), scenes.moved(plain, 2.0**power)
    assert_array_equal(touch(plain, plain), touch(shifted, shifted))
    assert_array_equal(touch(plain, plain), touch(scaled, scaled))
    wanted = near(plain, plain, margin)
    assert_array_equal(wanted, near(shifted, shifted, margin))
    if abs(power) < 150:  # squares of coordinates are within range
        assert_array_equal(wanted, near(scaled, scaled, margin * 2.0**power))


@pytest.mark.parametrize("angle", [1e-3, 1e-6, 1e-8, 1e-9, 1e-12, 0.0])
@pytest.mark.parametrize("gap", [1e-9, 1e-6, 1e-3])
def test_ridges_that_nearly_run_along_each_other(angle, gap):
    """Two gables, edge over edge: apart by the gap, or through each other by as much."""
    random = scenes.numbers(5)
    for _ in range(40):
        turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
        lower = np.array([(-1, 0, 0), (1, 0, 0), (random.uniform(-1, 1), 0.2, -1)])
        upper = np.array([(-1, -angle, 0), (1, angle, 0), (random.uniform(-1, 1), 0.2, 1)])
        apart, through = upper + np.array((0, 0, gap)), upper - np.array((0, 0, gap))
        ones = scenes.loose_triangles((lower @ turn)[None])
        others = scenes.loose_triangles(np.stack((apart, through)) @ turn)
        assert touch(ones, others).tolist() == [[False, True]]
        assert near(ones, others, 1.5 * gap)[0, 0]
        assert not near(ones, others, 0.5 * gap)[0, 0]


def test_products_of_nearly_parallel_vectors_lose_no_digit():
    random = scenes.numbers(6)
    one = random.uniform(-1, 1, (3, 200))
    other = one * random.uniform(0.5, 2, 200) + random.uniform(-1e-9, 1e-9, (3, 200))
    found = exact_cross(one, other)
    for k in range(200):
        a, b = ([Fraction(float(x)) for x in rows[:, k]] for rows in (one, other))
        exact = [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]
        for value, wanted in zip(found[:, k], exact, strict=True):
            assert abs(Fraction(float(value)) - wanted) <= abs(wanted) * Fraction(2) ** -50
