"""Checksums differ after every kind of change, and agree between kernel and NumPy."""

import kernel_meshes as meshes
import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from support.kernels import needs_kernel

from core import SUMMED_TOGETHER, checksums

MASK = 2**64 - 1


def by_hand(words):
    """Return the sums in Python's whole numbers."""
    sums = [0] * -(-len(words) // SUMMED_TOGETHER)
    for number, word in enumerate(words.view(np.uint64).tolist()):
        block, place = divmod(number, SUMMED_TOGETHER)
        mixed = word + place * 0x9E3779B97F4A7C15 & MASK
        mixed = (mixed ^ mixed >> 32) * 0xD6E8FEB86659FD93 & MASK
        sums[block] = sums[block] + (mixed ^ mixed >> 29) & MASK
    return sums


@pytest.mark.parametrize("count", [0, 1, 4095, 4096, 4097, 20 * 4096 + 3])
def test_they_are_those_of_the_formula(count):
    words = np.random.default_rng(count).normal(size=count)
    assert checksums(words).tolist() == by_hand(words)


@needs_kernel
@pytest.mark.parametrize("seed", range(30))
def test_the_kernel_sums_the_same(seed):
    meshes.assert_sums_equal(seed)


def test_each_block_is_summed_by_itself():
    words = np.arange(3 * SUMMED_TOGETHER + 5)
    parts = [checksums(part) for part in np.split(words, [SUMMED_TOGETHER, 3 * SUMMED_TOGETHER])]
    assert_array_equal(checksums(words), np.concatenate(parts))
    assert len(checksums(words)) == 4


def changed(random, words):
    """Return a copy with some words changed, as by edits of meshes."""
    other = words.copy()
    some = random.choice(len(words), 1 + int(random.integers(1, 7)), replace=False)
    kind = random.integers(6)
    if kind == 0:
        other.view(np.uint64)[some] ^= np.uint64(1 << 63)  # mirrored
    elif kind == 1:
        other.view(np.uint64)[some] ^= np.uint64(1) << np.uint64(random.integers(64))
    elif kind == 2:
        other[some] = other[np.roll(some, 1)]  # in another order
    elif kind == 3:
        other[some[0]], other[some[1]] = other[some[0]] + 1, other[some[1]] - 1
    elif kind == 4:
        other[some] *= -1
    else:
        other = np.roll(other, 1)
    return other


@given(st.integers(0, 2**32))
@examples(400)
def test_other_words_have_other_sums(seed):
    random = np.random.default_rng(seed)
    count = int(random.integers(8, 200))
    # Coordinates of single precision, or numbers of vertices.
    words = random.normal(size=count).astype(np.float32).astype(np.float64)
    if random.random() < 0.5:
        words = random.integers(0, 50, count)
    other = changed(random, words)
    is_same = words.tobytes() == other.tobytes()
    assert (checksums(words)[0] == checksums(other)[0]) == is_same


def test_nearly_all_bits_of_a_sum_follow_each_bit_of_a_word():
    words, counts = np.zeros(64, np.uint64), np.zeros(64)
    random = np.random.default_rng(1)
    for _ in range(200):
        words[:] = random.integers(0, 2**64, 64, np.uint64)
        before = checksums(words)
        for bit in range(64):
            words[7] ^= np.uint64(1 << bit)
            counts[bit] += (checksums(words) ^ before)[0].item().bit_count() / 200
            words[7] ^= np.uint64(1 << bit)
    assert counts.min() > 12


@pytest.mark.parametrize(
    "wrong", [np.zeros(3, np.int32), np.zeros((2, 3)), np.zeros(8)[::2], 5.0, np.zeros(2, "c16")]
)
def test_what_is_no_row_of_words_is_refused(wrong):
    with pytest.raises(ValueError, match="words"):
        checksums(wrong)
