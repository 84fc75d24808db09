"""A mesh fits where it crosses nothing, lies in nothing and holds nothing; resting is free."""

import numpy as np
import pytest
from audit_scenes import ball, box, named, scene_of, sheet
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tuned import tuned

import core
from core import SceneOctree, Triangles, audit, distances, fits, obstacles

seeds = st.integers(0, 10_000)
REFUSED = {"overlap", "contained", "duplicate"}
PROP = box([0] * 3, [1] * 3)


def at(*places):
    matrices = np.tile(np.eye(4), (len(places), 1, 1))
    matrices[:, :3, 3] = places
    return matrices


def pairs(found):
    return [tuple(pair) for pair in found.T.tolist()]


def audited(scene, triangles, matrices):
    """Return the result of an audit of each candidate among the placements."""
    answer = []
    for number, matrix in enumerate(matrices):
        other = SceneOctree()
        for one in scene.ids:
            other.place([other.add_mesh(scene.triangles_of([one]))], np.eye(4)[None])
        (new,) = other.place([other.add_mesh(triangles)], matrix[None])
        told = named(audit(other, ones=[new]))
        answer += [(number, one) for (one, _), classes in told.items() if classes & REFUSED]
    return sorted(answer)


def shelves(seed):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    tilted = Triangles(PROP.vertices @ turn.T * 0.8 + [1, 1, 1], PROP.faces)
    return rng, scene_of(
        box([0, 0, 0], [4, 4, 0.5]), ball(0.7, 5, center=(3, 3, 2)), tilted,
        sheet([0, 0, 3], [4, 0, 0], [0, 4, 0]), box([1.5, 1.5, 1.5], [1.6, 1.6, 1.6]),
    )  # fmt: skip


@examples(16)
@given(seeds)
def test_anywhere_an_audit_says_the_same(seed):
    rng, scene = shelves(seed)
    matrices = at(*rng.uniform(-1, 4, (8, 3)))
    matrices[:, :3, :3] = [np.linalg.qr(each)[0] for each in rng.normal(size=(8, 3, 3))]
    found = obstacles(scene, PROP, matrices)
    assert pairs(found) == audited(scene, PROP, matrices)
    free = ~np.isin(np.arange(8), found[0])
    assert fits(scene, PROP, matrices).tolist() == free.tolist()
    with tuned(core, nodes_paired=20, triangles_tested=16, triangles_placed=16):
        assert pairs(obstacles(scene, PROP, matrices)) == pairs(found)
        assert fits(scene, PROP, matrices).tolist() == free.tolist()


@examples(24)
@given(seeds)
def test_on_a_grid_boxes_fit_if_they_share_no_room(seed):
    rng = np.random.default_rng(seed)
    lower = rng.integers(0, 5, (6, 3))
    upper = lower + rng.integers(1, 4, (6, 3))
    scene = scene_of(*map(box, lower, upper))
    places = rng.integers(-1, 6, (12, 3))
    found = obstacles(scene, box([0] * 3, [2, 1, 1]), at(*places))
    ends = places + np.array([2, 1, 1])
    shared = (places[:, None] < upper) & (ends[:, None] > lower)
    assert pairs(found) == [tuple(each) for each in np.argwhere(shared.all(axis=2)).tolist()]


@examples(12)
@given(seeds, st.sampled_from([0.0, 0.25, 1.0]))
def test_with_a_clearance_what_is_no_farther_is_in_the_way(seed, clearance):
    rng, scene = shelves(seed)
    matrices = at(*(rng.integers(-4, 16, (6, 3)) / 4))
    found = pairs(obstacles(scene, PROP, matrices, clearance=clearance))
    wanted = []
    for number, matrix in enumerate(matrices):
        other = SceneOctree()
        for one in scene.ids:
            other.place([other.add_mesh(scene.triangles_of([one]))], np.eye(4)[None])
        (new,) = other.place([other.add_mesh(PROP)], matrix[None])
        ids = scene.ids
        told = distances(other, np.stack((ids, np.full(len(ids), new))))
        near = (told.distances <= clearance) | (told.inside >= 0)
        wanted += [(number, one) for one in ids[near].tolist()]
    assert found == wanted


