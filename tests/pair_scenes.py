"""Items of every kind in small whole numbers, of which many touch."""

import core_scenes as scenes

from core import Boxes, Regions, Spheres


def triangles(seed=1, count=40, span=3):
    """Triangles in small whole numbers: some alike, flat, a segment, or a point."""
    return scenes.loose_triangles(corners(seed, count, span))


def corners(seed, count, span):
    random = scenes.numbers(seed)
    points = random.integers(-span, span + 1, (count, 1, 3)) + random.integers(
        -2, 3, (count, 3, 3)
    )
    points[::7] *= (1, 1, 0)
    points[1::9, 1] = points[1::9, 0]
    points[2::11] = points[2::11, :1]
    points[3:6] = points[3:4]
    return points


def boxes(seed=2, count=40, span=3):
    both = corners(seed, count, span)[:, :2]
    return Boxes(both.min(axis=1), both.max(axis=1))


def spheres(seed=3, count=40, span=3):
    radii = scenes.numbers(seed).integers(0, 3, count)
    return Spheres(corners(seed, count, span)[:, 0], radii)


def regions(seed=4, count=40, span=3):
    inner, radii = boxes(seed, count, span), scenes.numbers(seed).integers(0, 2, count)
    return Regions(inner.lower, inner.upper, radii)


KINDS = (triangles, boxes, spheres, regions)
