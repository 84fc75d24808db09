"""Connected components against a plain search, in a few rounds."""

import numpy as np
import pytest
from costs import lines_run
from hypothesis import given
from hypothesis import strategies as st

from core import connected_components


def searched(pairs, count):
    """Return the smallest that each is connected to, by walking along the pairs."""
    neighbors = {each: set() for each in range(count)}
    for a, b in zip(*pairs, strict=True):
        neighbors[a].add(b)
        neighbors[b].add(a)
    labels = [-1] * count
    for start in range(count):
        reached = [start] if labels[start] < 0 else []
        while reached:
            here = reached.pop()
            if labels[here] < 0:
                labels[here] = start
                reached += neighbors[here]
    return labels


@st.composite
def graphs(draw):
    count = draw(st.integers(1, 30))
    pair = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    return np.array(draw(st.lists(pair, max_size=40)), np.intp).reshape(-1, 2).T, count


@given(graphs())
def test_components_are_what_a_search_finds(graph):
    pairs, count = graph
    assert connected_components(pairs, count).tolist() == searched(pairs, count)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_long_chain_takes_a_few_rounds(seed):
    count = 20_000
    chain = np.arange(count) if seed is None else np.random.default_rng(seed).permutation(count)
    pairs = np.stack((chain[:-1], chain[1:]))
    lines = lines_run(lambda: connected_components(pairs, count))
    assert sum(lines.values()) < 900  # a dozen for each step
    assert not connected_components(pairs, count).any()


def test_nothing_is_connected_with_nothing():
    assert connected_components(np.empty((2, 0), int), 3).tolist() == [0, 1, 2]
    assert len(connected_components(np.empty((2, 0), int), 0)) == 0
