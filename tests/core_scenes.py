"""Small scenes for the core's tests, and volumes to ask about them."""

import inspect
from itertools import product

import numpy as np
from meshes import (
    clustered,
    coincident,
    flat,
    grid,
    icosphere,
    loose_triangles,  # noqa: F401 - for tests
    numbers,
    random,
    slivers,
    uv_sphere,
    whole,
)

from core import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Spheres

SCENES = {
    scene.__name__: scene
    for scene in (
        random, clustered, flat, coincident, slivers, whole, grid, uv_sphere, icosphere,
    )
}  # fmt: skip
# In these scenes all arithmetic on volumes in small whole numbers is exact.
WHOLE = ("whole", "grid")


def smallest_cube(items):
    """Return a root whose walls run through the middle, and all that is symmetric."""
    bounds = items.bounds()
    lower, upper = bounds.lower.min(axis=0), bounds.upper.max(axis=0)
    middle, half = (lower + upper) / 2, (upper - lower).max() / 2
    return Boxes([np.minimum(middle - half, lower)], [np.maximum(middle + half, upper)])


def root_of(scene, items):
    """Return bounds to build with: items in whole numbers lie on walls of cells."""
    return smallest_cube(items) if scene in WHOLE else None


def arguments(kind):
    """Return the names of what a batch is made from."""
    return list(inspect.signature(kind).parameters)


def moved(batch, factor=1.0, shift=(0.0, 0.0, 0.0)):
    """Scale a batch about the origin, then shift it."""
    if isinstance(batch, HalfSpaces):
        normals, offsets = batch.planes[:, :3], batch.planes[:, 3]
        return HalfSpaces(np.column_stack((normals, offsets * factor - normals @ shift)))
    arrays = {name: getattr(batch, name) for name in arguments(type(batch))}
    for name, array in arrays.items():
        if name in ("radii", "half_sizes"):
            arrays[name] = array * factor
        elif name not in ("faces", "rotations"):
            arrays[name] = array * factor + shift
    return type(batch)(**arrays)


# Items of other kinds


def as_boxes(triangles):
    return triangles.bounds()


def as_spheres(triangles):
    """Around the first corners, so that whole numbers stay whole."""
    bounds = triangles.bounds()
    return Spheres(
        triangles.vertices[triangles.faces[:, 0]], (bounds.upper - bounds.lower).max(axis=1)
    )


def as_regions(triangles):
    """Around a box between two corners, with a radius that whole numbers leave whole."""
    ends, bounds = triangles.vertices[triangles.faces[:, :2]], triangles.bounds()
    return Regions(ends.min(axis=1), ends.max(axis=1), (bounds.upper - bounds.lower).min(axis=1))


def as_triangles(triangles):
    return triangles


KINDS = (as_triangles, as_boxes, as_spheres, as_regions)


# Volumes


def extent(items):
    """Return the middle of all items and half the longest edge around them."""
    bounds = items.bounds()
    lower, upper = bounds.lower.min(axis=0), bounds.upper.max(axis=0)
    return (lower + upper) / 2, (upper - lower).max() / 2


def boxes_about(items, count=20, seed=7):
    random, (middle, half) = numbers(seed), extent(items)
    centers = middle + half * random.uniform(-1.2, 1.2, (count, 3))
    sizes = half * random.uniform(0, 1, (count, 3)) ** 3
    return Boxes(centers - sizes, centers + sizes)


def spheres_about(items, count=20, seed=8):
    random, (middle, half) = numbers(seed), extent(items)
    centers = middle + half * random.uniform(-1.2, 1.2, (count, 3))
    return Spheres(centers, half * random.uniform(0, 1.3, count) ** 3)


def turns(count, seed=13):
    """Rotations, some of them mirrored."""
    return np.linalg.qr(numbers(seed).normal(size=(count, 3, 3)))[0]


def regions_about(items, count=20, seed=14):
    boxes, (_, half) = boxes_about(items, count, seed), extent(items)
    return Regions(boxes.lower, boxes.upper, half * numbers(seed).uniform(0.05, 0.8, count) ** 2)


def turned_boxes_about(items, count=20, seed=15):
    random, (middle, half) = numbers(seed), extent(items)
    centers = middle + half * random.uniform(-1.2, 1.2, (count, 3))
    sizes = half * random.uniform(0, 1, (count, 3)) ** 3
    return OrientedBoxes(centers, sizes, turns(count))


