"""Exact tests of pairs of hulls that are grown round, against fractions: all pairs of batches."""

import hull_oracle as oracle
import hull_scenes as scenes
import numpy as np
import pytest

from core import Boxes, Capsules, Frusta, OrientedBoxes, Regions, Spheres, Triangles
from core.touch import lying_inside, touching

ITEMS = (Triangles, Boxes, Spheres, Regions)
PAIRS = [
    *((item, volume) for volume in (OrientedBoxes, Capsules) for item in ITEMS),
    (Triangles, Regions),
    (Regions, Frusta),
]
HELD = PAIRS[:8]
every_pair = pytest.mark.parametrize(("item", "volume"), PAIRS)
every_holding_pair = pytest.mark.parametrize(("item", "volume"), HELD)


def flags(test, items, volumes):
    """Ask a test for all pairs: one row for each volume."""
    numbers, ids = np.indices((len(volumes), len(items))).reshape(2, -1)
    return test(items, ids, volumes, numbers).reshape(len(volumes), len(items))


def assert_right(test, truth, items, volumes, exactly=False):
    found = flags(test, items, volumes)
    largest = max(np.abs(shapes.limits()).max() for shapes in (items, volumes))
    doubt = 0 if exactly else oracle.TOLERANCE * oracle.Fraction(largest)
    surely, possibly = truth(items, volumes, doubt)
    wrong = np.argwhere((surely & ~found) | (found & ~possibly))
    assert len(wrong) == 0, f"first of {len(wrong)} wrong pairs: {wrong[0]}"
    assert 0 < found.mean() < 1


@every_pair
@pytest.mark.parametrize("size", [0.1, 0.3, 1])
def test_random_shapes_touch_as_fractions_say(item, volume, size):
    items = scenes.random(item, 60, 1, 0.5)
    assert_right(touching, oracle.touching, items, scenes.random(volume, 20, 2, size))


@every_pair
@pytest.mark.parametrize("seed", [1, 3])
def test_whole_shapes_touch_exactly(item, volume, seed):
    items, volumes = scenes.whole(item, 40, seed), scenes.whole(volume, 25, seed + 1)
    assert_right(touching, oracle.touching, items, volumes, exactly=True)


@every_pair
def test_points_segments_and_flat_shapes_touch_exactly(item, volume):
    items, volumes = scenes.degenerate(item), scenes.degenerate(volume, 2)
    assert_right(touching, oracle.touching, items, volumes, exactly=True)


@every_holding_pair
def test_random_shapes_lie_in_volumes_as_fractions_say(item, volume):
    items = scenes.random(item, 60, 1, 0.2)
    assert_right(lying_inside, oracle.inside, items, scenes.random(volume, 20, 2, 2))


@every_holding_pair
def test_whole_shapes_lie_in_volumes_exactly(item, volume):
    items, volumes = scenes.whole(item, 60), scenes.whole(volume, 40, 2)
    assert_right(lying_inside, oracle.inside, items, volumes, exactly=True)
    items = scenes.degenerate(item)
    assert_right(lying_inside, oracle.inside, items, volumes, exactly=True)