def test_in_a_room_only_crossing_counts():
    scene = scene_of(box([0] * 3, [9] * 3), box([0, 0, 0], [1, 1, 1]))
    places = at([4, 4, 4], [4, 4, 0], [8, 8, 0], [8.5, 4, 4], [0, 0, 0], [0.5, 0, 1], [12, 0, 0])
    assert fits(scene, PROP, places).tolist() == [False] * 6 + [True]
    in_room = fits(scene, PROP, places, rooms=[0])
    assert in_room.tolist() == [True, True, True, False, False, True, True]
    assert pairs(obstacles(scene, PROP, places, rooms=[0])) == [(3, 0), (4, 1)]


def test_a_turned_guest_that_touches_a_wall_of_a_room_may_stand_there():
    scene = scene_of(ball(5.0, 8))
    half = Triangles(ball(1.0, 8).vertices, ball(1.0, 8).faces)
    assert fits(scene, half, at([0, 0, 4], [0, 0, 4.5]), rooms=[0]).tolist() == [True, False]


def test_what_is_held_is_in_the_way_and_what_is_left_out_is_not():
    scene = scene_of(box([1] * 3, [2] * 3), box([20] * 3, [21] * 3))
    large = box([0] * 3, [5] * 3)
    assert pairs(obstacles(scene, large, at([0, 0, 0], [16, 16, 17]))) == [(0, 0), (1, 1)]
    assert fits(scene, large, at([0, 0, 0]), against=[1]).tolist() == [True]
    lidless = Triangles(large.vertices, large.faces[:-2])
    assert fits(scene, lidless, at([0, 0, 0])).tolist() == [True]


def test_equal_boxes_share_room_however_they_are_cut():
    flipped = Triangles(PROP.vertices, PROP.faces[:, [0, 2, 1]])
    other = Triangles(
        np.concatenate((PROP.vertices, [[0.25, 0.25, 1]])),
        np.concatenate((PROP.faces[[0, 1, 2, 3, 4, 5, 6, 7, 10, 11]],
                        [[1, 3, 8], [3, 7, 8], [7, 5, 8], [5, 1, 8]]))
    )  # fmt: skip
    for guest in (PROP, flipped, other):
        scene = scene_of(PROP)
        assert fits(scene, guest, at([0, 0, 0], [0, 0, 1], [1, 0, 0])).tolist() == [
            False, True, True,
        ]  # fmt: skip


def test_nothing_fits_everywhere_and_nowhere_is_no_question():
    scene = scene_of(PROP)
    assert fits(scene, Triangles([], []), at([0, 0, 0])).tolist() == [True]
    assert fits(SceneOctree(), PROP, at([0, 0, 0])).tolist() == [True]
    assert fits(scene, PROP, np.empty((0, 4, 4))).shape == (0,)
    assert obstacles(scene, PROP, np.empty((0, 4, 4))).shape == (2, 0)
    with pytest.raises(ValueError, match="matrices"):
        fits(scene, PROP, np.full((1, 4, 4), np.nan))


@pytest.mark.parametrize("power", [-40, -3, 5, 40])
def test_a_power_of_two_changes_nothing(power):
    rng, scene = shelves(7)
    matrices, factor = at(*(rng.integers(-4, 16, (40, 3)) / 4)), 2.0**power
    other = SceneOctree()
    for one in scene.ids:
        triangles = scene.triangles_of([one])
        mesh = other.add_mesh(Triangles(triangles.vertices * factor, triangles.faces))
        other.place([mesh], np.eye(4)[None])
    scaled = matrices.copy()
    scaled[:, :3] *= factor
    wanted = pairs(obstacles(scene, PROP, matrices))
    assert 0 < len(wanted) and pairs(obstacles(other, PROP, scaled)) == wanted
