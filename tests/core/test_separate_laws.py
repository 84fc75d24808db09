"""Laws of pushing apart: rooms hold what is in them, more axes part more, and names do not count.

Compared with separating axes of turned boxes, and with audits.
"""

import numpy as np
import pytest
from audit_scenes import FACES, box, scene_of, turned
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from part_scenes import Block, placed, world, wrong_pairs

from core import Triangles, audit, overlapping_objects, separate

SEEDS = st.integers(0, 2**32 - 1)
TURN = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])


def moved(blocks, movers, moves):
    after = list(blocks)
    for row, move in zip(movers, moves, strict=True):
        after[row] = blocks[row].moved(move)
    return after


def total(found):
    return np.linalg.norm(found.moves, axis=1).sum()


@pytest.mark.parametrize("rooms", [True, False])
@examples(60)
@given(seed=SEEDS)
def test_all_are_apart_or_at_home_or_left(rooms, seed):
    blocks, movers, turn = world(seed, rooms=rooms)
    random = np.random.default_rng(seed)
    axes = (None, turn.T, random.normal(size=(2, 3)))[random.integers(3)]
    found = separate(placed(blocks), movers, axes=axes)
    after = moved(blocks, movers, found.moves)
    assert wrong_pairs(blocks, movers, after, found.left) == []
    assert not found.moves[np.isin(movers, found.left)].any()


@pytest.mark.parametrize("rooms", [True, False])
@examples(12)
@given(seed=SEEDS)
def test_more_axes_never_leave_more(rooms, seed):
    blocks, movers, _ = world(seed, rooms=rooms)
    random = np.random.default_rng(seed)
    axes = np.concatenate((np.eye(3)[:2], random.normal(size=(2, 3))))[random.permutation(4)[:3]]
    scene = placed(blocks)
    left = [separate(scene, movers, axes=axes[:count]).left.shape[1] for count in range(4)]
    assert (np.diff(left) <= 0).all()


@pytest.mark.parametrize("rooms", [True, False])
@examples(12)
@given(seed=SEEDS)
def test_order_of_placements_and_meshes_changes_no_move(rooms, seed):
    blocks, movers, _ = world(seed, rooms=rooms)
    order = np.random.default_rng(seed).permutation(len(blocks))
    found = separate(placed(blocks), movers)
    other = separate(placed(blocks, order), np.argsort(order)[movers])
    assert other.moves == pytest.approx(found.moves, abs=1e-12)


@examples(20)
@given(seed=SEEDS)
def test_names_change_no_move_of_heaps_whose_centers_agree_along_axes(seed):
    random = np.random.default_rng(seed)
    places = np.unique(random.integers(0, 3, (6, 3)) * random.integers(0, 2, 3), axis=0) / 2
    half = random.integers(1, 4, (len(places), 3)) / 2
    blocks = [Block.of(*each) for each in zip(places - half, places + half, strict=True)]
    movers = np.arange(len(blocks))
    order = random.permutation(len(blocks))
    found, other = separate(placed(blocks), movers), separate(placed(blocks, order), movers)
    assert other.moves == pytest.approx(found.moves[order], abs=1e-12)


def test_what_is_parted_in_a_room_stops_at_its_wall():
    room = box([0, 0, 0], [10, 10, 3])
    ones, others = box([0.1, 4, 0], [1.1, 5, 2]), box([0.5, 4, 0], [1.5, 5, 2])
    for turn in (np.eye(3), TURN):
        scene = scene_of(*(turned(each, turn) for each in (room, ones, others)))
        found = separate(scene, [1, 2], axes=turn.T)
        assert found.left.shape == (2, 0) and total(found) == pytest.approx(0.6)
        assert (found.moves @ turn)[0, 0] >= -0.1
        # Not nearer than the gap to a wall that it would move towards.
        found = separate(scene, [1, 2], axes=turn.T, gap=0.25)
        assert (found.moves @ turn)[0] == pytest.approx([0, 0, 0], abs=1e-9)
        assert total(found) == pytest.approx(0.85)


def test_what_has_no_room_in_its_room_is_left():
    room, props = box([0, 0, 0], [3, 1, 1]), [box([x, 0, 0], [x + 2, 1, 1]) for x in (0, 1)]
    found = separate(scene_of(room, *props), [1, 2])
    assert found.left.tolist() == [[1], [2]] and not found.moves.any()


