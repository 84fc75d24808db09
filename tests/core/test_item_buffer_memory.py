"""Drawing item buffers holds what a part needs, not what all objects and rows do."""

from collections import deque
from functools import partial

import numpy as np
from costs import most_held

from core import SceneOctree, Triangles, ZBuffer, item_buffers, views_around, visibility
from core.item_buffer.scan_conversion import Frames, samples


def row_of(triangles, matrices):
    scene = SceneOctree()
    scene.place([scene.add_mesh(triangles)] * len(matrices), matrices)
    return scene


def apart(count, axis, distance):
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, axis, 3] = np.arange(count) * distance
    return matrices


def test_tall_triangles_are_drawn_some_rows_at_a_time():
    def held(count):
        xs = np.repeat(np.arange(count) % 1000, 3) + np.tile([0.0, 1.0, 2.0], count)
        places = np.stack((xs, np.tile([0.0, 1000.0, 500.0], count), 0 * xs + 0.5))
        faces = np.arange(3 * count).reshape(-1, 3).T
        frames = Frames.rectangles(np.array([[0], [0], [1000], [1000]]))
        drawn = sum(len(part) for part, _, _ in samples(places, faces, frames))
        return drawn, most_held(lambda: deque(samples(places, faces, frames), 0))

    (few, some), (many, most) = held(500), held(2000)
    assert 3.5 * few < many < 4.5 * few
    assert most < 1.5 * some


def test_vertices_without_faces_are_drawn_some_placements_at_a_time():
    vertices = np.random.default_rng(1).random((50_000, 3))

    def held(count):
        scene = row_of(Triangles(vertices, [[0, 1, 2]]), apart(count, 0, 2.0))
        renderer, views = ZBuffer(scene), views_around(scene.bounds_of(scene.ids), count=1)
        assert len(renderer.stage.pool().order)
        return most_held(lambda: item_buffers(renderer, views, size=(16, 16)))

    assert held(12) < 1.5 * held(3)


def test_objects_are_counted_alone_some_at_a_time():
    triangle = Triangles([[-9, -9, 0], [9, -9, 0], [0, 9, 0.0]], [[0, 1, 2]])
    view = np.diag([1.0, 1.0, -1.0, 1.0])[None]

    def held(count):
        renderer = ZBuffer(row_of(triangle, apart(count, 2, 0.01)))
        renderer._pixels_together = 1 << 16
        look = partial(visibility, renderer, view, size=(200, 150))
        return look(), most_held(look)

    (few, some), (many, most) = held(16), held(64)
    assert (few.whole == 600 * 450).all() and (many.whole == 600 * 450).all()
    assert most < 1.5 * some
