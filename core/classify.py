"""A volume against a cell: outside, crossing, or inside.

A cell counts as enlarged by some slack, which covers how far out of it its items may lie and what
rounding may do here. OUTSIDE and INSIDE hold for all of the enlarged cell, hence for certain.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids, dot, gather, power_of_two_scale, project, take_columns
from .shapes import (
    Boxes,
    Capsules,
    Frusta,
    HalfSpaces,
    OrientedBoxes,
    Regions,
    Shapes,
    Spheres,
)
from .touch.capsules import feet_of
from .touch.containment import ball_held
from .touch.separating_axis import edges_part

# Pairs that are tried on all axes together.
_FEW = 4_096

UNVISITED, OUTSIDE, CROSSING, INSIDE = np.arange(4, dtype=np.uint8)

States = NDArray[np.uint8]
# (numbers of volumes (k,), cells (6, k)) -> states (k,)
Classify = Callable[[Ids, Floats], States]


def classifier(volumes: Shapes, slack: Floats) -> Classify:
    """Return the test for these volumes, each with its own slack (q,)."""
    makers: dict[type[Shapes], Callable[[Any, Floats], Classify]] = {
        Boxes: _boxes,
        Spheres: _spheres,
        Regions: _regions,
        OrientedBoxes: _oriented_boxes,
        Capsules: _capsules,
        HalfSpaces: _half_spaces,
        Frusta: _frusta,
    }
    return makers[type(volumes)](volumes, slack)


def _states(touching: Flags, inside: Flags) -> States:
    return touching.view(np.uint8) + (touching & inside).view(np.uint8) + OUTSIDE


def _boxes(volumes: Shapes, slack: Floats) -> Classify:
    lower, upper = volumes.limits()
    grown = np.concatenate((lower - slack, upper + slack))
    shrunk = np.concatenate((lower + slack, upper - slack))
    widest = (shrunk[3] - shrunk[0]).max(initial=-np.inf)

    def classify(numbers: Ids, cells: Floats) -> States:
        outer = gather(grown, numbers)
        sides = (cells[:3] <= outer[3:]) & (cells[3:] >= outer[:3])
        touching = sides[0] & sides[1] & sides[2]
        if (cells[3] - cells[0]).min(initial=np.inf) > widest:
            return touching.view(np.uint8) + OUTSIDE
        inner = gather(shrunk, numbers)
        inside = (cells[:3] >= inner[:3]) & (cells[3:] <= inner[3:])
        return _states(touching, inside.all(axis=0))

    return classify


def _spheres(volumes: Shapes, slack: Floats) -> Classify:
    centers, radii = volumes.rows[:3], volumes.rows[3]
    slack = 2 * slack  # an enlarged cell's corners move by the square root of three
    grown = (radii + slack) ** 2
    shrunk = np.where(radii >= slack, (radii - slack) ** 2, -1.0)

    def classify(numbers: Ids, cells: Floats) -> States:
        center = gather(centers, numbers)
        below, above = center - cells[:3], cells[3:] - center
        gap = np.minimum(np.minimum(below, above), 0.0)
        reach = np.maximum(below, above)
        near = np.einsum("ik,ik->k", gap, gap)
        far = np.einsum("ik,ik->k", reach, reach)
        return _states(near <= grown[numbers], far <= shrunk[numbers])

    return classify


def _regions(volumes: Shapes, slack: Floats) -> Classify:
    slack = 2 * slack  # an enlarged cell's corners move by the square root of three
    grown, spare = (volumes.rows[6] + slack) ** 2, volumes.rows[6] - slack

    def classify(numbers: Ids, cells: Floats) -> States:
        boxes = gather(volumes.rows, numbers)
        gap = np.maximum(boxes[:3] - cells[3:], cells[:3] - boxes[3:6])
        beyond = np.maximum(boxes[:3] - cells[:3], cells[3:] - boxes[3:6])
        np.maximum(gap, 0.0, out=gap)
        near = np.einsum("ik,ik->k", gap, gap)
        return _states(near <= grown[numbers], ball_held(beyond, spare[numbers]))

    return classify


def _oriented_boxes(volumes: Shapes, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        turned = gather(volumes.rows, numbers)
        size, axes = turned[3:6], turned[6:].reshape(3, 3, -1)
        middle = turned[:3] - (cells[:3] + cells[3:]) / 2
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        distance = np.abs(np.stack([dot(axis, middle) for axis in axes]))
        reach = np.stack([dot(np.abs(axis), half) for axis in axes])
        touching = (distance <= size + reach).all(axis=0)
        inside = (distance + reach <= size).all(axis=0)
        some = np.flatnonzero(touching & ~inside)
        solids = half[:, some], middle[:, some], axes[:, :, some], size[:, some]
        touching[some] = ~edges_part(*solids)
        return _states(touching, inside)

    return classify


def _capsules(volumes: Shapes, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        capsule = gather(volumes.rows, numbers)
        middle = (cells[:3] + cells[3:]) / 2 - capsule[:3]
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        # In this direction no point of the segment lies farther than the one nearest to `middle`.
        beside = middle - feet_of(middle, capsule)[0]
        toward = beside * power_of_two_scale(beside)
        gap = dot(toward, beside) - dot(np.abs(toward), half)
        far = (gap > 0) & (gap * gap > capsule[6] ** 2 * dot(toward, toward))
        return _states(~far, _hold_boxes(capsule, middle, half))

    return classify


def _hold_boxes(capsules: Floats, middle: Floats, half: Floats) -> Flags:
    """Return which boxes lie in capsules, seen from where these start; corner after corner."""
    some = np.arange(len(half[0]))
    for signs in product((-1, 1), repeat=3):
        capsule = gather(capsules, some)
        corner = middle[:, some] + np.reshape(signs, (3, 1)) * half[:, some]
        beside = corner - feet_of(corner, capsule)[0]
        some = some[dot(beside, beside) <= capsule[6] ** 2]
    flags = np.zeros(len(half[0]), bool)
    flags[some] = True
    return flags


def _half_spaces(volumes: HalfSpaces, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        planes = take_columns(volumes.plane_rows, numbers)
        middle, half = (cells[:3] + cells[3:]) / 2, (cells[3:] - cells[:3]) / 2 + slack[numbers]
        distance = (planes[:3] * middle).sum(axis=0) + planes[3]
        reach = (np.abs(planes[:3]) * half).sum(axis=0)
        return _states(distance >= -reach, distance >= reach)

    return classify


def _frusta(frusta: Frusta, slack: Floats) -> Classify:
    def classify(numbers: Ids, cells: Floats) -> States:
        middle = (cells[:3] + cells[3:]) / 2
        half = (cells[3:] - cells[:3]) / 2 + slack[numbers]
        planes = take_columns(frusta.plane_rows, numbers)
        distance = project(planes[:, :3], middle) + planes[:, 3]
        reach = project(np.abs(planes[:, :3]), half)
        touching = (distance >= -reach).all(axis=0)
        held = (distance >= 0).all(axis=0)
        some = np.flatnonzero(touching & ~held)
        for few in np.split(some, range(_FEW, len(some), _FEW)):
            touching[few] = _edges_overlap(frusta, numbers[few], middle[:, few], half[:, few])
        return _states(touching, (distance >= reach).all(axis=0))

    return classify


def _edges_overlap(frusta: Frusta, numbers: Ids, middle: Floats, half: Floats) -> Flags:
    """Return for which pairs neither an axis nor a cross product of edges separates the two.

    Gottschalk, Lin and Manocha, "OBBTree", 1996.
    """
    lower, upper = frusta.limits()
    flags = (middle - half <= upper[:, numbers]).all(axis=0)
    flags &= (middle + half >= lower[:, numbers]).all(axis=0)
    some = np.flatnonzero(flags)
    axes, least, greatest = (take_columns(rows, numbers[some]) for rows in frusta.edge_axes)
    center, reach = project(axes, middle[:, some]), project(np.abs(axes), half[:, some])
    apart = (center - reach > greatest) | (center + reach < least)
    flags[some] = ~apart.any(axis=0)
    return flags
