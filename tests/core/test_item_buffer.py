"""The z-buffer shows what rays through the pixel centers hit, but for ties and edges."""

import costs
import numpy as np
import pytest
import scene_oracle
from hypothesis import given
from hypothesis import strategies as st
from item_buffer_oracle import camera, differing, moved, parallel, perspective, unexplained
from meshes import grid, icosphere

from core import (
    PixelRays,
    SceneOctree,
    Triangles,
    ZBuffer,
    face_samples,
    item_buffers,
    ray_cast,
    run,
    views_around,
    visibility,
)
from core.item_buffer.scan_conversion import Frames, samples

SIZE = (48, 36)
KINDS = ("rigid", "mirrored", "sheared", "uneven", "flat", "tiny")


def views_of(rng, scene, *, near):
    """Return views from among the placements and from around them."""
    eyes = rng.normal(0, 4, (2, 3))
    cameras = [camera(eye, rng.normal(0, 2, 3)) for eye in eyes]
    inside = [perspective(near=near, far=30.0) @ cameras[0]]
    inside.append(parallel(width=6.0, near=near, far=20.0) @ cameras[1])
    return np.concatenate((inside, views_around(scene.bounds_of(scene.ids), count=1)))


def both(scene, views, size=SIZE):
    return [item_buffers(made(scene), views, size=size) for made in (ZBuffer, PixelRays)]


@given(st.integers(0, 2**32), st.sampled_from([0.01, 0.5, 2.0]), st.sampled_from([60, 4]))
def test_shows_what_rays_hit(seed, near, triangles):
    rng = np.random.default_rng(seed)
    scene = scene_oracle.scene(rng, kinds=KINDS, triangles=triangles)
    quick, exact = both(scene, views_of(rng, scene, near=near))
    assert not unexplained(scene, quick, exact, edge=1e-6, depth=2.0**-23)
    same = np.ones(quick.placements.shape, bool)
    same[tuple(differing(quick, exact).T)] = False
    assert np.allclose(quick.nearness[same], exact.nearness[same], rtol=2.0**-20, atol=2.0**-40)


@pytest.mark.parametrize("seed", range(4))
def test_differs_from_rays_in_fewer_than_a_thousandth_of_the_pixels(seed):
    rng = np.random.default_rng(seed)
    scene = scene_oracle.scene(rng, kinds=KINDS[:4], placements=20)
    quick, exact = both(scene, views_of(rng, scene, near=0.5), (80, 60))
    assert (exact.placements >= 0).mean() > 0.1
    assert len(differing(quick, exact)) <= quick.placements.size / 1000


def test_triangles_that_the_near_plane_cuts_are_cut_there():
    """A floor that reaches from far behind the camera to the horizon."""
    scene = SceneOctree()
    corners = [[-900, -900, 0], [900, -900, 0], [900, 900, 0], [-900, 900, 0]]
    floor = scene.add_mesh(Triangles(corners, [[0, 1, 2], [0, 2, 3]]))
    scene.place([floor], [np.eye(4)])
    eye = camera([0.3, 0.2, 1.0], [5.0, 3.0, 0.6])
    quick, exact = both(scene, [perspective(near=2.0, far=20.0) @ eye])
    assert not unexplained(scene, quick, exact, edge=1e-6, depth=2.0**-23)
    assert 0.2 < (quick.placements == 0).mean() < 0.8
    shown = quick.placements == 0
    assert np.allclose(quick.depths[shown], exact.depths[shown], rtol=1e-5)
    assert 2.0 <= quick.depths.min() < 2.2
    assert 12.0 < quick.depths[shown].max() <= 20.001


