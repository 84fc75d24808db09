"""Slides until contact: the definitions in fractions, formulas, and laws."""

from fractions import Fraction

import numpy as np
import pytest
import slide_oracle as oracle
from audit_scenes import ball, box, scene_of, sheet
from examples import examples
from hypothesis import example, given
from hypothesis import strategies as st

from core import SceneOctree, Triangles, slide

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


@examples(40)
@given(seed=st.integers(0, 2**32 - 1), direction=st.sampled_from([DOWN, [0.3, -0.5, 0.9]]))
def test_order_names_and_size_change_no_distance(seed, direction):
    rng = np.random.default_rng(seed)
    meshes = [ball(1.0, 4, rng.uniform(-3, 3, 3)) for _ in range(8)]
    order, scale = rng.permutation(8), 2.0 ** int(rng.integers(-40, 40))
    plain = slide(scene_of(*meshes), [0, 1, 2, 3, 4], direction)
    larger = [Triangles(each.vertices * scale, each.faces) for each in meshes]
    other = slide(
        scene_of(*(larger[each] for each in order)),
        np.argsort(order)[:5],
        np.multiply(direction, 7.0) if direction == DOWN else direction,
    )
    assert (other.distances == plain.distances * scale).all()
    assert (other.crossing == plain.crossing).all()


@example(seed=87942)  # A contained object lands on the inside of its container's floor.
@example(seed=4593009)  # What lies in another, flush with its top, then lies in it.
@example(seed=29)
@example(seed=45)
@example(seed=181)
@example(seed=190)
@examples(24)
@given(seed=st.integers(0, 2**32 - 1))
def test_slid_again_nothing_moves_and_nothing_crosses_until_further(seed):
    """On what no rounding moves: coordinates in sixteenths."""
    rng = np.random.default_rng(seed)
    hills = sheet([-9, -9, -9], [18, 0, 3], [0, 18, 1])
    bodies = [
        box(low, low + rng.integers(1, 40, 3) / 16) for low in rng.integers(-64, 64, (12, 3)) / 16
    ]
    scene = scene_of(hills, *bodies)
    ids = scene.ids[1:]
    found = slide(scene, ids, DOWN)
    moved(scene, ids, found.moves)
    again = slide(scene, ids, DOWN)
    assert (again.distances <= 2.0**-40).all()
    assert (again.crossing <= found.crossing).all()
    for one in ids[~found.crossing & (found.onto >= 0)]:
        further = scene.only(scene.ids)
        moved(further, [one], [0, 0, -(2.0**-8)])
        others, own = further.bounds_of(ids), further.bounds_of([one])
        is_within = (others.lower < own.lower) & (own.upper < others.upper)
        assert is_within.all(axis=1).any() or slide(further, [one], DOWN).crossing.all()


@examples(30)
@given(
    seed=st.integers(0, 2**32 - 1),
    limit=st.sampled_from([0.0, 2.0**-9, 0.5, 3.0]),
    ground=st.booleans(),
)
def test_a_limit_is_the_least_of_all_and_hides_nothing_that_is_farther(seed, limit, ground):
    rng = np.random.default_rng(seed)
    lower = rng.integers(-64, 64, (14, 3)) / 16
    bodies = [box(low, low + rng.integers(1, 32, 3) / 16) for low in lower]
    scene = scene_of(*bodies, *([sheet([-2, -9, -9], [18, 0, 3], [0, 18, 1])] if ground else []))
    movers, numbers = np.arange(12), rng.permutation(12) // 2 * 2
    found = slide(scene, movers, DOWN, bodies=numbers)
    limited = slide(scene, movers, DOWN, bodies=numbers, limit=limit)
    endless = np.isinf(found.distances)
    wanted = np.where(endless, np.inf, np.minimum(found.distances, limit))
    assert limited.distances == pytest.approx(wanted, abs=2.0**-44)
    assert (limited.crossing == found.crossing).all()
    short = found.distances < limit
    assert (limited.onto[short] == found.onto[short]).all()


def moved(scene, ids, moves):
    matrices = scene.matrices_of(ids)
    matrices[:, :3, 3] += moves
    scene.move(ids, matrices)


