"""What floats: the graph of contacts, and how far down the next surface is."""

import numpy as np
import pytest
from audit_scenes import box, scene_of, sheet

from core import SceneOctree, audit, supports
from core.scene.moment import Moment

ROWS, COLUMNS = 6, 8


def wall(lifted=None, joint=0.0):
    """Return a wall of bricks on a ground, placement 0, and the pairs that touch.

    With a joint, bricks of one row stand so far apart.
    """
    scene = SceneOctree()
    ground = scene.add_mesh(box([-1, -1, -1], [COLUMNS + 2, 2, 0]))
    brick = scene.add_mesh(box([0, 0, 0], [1 - joint, 0.5, 0.25]))
    shifts = [
        (column + (row % 2) / 2, 0, row * 0.25) for row in range(ROWS) for column in range(COLUMNS)
    ]
    matrices = np.tile(np.eye(4), (len(shifts) + 1, 1, 1))
    matrices[1:, :3, 3] = shifts
    if lifted is not None:
        matrices[lifted, 2, 3] += 0.005
    scene.place([ground, *[brick] * len(shifts)], matrices)
    pairs = {(0, 1 + column) for column in range(COLUMNS)}
    for row in range(ROWS):
        for column in range(COLUMNS):
            number = 1 + row * COLUMNS + column
            if column and not joint:
                pairs.add((number - 1, number))
            if row:
                below = column + (row % 2)
                for each in {below, below - 1} & set(range(COLUMNS)):
                    pairs.add((number - COLUMNS - column + each, number))
    return scene, pairs


def test_the_graph_of_a_wall_is_exact():
    scene, pairs = wall()
    found = supports(scene, audit(scene, band=0.001), [0])
    assert set(zip(*found.contacts.tolist(), strict=True)) == pairs
    assert not found.floating.any() and (found.components == 0).all()
    assert len(found.fallers) == 0 and found.landings.shape == (2, 0)


def test_one_brick_that_is_lifted_floats_alone():
    # A separate brick is supported by the ground; lifted, it touches nothing.
    for lift, floats in ((0.0, False), (0.005, True)):
        scene, _ = wall()
        matrix = np.eye(4)
        matrix[:3, 3] = (3, 1.2, lift)
        (brick,) = scene.place([1], matrix[None]).tolist()
        found = supports(scene, audit(scene, band=0.001), [0])
        assert np.flatnonzero(found.floating).tolist() == [brick] * floats
        if floats:
            assert found.fallers.tolist() == [brick]
            assert found.drops == pytest.approx([0.005])
            assert found.landings.tolist() == [[brick], [0]]


@pytest.mark.parametrize("brick", range(1 + (ROWS - 1) * COLUMNS, 1 + ROWS * COLUMNS))
def test_of_a_wall_with_joints_the_brick_that_is_lifted_is_the_only_one_that_floats(brick):
    scene, pairs = wall(brick, joint=0.002)
    found = supports(scene, audit(scene, band=0.001), [0])
    assert set(zip(*found.contacts.tolist(), strict=True)) == {
        pair for pair in pairs if brick not in pair
    }
    assert np.flatnonzero(found.floating).tolist() == found.fallers.tolist() == [brick]
    assert found.drops == pytest.approx([0.005])


def test_the_top_of_a_wall_falls_as_one():
    scene, _ = wall()
    matrices = scene.matrices_of(scene.ids)
    above = np.arange(1 + 4 * COLUMNS, 1 + ROWS * COLUMNS)
    matrices[above, 2, 3] += 0.005
    scene.move(scene.ids, matrices)
    found = supports(scene, audit(scene, band=0.001), [0])
    assert np.flatnonzero(found.floating).tolist() == above.tolist()
    assert found.fallers.tolist() == [above[0]]
    assert found.drops == pytest.approx([0.005])


