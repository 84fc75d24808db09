"""Triangles to build over: scattered, degenerate, and real meshes."""

import numpy as np

from core import Triangles

ICOSAHEDRON = [
    (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
    (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5),
    (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
]  # fmt: skip


def numbers(seed=0):
    return np.random.default_rng(seed)


def loose_triangles(corners):
    """Triangles that share no vertex, from corners (n, 3, 3)."""
    corners = np.asarray(corners, float)
    return Triangles(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def random(count=300, size=0.3, seed=1):
    random = numbers(seed)
    corners = random.uniform(-1, 1, (count, 1, 3)) + random.uniform(-size, size, (count, 3, 3))
    return loose_triangles(corners)


def clustered():
    """Three clusters, each a thousand times as small as the one before."""
    corners = random(360, 0.3).vertices.reshape(3, 120, 3, 3)
    return loose_triangles(np.concatenate([part * 1e-3**k + k for k, part in enumerate(corners)]))


def flat():
    return loose_triangles(random().vertices.reshape(-1, 3, 3) * (1, 1, 0))


def coincident():
    """Put a hundred triangles in one place among others."""
    corners = random(150, 0.2).vertices.reshape(-1, 3, 3)
    return loose_triangles(np.concatenate((np.repeat(corners[:1], 100, axis=0), corners)))


def slivers():
    """Long triangles between a ten thousandth and a billionth of their length wide."""
    random, start = numbers(3), numbers(4).uniform(-1, 1, (200, 3))
    end = start + random.uniform(-1, 1, (200, 3))
    width = 10.0 ** random.uniform(-9, -4, (200, 1)) * random.normal(size=(200, 3))
    return loose_triangles(np.stack((start, end, (start + end) / 2 + width), axis=1))


def whole(count=200, seed=5):
    """Triangles in whole numbers, many of them flat, thin, or of no area."""
    random = numbers(seed)
    return loose_triangles(
        random.integers(-7, 8, (count, 1, 3)) + random.integers(-1, 2, (count, 3, 3))
    )


def grid(cells=8):
    """Lay three axis-aligned sheets through the middle, on walls of cells."""
    x, y = np.divmod(np.arange((cells + 1) ** 2), cells + 1)
    sheet = np.column_stack((x, y, np.full(len(x), cells // 2)))
    first = (x * (cells + 1) + y)[(x < cells) & (y < cells)]
    right, up = first + cells + 1, first + 1
    faces = np.concatenate(
        (np.column_stack((first, right, right + 1)), np.column_stack((first, right + 1, up)))
    )
    vertices = np.concatenate([np.roll(sheet, turn, axis=1) for turn in range(3)])
    return Triangles(vertices, np.concatenate([faces + len(sheet) * turn for turn in range(3)]))


def uv_sphere(segments=32, rings=16):
    """Make a sphere whose poles are vertices of `segments` triangles each."""
    turn, tilt = np.arange(segments) * 2 * np.pi / segments, np.arange(1, rings) * np.pi / rings
    turn, tilt = np.meshgrid(turn, tilt)
    body = np.stack((np.cos(turn) * np.sin(tilt), np.sin(turn) * np.sin(tilt), np.cos(tilt)), -1)
    vertices = np.concatenate((body.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]))
    here = np.arange(body[..., 0].size).reshape(rings - 1, segments)
    after, north, south = np.roll(here, -1, axis=1), len(vertices) - 2, len(vertices) - 1
    faces = [(here[:-1], here[1:], after[1:]), (here[:-1], after[1:], after[:-1])]
    faces += [(0 * here[0] + north, here[0], after[0]), (0 * here[0] + south, after[-1], here[-1])]
    return Triangles(
        vertices, np.concatenate([np.stack(some, axis=-1).reshape(-1, 3) for some in faces])
    )


def icosphere(levels=2):
    """Twenty triangles, each divided in four so many times."""
    pairs = np.array([(a, b * (1 + 5**0.5) / 2) for b in (1, -1) for a in (-1, 1)])
    zero = np.zeros((4, 1))
    points = np.concatenate(
        (
            np.column_stack((pairs, zero)),
            np.column_stack((zero, pairs)),
            np.column_stack((pairs[:, 1], zero, pairs[:, 0])),
        )
    )
    corners = points[np.array(ICOSAHEDRON)]
    for _ in range(levels):
        a, b, c = corners.swapaxes(0, 1)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(quarter, axis=1) for quarter in quarters])
        corners /= np.linalg.norm(corners, axis=2, keepdims=True)
    return loose_triangles(corners)