def test_a_ball_on_a_plane_and_a_ring_over_a_pole():
    slope = sheet([-9, -9, -9], [18, 0, 9], [0, 18, 0])
    found = slide(scene_of(slope, box([-1, -1, 4], [1, 1, 6])), [1], DOWN)
    assert found.distances == pytest.approx([4 + 4.5 - 0.5])
    turn = np.linspace(0, 2 * np.pi, 13)[:-1]
    rim = np.stack((np.cos(turn), np.sin(turn), 0 * turn), axis=1)
    rings = np.concatenate((rim * 1.5, rim * 2.5, rim * 1.5 + [0, 0, 1], rim * 2.5 + [0, 0, 1]))
    here, there = np.arange(12), np.roll(np.arange(12), -1)
    walls = [(0, 12), (12, 36), (36, 24), (24, 0)]
    faces = np.concatenate(
        [np.stack((a + here, a + there, b + there), 1) for a, b in walls]
        + [np.stack((a + here, b + there, b + here), 1) for a, b in walls]
    )
    pole, ground = box([-0.5, -0.5, 0], [0.5, 0.5, 5]), box([-9, -9, -1], [9, 9, 0])
    ring = Triangles(rings + np.array([0, 0, 8]), faces)
    found = slide(scene_of(ground, pole, ring), [2], DOWN)
    assert found.distances.tolist() == [8.0] and found.onto.tolist() == [0]
    assert slide(scene_of(ground, box([-2, -2, 0], [2, 2, 5]), ring), [2], DOWN).distances == 3.0


@pytest.mark.parametrize("order", [[1, 2, 3, 4], [4, 2, 1, 3]])
def test_a_stack_falls_as_a_stack_and_a_table_with_its_plates(order):
    parts = [box([-9, -9, -1], [9, 9, 0])] + [
        box([0, 0, 2 + level], [1, 1, 3 + level]) for level in range(4)
    ]
    found = slide(scene_of(*parts), order, DOWN)
    assert (found.distances == 2).all()
    assert dict(zip(order, found.onto.tolist(), strict=True)) == {1: 0, 2: 1, 3: 2, 4: 3}
    legs = [box([x, y, 3], [x + 1, y + 1, 5]) for x in (0, 4) for y in (0, 4)]
    table, plate = [box([0, 0, 5], [5, 5, 6]), *legs], box([2, 2, 6], [3, 3, 6.5])
    found = slide(
        scene_of(parts[0], plate, *table), [1, 2, 3, 4, 5, 6], DOWN, bodies=[7, *[3] * 5]
    )
    assert (found.distances == 3).all() and found.onto.tolist() == [2, *[0] * 5]
    assert found.points[0, 2] == 3 and found.points[1, 2] == 0


@pytest.mark.parametrize("apart", [0.0, 0.001])
def test_boxes_edge_to_edge_and_against_a_wall_fall_as_if_apart(apart):
    step, rng = 1 + apart, np.random.default_rng(3)
    heights = rng.integers(1, 30, (4, 4)).astype(float)
    boxes = [
        box([step * x, step * y, heights[x, y]], [step * x + 1, step * y + 1, heights[x, y] + 1])
        for x in range(4)
        for y in range(4)
    ]
    ground, wall = box([-9, -9, -1], [9, 9, 0]), box([-1 - apart, -9, 0], [-apart, 9, 10])
    found = slide(scene_of(ground, wall, *boxes), np.arange(2, 18), DOWN)
    assert found.distances.tolist() == heights.ravel().tolist() and (found.onto == 0).all()


def test_faces_in_one_plane_hold_what_would_be_moved_into_a_solid():
    lower, upper = box([0, 0, 0], [1, 1, 1]), box([0.25, 0.25, 1], [2, 2, 2])
    flat = sheet([-1, -1, 1], [3, 0, 0], [0, 3, 0])
    for one, other, held in [
        (upper, lower, True), (lower, upper, False), (upper, flat, True), (lower, flat, False),
        (flat, lower, True), (flat, upper, False),
        (flat, sheet([0, 0, 1], [1, 0, 0], [0, 1, 0]), True),
    ]:  # fmt: skip
        found = slide(scene_of(one, other), [0], DOWN, limit=0.5)
        assert found.distances.tolist() == ([0.0] if held else [np.inf])
        assert found.onto.tolist() == [1 if held else -1] and not found.crossing.any()
    # Two cubes that touch over nothing hold each other one way only, and a limit moves neither.
    assert np.isinf(slide(scene_of(lower, upper), [0, 1], DOWN).distances).any()


