"""Samples of faces over many views: counts, the gain of the last views, and view positions."""

import numpy as np
import pytest
from item_buffer_oracle import moved
from meshes import icosphere
from stepping import finished

from core import (
    Boxes,
    Frusta,
    SceneOctree,
    Triangles,
    ZBuffer,
    face_samples,
    face_samples_steps,
    item_buffers,
    query,
    sphere_directions,
    views_around,
    views_inside,
)

SIZE = (64, 64)


def cube(half):
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return Triangles(half * corners, faces)


@pytest.fixture
def nested():
    """Make a sphere inside a cube, a second cube beside it, and a mesh that is not placed."""
    scene = SceneOctree()
    hidden, loose, box = (scene.add_mesh(m) for m in (icosphere(1), cube(9.0), cube(3.0)))
    scene.place([hidden, box, box], [np.eye(4), np.eye(4), moved(20)])
    return scene, hidden, box, loose


def test_what_is_inside_is_never_seen(nested):
    scene, hidden, box, loose = nested
    views = views_around(scene.bounds_of(scene.ids), count=20)
    found = face_samples(ZBuffer(scene), views, size=SIZE)
    assert found.meshes.tolist() == [hidden, box]
    assert not found.of_mesh(hidden).any()
    assert found.of_mesh(box).all()
    with pytest.raises(ValueError, match=f"mesh must be placed, got {loose}"):
        found.of_mesh(loose)


def test_counts_are_those_of_the_pictures(nested):
    scene, _, box, _ = nested
    views = views_around(scene.bounds_of(scene.ids), count=7)
    found = face_samples(ZBuffer(scene), views, size=SIZE)
    shown = item_buffers(ZBuffer(scene), views, size=SIZE)
    assert found.counts.sum() == (shown.placements >= 0).sum()
    seen = shown.triangles[np.isin(shown.placements, [1, 2])]
    assert np.array_equal(found.of_mesh(box), np.bincount(seen, minlength=12))
    first = [np.flatnonzero((shown.triangles == face).any(axis=(1, 2)))[0] for face in range(12)]
    assert found.first_views[found.starts[1] :].tolist() == first
    assert np.allclose(found.areas[found.starts[1] :], 18)


def test_from_inside_the_inner_faces_are_seen(nested):
    scene, hidden, box, _ = nested
    room = Boxes([[-2.5] * 3], [[2.5] * 3])
    views = views_inside(room, places=30, near=0.01, far=20)
    found = face_samples(ZBuffer(scene), views, size=SIZE)
    assert found.of_mesh(hidden).all()
    assert found.of_mesh(box).all()


def test_saturation(nested):
    scene, *_ = nested
    bounds = scene.bounds_of(scene.ids)
    many = face_samples(ZBuffer(scene), views_around(bounds, count=50), size=SIZE)
    assert many.added_by_last() == (0, 0)
    assert many.added_by_last(1.0) == (1, 1)
    few = face_samples(ZBuffer(scene), views_around(bounds, count=2), size=SIZE)
    faces, area = few.added_by_last(0.5)
    assert 0 < faces < 1
    assert 0 < area < 1
    nothing = face_samples(ZBuffer(SceneOctree()), [], size=SIZE)
    assert nothing.added_by_last() == (0, 0)
    assert nothing.counts.shape == (0,)


def test_steps_end_with_the_answer(nested):
    scene, *_ = nested
    views = views_around(scene.bounds_of(scene.ids), count=4)
    fractions, found = finished(face_samples_steps(ZBuffer(scene), views, size=SIZE))
    assert fractions == [0, 0.25, 0.5, 0.75, 1]
    assert np.array_equal(found.counts, face_samples(ZBuffer(scene), views, size=SIZE).counts)


@pytest.mark.parametrize(("count", "part"), [(200, 200), (400, 100), (1000, 250)])
def test_directions_are_spread_evenly_and_so_are_the_first_of_them(count, part):
    directions = sphere_directions(count)
    assert np.allclose(np.linalg.norm(directions, axis=1), 1)
    some = directions[:part]
    angles = np.arccos(np.clip(some @ some.T, -1, 1)) + 9 * np.eye(part)
    even = np.sqrt(4 * np.pi / part)
    assert angles.min() > (0.7 if part == count else 0.15) * even
    holes = np.arccos(np.clip(directions @ some.T, -1, 1)).min(axis=1)
    assert holes.max() < 2 * even
    assert np.linalg.norm(some.mean(axis=0)) < 0.05


def test_views_around_show_all(nested):
    scene, *_ = nested
    bounds = scene.bounds_of(scene.ids)
    views = views_around(bounds, count=9)
    found = query(scene, Frusta.from_matrices(views), relation="inside")
    assert len(np.unique(found[:2], axis=1).T) == 9 * 3
    assert len(found.T) == 9 * len(scene.triangles_of(scene.ids))


def test_views_inside_look_everywhere_from_places_that_fill_the_box():
    room = Boxes([[1, 2, 3]], [[3, 6, 4]])
    views = views_inside(room, places=64, near=0.1, far=9)
    eyes = np.linalg.inv(views[::6]) @ [0, 0, -1, 0]
    eyes = eyes[:, :3] / eyes[:, 3:]
    parts = ((eyes - room.lower) / (room.upper - room.lower) * 2).astype(int)
    assert np.bincount(parts @ [1, 2, 4], minlength=8).min() >= 4
    directions = sphere_directions(100)
    for place in (0, 63):
        points = np.column_stack((eyes[place] + directions, np.ones(100)))
        clip = np.einsum("vij,kj->vki", views[6 * place : 6 * place + 6], points)
        inside = (np.abs(clip[..., :3]) <= clip[..., 3:] * (1 + 1e-9)).all(axis=2)
        assert (inside.sum(axis=0) >= 1).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sphere_directions(-1), "count must be a whole number of at least 0, got -1"),
        (lambda: views_around(Boxes([], [])), "bounds must hold a finite box, got 0 boxes"),
        (lambda: views_around(3), "bounds must be one of Boxes, got int"),
        (
            lambda: views_inside(Boxes([[0] * 3], [[1] * 3]), near=2, far=1),
            "near and far must ascend from above 0, got 2 and 1",
        ),
        (
            lambda: views_inside(Boxes([[0] * 3] * 2, [[1] * 3] * 2)),
            "volume must be one box, got 2",
        ),
    ],
)
def test_refuses_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_views_have_a_shape():
    box = Boxes([[0] * 3], [[1] * 3])
    assert sphere_directions(0).shape == (0, 3)
    assert views_around(box, count=0).shape == views_inside(box, places=0).shape == (0, 4, 4)


def test_answers_of_what_is_placed_and_cannot_be_drawn():
    scene = SceneOctree()
    ball = icosphere(1)
    empty = scene.add_mesh(Triangles(np.empty((0, 3)), np.empty((0, 3), int)))
    drawn, lost = scene.add_mesh(ball), scene.add_mesh(ball)
    scene.place([drawn, empty, lost], [np.eye(4), np.eye(4), np.full((4, 4), np.nan)])
    found = face_samples(ZBuffer(scene), np.diag([0.5, 0.5, -0.5, 1.0])[None], size=(32, 32))
    assert found.meshes.tolist() == sorted((empty, drawn, lost))
    assert found.of_mesh(empty).shape == (0,)
    assert found.of_mesh(drawn).any()
    assert found.of_mesh(lost).tolist() == [0] * len(ball)