def test_centers_on_shared_edges_are_never_open():
    """Every vertex of a grid, and most of its edges, lie on pixel centers."""
    scene, lines = SceneOctree(), np.arange(17.0)
    x, y = np.meshgrid(lines, lines)
    corner = np.arange(17 * 16).reshape(16, 17)[:, :16].ravel()
    low, high = [corner, corner + 1, corner + 18], [corner, corner + 18, corner + 17]
    faces = np.concatenate((np.stack(low, axis=1), np.stack(high, axis=1)))
    points = np.stack((x.ravel(), y.ravel(), 0 * x.ravel()), axis=1)
    scene.place([scene.add_mesh(Triangles(points, faces))], [np.eye(4)])
    view = np.diag([2 / 17, 2 / 17, -1, 1.0])
    view[:2, 3] = -1 + 1 / 17
    for turn in (view, np.diag([-1.0, 1, 1, 1]) @ view):
        shown = item_buffers(ZBuffer(scene), [turn], size=(17, 17))
        assert (shown.placements == 0).all()
        wide = item_buffers(ZBuffer(scene), [turn], size=(51, 51))
        assert (wide.placements[0, 1:-1, 1:-1] == 0).all()


def test_of_equally_near_triangles_the_smaller_is_seen():
    scene = SceneOctree()
    ball = scene.add_mesh(icosphere(2))
    twice = scene.add_mesh(Triangles([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]] * 3))
    scene.place([ball, ball, twice, twice], [np.eye(4)] * 4)
    scene.remove([0])
    view = parallel(width=6.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))
    for shown in both(scene, [view]):
        assert set(np.unique(shown.placements)) == {-1, 1, 2}
        assert (shown.triangles[shown.placements == 2] == 0).all()


def test_depths_are_those_of_rays():
    scene = SceneOctree()
    scene.place([scene.add_mesh(icosphere(3))], [moved(0, 7, 0)])
    view = camera([0, 0, 0], [0, 1, 0])
    (straight,) = ray_cast(scene, [[0, 0, 0]], [[0, 1, 0]]).distances
    for projection, start in ((perspective(), 0.0), (parallel(near=0.5), 0.5)):
        shown = item_buffers(ZBuffer(scene), [projection @ view], size=(41, 31))
        assert np.isclose(shown.depths[0, 15, 20], straight - start, rtol=1e-5)
        assert np.isinf(shown.depths[shown.placements < 0]).all()


def test_what_cannot_be_seen_is_left_out():
    scene = SceneOctree()
    broken = Triangles([[0, 0, 0], [1, 0, 0], [0, 1, 0], [np.nan, 0, 0]], [[0, 1, 3], [0, 1, 2]])
    point = Triangles([[0, 0, 0], [1, 1, 0]], [[0, 1, 1], [0, 0, 0]])
    meshes = [scene.add_mesh(each) for each in (broken, point, Triangles([], []))]
    scene.place([*meshes, meshes[0]], [*[np.eye(4)] * 3, np.full((4, 4), np.nan)])
    view = parallel(width=2.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))
    shown = item_buffers(ZBuffer(scene), [view], size=SIZE)
    assert set(np.unique(shown.placements)) == {-1, 0}
    assert set(np.unique(shown.triangles)) == {-1, 1}


@pytest.mark.parametrize("made", [ZBuffer, PixelRays])
def test_nothing_gives_empty_pictures(made):
    empty = item_buffers(made(SceneOctree()), np.empty((0, 4, 4)), size=(3, 2))
    assert empty.placements.shape == empty.depths.shape == (0, 2, 3)
    shown = item_buffers(made(SceneOctree()), [np.eye(4)], size=(3, 2))
    assert shown.placements.tolist() == shown.triangles.tolist() == [[[-1] * 3] * 2]
    assert np.isinf(shown.depths).all()


def test_follows_the_scene():
    scene = SceneOctree()
    ball = scene.add_mesh(icosphere(1))
    scene.place([ball], [np.eye(4)])
    renderer, view = ZBuffer(scene), parallel(width=8.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))
    before = item_buffers(renderer, [view], size=SIZE)
    scene.move([0], [moved(2)])
    after = item_buffers(renderer, [view], size=SIZE)
    shift = SIZE[0] // 4
    assert np.array_equal(before.placements[0, :, :-shift], after.placements[0, :, shift:])
    scene.replace_mesh(ball, icosphere(0))
    assert item_buffers(renderer, [view], size=SIZE).triangles.max() < 20


