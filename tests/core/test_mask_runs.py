"""Runs of masks count what a look at each pixel counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.item_buffer.mask_runs import Runs, counted_alone, counted_in
from core.item_buffer.renderers import Image


@given(st.lists(st.booleans(), max_size=40))
def test_runs_are_where_flags_are_set(flags):
    runs = Runs.of(np.array(flags, bool))
    (places,) = np.nonzero(flags)
    asked = np.arange(len(flags) + 1)
    assert runs.before(asked).tolist() == [(places < place).sum() for place in asked]
    for place in asked:
        if (places >= place).any():
            assert runs.first_from(np.array([place]))[0] == places[places >= place][0]
        if (places < place).any():
            assert runs.last_before(np.array([place]))[0] == places[places < place][-1]


def box_around(rows, columns):
    if len(rows) == 0:
        return [0, 0, 0, 0]
    return [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]


@given(st.integers(0, 2**32))
def test_what_is_set_in_boxes(seed):
    """Boxes lie in the picture, across its borders, and beside it."""
    rng, size = np.random.default_rng(seed), (6, 4)
    count = int(rng.integers(1, 5))
    low = rng.integers(-5, 8, (2, count))
    boxes = np.concatenate((low, low + rng.integers(1, 9, (2, count))))
    masks = [rng.random((y1 - y0, x1 - x0)) < rng.random() for x0, y0, x1, y1 in boxes.T]
    inside, found = counted_alone(np.concatenate([mask.ravel() for mask in masks]), boxes, size)
    for number, (mask, (left, bottom)) in enumerate(zip(masks, low.T, strict=True)):
        rows, columns = mask.nonzero()
        rows, columns = rows + bottom, columns + left
        shown = (rows >= 0) & (rows < size[1]) & (columns >= 0) & (columns < size[0])
        assert inside[number] == shown.sum()
        assert found.counts[number] == len(rows)
        assert found.boxes[number].tolist() == box_around(rows, columns)


@given(st.integers(0, 2**32))
def test_what_an_image_shows(seed):
    rng, width, high = np.random.default_rng(seed), 7, 5
    owners = rng.integers(4, size=6)
    rows = np.where(
        rng.random(width * high) < rng.random(), rng.integers(6, size=width * high), -1
    )
    image = Image(rows, rows, rng.random(width * high).astype(np.float32))
    found, nearness = counted_in(image, width, owners, 5)
    for owner in range(5):
        (pixels,) = ((rows >= 0) & (owners[rows] == owner)).nonzero()
        assert found.counts[owner] == len(pixels)
        assert found.boxes[owner].tolist() == box_around(*np.divmod(pixels, width))
        assert nearness[owner] == image.nearness[pixels].max(initial=0)
