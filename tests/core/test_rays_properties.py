"""Laws that hold for any rays and items, in whole numbers, where brute force is exact."""

import core_scenes as scenes
import numpy as np
import ray_scenes as rays
from agreement import built
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from whole_numbers import batches, options

from core import Regions, Spheres, Triangles, ray_cast, ray_cast_all

KINDS = ("triangles", "boxes", "spheres", "regions")
# Directions whose lengths are whole numbers.
WHOLE_LENGTHS = [(1, 0, 0), (0, 0, -2), (0, -3, 0), (3, 4, 0), (0, -4, 3), (2, -1, 2), (-6, 2, -3)]


@st.composite
def segments(draw, most=5):
    """Origins, directions, and how many directions they are long, with that length."""
    count = draw(st.integers(0, most))
    origins = draw(arrays(np.int64, (count, 3), elements=st.integers(-6, 6)))
    if draw(st.booleans()):
        picks = draw(st.lists(st.integers(0, 6), min_size=count, max_size=count))
        directions = np.array(WHOLE_LENGTHS)[picks].reshape(count, 3)
        reaches = draw(arrays(np.int64, count, elements=st.integers(0, 5)))
    else:
        directions = draw(arrays(np.int64, (count, 3), elements=st.integers(-4, 4)))
        directions[~directions.any(axis=1)] = (0, 0, 1)
        reaches = np.where(draw(st.booleans()), np.inf, np.ones(count))
    return origins, directions, reaches, reaches * np.linalg.norm(directions, axis=1)


items = batches()


def every(tree, origins, directions, limits=np.inf):
    """All crossings as a matrix."""
    found = ray_cast_all(tree, origins, directions, max_distance=limits)
    return rays.matrix(found, len(origins), len(tree.items))


@given(items, segments(), options)
def test_answers_equal_brute_force(items, segments, options):
    origins, directions, reaches, limits = segments
    rays.assert_true(built(items, **options), origins, directions, reaches, limits)


@given(items, segments(), options)
def test_every_policy_gives_the_same_answers(items, segments, options):
    origins, directions, _, limits = segments
    one = ray_cast(built(items, **options), origins, directions, max_distance=limits)
    other = ray_cast(built(items, max_depth=0), origins, directions, max_distance=limits)
    for name in ("items", "distances", "positions", "normals", "barycentric"):
        assert_array_equal(getattr(one, name), getattr(other, name))


@given(batches(("triangles",)), segments(), options)
def test_reversing_the_winding_turns_normals_only(items, segments, options):
    origins, directions, _, limits = segments
    turned = Triangles(items.vertices, items.faces[:, ::-1])
    one = ray_cast(built(items, **options), origins, directions, max_distance=limits)
    other = ray_cast(built(turned, **options), origins, directions, max_distance=limits)
    assert_array_equal(one.items, other.items)
    assert_array_equal(one.distances, other.distances)
    assert_array_equal(one.normals, -other.normals)
    assert_array_equal(one.barycentric, other.barycentric[:, ::-1])


@given(items, segments(), options, st.randoms(use_true_random=False))
def test_permuting_items_permutes_ids(items, segments, options, random):
    origins, directions, _, limits = segments
    order = np.array(random.sample(range(len(items)), len(items)), int)
    straight = every(built(items, **options), origins, directions, limits)
    shuffled = every(built(items[order], **options), origins, directions, limits)
    assert_array_equal(straight[:, order], shuffled)


@given(items, segments(), options)
def test_rays_are_asked_independently(items, segments, options):
    origins, directions, _, limits = segments
    tree = built(items, **options)
    one = every(tree, origins, directions, limits)
    assert_array_equal(one, every(tree, origins[::-1], directions[::-1], limits[::-1])[::-1])


@given(items, segments(), options, st.integers(-450, 450))
def test_scaling_by_a_power_of_two_scales_distances(items, segments, options, power):
    origins, directions, _, limits = segments
    options, scale = {**options, "bounds": None}, 2.0**power
    scaled = built(scenes.moved(items, scale), **options)
    one = every(built(items, **options), origins, directions, limits)
    assert_array_equal(one * scale, every(scaled, origins * scale, directions, limits * scale))


@given(items, segments(), options, st.integers(-60, 60))
def test_a_directions_length_changes_nothing(items, segments, options, power):
    origins, directions, _, limits = segments
    tree = built(items, **options)
    one = every(tree, origins, directions, limits)
    assert_array_equal(one, every(tree, origins, directions * 2.0**power, limits))


@given(items, segments(), options, st.tuples(*[st.integers(-(2**20), 2**20)] * 3))
def test_an_exact_shift_changes_no_answer(items, segments, options, shift):
    origins, directions, _, limits = segments
    options = {**options, "bounds": None}
    shifted = scenes.moved(items, 1, shift)
    one = every(built(items, **options), origins, directions, limits)
    other = every(built(shifted, **options), origins + np.array(shift), directions, limits)
    assert_array_equal(one, other)


@given(items, segments(), options)
def test_a_longer_segment_meets_no_less(items, segments, options):
    origins, directions, _, limits = segments
    tree = built(items, **options)
    short, long = (every(tree, origins, directions, limits * k) for k in (1, 2))
    assert_array_equal(short, np.where(long <= limits[:, None], long, np.nan))


@given(batches(("spheres",)) | batches(("boxes",)), segments(), options)
def test_boxes_and_spheres_are_regions(items, segments, options):
    origins, directions, _, limits = segments
    if isinstance(items, Spheres):
        regions = Regions(items.centers, items.centers, items.radii)
    else:
        regions = Regions(items.lower, items.upper, np.zeros(len(items)))
    one = every(built(items, **options), origins, directions, limits)
    other = every(built(regions, **options), origins, directions, limits)
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