def test_what_has_only_moved_is_not_copied_again():
    scene = SceneOctree()
    scene.place([scene.add_mesh(icosphere(4))], [np.eye(4)])
    renderer = ZBuffer(scene)
    pool = renderer.stage.pool()
    scene.move([0], [moved(1)])
    assert renderer.stage.pool() is pool
    scene.place([scene.add_mesh(icosphere(1))], [np.eye(4)])
    assert len(renderer.stage.pool().order) == len(pool.order) + 80


def test_pictures_need_no_index_and_are_the_same_with_one():
    """Among equal triangles the smaller number wins, in any order of the pool."""
    rng, ball = np.random.default_rng(4), icosphere(3)
    faces = np.concatenate([rng.permutation(ball.faces) for _ in range(2)])
    faces[::7, 1] = len(ball.vertices)
    vertices = np.concatenate((ball.vertices, [[np.nan] * 3]))
    scene = SceneOctree()
    meshes = [scene.add_mesh(Triangles(vertices * size, faces)) for size in (1.0, 2.0)]
    scene.place([*meshes, meshes[0]], [moved(3 * number) for number in range(3)])
    views = views_around(scene.bounds_of(scene.ids), count=2)

    def shown(renderer):
        return [look(renderer, views, size=SIZE) for look in (item_buffers, face_samples)]

    renderer = ZBuffer(scene)
    wanted, entered = shown(renderer), renderer.stage.pool()
    for indexed in ([False, False], [False, True], [True, True]):
        run(scene.prepare_steps(np.flatnonzero(indexed)))
        pool = renderer.stage.pool()
        assert (pool.nodes.roots >= 0).tolist() == indexed
        assert pool.layout is entered.layout and np.array_equal(pool.firsts, entered.firsts)
        assert shown(renderer) == shown(ZBuffer(scene)) == wanted
        scene.check()


def test_slivers_hide_nothing():
    """Triangles seen from the side, but for a rounding, before a wall and beside it."""
    rng, scene = np.random.default_rng(3), SceneOctree()
    wall = [[-3, -3, 0], [3, -3, 0], [3, 3, 0], [-3, 3, 0]]
    ends, parts = rng.uniform(-2, 2, (2, 300, 3)), rng.random((300, 1))
    between = ends[0] + (ends[1] - ends[0]) * parts
    between[::2] += rng.normal(0, 1e-15, (150, 3))
    between[1::4] = np.nextafter(ends[0, 1::4], 9)
    slivers = np.stack((*ends, between), axis=1) + np.array([0, 0, 3])
    thin = Triangles(slivers.reshape(-1, 3), np.arange(900).reshape(-1, 3))
    scene.place([scene.add_mesh(Triangles(wall, [[0, 1, 2], [0, 2, 3]]))], [np.eye(4)])
    scene.place([scene.add_mesh(thin)], [np.eye(4)])
    views = [
        projection @ camera([0.1, 0.2, 9], [0, 0, 0], (0, 1, 0))
        for projection in (parallel(width=5.0), perspective(angle=0.6))
    ]
    quick, exact = both(scene, views)
    assert not unexplained(scene, quick, exact, edge=1e-6, depth=2.0**-23)
    assert np.isfinite(quick.nearness).all()
    assert quick.nearness.max() <= 1


def test_slivers_are_no_nearer_than_their_corners():
    """They lie along a diagonal of pixel centers, some of them but a rounding wide."""
    middles = 30.5 + np.array([[0.0, 2.0**-k] for k in range(20, 49)])
    corners = np.array([[[0.5, 0.5], [60.5, 60.5], middle] for middle in middles]).reshape(-1, 2)
    nearness = np.tile([0.2, 0.4, 0.9], len(middles))
    faces = np.arange(len(corners)).reshape(-1, 3).T
    found = [
        parts
        for face in faces.T
        for parts in samples(
            np.vstack((corners.T, nearness)), face[:, None], Frames.rectangles(WHOLE)
        )
    ]
    assert sum(len(places) for places, _, _ in found) >= 61 * len(middles)
    for _, near, _ in found:
        assert near.min() >= 0.2 - 1e-9
        assert near.max() <= 0.9 + 1e-9


