"""Outcodes found by the compiled kernel are true, lead to NumPy's answers, and stay in arrays."""

import kernel_views
import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import compiled

pytestmark = pytest.mark.skipif(bool(compiled.why_not()), reason=compiled.why_not() or "there")
STRANGE = (0.0, -0.0, 1.0, 1e300, -1e300, 2.0**-1070, np.inf, np.nan)


@pytest.mark.parametrize("seed", range(25))
def test_views_find_the_same(seed):
    kernel_views.assert_views_equal(seed)


def codes_of(points, planes, slacks):
    """Return the outcodes of points (3, v) for one volume, each product and sum by itself."""
    codes = np.zeros(points.shape[1], np.uint8)
    for bit, (plane, slack) in enumerate(zip(planes, slacks, strict=True)):
        with np.errstate(all="ignore"):
            height = plane[0] * points[0] + plane[1] * points[1] + plane[2] * points[2] + plane[3]
        codes |= ((height < -slack) << bit | ~(height >= slack) << 6).astype(np.uint8)
    return codes


@given(st.integers(0, 2**32))
@examples(60)
def test_codes_are_those_of_the_formula(seed):
    random = np.random.default_rng(seed)
    count, length, sides = random.integers(1, 40), int(random.integers(1, 9)), random.integers(7)
    points = random.normal(size=(3, count)).round(1)
    points[random.random(points.shape) < 0.05] = random.choice(STRANGE)
    planes, slacks = random.normal(size=(3, sides, 4)).round(1), np.full((3, sides), 0.1)
    blocks = -(-count // length)
    is_open, used = random.random((3, blocks)) < 0.7, random.random(count) < 0.5
    before = is_open.copy()
    codes = np.full((3, count), 99, np.uint8)
    order, numbers = random.permutation(blocks), np.array([2, 0])
    coder = compiled.coder(planes, slacks, points)
    holds, found = coder.encode(points, (order, length), numbers, None, is_open, codes)
    assert not holds.any() and not is_open[numbers].any()
    expected = np.full((3, count), 99, np.uint8)
    looked_at = np.repeat(before, length, axis=1)[:, :count]
    for volume in numbers:
        some = looked_at[volume]
        expected[volume, some] = codes_of(points, planes[volume], slacks[volume])[some]
    assert_array_equal(codes, expected)
    assert found == looked_at[numbers].sum()
    holds, _ = coder.encode(points, (order, length), numbers, used, before.copy(), codes)
    inside = (expected == 0) & used & looked_at
    assert_array_equal(holds[numbers], inside[numbers].any(axis=1))
    assert not holds[1]


@given(st.integers(0, 2**32))
@examples(60)
def test_triangles_are_sorted_by_the_codes_of_their_corners(seed):
    random = np.random.default_rng(seed)
    codes = random.choice(np.array([0, 0, 64, 65, 66, 67, 127], np.uint8), 20)
    faces = random.integers(0, 20, (3, 50))
    start, stop = np.sort(random.integers(0, 51, 2))
    sure, unsure = compiled.coder(np.zeros((1, 0, 4)), np.zeros((1, 0)), faces).sorted(
        faces, slice(start, stop), codes
    )
    one, two, three = codes[faces]
    inside, apart = one | two | three == 0, one & two & three & 63 != 0
    numbers = np.arange(50)
    asked = (numbers >= start) & (numbers < stop)
    assert_array_equal(sure, numbers[inside & asked])
    assert_array_equal(unsure, numbers[~inside & ~apart & asked])


@pytest.mark.parametrize("wrong", [-1, 3, 2**40])
@pytest.mark.parametrize("where", ["faces", "numbers", "order"])
def test_indices_that_point_nowhere_are_refused(wrong, where):
    points, faces = np.zeros((3, 3)), np.array([[0], [1], [2]])
    coder = compiled.coder(np.zeros((1, 2, 4)), np.zeros((1, 2)), points, faces)
    numbers, order = np.array([0]), np.array([0, 1, 2])
    {"faces": faces[1], "numbers": numbers, "order": order}[where][:] = wrong
    codes, is_open = np.zeros((1, 3), np.uint8), np.ones((1, 3), bool)
    with pytest.raises(IndexError, match="points nowhere"):
        if where == "faces":
            coder.sorted(faces, slice(0, 1), codes[0])
        else:
            coder.encode(points, (order, 1), numbers, None, is_open, codes)


def test_rows_whose_numbers_do_not_follow_each_other_are_left_to_numpy():
    points = np.zeros((5, 3))
    assert compiled.coder(np.zeros((1, 0, 4)), np.zeros((1, 0)), points.T) is None