def both(one, other):
    faces = np.concatenate((one.faces, other.faces + len(one.vertices)))
    return Triangles(np.concatenate((one.vertices, other.vertices)), faces)


def test_what_lies_in_an_arch_is_in_no_solid_and_what_fills_its_gap_crosses():
    arch = both(box([0, 0, 0], [1, 1, 3]), box([2, 0, 0], [3, 1, 3]))
    ground = box([-9, -9, -9], [9, 9, -4])
    for other, together in [
        (box([1, 0, 0], [2, 1, 1]), False), (box([0, 0, 0], [3, 1, 3]), False),
        (box([0.5, 0, 0], [2.5, 1, 1]), True), (box([0, 0, 1], [3, 1, 4]), True),
    ]:  # fmt: skip
        found = slide(scene_of(ground, arch, other), [1, 2], DOWN)
        assert found.crossing.tolist() == [together] * 2


def test_solids_that_share_room_cross_unless_one_is_whole_in_the_other():
    one = box([0, 0, 0], [1, 1, 1])
    for other, together in [
        (one, True), (box([0.5, 0, 0], [1.5, 1, 1]), True),
        (box([0.5, 0, -1], [1.5, 1, 0.5]), True),
        (box([0.25, 0.25, 0.25], [0.5, 0.5, 0.5]), False), (box([1, 0, 0], [2, 1, 1]), False),
        (box([0.25, 0.25, 0], [0.5, 0.5, 0.5]), False), (box([0, 0, 0], [0.5, 0.5, 0.5]), False),
        (box([0, 0, 0], [1, 1, 0.5]), False), (box([0, 0.25, 0], [1.25, 0.5, 0.5]), True),
        (both(box([0, 0, 0], [0.25, 1, 1]), box([0.5, 0, 0], [0.75, 1, 1])), False),
        (both(box([0, 0, 0], [0.25, 1, 1]), box([1, 0, 0], [1.25, 1, 1])), True),
    ]:  # fmt: skip
        scene = scene_of(box([-9, -9, -9], [9, 9, -4]), one, other)
        found = slide(scene, [1, 2], DOWN)
        assert found.crossing.tolist() == [together] * 2
        assert (found.distances[0] == found.distances[1]) == together or not together
        assert slide(scene, [1], DOWN, against=[2]).crossing.tolist() == [together]
    room, prop = box([-4, -4, -4], [4, 4, 4]), box([0, 0, 1], [1, 1, 2])
    found = slide(scene_of(room, prop), [1], DOWN)
    assert found.distances.tolist() == [5.0] and found.onto.tolist() == [0]


def test_what_has_nothing_below_stays_and_others_land_on_it():
    ground, high = box([0, 0, 0], [1, 1, 1]), box([4, 0, 5], [6, 1, 6])
    rider, stopped = box([5.5, 0, 8], [7, 1, 9]), box([0, 0, 4], [1, 1, 5])
    scene = scene_of(ground, high, rider, stopped)
    found = slide(scene, [1, 2, 3], DOWN, limit=2.5)
    assert found.distances.tolist() == [np.inf, 2.0, 2.5]
    assert found.onto.tolist() == [-1, 1, -1] and np.isnan(found.points[[0, 2]]).all()
    assert (found.items[:, [0, 2]] == -1).all() and found.points[1, 2] == 6
    assert slide(scene, [], DOWN).items.shape == (2, 0)
    assert np.isinf(slide(SceneOctree(), [], DOWN).distances).all()
    none = slide(scene, [2], DOWN, against=[])
    assert np.isinf(none.distances).all() and none.onto.tolist() == [-1]


def test_wrong_arguments_are_named():
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([0, 0, 2], [1, 1, 3]))
    for wrong, options, name in [
        (([0], [0, 0, 0]), {}, "direction"), (([0, 0], DOWN), {}, "ids"), (([5], DOWN), {}, "ids"),
        (([0], DOWN), {"bodies": [1, 2]}, "bodies"), (([0], DOWN), {"limit": -1}, "limit"),
        (([0], DOWN), {"against": [9]}, "against"), (([0], DOWN), {"groups": -1}, "groups"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=name):
            slide(scene, *wrong, **options)
