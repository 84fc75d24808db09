"""Pairs taken once, and answers put in order, against plain sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core.mailboxing import Answers, deduplicate, mailboxes_for, unique_pairs

# Some thousand entries are sparse, a handful are dense; numbers of one remainder contend.
COUNTS = st.sampled_from((3, 40, 100_000))
PAIRS = st.lists(
    st.tuples(st.sampled_from((0, 1, 2, 4, 8, 12, 16, 20, 999)), st.integers(0, 2)), max_size=60
)


def ascending(pairs):
    numbers, entries = np.array(sorted(pairs, key=lambda pair: pair[0]), int).reshape(-1, 2).T
    return numbers, entries


@given(st.lists(PAIRS, min_size=1, max_size=3), COUNTS)
def test_each_pair_stays_in_its_last_part_only(parts, count):
    found = deduplicate([ascending(part) for part in parts], count, mailboxes_for(count))
    later = set()
    for part, (numbers, entries) in list(zip(parts, found, strict=True))[::-1]:
        pairs = list(zip(numbers.tolist(), entries.tolist(), strict=True))
        assert len(set(pairs)) == len(pairs)
        assert set(pairs) == set(part) - later
        assert (np.diff(numbers) >= 0).all()
        later |= set(part)


@pytest.mark.parametrize("questions", [2, 5, 400])
def test_who_contends_for_one_mailbox_for_long_is_sorted_out(questions):
    """All of them ask for the same item, three times each, and their letters go to one box."""
    numbers, entries = np.repeat(4 * np.arange(questions), 3), np.full(3 * questions, 7)
    assert_array_equal(
        unique_pairs(numbers, entries, mailboxes_for(8)), np.arange(2, 3 * questions, 3)
    )


@st.composite
def answers(draw):
    """Items of some volumes, and the volumes in any order, cut in portions."""
    items = draw(st.sampled_from((4, 65_535, 2**33)))
    sets = draw(st.lists(st.sets(st.integers(0, items - 1), max_size=5), max_size=12))
    order = draw(st.permutations(range(len(sets))))
    return items, sets, order, draw(st.integers(1, 4))


@given(answers(), st.randoms(use_true_random=False))
def test_pairs_come_out_sorted_by_volume_and_item(answers, random):
    items, sets, order, size = answers
    gathered = Answers(len(sets), items)
    for start in range(0, len(order), size):
        asked = np.array(order[start : start + size], int)
        pairs = [(k, item) for k, volume in enumerate(asked.tolist()) for item in sets[volume]]
        random.shuffle(pairs)
        numbers, found = np.array(pairs, int).reshape(-1, 2).T
        gathered.add(asked, numbers, found)
    wanted = [(volume, item) for volume, some in enumerate(sets) for item in sorted(some)]
    result = gathered.pairs()
    assert result.dtype == np.intp
    assert result.T.tolist() == [list(pair) for pair in wanted]
