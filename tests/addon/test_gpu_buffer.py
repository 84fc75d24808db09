"""Item buffers of the graphics card against those of NumPy and rays; and without a card."""

import os
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest
from item_buffer_oracle import camera, differing, moved, parallel, perspective, unexplained
from meshes import icosphere
from tuned import tuned

from octree_ext import octree_addon
from octree_ext.core import (
    PixelRays,
    SceneOctree,
    Triangles,
    ZBuffer,
    face_samples,
    item_buffers,
    views_around,
    visibility,
)
from octree_ext.octree_addon import item_buffer
from octree_ext.octree_addon.item_buffer import gpu_buffer, gpu_context

CHECKOUT = Path(__file__).resolve().parents[2]
SIZE = (96, 72)
# Graphics hardware lays corners on a grid of 256ths of a pixel, and computes in single precision.
EDGE, DEPTH = 1 / 128, 2.0**-21


@pytest.fixture
def card():
    if not item_buffer.can_draw():
        pytest.skip("no graphics context can be made here")


def soup(rng, triangles=40):
    corners = rng.normal(size=(triangles, 1, 3)) + rng.normal(0, 0.4, (triangles, 3, 3))
    return Triangles(corners.reshape(-1, 3), np.arange(3 * triangles).reshape(-1, 3))