def capsules_about(items, count=20, seed=16):
    random, (middle, half) = numbers(seed), extent(items)
    starts = middle + half * random.uniform(-1.2, 1.2, (count, 3))
    ends = starts + half * random.uniform(-1, 1, (count, 3))
    return Capsules(starts, ends, half * random.uniform(0.05, 0.8, count) ** 2)


def half_spaces_about(items, count=20, seed=17):
    """Planes through points among the items, their normals of any length."""
    random, (middle, half) = numbers(seed), extent(items)
    points = middle + half * random.uniform(-1.2, 1.2, (count, 3))
    normals = random.normal(size=(count, 3)) * 10.0 ** random.uniform(-2, 2, (count, 1))
    return HalfSpaces(np.column_stack((normals, -(normals * points).sum(axis=1))))


def views_about(items, count=12, seed=9):
    """Pictures' edges two to one at most; some views from inside, some mirrored."""
    random, (middle, half) = numbers(seed), extent(items)
    turn = np.linalg.qr(random.normal(size=(count, 3, 3)))[0]
    near = 0.05 * half * random.uniform(0.3, 1, (count, 1, 1))
    far = 2 * half * random.uniform(0.3, 1, (count, 1, 1))
    spread = random.uniform(0.1, 0.6, (count, 2))
    ring = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * spread[:, None]
    rays = np.concatenate((ring, np.ones((count, 4, 1))), axis=2)
    corners = np.concatenate((rays * near, rays * far), axis=1)
    eyes = middle + half * random.uniform(-1.5, 1.5, (count, 3))
    towards = (middle - eyes)[:, None] * random.uniform(0, 0.5, (count, 1, 1))
    return Frusta(corners @ turn + eyes[:, None] + towards)


def whole_boxes(count=20, seed=10):
    corners = np.sort(numbers(seed).integers(-9, 10, (2, count, 3)), axis=0)
    return Boxes(*corners)


def whole_spheres(count=20, seed=11):
    random = numbers(seed)
    return Spheres(random.integers(-9, 10, (count, 3)), random.integers(0, 6, count))


def whole_regions(count=20, seed=18):
    boxes = whole_boxes(count, seed)
    return Regions(boxes.lower, boxes.upper, numbers(seed).integers(0, 5, count))


def whole_turned_boxes(count=20, seed=19):
    """Quarter turns, some of them mirrored; some boxes are flat."""
    random = numbers(seed)
    turns = np.eye(3)[random.permuted(np.tile(np.arange(3), (count, 1)), axis=1)]
    turns *= random.choice((-1, 1), (count, 1, 3))
    return OrientedBoxes(
        random.integers(-9, 10, (count, 3)), random.integers(0, 6, (count, 3)), turns
    )


def whole_capsules(count=20, seed=20):
    random = numbers(seed)
    starts = random.integers(-9, 10, (count, 3))
    ends = starts + random.integers(-5, 6, (count, 3)) * random.integers(0, 2, (count, 1))
    return Capsules(starts, ends, random.integers(0, 5, count))


def whole_half_spaces(count=20, seed=21):
    random = numbers(seed)
    normals = random.integers(-3, 4, (count, 3))
    normals[~normals.any(axis=1), 0] = 1
    return HalfSpaces(np.column_stack((normals, random.integers(-20, 21, count))))


def whole_frusta(count=12, seed=12):
    """Oblique frusta: a parallelogram as seen from a point, and again some times as far away."""
    random = numbers(seed)
    axes = random.integers(-2, 3, (20 * count, 3, 3))
    axes = axes[np.abs(np.linalg.det(axes)) > 0.5][:count]
    ring = np.array([(-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1)])
    near = ring @ axes
    far = near * random.integers(2, 5, (count, 1, 1))
    eyes = random.integers(-6, 7, (count, 1, 3))
    return Frusta(np.concatenate((near, far), axis=1) + eyes)


def hexahedra(boxes):
    """Return the same boxes as frusta."""
    both = np.stack((boxes.lower, boxes.upper), axis=2)
    ring = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corners = [
        np.stack((both[:, 0, x], both[:, 1, y], both[:, 2, z]), axis=1)
        for z, (x, y) in product((0, 1), ring)
    ]
    return Frusta(np.stack(corners, axis=1))


ABOUT = (
    boxes_about,
    spheres_about,
    regions_about,
    turned_boxes_about,
    capsules_about,
    half_spaces_about,
    views_about,
)
WHOLE_VOLUMES = (
    whole_boxes,
    whole_spheres,
    whole_regions,
    whole_turned_boxes,
    whole_capsules,
    whole_half_spaces,
    whole_frusta,
)