def test_what_is_pushed_into_a_room_from_outside_is_not_at_home_there():
    """Pushed by a post that stays, it would end in the room, and goes past it."""
    room, post = box([0, 0, 0], [4, 4, 4]), box([-2, 1, 1], [-0.5, 3, 3])
    prop = box([-1, 1.5, 1.5], [-0.1, 2.5, 2.5])
    found = separate(scene_of(room, post, prop), [2], axes=[[1, 0, 0]])
    assert found.left.shape == (2, 0)
    after = scene_of(room, post, Triangles(prop.vertices + found.moves[0], FACES))
    assert not np.isin(audit(after, band=1e-12).classes, (0, 1, 2)).any()


def corner_room():
    """Return a room with the shape of an L: (0, 0) to (4, 4), without x and y above 2."""
    outline = np.array([[0, 0], [4, 0], [4, 2], [2, 2], [2, 4], [0, 4]], float)
    vertices = np.concatenate([np.column_stack((outline, np.full(6, z))) for z in (0, 2)])
    flat = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
    sides = [(a, (a + 1) % 6) for a in range(6)]
    walls = [[[a, b, b + 6], [a, b + 6, a + 6]] for a, b in sides]
    faces = [each[::-1] for each in flat] + [[n + 6 for n in each] for each in flat]
    return Triangles(vertices, np.concatenate((faces, np.concatenate(walls))))


@examples(40)
@given(seed=SEEDS)
def test_a_room_with_a_corner_holds_what_moves_along_two_axes(seed):
    random = np.random.default_rng(seed)
    lower = random.uniform(0.05, 0.9, (6, 3))
    props = [box(each, each + random.uniform(0.3, 1.0, 3)) for each in lower]
    scene = scene_of(corner_room(), *props)
    found = separate(scene, np.arange(1, 7))
    after = scene_of(
        corner_room(),
        *(
            Triangles(prop.vertices + move, FACES)
            for prop, move in zip(props, found.moves, strict=True)
        ),
    )
    met = {tuple(pair) for pair in overlapping_objects(after).T.tolist()}
    assert not any(0 in pair for pair in met)
    corners = np.concatenate([after.triangles_of([number]).vertices for number in range(1, 7)])
    assert (corners >= 0).all() and (corners <= [4, 4, 2]).all()
    assert not (corners[:, :2] > 2).all(axis=1).any()
    wrong = audit(after, band=1e-12)
    pairs = wrong.pairs[:, (wrong.classes < 3) & (wrong.pairs != 0).all(axis=0)]
    assert {tuple(pair) for pair in pairs.T} <= {tuple(pair) for pair in found.left.T}


def test_one_wedged_between_two_that_stay_goes_past_them():
    posts = [box([0, 0, 0], [2, 4, 4]), box([3, 0, 0], [5, 4, 4])]
    wedged = box([1.5, 0, 0], [3.5, 4, 4])
    assert total(separate(scene_of(*posts, wedged), [2])) == pytest.approx(3.5)
    thin = box([1.8, 0, 0], [2.7, 4, 4])
    assert total(separate(scene_of(*posts, thin), [2])) == pytest.approx(0.2)
    two = [box([1.5, 0, 0], [2.5, 4, 4]), box([2.5, 0, 0], [3.5, 4, 4])]
    found = separate(scene_of(*posts, *two), [2, 3])
    assert found.left.shape == (2, 0) and total(found) <= 8 + 1e-9


@examples(40)
@given(seed=SEEDS)
def test_one_between_four_that_stay_takes_the_nearest_free_place_along_an_axis(seed):
    random = np.random.default_rng(seed)
    lower = random.integers(0, 6, (5, 3)) / 2
    upper = lower + random.integers(1, 6, (5, 3)) / 2
    found = separate(scene_of(*map(box, lower, upper)), [0])
    homes = ((lower[1:] <= lower[0]) & (upper[1:] >= upper[0])).all(axis=1)
    if homes.any():
        return
    least = np.inf
    for move in (np.arange(-16, 17)[:, None, None] / 2 * np.eye(3)).reshape(-1, 3):
        deep = np.minimum(upper[0] + move, upper[1:]) - np.maximum(lower[0] + move, lower[1:])
        least = least if (deep > 0).all(axis=1).any() else min(least, np.linalg.norm(move))
    assert found.left.shape == (2, 0)
    deep = np.minimum(upper[0] + found.moves[0], upper[1:])
    deep -= np.maximum(lower[0] + found.moves[0], lower[1:])
    assert (deep <= 1e-9).any(axis=1).all()
    if np.count_nonzero(np.abs(found.moves[0]) > 1e-6) == 1:
        assert total(found) >= least - 1e-9
