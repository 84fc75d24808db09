"""Visibility: shapes with known silhouettes, and random ones against brute force."""

from math import acos, pi, sqrt

import numpy as np
import pytest
import scene_oracle
from hypothesis import given
from hypothesis import strategies as st
from item_buffer_oracle import camera, moved, parallel, perspective
from meshes import icosphere
from stepping import finished

from core import (
    OCCLUDED,
    OUT_OF_VIEW,
    SEEN,
    TOO_SMALL,
    Frusta,
    PixelRays,
    SceneOctree,
    Triangles,
    ZBuffer,
    face_samples_steps,
    item_buffers,
    objects_touching,
    visibility,
    visibility_steps,
)

RADIUS = 0.4
# The view is 4 wide and 3 high, 640 by 480 pixels.
PIXEL = 4 / 640
SIZE = (640, 480)


def card(left, right):
    """Make a blocking rectangle, from left to right."""
    corners = [[left, 0, -1], [right, 0, -1], [right, 0, 1], [left, 0, 1]]
    return Triangles(corners, [[0, 1, 2], [0, 2, 3]])


def chord_behind(part):
    """Return where a line stands that has this part of a disc with radius 1 on its left."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        area = (acos(-middle) + middle * sqrt(1 - middle**2)) / pi
        low, high = (middle, high) if area < part else (low, middle)
    return low


HALF_OUT, BEHIND, TINY, HIDDEN, BESIDE, CARD, LARGE_CARD = range(7)


@pytest.fixture(scope="module")
def stage():
    scene = SceneOctree()
    number = scene.add_mesh(icosphere(4))
    places = [moved(-2, 5, 0), moved(0, 5, 0), moved(1, 5, 1, scale=1.5 * PIXEL / RADIUS)]
    places += [moved(1, 5, -0.5), moved(5, 5, 0)]
    matrices = np.array(places)
    matrices[:, :3, :3] *= RADIUS
    scene.place([number] * 5, matrices)
    middle = scene.add_mesh(card(-0.8, RADIUS * chord_behind(0.6)))
    large = scene.add_mesh(card(0.55, 1.45))
    scene.place([middle, large], [moved(0, 2, 0), moved(0, 2, -1)])
    return scene


VIEW = parallel(width=4.0, near=0.5, far=20.0) @ camera([0, 0, 0], [0, 1, 0])


@pytest.mark.parametrize("supersampling", [1, 3])
def test_spheres(stage, supersampling):
    found = visibility(ZBuffer(stage), [VIEW], size=SIZE, supersampling=supersampling, smallest=16)
    states = [SEEN, SEEN, TOO_SMALL, OCCLUDED, OUT_OF_VIEW, SEEN, SEEN]
    assert found.states[0].tolist() == states
    disc = pi * (RADIUS / PIXEL) ** 2
    assert np.isclose(found.whole[0, HALF_OUT], disc, rtol=0.02)
    assert abs(found.truncated_fractions[0, HALF_OUT] - 0.5) < 0.02
    assert found.visible_fractions[0, HALF_OUT] == 1
    assert abs(found.visible_fractions[0, BEHIND] - 0.4) < 0.02
    assert found.truncated_fractions[0, BEHIND] == 0
    assert np.isclose(found.amodal[0, TINY], pi * 1.5**2, atol=4 / supersampling)
    assert np.isclose(found.amodal[0, HIDDEN], disc, rtol=0.02)
    assert found.visible[0, HIDDEN] == found.amodal[0, BESIDE] == 0
    assert np.isclose(found.whole[0, BESIDE], disc, rtol=0.02)
    assert np.isclose(found.shares[0, HALF_OUT], disc / 2 / (640 * 480), rtol=0.02)


def test_a_sphere_three_pixels_wide_is_seen_unless_that_is_too_small(stage):
    found = visibility(ZBuffer(stage), [VIEW], size=SIZE)
    assert found.states[0, TINY] == SEEN
    assert 4 <= found.visible[0, TINY] <= 9


@pytest.mark.parametrize("smallest", [0, 1])
def test_what_falls_between_the_samples_is_too_small(smallest):
    scene = SceneOctree()
    scene.place([scene.add_mesh(icosphere(1))], [moved(0, 5, 0, scale=PIXEL / 4)])
    found = visibility(ZBuffer(scene), [VIEW], size=SIZE, smallest=smallest)
    assert found.states.tolist() == [[TOO_SMALL]]
    found = visibility(ZBuffer(scene), [VIEW], size=SIZE, smallest=smallest, supersampling=8)
    assert found.states.tolist() == [[TOO_SMALL if smallest else SEEN]]


def test_boxes_and_depths(stage):
    found = visibility(ZBuffer(stage), [VIEW], size=SIZE, beyond=0.5)
    radius = RADIUS / PIXEL
    assert found.visible_boxes[0, HALF_OUT].tolist() == [0, 240 - radius, radius, 240 + radius]
    box = [-radius, 240 - radius, radius, 240 + radius]
    assert found.amodal_boxes[0, HALF_OUT].tolist() == box
    assert not found.visible_boxes[0, HIDDEN].any()
    assert np.isclose(found.depths[0, CARD], 2 - 0.5, rtol=1e-4)
    assert np.isclose(found.depths[0, HALF_OUT], 5 - RADIUS - 0.5, rtol=1e-3)
    assert np.isinf(found.depths[0, [HIDDEN, BESIDE]]).all()


def test_what_goes_on_farther_than_was_looked_is_cut_off(stage):
    found = visibility(ZBuffer(stage), [VIEW], size=SIZE, beyond=0)
    assert np.array_equal(found.whole, found.amodal)
    assert not found.truncated_fractions.any()


def test_visible_pixels_are_the_covered_ones(stage):
    views = [VIEW, perspective() @ camera([0, 0, 0], [0, 1, 0.2])]
    covered = item_buffers(ZBuffer(stage), views, size=SIZE).placements >= 0
    found = visibility(ZBuffer(stage), views, size=SIZE)
    assert found.visible.sum(axis=1).tolist() == covered.sum(axis=(1, 2)).tolist()


def random_stage(seed):
    rng = np.random.default_rng(seed)
    scene = scene_oracle.scene(rng, kinds=("rigid", "uneven", "flat"), triangles=20)
    scene.remove(scene.ids[rng.random(len(scene)) < 0.2])
    view = perspective(near=0.5, far=30) @ camera(rng.normal(0, 4, 3), rng.normal(0, 2, 3))
    return rng, scene, np.array([view, parallel(width=5) @ camera(rng.normal(0, 4, 3), [0, 0, 0])])


@given(st.integers(0, 2**32), st.booleans())
def test_is_what_each_object_drawn_by_itself_would_tell(seed, by_rays):
    rng, scene, views = random_stage(seed)
    size, made = (32, 24), PixelRays if by_rays else ZBuffer
    owners = rng.integers(4, size=len(scene))
    found = visibility(made(scene), views, size=size, owners=owners, beyond=0.5)
    together = item_buffers(made(scene), views, size=size)
    wide = views.copy()
    wide[:, :2] /= 2
    for owner in range(owners.max() + 1):
        ids = scene.ids[owners == owner]
        alone = item_buffers(made(scene.only(ids)), views, size=size).placements >= 0
        beyond = item_buffers(made(scene.only(ids)), wide, size=(64, 48)).placements >= 0
        seen = np.isin(together.placements, ids)
        assert found.visible[:, owner].tolist() == seen.sum(axis=(1, 2)).tolist()
        assert found.amodal[:, owner].tolist() == alone.sum(axis=(1, 2)).tolist()
        assert found.whole[:, owner].tolist() == beyond.sum(axis=(1, 2)).tolist()
        depths = np.where(seen, together.depths, np.inf).min(axis=(1, 2))
        assert np.allclose(found.depths[:, owner], depths)
        touched = objects_touching(scene.only(ids), Frusta.from_matrices(views))[0]
        for view in range(2):
            assert found.visible_boxes[view, owner].tolist() == box_around(seen[view])
            box = np.array(box_around(beyond[view]))
            shift = np.array([16, 12, 16, 12]) * box.any()
            assert found.amodal_boxes[view, owner].tolist() == (box - shift).tolist()
            state = state_of(seen[view].sum(), alone[view].sum(), view in touched)
            assert found.states[view, owner] == state


def box_around(mask):
    rows, columns = mask.nonzero()
    if len(rows) == 0:
        return [0, 0, 0, 0]
    return [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]


def state_of(visible, amodal, touched):
    if visible:
        return SEEN
    if amodal:
        return OCCLUDED
    return TOO_SMALL if touched else OUT_OF_VIEW


@given(st.integers(0, 2**32))
def test_visible_is_a_part_of_amodal_and_amodal_of_the_whole(seed):
    _, scene, views = random_stage(seed)
    found = visibility(ZBuffer(scene), views, size=(40, 30), supersampling=2)
    assert (found.visible <= found.amodal).all()
    assert (found.amodal <= found.whole).all()
    for parts in (found.visible_fractions, found.truncated_fractions):
        assert ((parts >= 0) & (parts <= 1)).all()
    fine = visibility(ZBuffer(scene), views, size=(80, 60))
    assert np.array_equal(4 * found.visible, fine.visible)
    assert np.array_equal(4 * found.whole, fine.whole)


def test_steps_end_with_the_answer(stage):
    fractions, found = finished(visibility_steps(ZBuffer(stage), [VIEW, VIEW], size=(64, 48)))
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)
    wanted = visibility(ZBuffer(stage), [VIEW, VIEW], size=(64, 48))
    assert np.array_equal(found.visible, wanted.visible)


@pytest.mark.parametrize("steps_of", [visibility_steps, face_samples_steps])
def test_steps_end_when_the_scene_changes(steps_of):
    _, scene, views = random_stage(1)
    steps = steps_of(ZBuffer(scene), views, size=(8, 8))
    next(steps)
    scene.remove(scene.ids[:1])
    with pytest.raises(RuntimeError, match="the scene has changed"):
        next(steps)


def test_nothing_has_shapes_too():
    found = visibility(ZBuffer(SceneOctree()), np.empty((0, 4, 4)))
    assert (found.visible.shape, found.visible_boxes.shape) == ((0, 0), (0, 0, 4))
    found = visibility(ZBuffer(SceneOctree()), [VIEW], size=(4, 3))
    assert (found.states.shape, found.amodal_boxes.shape) == ((1, 0), (1, 0, 4))


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("owners", [0], r"owners must have shape \(7,\), got \(1,\)"),
        ("owners", [-1] * 7, "owners must lie in 0"),
        ("supersampling", 0, "supersampling must be a whole number of at least 1, got 0"),
        ("beyond", -1, "beyond must be a finite number of at least 0, got -1"),
        ("smallest", -1, "smallest must be a finite number of at least 0, got -1"),
    ],
)
def test_refuses_bad_options(stage, option, value, message):
    with pytest.raises(ValueError, match=message):
        visibility_steps(ZBuffer(stage), [VIEW], **{option: value})
