"""A volume against a cell: outside, crossing, or inside.

Certainty costs a little reach: a cell counts as enlarged by `slack`, which covers where its items
may lie and what rounding may do here. OUTSIDE and INSIDE hold for all of the enlarged cell.
"""

from collections.abc import Callable
from typing import cast

import numpy as np
from numpy.typing import NDArray

from .arrays import Flags, Floats, Ids
from .shapes import Boxes, Frusta, Shapes, Spheres

OUTSIDE, CROSSING, INSIDE = np.uint8(1), np.uint8(2), np.uint8(3)

States = NDArray[np.uint8]
# (numbers (k,), cells (6, k)) -> states (k,)
Classify = Callable[[Ids, Floats], States]


def classifier(volumes: Shapes, slack: Floats) -> Classify:
    """The test for these volumes; `slack` (q,) is how much each cell is enlarged for each."""
    kinds: dict[type[Shapes], Callable[[Shapes, Floats, Ids, Floats], States]] = {
        Boxes: _boxes,
        Spheres: _spheres,
        Frusta: _frusta,
    }
    test = kinds[type(volumes)]
    return lambda numbers, cells: test(volumes, slack, numbers, cells)


def _states(touching: Flags, inside: Flags) -> States:
    return touching.view(np.uint8) + (touching & inside).view(np.uint8) + OUTSIDE


def _boxes(volumes: Shapes, slack: Floats, numbers: Ids, cells: Floats) -> States:
    extra = slack[numbers]
    touching, inside = np.ones((2, len(numbers)), bool)
    for axis in range(3):
        low, high = volumes.rows[axis][numbers], volumes.rows[3 + axis][numbers]
        touching &= (cells[axis] <= high + extra) & (cells[3 + axis] >= low - extra)
        inside &= (cells[axis] >= low + extra) & (cells[3 + axis] <= high - extra)
    return _states(touching, inside)


def _spheres(volumes: Shapes, slack: Floats, numbers: Ids, cells: Floats) -> States:
    near, far = np.zeros((2, len(numbers)))
    for axis in range(3):
        center = volumes.rows[axis][numbers]
        below, above = center - cells[axis], cells[3 + axis] - center
        gap = np.minimum(np.minimum(below, above), 0.0)
        reach = np.maximum(below, above)
        near += gap * gap
        far += reach * reach
    radius, extra = volumes.rows[3][numbers], slack[numbers]
    inside = (far <= (radius - extra) ** 2) & (radius >= extra)
    return _states(near <= (radius + extra) ** 2, inside)


def _frusta(volumes: Shapes, slack: Floats, numbers: Ids, cells: Floats) -> States:
    frusta = cast(Frusta, volumes)
    middle, half = (cells[:3] + cells[3:]) / 2, (cells[3:] - cells[:3]) / 2 + slack[numbers]
    touching, inside, held = np.ones((3, len(numbers)), bool)
    for plane in frusta.plane_rows:
        a, b, c, d = (row[numbers] for row in plane)
        distance = a * middle[0] + b * middle[1] + c * middle[2] + d
        reach = np.abs(a) * half[0] + np.abs(b) * half[1] + np.abs(c) * half[2]
        touching &= distance >= -reach
        inside &= distance >= reach
        held &= distance >= 0
    doubtful = np.flatnonzero(touching & ~held)
    touching[doubtful] = _edges_overlap(
        frusta, numbers[doubtful], middle[:, doubtful], half[:, doubtful]
    )
    return _states(touching, inside)


def _edges_overlap(frusta: Frusta, numbers: Ids, middle: Floats, half: Floats) -> Flags:
    """Return for which pairs neither an axis nor a cross product of edges separates the two.

    Gottschalk, Lin and Manocha, "OBBTree", 1996.
    """
    lower, upper = frusta.limits()
    flags = (middle - half <= upper[:, numbers]).all(axis=0)
    flags &= (middle + half >= lower[:, numbers]).all(axis=0)
    some = np.flatnonzero(flags)
    numbers = numbers[some]
    axes, least, greatest = (rows[..., numbers] for rows in frusta.edge_axes)
    center = np.einsum("aih,ih->ah", axes, middle[:, some])
    reach = np.einsum("aih,ih->ah", np.abs(axes), half[:, some])
    apart = (center - reach > greatest) | (center + reach < least)
    flags[some] = ~apart.any(axis=0)
    return flags
