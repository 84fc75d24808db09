"""Triangles that touch volumes exactly, by construction: in whole numbers, scaled and moved."""

from itertools import product

import numpy as np

from core import Boxes, Capsules, Frusta, HalfSpaces, OrientedBoxes, Regions, Triangles

# All rotations that permute and mirror axes: in them, nothing is rounded.
TURNS = [
    np.diag(signs)[:, list(order)]
    for order in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (1, 0, 2))
    for signs in product((-1.0, 1.0), repeat=3)
]
# What scenes are multiplied with: the first keep whole numbers exact, the others round them.
EXACT_UNITS = (1.0, 1 / 1024)
UNITS = (*EXACT_UNITS, 0.1, 0.001)


def boxes(random, count):
    """Boxes (2, 3, count) whose corners are even, so that their middles are whole."""
    lower = 2 * random.integers(-6, 6, (3, count))
    return np.stack((lower, lower + 2 * random.integers(0, 5, (3, count))))


def beside(random, lower, upper):
    """Return a corner of a box at which a triangle may touch it, and the way out of it."""
    signs = random.choice((-1, 1), 3)
    return np.where(signs > 0, upper, lower), signs


def turned(random, corners):
    """Return the same triangle with its corners in another order."""
    return corners[random.permutation(3)]


def face_in_wall(random, lower, upper):
    place, _ = beside(random, lower, upper)
    middle, axis, size = (lower + upper) // 2, random.integers(3), 20 + random.integers(20)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    corners = np.tile(middle, (3, 1))
    corners[:, axis] = place[axis]
    corners[:, i] += np.array([-size, size, random.integers(-3, 4)])
    corners[:, j] += np.array([-size, -size, 2 * size])
    return corners


def edge_in_edge(random, lower, upper):
    place, signs = beside(random, lower, upper)
    axis = random.integers(3)
    corners = np.tile(place, (3, 1))
    corners[0, axis] = lower[axis] - random.integers(0, 9)
    corners[1, axis] = upper[axis] + random.integers(0, 9)
    corners[2] += signs * random.integers(1, 9, 3)
    return corners


def edge_through_edge(random, lower, upper):
    place, signs = beside(random, lower, upper)
    axis = random.integers(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    place[axis] = (lower[axis] + upper[axis]) // 2
    way = random.integers(1, 5, 3)
    way[i] *= signs[i]
    way[j] *= -signs[j]
    outward = np.zeros(3, int)
    outward[[i, j]] = signs[[i, j]] * random.integers(1, 9, 2)
    return np.stack((place - 3 * way, place + random.integers(1, 5) * way, place + outward))


def corner_in_corner(random, lower, upper):
    place, signs = beside(random, lower, upper)
    return np.stack((place, *(place + signs * random.integers(0, 9, (2, 3)))))


def corner_in_edge(random, lower, upper):
    corners, axis = corner_in_corner(random, lower, upper), random.integers(3)
    corners[:, axis] += (lower[axis] + upper[axis]) // 2 - corners[0, axis]
    return corners


def corner_in_wall(random, lower, upper):
    place, signs = beside(random, lower, upper)
    axis = random.integers(3)
    middle = (lower + upper) // 2
    middle[axis] = place[axis]
    corners = middle + random.integers(-9, 10, (3, 3))
    corners[:, axis] = middle[axis] + signs[axis] * random.integers(0, 9, 3)
    corners[0] = middle
    return corners


def plane_at_corner(random, lower, upper):
    place, signs = beside(random, lower, upper)
    a, b, c = signs * random.integers(1, 5, 3)
    one, other = np.array([b, -a, 0]), np.array([c, 0, -a])
    m, n = random.integers(1, 4, 2)
    return np.stack((place + m * one, place + n * other, place - m * one - n * other))


def point(random, lower, upper):
    place, _ = beside(random, lower, upper)
    return np.tile(place, (3, 1))


def segment(random, lower, upper):
    corners = edge_through_edge(random, lower, upper)
    corners[2] = corners[random.integers(2)]
    return corners


KINDS = (
    face_in_wall,
    edge_in_edge,
    edge_through_edge,
    corner_in_corner,
    corner_in_edge,
    corner_in_wall,
    plane_at_corner,
    point,
    segment,
)
# Whose touch is a matter of equal coordinates alone: units that round keep it.
ALONG_AXES = {face_in_wall, edge_in_edge, corner_in_corner, point}


def touching_pairs(seed, count=9):
    """Return triangles (count, 3, 3) of each kind, and boxes (2, 3, count) that they touch."""
    random = np.random.default_rng(seed)
    both = boxes(random, count)
    kinds = [KINDS[number % len(KINDS)] for number in range(count)]
    corners = [turned(random, kind(random, *both[:, :, i])) for i, kind in enumerate(kinds)]
    return np.stack(corners), both


def nudged(numbers, seed, share=0.2):
    """Return the numbers, some of them moved to the next float."""
    random = np.random.default_rng(seed)
    moved = np.nextafter(numbers, random.choice((-np.inf, np.inf), numbers.shape))
    return np.where(random.random(numbers.shape) < share, moved, numbers)


def triangles(corners):
    """Return triangles of corners (n, 3, 3)."""
    return Triangles(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def volumes_like(kind, lower, upper, turn=TURNS[0]):
    """Boxes (n, 3) as another kind of volume, of no radius."""
    if kind is Regions:
        return Regions(lower, upper, np.zeros(len(lower)))
    if kind is OrientedBoxes:
        half = (upper - lower) / 2 @ np.abs(turn)
        return OrientedBoxes((lower + upper) / 2, half, np.tile(turn, (len(lower), 1, 1)))
    if kind is Frusta:
        x, y, z = np.array([[0, 1, 1, 0] * 2, [0, 0, 1, 1] * 2, [0] * 4 + [1] * 4])
        return Frusta(np.where(np.stack((x, y, z), axis=1), upper[:, None], lower[:, None]))
    return Boxes(lower, upper)


def in_planes(seed, count=40, bits=18):
    """Planes through the origin with long normals, and triangles and parallelograms in them.

    Returns three vectors (count, 3) each: two in the plane, and its normal; all are whole.
    """
    random = np.random.default_rng(seed)
    one, other = random.integers(-(2**bits), 2**bits, (2, count, 3))
    normal = np.cross(one, other)
    return one.astype(float), other.astype(float), normal.astype(float)


def half_spaces(normals):
    return HalfSpaces(np.column_stack((normals, np.zeros(len(normals)))))


def hexahedra(one, other, normal):
    """Solids with a face in each plane, all of them on its inner side."""
    ring = np.stack((-one - other, one - other, one + other, other - one), axis=1)
    inward = normal / 2.0 ** np.frexp(np.abs(normal).max(axis=1))[1][:, None]
    inward = np.round(inward * 2**20)[:, None]
    return Frusta(np.concatenate((ring, ring + inward), axis=1))


def segments(starts, ends):
    return Capsules(starts, ends, np.zeros(len(starts)))
