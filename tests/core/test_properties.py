"""Laws that hold for any items and volumes, in whole numbers, where brute force is exact."""

import core_scenes as scenes
import numpy as np
from agreement import POLICIES, assert_true_answers, built, flags
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal

from core import Boxes, Spheres, query, query_any, query_count

RELATIONS = ("touching", "inside", "candidates")
EVERYTHING = (Boxes([[-20] * 3], [[20] * 3]), Spheres([[0] * 3], [40]))


@st.composite
def batches(draw, kinds, most=16):
    """Shapes in small whole numbers, often alike, and often of no area or size."""
    kind, count = draw(st.sampled_from(kinds)), draw(st.integers(0, most))
    corners = draw(arrays(np.int64, (count, 3, 3), elements=st.integers(-4, 4)))
    if kind == "triangles":
        return scenes.loose_triangles(corners)
    if kind == "boxes":
        return Boxes(corners[:, :2].min(axis=1), corners[:, :2].max(axis=1))
    if kind == "spheres":
        return Spheres(corners[:, 0], np.abs(corners[:, 1, 0]))
    return scenes.whole_frusta(count, seed=draw(st.integers(0, 2**31)))


items = batches(("triangles", "boxes", "spheres"))
volumes = batches(("boxes", "spheres"), most=4) | batches(("frusta",), most=2)
options = st.fixed_dictionaries(
    {
        "capacity": st.integers(1, 4),
        "max_depth": st.integers(0, 5),
        "split": st.sampled_from(("middle", "median")),
        "straddlers": st.sampled_from(POLICIES),
        "hybrid_limit": st.integers(1, 8),
        "loose_factor": st.sampled_from((1.0, 1.5, 2.0)),
        "bounds": st.sampled_from(
            (None, Boxes([[-2] * 3], [[2] * 3]), Boxes([[0, -4, 1]], [[3, 4, 1]]))
        ),
    }
)
relations = st.sampled_from(RELATIONS)


@given(items, volumes, options)
def test_answers_equal_brute_force(items, volumes, options):
    assert_true_answers(built(items, **options), volumes, exactly=True)


@given(items, options)
def test_a_volume_around_everything_finds_everything(items, options):
    tree = built(items, **options)
    for around in (*EVERYTHING, scenes.hexahedra(EVERYTHING[0])):
        for relation in RELATIONS:
            assert_array_equal(query(tree, around, relation=relation)[1], np.arange(len(items)))


@given(items, volumes, options)
def test_counts_and_flags_agree_with_the_pairs(items, volumes, options):
    tree = built(items, **options)
    counts = np.bincount(query(tree, volumes)[0], minlength=len(volumes))
    assert_array_equal(query_count(tree, volumes), counts)
    assert_array_equal(query_any(tree, volumes), counts > 0)


@given(items, volumes, options, st.randoms(use_true_random=False))
def test_permuting_items_permutes_ids(items, volumes, options, random):
    order = np.array(random.sample(range(len(items)), len(items)), int)
    straight, shuffled = built(items, **options), built(items[order], **options)
    assert_array_equal(straight.node_lower, shuffled.node_lower)
    for relation in RELATIONS:
        one = flags(query(straight, volumes, relation=relation), volumes, items)
        other = flags(query(shuffled, volumes, relation=relation), volumes, items)
        assert_array_equal(one[:, order], other)


@given(items, volumes, options, relations)
def test_volumes_are_asked_independently(items, volumes, options, relation):
    tree = built(items, **options)
    one = flags(query(tree, volumes, relation=relation), volumes, items)
    backwards = flags(query(tree, volumes[::-1], relation=relation), volumes, items)
    assert_array_equal(one, backwards[::-1])


@given(items, volumes, options, relations, st.integers(-60, 60))
def test_scaling_by_a_power_of_two_changes_nothing(items, volumes, options, relation, power):
    options = {**options, "bounds": None}
    scaled = built(scenes.moved(items, 2.0**power), **options)
    assert_array_equal(
        query(built(items, **options), volumes, relation=relation),
        query(scaled, scenes.moved(volumes, 2.0**power), relation=relation),
    )


@given(items, volumes, options, st.tuples(*[st.integers(-(2**20), 2**20)] * 3))
def test_an_exact_shift_changes_no_answer(items, volumes, options, shift):
    options = {**options, "bounds": None}
    shifted = built(scenes.moved(items, 1, shift), **options)
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(built(items, **options), volumes, relation=relation),
            query(shifted, scenes.moved(volumes, 1, shift), relation=relation),
        )


@given(items, batches(("boxes",), most=4), options)
def test_a_box_finds_what_its_halves_find(items, boxes, options):
    tree = built(items, **options)
    middle = (boxes.lower[:, 0] + boxes.upper[:, 0]) / 2
    lower, upper = boxes.lower.copy(), boxes.upper.copy()
    lower[:, 0] = upper[:, 0] = middle
    halves = Boxes(boxes.lower, upper), Boxes(lower, boxes.upper)
    left, right = (flags(query(tree, half), boxes, items) for half in halves)
    assert_array_equal(left | right, flags(query(tree, boxes), boxes, items))


@given(items, batches(("boxes",), most=4), options)
def test_a_box_is_a_frustum_too(items, boxes, options):
    tree = built(items, **options)
    solid = boxes[(boxes.lower < boxes.upper).all(axis=1)]
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(tree, solid, relation=relation),
            query(tree, scenes.hexahedra(solid), relation=relation),
        )


@given(items, batches(("spheres",), most=6), options)
def test_a_point_is_a_sphere_and_a_box(items, spheres, options):
    tree, places = built(items, **options), spheres.centers
    points = Spheres(places, np.zeros(len(places)))
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(tree, points, relation=relation),
            query(tree, Boxes(places, places), relation=relation),
        )


@given(items, batches(("spheres",), most=6), options, st.integers(0, 3))
def test_a_larger_sphere_finds_no_less(items, spheres, options, extra):
    tree = built(items, **options)
    larger = Spheres(spheres.centers, spheres.radii + extra)
    for relation in RELATIONS:
        less = flags(query(tree, spheres, relation=relation), spheres, items)
        assert (less <= flags(query(tree, larger, relation=relation), larger, items)).all()


@given(batches(("triangles",)), batches(("frusta",), most=3), options)
def test_mirrored_frusta_find_mirrored_triangles(triangles, frusta, options):
    mirror = np.array([-1, 1, 1])
    mirrored = built(scenes.moved(triangles, mirror), **options)
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(built(triangles, **options), frusta, relation=relation),
            query(mirrored, scenes.moved(frusta, mirror), relation=relation),
        )
