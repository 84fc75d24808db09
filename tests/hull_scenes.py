"""Batches of every kind for tests of pairs: at random, in whole numbers, and degenerate."""

from itertools import permutations, product

import core_scenes as scenes
import numpy as np

from core import Boxes, Capsules, Frusta, OrientedBoxes, Regions, Spheres, Triangles

# The 48 rotations and reflections that take the axes to the axes.
SIGNED = np.array(
    [
        np.eye(3)[list(order)] * signs
        for order in permutations(range(3))
        for signs in product((-1, 1), repeat=3)
    ]
)

TURN = scenes.turns(1)[0]


def random(kind, count=30, seed=1, size=0.5):
    """Shapes about as large as the space that they lie in."""
    numbers = scenes.numbers([seed, 1])
    places = numbers.uniform(-1, 1, (count, 3))
    sizes = size * numbers.uniform(0, 1, (count, 3))
    corners = places[:, None] + sizes[:, None] * numbers.uniform(-1, 1, (count, 3, 3))
    radii = size / 2 * numbers.uniform(0, 1, count)
    return made(kind, corners, sizes, radii, scenes.turns(count, seed))


def whole(kind, count=30, seed=1):
    """Shapes in small whole numbers, many of them flat, thin, pointlike, or touching."""
    numbers = scenes.numbers([seed, 2])
    places = numbers.integers(-4, 5, (count, 1, 3))
    corners = places + numbers.integers(-2, 3, (count, 3, 3))
    sizes, radii = numbers.integers(0, 3, (count, 3)), numbers.integers(0, 4, count)
    if kind is Frusta:
        return scenes.whole_frusta(count, seed)
    return made(kind, corners, sizes, radii, SIGNED[numbers.integers(48, size=count)])


def degenerate(kind, seed=1):
    """Points, segments and flat shapes; whole numbers too."""
    numbers = scenes.numbers([seed, 3])
    corners = numbers.integers(-2, 3, (24, 1, 3)) + numbers.integers(-1, 2, (24, 3, 3))
    corners[:8] = corners[:8, :1]
    corners[8:12, 2] = 2 * corners[8:12, 1] - corners[8:12, 0]
    corners[12:16, 1] = corners[12:16, 0]
    sizes = np.repeat([[0, 0, 0], [0, 2, 0], [1, 0, 2]], 8, axis=0)
    if kind is Frusta:
        return moved(scenes.whole_frusta(24, seed), 1, (1, 1, 1))
    return made(kind, corners, sizes, np.arange(24) % 2, SIGNED[::2])


def made(kind, corners, sizes, radii, turns):
    """Shapes of a kind from (n, 3, 3) corners, (n, 3) sizes, (n,) radii and (n, 3, 3) turns."""
    low, high = corners[:, 0], corners[:, 0] + sizes
    if kind is Triangles:
        return scenes.loose_triangles(corners)
    if kind is Frusta:
        return Frusta(scenes.hexahedra(Boxes(-sizes, sizes)).corners @ turns + corners[:, :1])
    return {
        Boxes: lambda: Boxes(low, high),
        Spheres: lambda: Spheres(low, radii),
        Regions: lambda: Regions(low, high, radii),
        OrientedBoxes: lambda: OrientedBoxes(low, sizes, turns),
        Capsules: lambda: Capsules(low, corners[:, 1], radii),
    }[kind]()


NAMES = {
    Triangles: ("vertices", "faces"),
    Boxes: ("lower", "upper"),
    Spheres: ("centers", "radii"),
    Regions: ("lower", "upper", "radii"),
    OrientedBoxes: ("centers", "half_sizes", "rotations"),
    Capsules: ("starts", "ends", "radii"),
    Frusta: ("corners",),
}
PLACES = {"vertices", "lower", "upper", "centers", "starts", "ends", "corners"}


def changed(shapes, change):
    """Return a batch of the same kind, from what `change` makes of each name and array."""
    return type(shapes)(*(change(name, getattr(shapes, name)) for name in NAMES[type(shapes)]))


def moved(shapes, factor=1.0, shift=(0.0, 0.0, 0.0)):
    """Scale a batch about the origin, then shift it."""

    def change(name, array):
        if name in PLACES:
            return array * factor + shift
        return array if name in ("faces", "rotations") else array * factor

    return changed(shapes, change)


def rounded(shapes):
    """Return the batch with sixteen bits after the point; turns stay as they are."""
    return changed(
        shapes,
        lambda name, array: (
            array if name in ("faces", "rotations") else np.round(array * 2**16) / 2**16
        ),
    )
