"""What slides until it touches: the definitions in fractions, formulas, and laws."""

from fractions import Fraction

import numpy as np
import slide_oracle as oracle
from audit_scenes import scene_of
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import Triangles, slide

DOWN = [0, 0, -1]


def soup(rng, count, grid):
    """Return triangles with corners on a grid, many of them edge-on, flush or without area."""
    corners = rng.integers(0, grid, (count, 3, 3)).astype(float)
    return Triangles(corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3))


def corners_of(scene):
    made = [scene.triangles_of([each]) for each in scene.ids]
    return [each.vertices[each.faces] for each in made]


def assert_as_defined(scene, movers, direction):
    found = slide(scene, movers, direction)
    wanted, crossing = oracle.slides(corners_of(scene), list(movers), direction)
    assert found.crossing.tolist() == [one in crossing for one in movers]
    length = np.sqrt(float(np.dot(direction, direction)))
    largest = max(np.abs(each).max() for each in corners_of(scene))
    for distance, fall in zip(found.distances.tolist(), wanted, strict=True):
        if fall == oracle.INFINITE:
            assert distance == np.inf
        else:
            exact = float(fall) * float(length)
            assert distance <= exact * (1 + 2.0**-52)
            assert distance >= exact - largest * 2.0**-40
            if np.count_nonzero(direction) == 1:
                assert Fraction(distance) <= fall * Fraction(float(length))
    return found


@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1),
    grid=st.sampled_from([3, 5, 40]),
    direction=st.sampled_from([DOWN, [0, 2, 0], [-3, 0, 0], [1, -1, 0], [1, 2, -4]]),
)
def test_slides_are_those_of_all_pairs_in_fractions(seed, grid, direction):
    rng = np.random.default_rng(seed)
    scene = scene_of(*(soup(rng, int(rng.integers(1, 4)), grid) for _ in range(5)))
    assert_as_defined(scene, [0, 2, 4], direction)
