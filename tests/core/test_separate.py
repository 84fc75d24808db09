"""Separation: no crossings afterwards, small moves, and components that cannot be parted."""

import numpy as np
import pytest
from audit_scenes import ball, box, scene_of, sheet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from core import SceneOctree, Triangles, audit, overlapping_objects, separate
from core.place.least_moves import Order

SIDES = np.vstack((np.eye(3), -np.eye(3)))


def moved(scene, ids, moves):
    matrices = scene.matrices_of(ids)
    matrices[:, :3, 3] += moves
    scene.move(ids, matrices)


def lengths(moves):
    return np.linalg.norm(moves, axis=1)


def entangled(scene):
    """Return pairs that an audit finds overlapping, contained or doubled."""
    found = audit(scene, band=1e-12)
    return {tuple(pair) for pair in found.pairs[:, found.classes < 3].T.tolist()}


@examples(24)
@given(seed=st.integers(0, 2**32 - 1), hold=st.booleans(), gap=st.sampled_from([0.0, 0.25]))
def test_two_boxes_move_the_least_there_is(seed, hold, gap):
    rng = np.random.default_rng(seed)
    lower = rng.integers(-8, 8, (2, 3)) / 4
    upper = lower + rng.integers(1, 16, (2, 3)) / 4
    scene = scene_of(*map(box, lower, upper))
    is_apart = (np.minimum(*upper) <= np.maximum(*lower)).any()
    found = separate(scene, [0, 1], fixed=[0] if hold else None, gap=gap)
    # Sides follow from the centers.
    first = np.where(
        lower[0] + upper[0] <= lower[1] + upper[1], upper[0] - lower[1], upper[1] - lower[0]
    )
    least = 0.0 if is_apart else first.min() + gap
    assert lengths(found.moves).sum() == pytest.approx(least, abs=1e-11)
    assert found.left.shape == (2, 0) and not (hold and found.moves[0].any())
    moved(scene, [0, 1], found.moves)
    assert overlapping_objects(scene).shape[1] == 0 or is_apart


def stones(seed, count, side, rings=4):
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        round_one = ball(1.0, rings)
        bumps = 1 + 0.2 * np.sin(3 * round_one.vertices @ rng.normal(size=(3, 1)))
        vertices = round_one.vertices * bumps * rng.uniform(0.5, 1.2, 3)
        made.append(Triangles(vertices + rng.uniform(0, side, 3), round_one.faces))
    return made


@examples(12)
@given(seed=st.integers(0, 2**32 - 1))
def test_of_stones_none_crosses(seed):
    scene = scene_of(*stones(seed, 14, 3.0))
    assert len(entangled(scene)) > 10
    found = separate(scene, scene.ids)
    moved(scene, scene.ids, found.moves)
    assert not entangled(scene) and found.left.shape == (2, 0)
    assert not separate(scene, scene.ids).moves.any()


def test_what_pushes_each_other_in_a_circle_comes_to_an_end():
    """A few would only come near an end, and along one axis all move three times as far."""
    scene = scene_of(*stones(5, 80, 5.0))
    found = separate(scene, scene.ids)
    assert lengths(found.moves).sum() < 150 and found.left.shape == (2, 0)
    moved(scene, scene.ids, found.moves)
    assert overlapping_objects(scene).shape[1] == 0


@pytest.mark.parametrize("seed", range(3))
def test_names_order_and_size_change_no_move(seed):
    made = stones(seed, 14, 3.0)
    found = separate(scene_of(*made), np.arange(14))
    order = np.random.default_rng(seed).permutation(14)
    larger = [Triangles(made[each].vertices * 2.0**9, made[each].faces) for each in order]
    other = separate(scene_of(*larger), np.arange(14))
    assert other.moves == pytest.approx(found.moves[order] * 2.0**9, rel=1e-9)


def test_only_along_the_axes_that_are_allowed():
    scene = scene_of(*stones(3, 12, 2.0))
    for axes in ([[1, 1, 0]], [[0, 0, -3]], [[1, 0, 0], [0, 1, 0]]):
        found = separate(scene, scene.ids, axes=axes)
        rank = np.linalg.matrix_rank(np.concatenate((found.moves, axes)), tol=1e-9)
        assert rank == len(axes) and found.left.shape == (2, 0)
        after = scene.only(scene.ids)
        moved(after, after.ids, found.moves)
        assert not entangled(after)