def stage(seed, placements=15):
    """Make placements of a few meshes, turned, mirrored and sheared; and views of them."""
    rng, scene = np.random.default_rng(seed), SceneOctree()
    meshes = [scene.add_mesh(soup(rng)) for _ in range(3)]
    matrices = np.array([moved(*rng.normal(0, 3, 3)) for _ in range(placements)])
    matrices[:, :3, :3] = rng.normal(0, 0.7, (placements, 3, 3))
    scene.place(rng.choice(meshes, placements), matrices)
    scene.remove([2, 5])
    cameras = [camera(rng.normal(0, 4, 3), rng.normal(0, 2, 3)) for _ in range(2)]
    views = [perspective(near=0.5, far=30.0) @ cameras[0], parallel(width=6.0) @ cameras[1]]
    return scene, np.concatenate((views, views_around(scene.bounds_of(scene.ids), count=1)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("made", [ZBuffer, PixelRays])
def test_shows_the_same_triangles(card, made, seed):
    scene, views = stage(seed)
    drawn = item_buffers(item_buffer.GpuBuffer(scene), views, size=SIZE)
    wanted = item_buffers(made(scene), views, size=SIZE)
    assert (wanted.placements >= 0).mean() > 0.1
    assert not unexplained(scene, drawn, wanted, edge=EDGE, depth=DEPTH)
    assert len(differing(drawn, wanted)) <= drawn.placements.size / 1000


def test_of_equally_near_triangles_the_smaller_is_seen(card):
    scene = SceneOctree()
    corners = [[-3, -3, 0], [3, -3, 0], [0, 3, 0]]
    scene.place([scene.add_mesh(Triangles(corners, [[0, 1, 2]] * 3))] * 3, [np.eye(4)] * 3)
    scene.remove([0])
    view = parallel(width=6.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))
    shown = item_buffers(item_buffer.GpuBuffer(scene), [view], size=SIZE)
    assert set(np.unique(shown.placements)) == {-1, 1}
    assert set(np.unique(shown.triangles)) == {-1, 0}


@pytest.mark.parametrize("seed", range(3))
def test_measures_the_same(card, seed):
    scene, views = stage(seed)
    owners = np.arange(len(scene)) % 5
    drawn = visibility(item_buffer.GpuBuffer(scene), views, size=SIZE, owners=owners)
    wanted = visibility(ZBuffer(scene), views, size=SIZE, owners=owners)
    assert np.array_equal(drawn.states, wanted.states)
    for name in ("visible", "amodal", "whole"):
        one, other = getattr(drawn, name), getattr(wanted, name)
        assert np.allclose(one, other, rtol=0.003, atol=4), name
    shown = np.isfinite(wanted.depths)
    assert np.allclose(drawn.depths[shown], wanted.depths[shown], rtol=0.01)
    counts = [
        face_samples(made(scene), views, size=SIZE) for made in (item_buffer.GpuBuffer, ZBuffer)
    ]
    assert abs(counts[0].counts - counts[1].counts).sum() <= 3 * SIZE[0] * SIZE[1] / 500


def test_keeps_the_digits_of_meshes_far_from_their_origins(card):
    far = np.array([4e6, 5e6, 0.0])
    ball = icosphere(2)
    scene = SceneOctree()
    scene.place([scene.add_mesh(Triangles(ball.vertices + far, ball.faces))], [moved(*-far)])
    view = [parallel(width=3.0) @ camera([0, 0, 5], [0, 0, 0], (0, 1, 0))]
    drawn, wanted = (
        item_buffers(made(scene), view, size=SIZE) for made in (item_buffer.GpuBuffer, ZBuffer)
    )
    assert (wanted.placements >= 0).mean() > 0.1
    assert not unexplained(scene, drawn, wanted, edge=EDGE, depth=DEPTH)
    assert len(differing(drawn, wanted)) <= drawn.placements.size / 1000


def test_numbers_that_no_float_holds_are_drawn_in_two(card):
    scene, views = stage(5)
    plain = item_buffers(item_buffer.GpuBuffer(scene), views, size=SIZE)
    with tuned(octree_addon, exact_triangles=100, drawn_triangles=16):
        split = item_buffers(item_buffer.GpuBuffer(scene), views, size=SIZE)
    assert np.array_equal(plain.placements, split.placements)
    assert np.array_equal(plain.triangles, split.triangles)


def test_what_no_texture_holds_is_drawn_in_numpy(card):
    scene, views = stage(6)
    small = item_buffer.GpuBuffer(scene)
    small._most = 64
    drawn, wanted = (
        item_buffers(renderer, views, size=SIZE) for renderer in (small, ZBuffer(scene))
    )
    assert np.array_equal(drawn.placements, wanted.placements)
    found, known = (visibility(made, views, size=SIZE) for made in (small, ZBuffer(scene)))
    assert np.array_equal(found.amodal, known.amodal)


def test_follows_the_scene(card):
    scene, views = stage(7)
    renderer = item_buffer.GpuBuffer(scene)
    item_buffers(renderer, views, size=SIZE)
    scene.remove(scene.ids[::2])
    scene.move(scene.ids[:1], [moved(1)])
    again = item_buffers(renderer, views, size=SIZE)
    fresh = item_buffers(item_buffer.GpuBuffer(scene), views, size=SIZE)
    assert np.array_equal(again.placements, fresh.placements)
    assert item_buffers(renderer, views, size=(5, 4)).placements.shape == (3, 4, 5)


def test_a_card_that_draws_something_else_is_not_used(card, monkeypatch):
    monkeypatch.setattr(item_buffer, "has_kernel", lambda: False)
    assert isinstance(item_buffer.renderer_of(SceneOctree()), item_buffer.GpuBuffer)
    monkeypatch.setattr(gpu_buffer, "_VERTEX", gpu_buffer._VERTEX.replace("1.0", "1.5"))
    item_buffer.draws_right.cache_clear()
    assert not isinstance(item_buffer.renderer_of(SceneOctree()), item_buffer.GpuBuffer)
    monkeypatch.setattr(gpu_buffer, "_VERTEX", "no shader")
    item_buffer.draws_right.cache_clear()
    assert not isinstance(item_buffer.renderer_of(SceneOctree()), item_buffer.GpuBuffer)
    item_buffer.draws_right.cache_clear()


@pytest.mark.parametrize("software", [True, False])
@pytest.mark.parametrize("kernel", [True, False])
def test_the_kernel_draws_where_only_software_would(card, monkeypatch, software, kernel):
    monkeypatch.setattr(item_buffer, "is_software", lambda: software)
    monkeypatch.setattr(item_buffer, "has_kernel", lambda: kernel)
    made = item_buffer.renderer_of(SceneOctree())
    assert isinstance(made, ZBuffer if software and kernel else item_buffer.GpuBuffer)


def test_an_empty_scene_is_drawn(card):
    shown = item_buffers(item_buffer.GpuBuffer(SceneOctree()), [np.eye(4)], size=SIZE)
    assert (shown.placements == -1).all()


def test_making_a_context_leaves_the_file_as_it_was():
    names = ("scenes", "objects", "cameras", "images", "worlds")
    before = {name: list(getattr(bpy.data, name).keys()) for name in names}
    item_buffer.can_draw()
    assert {name: list(getattr(bpy.data, name).keys()) for name in names} == before


@pytest.mark.parametrize("error", [None, RuntimeError("no context")])
def test_what_libraries_say_on_the_way_is_told_only_if_no_context_comes(monkeypatch, capfd, error):
    def make_context():
        os.write(2, b"EGL Error (0x3009)\n")
        if error:
            raise error

    monkeypatch.setattr(gpu_context, "_child_survives", lambda: True)
    monkeypatch.setattr(gpu_context, "make_context", make_context)
    has_context = gpu_context._has_context.__wrapped__()
    said = capfd.readouterr().err
    assert ("EGL Error" in said) == bool(error)
    assert not (error and has_context)
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "later\n"


CHILD = """
import sys
sys.path[:0] = [{tests!r}]
import bpy, conftest
from octree_ext.core import SceneOctree, item_buffers
from octree_ext.octree_addon import item_buffer
import numpy as np
made = item_buffer.renderer_of(SceneOctree())
shown = item_buffers(made, [np.eye(4)], size=(4, 3))
print("DRAWN BY", type(made).__name__, shown.placements.shape, flush=True)
import os
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="hides EGL as Linux finds it")
def test_without_an_egl_library_nothing_ends(tmp_path):
    """A library of that name that is none, found first, is as good as none."""
    for name in ("libEGL.so", "libEGL.so.1"):
        (tmp_path / name).write_text("none", encoding="utf-8")
    source = CHILD.format(tests=str(CHECKOUT / "tests"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    folders = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary))
    hidden = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), **folders}
    if bpy.app.binary_path:
        command = [bpy.app.binary_path, "-b", "--factory-startup", "--python-expr", source]
    else:
        command = [sys.executable, "-c", source]
    done = subprocess.run(
        command, env=hidden, cwd=CHECKOUT, capture_output=True, timeout=240, check=False
    )
    assert b"DRAWN BY ZBuffer (1, 3, 4)" in done.stdout, done.stderr.decode()
    assert done.returncode == 0
    assert not list(temporary.glob("octree_*"))
