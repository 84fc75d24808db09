"""Laws that hold for any items and volumes, in whole numbers, where brute force is exact."""

import core_scenes as scenes
import numpy as np
from agreement import assert_true_answers, built, flags
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from whole_numbers import batches, options

from core import (
    Boxes,
    Capsules,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Spheres,
    query,
    query_any,
    query_count,
)

RELATIONS = ("touching", "inside", "candidates")
EVERYTHING = (
    Boxes([[-20] * 3], [[20] * 3]),
    Spheres([[0] * 3], [40]),
    Regions([[-9] * 3], [[9] * 3], [20]),
    OrientedBoxes([[0] * 3], [[20] * 3], [np.eye(3)]),
    Capsules([[-9] * 3], [[9] * 3], [40]),
    HalfSpaces([[3, 2, -1, 60]]),
    scenes.hexahedra(Boxes([[-20] * 3], [[20] * 3])),
)


items = batches()
simple = ("boxes", "spheres", "regions", "turned boxes", "capsules", "half-spaces")
volumes = batches(simple, most=4) | batches(("frusta",), most=2)
relations = st.sampled_from(RELATIONS)


@given(items, volumes, options)
def test_answers_equal_brute_force(items, volumes, options):
    assert_true_answers(built(items, **options), volumes, exactly=True)


@given(items, options)
def test_a_volume_around_everything_finds_everything(items, options):
    tree = built(items, **options)
    for around in EVERYTHING:
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


def assert_same_answers(tree, one, other):
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(tree, one, relation=relation), query(tree, other, relation=relation)
        )


@given(items, batches(("boxes",), most=4), options)
def test_a_box_is_a_frustum_a_region_and_a_turned_box_too(items, boxes, options):
    tree, middles = built(items, **options), (boxes.lower + boxes.upper) / 2
    turns = np.broadcast_to(np.eye(3), (len(boxes), 3, 3))
    half = (boxes.upper - boxes.lower) / 2
    assert_same_answers(tree, boxes, Regions(boxes.lower, boxes.upper, np.zeros(len(boxes))))
    assert_same_answers(tree, boxes, OrientedBoxes(middles, half, turns))
    solid = boxes[(boxes.lower < boxes.upper).all(axis=1)]
    assert_same_answers(tree, solid, scenes.hexahedra(solid))


@given(items, batches(("boxes",), most=4), options)
def test_what_lies_in_a_box_lies_in_its_six_half_spaces(items, boxes, options):
    tree, held = built(items, **options), np.ones((len(boxes), len(items)), bool)
    for axis, inward in enumerate(np.eye(3)):
        for side, wall in ((1, boxes.lower), (-1, boxes.upper)):
            normals = np.tile(side * inward, (len(boxes), 1))
            planes = HalfSpaces(np.column_stack((normals, -side * wall[:, axis])))
            held &= flags(query(tree, planes, relation="inside"), boxes, items)
    assert_array_equal(held, flags(query(tree, boxes, relation="inside"), boxes, items))


@given(items, batches(("spheres",), most=6), options)
def test_a_sphere_is_a_region_and_a_capsule_too(items, spheres, options):
    tree, places, radii = built(items, **options), spheres.centers, spheres.radii
    assert_same_answers(tree, spheres, Regions(places, places, radii))
    assert_same_answers(tree, spheres, Capsules(places, places, radii))


@given(items, batches(("boxes",), most=6), options)
def test_an_upright_capsule_is_a_region_too(items, boxes, options):
    tops = boxes.lower * (1, 1, 0) + boxes.upper * (0, 0, 1)
    radii = boxes.upper[:, 0] - boxes.lower[:, 0]
    assert_same_answers(
        built(items, **options),
        Capsules(tops, boxes.lower, radii),
        Regions(boxes.lower, tops, radii),
    )


@given(items, batches(("half-spaces",), most=6), options)
def test_what_does_not_touch_a_half_space_lies_in_its_opposite(items, half_spaces, options):
    """Closed sets: on the plane, an item touches the one and lies in the other."""
    tree, opposite = built(items, **options), HalfSpaces(-half_spaces.planes)
    touching = flags(query(tree, half_spaces), half_spaces, items)
    inside = flags(query(tree, opposite, relation="inside"), half_spaces, items)
    assert (touching | inside).all()


@given(batches(("boxes", "spheres")), volumes, options)
def test_boxes_and_spheres_are_regions_too(items, volumes, options):
    if isinstance(items, Boxes):
        regions = Regions(items.lower, items.upper, np.zeros(len(items)))
    else:
        regions = Regions(items.centers, items.centers, items.radii)
    one, other = built(items, **options), built(regions, **options)
    for relation in ("touching", "inside"):
        assert_array_equal(
            query(one, volumes, relation=relation), query(other, volumes, relation=relation)
        )


@given(items, batches(("spheres",), most=6), options)
def test_a_point_is_a_sphere_and_a_box(items, spheres, options):
    tree, places = built(items, **options), spheres.centers
    points = Spheres(places, np.zeros(len(places)))
    assert_same_answers(tree, points, Boxes(places, places))


@given(items, batches(("spheres", "regions", "capsules"), most=6), options, st.integers(0, 3))
def test_a_larger_radius_finds_no_less(items, volumes, options, extra):
    tree = built(items, **options)
    rows = volumes.rows.copy()
    rows[-1] += extra
    larger = type(volumes).from_rows(rows)
    for relation in RELATIONS:
        less = flags(query(tree, volumes, relation=relation), volumes, items)
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