def test_drops_are_measured_between_slopes_and_edges():
    ground = sheet([-5, -5, -2], [10, 0, 0], [0, 10, 4])
    found = supports(scene_of(ground, box([0, 0, 3], [1, 1, 4])), audit(scene_of(ground)), [0])
    # Below the far edge of the box the slope is highest: z = -2 + 0.4 * 6.
    assert found.drops == pytest.approx([3 - 0.4])
    assert found.places[0, 1:] == pytest.approx([1, 3])
    ridge, rail = sheet([-1, 0, 0], [2, 0, 0], [0, 1, -1]), sheet([0, -2, 1], [0, 4, 0], [1, 0, 1])
    scene = scene_of(ridge, rail)
    assert supports(scene, audit(scene), [0]).drops == pytest.approx([1.0])


def test_nothing_below():
    scene = scene_of(box([0, 0, 0], [1, 1, 1]), box([3, 0, 0], [4, 1, 1]))
    found = supports(scene, audit(scene), [0])
    assert found.fallers.tolist() == [1] and np.isinf(found.drops).all()
    assert found.landings.tolist() == [[-1], [-1]] and np.isnan(found.places).all()
    assert supports(SceneOctree(), audit(SceneOctree()), []).drops.shape == (0,)
    with pytest.raises(ValueError, match="grounds"):
        supports(scene, audit(scene), [7])


@pytest.mark.parametrize("seed", range(6))
def test_drops_of_boxes_are_those_of_a_comparison_of_all(seed):
    rng = np.random.default_rng(seed)
    lower = rng.integers(0, 12, (60, 3)).astype(float)
    lower[:, 2] *= 4
    upper = lower + rng.integers(1, 4, (60, 3))
    scene = scene_of(*(box(*corners) for corners in zip(lower, upper, strict=True)))
    found = supports(scene, audit(scene), [0])
    labels = found.components
    over = (lower[:, None, :2] < upper[None, :, :2]) & (upper[:, None, :2] > lower[None, :, :2])
    gaps = lower[:, None, 2] - upper[None, :, 2]
    gaps[~over.all(axis=2) | (gaps < 0) | (labels[:, None] == labels)] = np.inf
    assert len(found.fallers) > 20 and np.isinf(found.drops).any()
    for faller, drop in zip(found.fallers, found.drops, strict=True):
        # Boxes that meet in an edge of their shadows only may count or not.
        assert drop <= gaps[labels == faller].min()
        if np.isfinite(drop):
            closed = lower[labels == faller][:, None, 2] - upper[None, :, 2]
            assert drop in closed