def test_what_cannot_be_parted_is_named_with_its_component_and_stays():
    post = [box([x, 0, 0], [x + 1, 4, 4]) for x in (0, 3)]
    beam, next_one, far = (
        box([0.5, 1, 1], [3.5, 2, 2]),
        box([1, 1.5, 1], [2, 3, 2]),
        box([9, 0, 0], [10, 1, 1]),
    )
    room = box([-1, -1, -1], [5, 5, 5])
    scene = scene_of(*post, beam, next_one, far, box([9.5, 0, 0], [11, 1, 1]), room)
    found = separate(scene, [2, 3, 4, 5], axes=[[1, 0, 0]])
    assert found.left.tolist() == [[0, 1, 2], [2, 2, 3]]
    assert not found.moves[:2].any() and lengths(found.moves[2:]).sum() == pytest.approx(0.5)
    assert separate(scene, [0, 1, 2], fixed=[0, 2]).left.tolist() == [[0, 2], [2, 3]]
    assert separate(scene, [2], axes=np.empty((0, 3))).left.shape == (2, 3)
    # Without a room, both ends are free.
    scene.remove([6])
    found = separate(scene, [2], axes=[[1, 0, 0]])
    assert found.left.shape == (2, 0) and lengths(found.moves) == pytest.approx([3.5])
    assert separate(SceneOctree(), []).moves.shape == (0, 3)


def test_what_lies_in_a_room_stays_and_what_crosses_its_wall_does_not():
    room = box([-4, -4, -4], [4, 4, 4])
    inner, other, through = (
        box([0, 0, 0], [1, 1, 1]),
        box([0.9, 0, 0], [2, 1, 1]),
        box([3.9, -3, 0], [4.5, -2, 1]),
    )
    scene = scene_of(room, inner, other, through)
    found = separate(scene, [1, 2, 3])
    assert lengths(found.moves) == pytest.approx([0.05, 0.05, 0.1])
    # Standing on its floor and against its wall is lying in it.
    standing = scene_of(room, box([3, 0, -4], [4, 1, -3]))
    assert not separate(standing, [1]).moves.any()
    assert separate(standing, [0, 1]).moves.any()
    # A closed mesh that moves, too, is no room.
    assert separate(scene_of(room, inner), [0, 1]).moves.any()
    # Open sheets have no inside, and cross.
    sheets = scene_of(
        sheet([0, 0, 0], [4, 0, 0], [0, 4, 0]), sheet([1, 1, -1], [0, 1, 0], [0, 0, 1.5])
    )
    found = separate(sheets, [1], axes=[[0, 0, 1]])
    assert lengths(found.moves) == pytest.approx([0.5])


@examples(40)
@given(seed=st.integers(0, 2**32 - 1))
def test_moves_along_an_axis_are_nearly_the_least(seed):
    """Against the linear program, solved by trying all places at which one may end."""
    rng = np.random.default_rng(seed)
    count = 4
    befores, afters = np.triu_indices(count, 1)
    some = rng.random(len(befores)) < 0.7
    befores, afters = befores[some], afters[some]
    needs = rng.integers(1, 4, len(befores)).astype(float)
    order = Order(count, befores, afters, needs, np.zeros(count, bool))
    moves, bad = order.moves()
    assert not bad.any()
    assert (moves[afters] - moves[befores] >= needs - 1e-9).all()
    places = np.stack(np.meshgrid(*[np.arange(-9, 10)] * count), axis=-1).reshape(-1, count)
    good = (places[:, afters] - places[:, befores] >= needs).all(axis=1)
    least = np.abs(places[good]).sum(axis=1).min()
    assert np.abs(moves).sum() <= 1.5 * least + 1e-6


def test_wrong_arguments_are_named():
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([0, 0, 2], [1, 1, 3]))
    for ids, options, name in [
        ([0, 0], {}, "ids"), ([7], {}, "ids"), ([0], {"axes": [[0, 0, 0]]}, "axes"),
        ([0], {"axes": [0, 0]}, "axes"), ([0], {"fixed": [4]}, "fixed"), ([0], {"gap": -1}, "gap"),
        ([0], {"groups": -1}, "groups"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=name):
            separate(scene, ids, **options)
