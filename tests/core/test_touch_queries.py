"""Oriented boxes, capsules and regions as questions: trees answer what the pairs say."""

import hull_oracle as oracle
import hull_scenes as scenes
import numpy as np
import pytest
from agreement import POLICIES, built, flags
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from core import (
    Boxes,
    Capsules,
    Frusta,
    OrientedBoxes,
    Regions,
    Spheres,
    Triangles,
    query,
    query_any,
    query_count,
)
from core.descend import CROSSING, INSIDE, OUTSIDE, classifier
from core.touch import lying_inside, touching

ITEMS = (Triangles, Boxes, Spheres, Regions)
NEW = (OrientedBoxes, Capsules)
PAIRS = [*((item, volume) for volume in (*NEW, Regions) for item in ITEMS), (Regions, Frusta)]
TESTS = {"touching": touching, "inside": lying_inside}
every_pair = pytest.mark.parametrize(("item", "volume"), PAIRS)
every_new_kind = pytest.mark.parametrize("kind", NEW)


def all_pairs(test, items, volumes):
    numbers, ids = np.indices((len(volumes), len(items))).reshape(2, -1)
    return test(items, ids, volumes, numbers).reshape(len(volumes), len(items))


def assert_answers_of_pairs(tree, volumes):
    items = tree.items
    for relation, test in TESTS.items():
        found = flags(query(tree, volumes, relation=relation), volumes, items)
        assert_array_equal(found, all_pairs(test, items, volumes))
    touched = all_pairs(touching, items, volumes)
    candidates = flags(query(tree, volumes, relation="candidates"), volumes, items)
    assert (touched <= candidates).all()
    assert_array_equal(query_any(tree, volumes), touched.any(axis=1))
    assert_array_equal(query_count(tree, volumes), touched.sum(axis=1))


@every_pair
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [0.3, 3])
def test_trees_answer_as_pairs_do(item, volume, policy, size):
    tree = built(scenes.random(item, 400, 1, 0.1), capacity=8, straddlers=policy)
    volumes = scenes.random(volume, 40, 2, size)
    assert_answers_of_pairs(tree, volumes)
    assert 0 < len(query(tree, volumes)[0]) < 16_000


@every_pair
def test_trees_of_whole_numbers_answer_as_pairs_do(item, volume):
    for make in (scenes.whole, scenes.degenerate):
        tree = built(scenes.whole(item, 300), capacity=4, straddlers="keep", loose_factor=1.5)
        assert_answers_of_pairs(tree, make(volume, seed=2))


@pytest.mark.parametrize("power", [-450, 450])
@every_pair
def test_trees_scaled_by_a_power_of_two_give_the_same_ids(item, volume, power):
    items, volumes = scenes.random(item, 200, 1, 0.2), scenes.random(volume, 30, 2)
    scaled = [scenes.moved(shapes, 2.0**power) for shapes in (items, volumes)]
    for relation in ("touching", "inside", "candidates"):
        assert_array_equal(
            query(built(items, capacity=8), volumes, relation=relation),
            query(built(scaled[0], capacity=8), scaled[1], relation=relation),
        )


options = st.fixed_dictionaries(
    {
        "capacity": st.integers(1, 4),
        "max_depth": st.integers(0, 5),
        "straddlers": st.sampled_from(POLICIES),
        "loose_factor": st.sampled_from((1.0, 1.5, 2.0)),
        "bounds": st.sampled_from((None, Boxes([[-2] * 3], [[2] * 3]))),
    }
)
seeds = st.integers(0, 2**31)


@given(st.sampled_from(ITEMS), st.sampled_from(NEW), seeds, options)
def test_answers_in_whole_numbers_equal_fractions(item, volume, seed, options):
    items, volumes = scenes.whole(item, 8, seed), scenes.whole(volume, 3, seed + 1)
    tree = built(items, **options)
    for relation, truth in (("touching", oracle.touching), ("inside", oracle.inside)):
        found = flags(query(tree, volumes, relation=relation), volumes, items)
        assert_array_equal(found, truth(items, volumes)[0])


# Cells


@every_new_kind
@pytest.mark.parametrize("size", [0.1, 1, 5])
@pytest.mark.parametrize("slack", [0, 0.01])
def test_cells_are_taken_or_thrown_out_only_for_certain(kind, size, slack):
    volumes = scenes.random(kind, 60, 1, size)
    cells = scenes.random(Boxes, 200, 2, 0.3)
    enlarged = Boxes(cells.lower - slack, cells.upper + slack)
    numbers, ids = np.indices((len(volumes), len(cells))).reshape(2, -1)
    states = classifier(volumes, np.full(len(volumes), float(slack)))(numbers, cells.rows[:, ids])
    touched = touching(enlarged, ids, volumes, numbers)
    held = lying_inside(enlarged, ids, volumes, numbers)
    assert (states[touched] != OUTSIDE).all()
    assert held[states == INSIDE].all()
    # Cells beside a volume's bounds are not asked about; of the others few stay in doubt.
    about = touching(enlarged, ids, volumes.bounds(), numbers)
    assert ((states == CROSSING) & about & ~touched).sum() <= 0.05 * touched.sum() + 5
    assert (states == INSIDE).sum() >= 0.95 * held.sum()


@every_new_kind
@pytest.mark.parametrize("item", ITEMS)
def test_volumes_around_everything_take_the_root_whole(kind, item):
    around = {
        OrientedBoxes: OrientedBoxes([[0, 0, 0]], [[9, 9, 9]], [scenes.TURN]),
        Capsules: Capsules([[-1, 0, 0]], [[1, 0, 0]], [9]),
    }[kind]
    tree = built(scenes.random(item, 300), capacity=8)
    for relation in ("touching", "inside", "candidates"):
        assert_array_equal(query(tree, around, relation=relation)[1], np.arange(300))
    root = tree.cell_rows[:, :1]
    assert classifier(around, np.full(1, tree.slack))(np.zeros(1, int), root) == INSIDE


@every_new_kind
def test_questions_must_be_finite(kind):
    tree = built(scenes.random(Triangles))
    volumes = scenes.moved(scenes.random(kind), np.inf)
    with pytest.raises(ValueError, match="volumes must be finite"):
        query(tree, volumes)
    empty = volumes[:0]
    assert query(tree, empty).shape == (2, 0)
