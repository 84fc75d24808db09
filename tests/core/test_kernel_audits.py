"""Audits in the compiled kernel: distances, cuts and findings have NumPy's bits."""

import kernel_audits as audits
import pytest
from support.kernels import needs_kernel

pytestmark = needs_kernel


@pytest.mark.parametrize("first", range(0, 24, 8))
def test_findings_are_equal_to_the_last_bit(first):
    assert sum(map(audits.assert_audits_equal, range(first, first + 8)))


def test_nearest_triangles_in_rows_are_those_of_numpy():
    assert sum(map(audits.assert_nearest_equal, range(12)))


def test_triangles_and_points_are_as_far_apart_as_numpy_says():
    assert sum(map(audits.assert_measures_equal, range(60)))


def test_surfaces_are_cut_as_numpy_cuts_them():
    assert sum(map(audits.assert_cuts_equal, range(40)))


def test_what_is_not_there_is_left_to_numpy():
    for seed in range(20):
        audits.survive_damage(seed)