@pytest.mark.parametrize("projection", [perspective(near=0.5, far=30.0), parallel(width=6.0)])
@pytest.mark.parametrize("made", [ZBuffer, PixelRays])
def test_a_matrix_and_its_opposite_are_the_same_view(projection, made):
    """They project alike; with the one, w is negative in view."""
    rng = np.random.default_rng(9)
    scene = scene_oracle.scene(rng, kinds=KINDS, placements=12)
    view = projection @ camera([4, -5, 2], [0, 0, 0])
    one, other = (item_buffers(made(scene), [sign * view], size=SIZE) for sign in (1, -1))
    assert (one.placements >= 0).mean() > 0.02
    for name in ("placements", "triangles", "nearness", "depths"):
        assert np.array_equal(getattr(one, name), getattr(other, name))
    assert np.array_equal(
        *(visibility(made(scene), [sign * view], size=SIZE).amodal for sign in (1, -1))
    )


WHOLE = np.array([[0], [0], [64], [64]])


def through_the_eye():
    """Return a projection whose near plane is behind the eye, and whose far plane before it."""
    matrix = perspective()
    matrix[2, 2:] = 0.5, 1.0
    return matrix


def endless():
    """Return a perspective projection whose far plane is at infinity."""
    matrix = perspective()
    matrix[2, 2:] = -1, -0.2
    return matrix


@pytest.mark.parametrize(
    ("views", "size", "message"),
    [
        (np.eye(4), SIZE, r"view_projection must have shape \(n, 4, 4\), got \(4, 4\)"),
        ([np.zeros((4, 4))], SIZE, "view_projection must have an inverse"),
        ([np.full((4, 4), np.nan)], SIZE, "view_projection must be finite"),
        ([endless()], SIZE, "view_projection must end at finite distances"),
        ([through_the_eye()], SIZE, "view_projection must end at finite distances"),
        ([np.eye(4)], (0, 4), "size must be a whole number of at least 1, got 0"),
        ([np.eye(4)], 4, "size must be width and height, got 4"),
    ],
)
def test_refuses_what_is_no_view(views, size, message):
    with pytest.raises(ValueError, match=message):
        item_buffers(ZBuffer(SceneOctree()), views, size=size)


def test_refuses_what_is_no_scene_or_renderer():
    with pytest.raises(ValueError, match="scene must be one of SceneOctree, got int"):
        ZBuffer(3)
    with pytest.raises(ValueError, match="renderer must be one of ItemRenderer, got SceneOctree"):
        item_buffers(SceneOctree(), [np.eye(4)])


def test_neither_triangles_nor_placements_nor_pixels_are_looped_over():
    view = parallel(width=40.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))

    def lines(placements, levels, size):
        scene = SceneOctree()
        places = np.linspace(-15, 15, placements)
        scene.place([scene.add_mesh(icosphere(levels))] * placements, [moved(x) for x in places])
        return sum(
            costs.lines_run(lambda: item_buffers(ZBuffer(scene), [view], size=size)).values()
        )

    few = lines(10, 1, (64, 48))
    assert lines(200, 2, (320, 240)) < 3 * few  # of 80 times the triangles


def test_only_what_the_view_shows_is_drawn():
    """A hundred large meshes behind the camera cost a look at their boxes."""
    scene = SceneOctree()
    large, small = scene.add_mesh(grid(cells=60)), scene.add_mesh(icosphere(1))
    scene.place([small], [moved(0, 5, 0)])
    renderer = ZBuffer(scene)
    view = perspective() @ camera([0, 0, 0], [0, 1, 0])
    item_buffers(renderer, [view], size=SIZE)
    alone = costs.bytes_made(lambda: item_buffers(renderer, [view], size=SIZE))
    scene.place([large] * 100, [moved(0, -500, 0)] * 100)
    assert renderer.stage.moment.freshness.is_current
    crowd = costs.bytes_made(lambda: item_buffers(renderer, [view], size=SIZE))
    assert crowd < 1.5 * alone + 200_000
