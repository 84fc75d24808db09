"""Pictures drawn with the compiled kernel are NumPy's to the last bit, and drawn within arrays."""

import kernel_pictures as pictures
import numpy as np
import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from support.kernels import needs_kernel

from core import compiled
from core.item_buffer.scan_conversion import Frames, samples
from core.item_buffer.z_buffer import keep_largest

pytestmark = needs_kernel
# Offsets of coordinates in pixels: roundings, offsets within tolerance, and out of view.
MOVES = (0.0, 0.0, 0.5, 2.0**-30, -(2.0**-30), 2.0**-31, 1e-12, 0.3, 1e7, -1e300, np.inf, np.nan)


@pytest.mark.parametrize("seed", range(25))
def test_pictures_are_equal_to_the_last_bit(seed):
    pictures.assert_pictures_equal(seed)


@given(st.integers(0, 2**32), st.booleans())
@examples(60)
def test_corners_on_centers_and_slivers_are_drawn_alike(seed, is_one):
    random = np.random.default_rng(seed)
    count = int(random.choice([1, 9, 300]))
    places = random.integers(-2, 14, (3, 60)) / random.choice([1.0, 2.0, 7.0])
    places += random.choice(MOVES[: random.integers(1, len(MOVES) + 1)], places.shape)
    places[2] = random.choice([0.0, -0.0, 1.0, 0.1, 2.0**-140, -1.0, 1e30], 60)
    faces = random.integers(0, 60, (3, count))
    boxes = np.array([[0, 2, 5], [0, 1, 3], [12, 9, 6], [10, 8, 4]])
    frames = Frames.rectangles(boxes[:, :1] if is_one else boxes)
    total = frames.total
    frames = frames if is_one else frames[random.integers(0, 3, count)]
    names, flags, keys = 0xFFFFFFFF - np.arange(count), np.zeros(total, bool), np.zeros(total, int)
    with np.errstate(all="ignore"):
        for where, nearness, which in samples(places, faces, frames):
            bits = nearness.astype(np.float32).view(np.int32).astype(np.int64)
            bits[np.isnan(nearness)] = -1
            keep_largest(keys, where, bits << 32 | names[which])
            flags[where[nearness >= 0]] = True
    found_keys, found_flags = np.zeros_like(keys), np.zeros_like(flags)
    painter = compiled.Painter()
    painter.draw(places, faces, frames.numbers, names, found_keys)
    painter.draw(places, faces, frames.numbers, None, found_flags)
    assert_array_equal(found_keys, keys)
    assert_array_equal(found_flags, flags)


@pytest.mark.parametrize("wrong", [-1, 3, 2**40])
@pytest.mark.parametrize("where", ["faces", "pixels", "frames"])
def test_indices_that_point_nowhere_are_refused(wrong, where):
    places, faces = np.array([[0, 9, 0.0], [0, 0, 9.0], [1, 1, 1.0]]), np.array([[0], [1], [2]])
    frames, pixels = np.array([[0], [0], [9], [9], [0], [9]]), np.zeros(81, bool)
    if where == "faces":
        faces[1] = wrong
    elif where == "pixels":
        pixels = pixels[:40]
    else:
        frames[4] = wrong if abs(wrong) > 3 else -5
    with pytest.raises(IndexError, match="points nowhere"):
        compiled.Painter().draw(places, faces, frames, None, pixels)


@pytest.mark.parametrize("wrong", [-1, 80, 2**40])
def test_what_is_drawn_alone_stays_within_its_pixels(wrong):
    places, faces = np.array([[0, 9, 0.0], [0, 0, 9.0], [1, 1, 1.0]]), np.array([[0], [1], [2]])
    frame, painter = np.array([[0], [0], [9], [9], [0], [9]]), compiled.Painter()
    keys, flags, both = np.zeros(81, np.int64), np.zeros(81, bool), np.zeros(81, bool)
    painter.draw(places, faces, frame, None, flags)
    painter.draw(places, faces, frame, np.ones(1, np.int64), keys, (frame, both))
    assert_array_equal(both, flags)
    assert_array_equal(keys > 0, flags)
    small = np.array([[2], [3], [5], [6], [-3 * 3 - 2], [3]])  # a box of the picture
    some = np.zeros(9, bool)
    painter.draw(places, faces, frame, None, keys, (small, some))
    assert_array_equal(some, flags.reshape(9, 9)[3:6, 2:5].ravel())
    small[4] = wrong
    with pytest.raises(IndexError, match="points nowhere"):
        painter.draw(places, faces, frame, None, keys, (small, some))


@pytest.mark.parametrize("wrong", [-1, 1, 2**62])
def test_vertices_that_are_not_there_are_refused(wrong):
    one, painter = np.ones(1, np.intp), compiled.Painter()
    with pytest.raises(IndexError, match="points nowhere"):
        painter.projected(np.zeros((3, 1)), np.ones((4, 4, 1)), one * wrong, one)
