"""What is true of two convex hulls that are grown round, pair by pair, by fractions.

No feature and no axis is looked at: two hulls are as far apart as their differences, the hull of
all corners of one minus all corners of the other, are from the origin.
"""

from fractions import Fraction
from itertools import product

import numpy as np

from core import Boxes, Capsules, Frusta, OrientedBoxes, Regions, Spheres, Triangles

# Two correct formulas may differ by this much of the largest coordinate.
TOLERANCE = Fraction(1, 10**9)
SIGNS = np.array(list(product((-1, 1), repeat=3)))


def corners_of(shapes):
    """Corners whose hull, grown by a radius, is the shape: n lists of (p, 3) fractions."""
    if isinstance(shapes, Triangles):
        return fractions(shapes.vertices[shapes.faces])
    if isinstance(shapes, Boxes | Regions):
        lower, upper = fractions(shapes.lower), fractions(shapes.upper)
        return np.where(SIGNS > 0, upper[:, None], lower[:, None])
    if isinstance(shapes, OrientedBoxes):
        arms = fractions(shapes.rotations) * fractions(shapes.half_sizes)[:, None]
        return fractions(shapes.centers)[:, None] + (SIGNS[:, None] * arms[:, None]).sum(axis=-1)
    if isinstance(shapes, Capsules):
        return fractions(np.stack((shapes.starts, shapes.ends), axis=1))
    return fractions(shapes.corners if isinstance(shapes, Frusta) else shapes.centers[:, None])


def radii_of(shapes):
    rounded = isinstance(shapes, Spheres | Regions | Capsules)
    return fractions(shapes.radii if rounded else np.zeros(len(shapes)))


def fractions(array):
    return np.vectorize(Fraction, otypes=[object])(array)


def touching(items, volumes, doubt=0):
    """Which volumes (rows) surely touch which items, and which possibly do."""
    ones, others = corners_of(volumes), corners_of(items)
    reach = radii_of(volumes)[:, None] + radii_of(items)
    surely, possibly = np.zeros((2, len(volumes), len(items)), bool)
    for v, i in product(range(len(volumes)), range(len(items))):
        surely[v, i], possibly[v, i] = near(ones[v], others[i], reach[v, i], doubt)
    return surely, possibly


def inside(items, volumes, doubt=0):
    """Which items lie in which volumes (rows) surely, and which possibly do."""
    hold = boxes_hold if isinstance(volumes, OrientedBoxes) else capsules_hold
    return hold(volumes, corners_of(items), radii_of(items), doubt)


def boxes_hold(boxes, corners, radii, doubt):
    axes = fractions(boxes.rotations).swapaxes(1, 2)[:, None, None]
    apart = (corners - fractions(boxes.centers)[:, None, None])[..., None, :]
    beyond = abs((apart * axes).sum(axis=-1)) - fractions(boxes.half_sizes)[:, None, None]
    beyond = beyond.max(axis=(2, 3)) + radii
    return beyond <= -doubt, beyond <= doubt


def capsules_hold(capsules, corners, radii, doubt):
    segments, spare = corners_of(capsules), radii_of(capsules)[:, None] - radii
    surely, possibly = np.ones((2, len(capsules), len(corners)), bool)
    for v, i in product(range(len(capsules)), range(len(corners))):
        for corner in corners[i]:
            near_one = near(segments[v], corner[None], spare[v, i], doubt)
            surely[v, i] &= near_one[0]
            possibly[v, i] &= near_one[1]
    return surely, possibly


def near(one, other, reach, doubt):
    """Whether two hulls are no farther apart than `reach`, less the doubt, and with it.

    Fractions are called only where floating point leaves a doubt.
    """
    differences = (one[:, None] - other).reshape(-1, 3)
    margin = 1e-6 * float(abs(differences).max() + abs(reach))
    rough = differences.astype(float)
    if decided(rough, float(reach) - margin, 20) is True:
        return True, True
    if decided(rough, float(reach) + margin, 20) is False:
        return False, False
    return tuple(decided(differences, limit) for limit in (reach - doubt, reach + doubt))


def decided(points, limit, rounds=1000):
    """Whether the hull of `points` (p, 3) comes as near to the origin as `limit`, or None.

    Coming nearer and nearer; a point of the hull that is near enough proves it, a plane with all
    of the hull beyond it disproves it.
    """
    if limit < 0:
        return False
    chosen, weights = [int((points * points).sum(axis=1).argmin())], [1]
    for _ in range(rounds):
        nearest = (points[chosen] * np.array(weights)[:, None]).sum(axis=0) / sum(weights)
        heights, square = points @ nearest, nearest @ nearest
        lowest = int(heights.argmin())
        if square <= limit * limit:
            return True
        if heights[lowest] > 0 and heights[lowest] ** 2 > limit * limit * square:
            return False
        if lowest in chosen:
            return None
        chosen, weights = corral(points, [*chosen, lowest], [*weights, 0])
    return None


def corral(points, chosen, weights):
    """Return the corners between which the nearest point lies, and its weights.

    Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11, 1976.
    """
    while True:
        goal = flat_nearest(points[chosen])
        if min(goal) > 0:
            return chosen, goal
        steps = [w / (w - g) if g <= 0 else 1 for w, g in zip(weights, goal, strict=True)]
        step = min(steps)
        weights = [w + step * (g - w) for w, g in zip(weights, goal, strict=True)]
        left = [k for k, s in enumerate(steps) if s > step or goal[k] > 0]
        chosen, weights = [chosen[k] for k in left], [weights[k] for k in left]


def flat_nearest(points):
    """Weights, of sum 1, of the point nearest to the origin in the flat through `points`."""
    size = len(points) + 1
    rows = [[1 - points[0, 0] * 0] * size + [0] for _ in range(size)]
    rows[0][0], rows[0][-1] = 0, 1
    for i, j in product(range(len(points)), repeat=2):
        rows[i + 1][j + 1] = points[i] @ points[j]
    return solved(rows)[1:]


def solved(rows):
    """Solve linear equations, the right side as last column, by elimination."""
    for k in range(len(rows)):
        pivot = max(range(k, len(rows)), key=lambda r: abs(rows[r][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if rows[k][k] == 0:
            return [float("nan")] * len(rows)
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r, row in enumerate(rows):
            if r != k:
                rows[r] = [a - row[k] * b for a, b in zip(row, rows[k], strict=True)]
    return [row[-1] for row in rows]
