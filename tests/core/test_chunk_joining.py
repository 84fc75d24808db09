"""Chunks joined into their ancestors, held against a dictionary of codes."""

import numpy as np
import pytest
from chunk_oracle import AXES, check_lattice, surface, together
from numpy.testing import assert_array_equal

from core import Triangles, chunks, joined_chunks


def scene(shift=0.0):
    """Return a hill, a denser one beside it, and a small one that lies between walls."""
    small = surface(4)
    small = Triangles(small.vertices * 0.3 + (0.4, 0.4, 2.4), small.faces)
    items, owners = together(surface(24), surface(60, (2.1, 0.3, 0.2)), small)
    return Triangles(items.vertices + shift, items.faces), owners


def wanted_parents(made, bits, height):
    """Return code and depth of each chunk's topmost ancestor that is low enough."""
    below = {}
    rows = list(zip(made.codes.tolist(), made.depths.tolist(), strict=True))
    for code, depth in rows:
        for up in range(depth + 1):
            key = code >> bits * up
            below[key] = max(below.get(key, 0), depth)
    found = []
    for code, depth in rows:
        ups = [up for up in range(depth + 1) if below[code >> bits * up] - (depth - up) <= height]
        key = code >> bits * max(ups)
        found.append((key, below[key] - (depth - max(ups))))
    return found


@pytest.mark.parametrize("shift", [0.0, 0.37, -1e6])
@pytest.mark.parametrize("split", ["octree", "quadtree"])
def test_parents_are_the_largest_cells_that_are_low_enough(split, shift):
    items, owners = scene(shift)
    made = chunks(items, budget=300, split=split, cell=0.7, owners=owners)
    assert len(set(made.depths.tolist())) > 1
    for height in (0, 1, 2, 30):
        joined = joined_chunks(made, height=height)
        larger = joined.chunks
        wanted = wanted_parents(made, AXES[split], height)
        found = zip(
            larger.codes[joined.parents].tolist(),
            joined.heights[joined.parents].tolist(),
            strict=True,
        )
        assert list(found) == wanted
        check_lattice(larger, 0.7, AXES[split])
        assert (larger.lower[joined.parents] <= made.lower).all()
        assert (larger.upper[joined.parents] >= made.upper).all()
        assert_array_equal(larger.counts, np.bincount(joined.parents, made.counts))
        assert_array_equal(larger.cells, np.append(joined.parents, -1)[made.cells])
        assert_array_equal(larger.pieces.cells, joined.parents[made.pieces.cells])
    assert len(larger.counts) == 1
    assert joined_chunks(made, height=0).chunks == made


def test_nothing_and_a_single_cell_stay():
    for items in (Triangles(np.empty((0, 3)), np.empty((0, 3), int)), surface(2)):
        made = chunks(items, budget=1000)
        joined = joined_chunks(made, height=3)
        assert joined.chunks == made
        assert joined.parents.tolist() == joined.heights.tolist() == [0] * len(made.counts)


def test_what_is_no_height_is_refused():
    made = chunks(surface(2))
    for height in (-1, 0.5, None):
        with pytest.raises(ValueError, match="height"):
            joined_chunks(made, height=height)
