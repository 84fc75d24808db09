"""Occupancy grids leave out bounds that meet none of the other side, and never one that does."""

import numpy as np
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core.pairs.occupancy import sharing_cells


def boxes(rng, count, size, spread=1.0, shift=0.0):
    lower = rng.uniform(0, spread, (3, count)) + shift
    return np.concatenate((lower, lower + rng.uniform(0, size, (3, count))))


def meeting(ones, others):
    apart = (ones[:3, :, None] > others[3:, None]) | (ones[3:, :, None] < others[:3, None])
    met = ~apart.any(axis=0)
    return met.any(axis=1).nonzero()[0], met.any(axis=0).nonzero()[0]


@examples(25)
@given(st.integers(0, 10_000), st.sampled_from([1e-3, 0.05, 2.0]), st.sampled_from([0.0, 0.9, 3]))
def test_what_meets_is_kept(seed, size, shift):
    rng = np.random.default_rng(seed)
    ones, others = boxes(rng, 900, size), boxes(rng, 700, 0.03, shift=shift)
    if seed % 3 == 0:
        ones[[2, 5]] = 0.5  # flat
    for kept, wanted in zip(sharing_cells(ones, others), meeting(ones, others), strict=True):
        assert np.isin(wanted, kept).all()
        assert (np.diff(kept) > 0).all()


def test_most_of_what_meets_nothing_is_left_out():
    rng = np.random.default_rng(1)
    sheet = boxes(rng, 20_000, 0.01)
    wall = sheet.copy()
    sheet[[2, 5]] = 0.5
    wall[[0, 3]] = 0.25
    kept = sharing_cells(sheet, wall)
    assert max(map(len, kept)) < 2_000
    empty = np.empty((6, 0))
    assert [len(each) for each in sharing_cells(sheet, empty)] in ([20_000, 0], [0, 0])
