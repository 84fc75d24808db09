"""Gaps along a direction: each triangle with each, and how few of them are looked at."""

import gap_oracle as oracle
import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import compiled, use_kernel
from core.gaps.search import GapSearch
from core.steps import run

KERNELS = [False] if compiled.why_not() else [False, True]


@pytest.fixture(params=KERNELS, ids=lambda is_wanted: "kernel" if is_wanted else "NumPy")
def _kernel(request):
    use_kernel(request.param)
    yield
    use_kernel(True)


@pytest.mark.usefixtures("_kernel")
@examples(60)
@given(seed=st.integers(0, 2**32 - 1), signed=st.booleans())
def test_gaps_are_those_of_each_triangle_with_each(seed, signed):
    assert_as_by_force(seed, signed)


def assert_as_by_force(seed, signed):
    random = np.random.default_rng(seed)
    moment, sheets = oracle.flush(random)
    rows, way = oracle.pairs_of(moment, random), oracle.way_of(random)
    keys, limits = np.arange(rows.shape[1]), np.full(rows.shape[1], np.inf)
    search = GapSearch(moment, sheets, way, signed=signed)
    run(search.look(rows, keys, limits, shared=False))
    lowest, every = search.faces, None if signed else run(search.every_face(keys))
    for pair in keys:
        best, crosses, faces = oracle.gaps(moment, sheets, way, rows[:, pair], signed=signed)
        found = search.gaps[pair], *search.entries[:, pair], search.corners[pair]
        assert found == best, (seed, pair)
        assert search.crossing[pair] == crosses
        assert named(lowest, pair) == faces[:1]
        if not signed and named(every, pair) != faces:
            assert named(every, pair) == [] and is_past(moment, sheets, way, rows[:, pair])
    return len(keys)


def named(faces, pair):
    some = faces.pairs == pair
    return list(zip(faces.ones[some].tolist(), faces.others[some].tolist(), strict=True))


def is_past(moment, sheets, way, rows):
    """Tell whether all of the first lies ahead of all of the second, from their corners."""
    ends = []
    for row in rows:
        entries = oracle.entries_of(moment, sheets, row)
        corners = oracle.corners_of(moment, sheets, entries, row)
        along = corners[:, way.axes[2]] * np.sign(way.direction[way.axes[2]])
        ends.append((along.min(), along.max()))
    return ends[0][0] >= ends[1][1]