def test_what_falls_is_compared_with_its_column_alone(monkeypatch):
    scene = SceneOctree()
    brick = scene.add_mesh(box([0, 0, 0], [1, 1, 1]))
    count = 3000
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, 0, 3] = np.arange(count) * 2
    matrices[1::2, 2, 3], matrices[1::2, 0, 3] = 5, matrices[::2, 0, 3]
    scene.place(np.full(count, brick), matrices)
    looked = []
    asked = Moment.rows_touching
    monkeypatch.setattr(
        Moment, "rows_touching", lambda *given: looked.append(found := asked(*given)) or found
    )
    found = supports(scene, audit(scene), np.arange(0, count, 2))
    assert found.drops == pytest.approx(np.full(count // 2, 4.0))
    assert found.landings[1].tolist() == list(range(0, count, 2))
    assert sum(len(rows) for _, rows in looked) == count  # each with itself, and what is below


def test_without_grounds_the_lowest_carry_within_the_band():
    """Feet of nearly equal height share one ground; a mountain far away changes nothing."""
    feet = box([0, 0, 0], [1, 1, 1]), box([3, 0, 1e-6], [4, 1, 1]), box([6, 0, 1e-3], [7, 1, 1])
    for others in ((), (box([1e5, 0, 0], [1e5 + 100, 100, 100]),)):
        for band, floating in ((None, [1, 2]), (1e-5, [2]), (2e-3, [])):
            scene = scene_of(*feet, *others)
            found = supports(scene, audit(scene, band=band), None)
            assert np.flatnonzero(found.floating).tolist() == floating
            found = supports(scene, audit(scene, band=band), "lowest")
            assert np.flatnonzero(found.floating).tolist() == floating
    assert supports(SceneOctree(), audit(SceneOctree()), None).floating.shape == (0,)


def test_a_faller_that_crosses_what_was_not_looked_at_is_stopped_where_they_cross():
    scene = scene_of(
        sheet([-4, -4, 0], [8, 0, 0], [0, 8, 0]), sheet([1, 2, -1], [1, 0, 0], [0, 0, 2])
    )
    found = supports(scene, audit(scene, skipped=[[0], [1]]), [0])
    assert found.drops.tolist() == [0.0] and found.landings.tolist() == [[1], [0]]
    assert found.places[0, 2] == 0 and 1 < found.places[0, 0] < 2


def ground_of(scene, band=None):
    found = supports(scene, audit(scene, band=band), None)
    return found.grounds.tolist(), np.flatnonzero(found.floating).tolist()


# A floor, a table on it, a cup on the table, and a lamp in the air.
ROOM = (
    box([-5, -5, -0.1], [5, 5, 0]),
    box([0, 0, 0], [1, 1, 0.7]),
    box([0.2, 0.2, 0.7], [0.3, 0.3, 0.8]),
    box([2, 2, 2], [2.1, 2.1, 2.2]),
)
FAR = {
    "nothing": (),
    "behind": (box([-15e3, 20e3, -15e3], [15e3, 20e3 + 1, 15e3]),),
    "below": (box([-15e3, -15e3, -20e3], [15e3, 15e3, -20e3 + 1]),),
    "slope": (sheet([-15e3, 20e3, -15e3], [30e3, 0, 0], [0, 15e3, 30e3]),),
    "stray": (box([1, 1, -0.4], [1.001, 1.001, -0.399]),),
}


@pytest.mark.parametrize("far", FAR)
def test_the_ground_is_that_on_which_most_stands(far):
    grounds, floating = ground_of(scene_of(*ROOM, *FAR[far]))
    assert (grounds[0], floating) == (0, [3])
    assert set(grounds) <= {0, 4}


def test_a_table_lifted_by_a_hair_floats_with_all_that_stands_on_it():
    cups = [box([x / 10, y / 10, 0.701], [x / 10 + 0.05, y / 10 + 0.05, 0.8])
            for x in range(9) for y in range(9)]  # fmt: skip
    scene = scene_of(ROOM[0], box([0, 0, 0.001], [1, 1, 0.701]), *cups)
    grounds, floating = ground_of(scene, band=1e-5)
    assert (grounds, len(floating)) == ([0], 82)


@pytest.mark.parametrize("far", FAR)
def test_of_things_in_the_air_the_lowest_is_the_ground(far):
    things = [box([3 * x, 0, x], [3 * x + 1, 1, x + 0.5]) for x in range(4)]
    grounds, floating = ground_of(scene_of(*things, *FAR[far] * (far != "stray")))
    assert (grounds[0], floating) == (0, [1, 2, 3])


def test_all_that_stands_at_one_height_is_the_ground_and_what_is_deeper():
    feet = [box([3 * x, 0, 0], [3 * x + 1, 1, x + 1]) for x in range(4)]
    scene = scene_of(*feet, box([20, 0, -3], [21, 1, 1]), box([0, 0, 9], [1, 1, 10]))
    grounds, floating = ground_of(scene)
    assert (sorted(grounds), floating) == ([0, 1, 2, 3, 4], [5])


def test_given_grounds_are_told_as_they_are_given():
    scene = scene_of(*ROOM)
    assert supports(scene, audit(scene), [3, 0]).grounds.tolist() == [3, 0]


def test_the_lowest_of_all_is_the_ground_if_that_is_asked_for():
    scene = scene_of(*ROOM, *FAR["below"])
    found = supports(scene, audit(scene), "lowest")
    assert found.grounds.tolist() == [4]
    assert np.flatnonzero(found.floating).tolist() == [0, 1, 2, 3]
    with pytest.raises(
        ValueError, match="grounds must be most or lowest, or placements, got 'up'"
    ):
        supports(scene, audit(scene), "up")
