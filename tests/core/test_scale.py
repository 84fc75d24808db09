"""Results are independent of the unit of length and of the origin."""

import core_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built
from numpy.testing import assert_array_equal

from core import HalfSpaces, query

RELATIONS = ("touching", "inside", "candidates")


@pytest.mark.parametrize("power", [-450, -250, -100, -30, 30, 100, 250, 450])
@pytest.mark.parametrize("about", scenes.ABOUT)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_scaled_by_a_power_of_two_gives_the_same_ids(kind, about, power):
    """Squares of these coordinates neither overflow nor underflow."""
    items, factor = kind(scenes.random()), 2.0**power
    one, other = built(items, capacity=8), built(scenes.moved(items, factor), capacity=8)
    assert_array_equal(one.node_lower * factor, other.node_lower)
    assert_array_equal(one.cells_of(), other.cells_of())
    volumes = about(items)
    for relation in RELATIONS:
        assert_array_equal(
            query(one, volumes, relation=relation),
            query(other, scenes.moved(volumes, factor), relation=relation),
        )


@pytest.mark.parametrize("shift", [(64, -128, 8), (2**20, 0, 0), (-(2**33), 2**30, 2**31)])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_shifted_exactly_gives_the_same_ids(kind, policy, shift):
    """Coordinates have sixteen bits after the point."""
    items, options = rounded(kind(scenes.random())), {"capacity": 8, "straddlers": policy}
    one, other = built(items, **options), built(scenes.moved(items, 1, shift), **options)
    for about in scenes.ABOUT:
        volumes = rounded(about(items))
        for relation in ("touching", "inside"):
            assert_array_equal(
                query(one, volumes, relation=relation),
                query(other, scenes.moved(volumes, 1, shift), relation=relation),
            )


def rounded(shapes):
    """Coordinates become multiples of 2**-16, of a plane the offset too; directions stay."""
    if isinstance(shapes, HalfSpaces):
        normals = np.round(shapes.planes[:, :3] * 4)
        normals[~normals.any(axis=1)] = 1
        return HalfSpaces(
            np.column_stack((normals, np.round(shapes.planes[:, 3] * 2**16) / 2**16))
        )
    arrays = {name: getattr(shapes, name) for name in scenes.arguments(type(shapes))}
    for name in arrays.keys() - {"faces", "rotations"}:
        arrays[name] = np.round(arrays[name] * 2**16) / 2**16
    return type(shapes)(**arrays)
