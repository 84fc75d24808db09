"""Triangles against spheres (closest point) and boxes (separating axes, SAT).

The features of a triangle are its corners, edges and face: all seven regions around it, after
Ericson, "Real-Time Collision Detection", 2005, 5.1.5. Each squared distance is one quotient whose
parts are exact in whole numbers. So equal distances are equal to the last bit, and comparisons of
a touch without the division are exact.
"""

import numpy as np

from ..arrays import (
    Flags,
    Floats,
    Ids,
    blocks,
    columns,
    cross,
    dot,
    flagged,
    gather,
    power_of_two_scale,
    quotient,
    robust_cross,
)
from ..shapes import Shapes, Triangles
from .triangle_boxes import meet_boxes

# Largest number of triangles per query for which a table of bounding spheres pays off.
_WORTH = 512
# Triangles whose features are computed together: few enough to stay in the cache.
_BLOCK = 2_048


class Features:
    """Corners, edges and face of triangles (3 axes, 3 corners, h), with the query point at 0.

    `beside` (3, h) flags the edges that hold the point of their line nearest to the origin;
    `above` (h,) flags the faces that hold the foot of the origin on their plane. The nearest
    point of a line divides its edge at `along / span`, (3, h).
    """

    def __init__(self, corners: Floats) -> None:
        self.corners, self.edges = corners, np.roll(corners, -1, axis=1) - corners
        units = self.edges * power_of_two_scale(self.edges)
        self.along, self.span = -dot(corners, units), dot(self.edges, units)
        self.lengths = dot(units, units)
        self.beside = (self.along >= 0) & (self.along <= self.span) & (self.lengths > 0)
        moments = cross(corners, units)
        self.moments = dot(moments, moments)
        self.normal, self.area, self.thin = robust_cross(units[:, 0], units[:, 1])
        self.sides = dot(moments, self.normal[:, None])
        same_side = (self.sides >= 0).all(axis=0) | (self.sides <= 0).all(axis=0)
        self.above = same_side & (self.area > 0)
        self.height = dot(corners[:, 0], self.normal)

    def are_near(self, squared: Floats) -> Flags:
        """Flag the triangles with an edge or face within a radius, given its square, (h,)."""
        above = self.above.copy()
        if (above & self.thin).any():
            (some,) = (above & self.thin).nonzero()
            above[some] = within_spans(self.corners[:, :, some], self.edges[:, :, some])
        flags: Flags = (self.beside & (self.moments <= squared * self.lengths)).any(axis=0)
        return flags | (above & (self.height * self.height <= squared * self.area))


class ClosestFeatures(Features):
    """Features with their squared distances from the origin, and the closest of them.

    `squares` (7, h) holds the squared distances of three corners, three edges and the face: for an
    edge or face, infinite if the nearest point of its line or plane lies beside the edge or face.
    """

    def __init__(self, corners: Floats) -> None:
        super().__init__(corners)
        self.total = self.sides[0] + self.sides[1] + self.sides[2]
        # Beyond the tip of a sliver, the signs of `sides` are unreliable: the foot must also lie
        # beside the longest edge.
        longest = self.lengths == self.lengths.max(axis=0)
        self.above &= (self.beside & longest).any(axis=0) & (self.total != 0)
        self.squares = np.empty((7, corners.shape[2]))
        self.squares[:3] = dot(corners, corners)
        self.squares[3:6] = quotient(self.moments, self.lengths, self.beside, np.inf)
        height = self.height * self.height
        self.squares[6] = quotient(height, self.area, self.above, np.inf)

    def weights(self) -> Floats:
        """Return the closest point as weights of the three corners, (3, h).

        The closest of the feet on the edges and on the face: on a sliver the foot on the face is
        imprecise.
        """
        share = np.clip(quotient(self.along, self.span), 0.0, 1.0)
        share += 0.0  # turns -0.0 into 0.0
        weights = np.zeros((4, *share.shape))
        for edge in range(3):
            weights[edge, edge] = 1 - share[edge]
            weights[edge, (edge + 1) % 3] = share[edge]
        # The origin's distance from an edge is proportional to the opposite corner's weight.
        shares = quotient(np.roll(self.sides, -1, axis=0), self.total, self.above)
        weights[3] = np.where(self.above, shares, weights[0])
        corners = self.corners[:, :, None]
        feet = np.stack([dot(weights.swapaxes(0, 1), corner) for corner in corners])
        best = dot(feet, feet).argmin(axis=0)
        return np.take_along_axis(weights, best[None, None], axis=0)[0]


def within_spans(apart: Floats, edges: Floats) -> Flags:
    """Flag the points within the extents of faces, along the direction of each edge.

    Both are (3, ..., k, h): points relative to the corners, and the edges that start there. Beyond
    the tip of a sliver, side tests with its two long edges are unreliable; this test excludes such
    points.
    """
    flags = np.ones((*apart.shape[1:-2], apart.shape[-1]), bool)
    for number in range(edges.shape[-2]):
        along = dot(apart, edges[..., number : number + 1, :])
        flags &= (along.min(axis=-2) <= 0) & (along.max(axis=-2) >= 0)
    return flags


def touch_spheres(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the triangles with a point no farther from the center than the radius.

    Distances stay squared and undivided, so a touch in whole numbers is exact.
    """
    # Bounding spheres of all triangles cost as much as one pass over all of them.
    if worth_tables(items, len(volumes)):
        near = np.flatnonzero(_spheres_touch(items.bounding_spheres, ids, volumes.rows, numbers))
    else:
        near = np.arange(len(ids))
    corners, squared = _relative(items.take_rows(ids[near]), volumes.rows, numbers[near])
    found = _corner_near(corners, squared)
    rest = np.flatnonzero(~found)
    for some in blocks(len(rest), _BLOCK):
        left = rest[some]
        seen = gather(corners, left).reshape(3, 3, -1).swapaxes(0, 1)
        found[left] = Features(seen).are_near(squared[left])
    return flagged(len(ids), near, found)


def bounding_spheres_of(items: Triangles, ids: Ids, questions: int) -> Floats:
    """Return bounding spheres of some triangles, (4, h); of all, cached, if that pays off."""
    return (
        columns(items.bounding_spheres, ids)
        if worth_tables(items, questions)
        else items[ids].bounding_spheres
    )


def worth_tables(items: Triangles, questions: int) -> bool:
    """Return whether a cached table of all items pays off for `questions` queries."""
    return len(items) < _WORTH * questions


def _spheres_touch(bounding: Floats, ids: Ids, spheres: Floats, numbers: Ids) -> Flags:
    ours, theirs = gather(bounding, ids), gather(spheres, numbers)
    ours[:3] -= theirs[:3]
    ours[3] += theirs[3]
    ours *= ours
    return ours[0] + ours[1] + ours[2] <= ours[3]


def _relative(corners: Floats, spheres: Floats, numbers: Ids) -> tuple[Floats, Floats]:
    """Return corners relative to the centers, in place, and the squared radii."""
    for axis in range(3):
        center = spheres[axis][numbers]
        for corner in range(3):
            corners[3 * corner + axis] -= center
    return corners, spheres[3][numbers] ** 2


def _corner_near(corners: Floats, squared: Floats) -> Flags:
    flags = np.zeros(len(squared), bool)
    for x, y, z in corners.reshape(3, 3, -1):
        flags |= x * x + y * y + z * z <= squared
    return flags


def touch_boxes(items: Triangles, ids: Ids, volumes: Shapes, numbers: Ids) -> Flags:
    """Flag the triangles with a corner in the box, or with no axis that separates them from it.

    Akenine-Moller, "Fast 3D Triangle-Box Overlap Testing", 2001: the box's axes, the triangle's
    normal, and the nine cross products of their edges.
    """
    near = np.arange(len(ids))
    if worth_tables(items, len(volumes)):
        spheres = items.bounding_spheres
        near = np.flatnonzero(_spheres_touch_boxes(spheres, ids, volumes.rows, numbers))
    lower, upper = volumes.take_rows(numbers[near]).reshape(2, 3, -1)
    corners = items.take_rows(ids[near]).reshape(3, 3, -1)
    return flagged(len(ids), near, meet_boxes(corners, lower, upper))


def _spheres_touch_boxes(spheres: Floats, ids: Ids, boxes: Floats, numbers: Ids) -> Flags:
    ours, squares = gather(spheres, ids), np.zeros(len(ids))
    for center, lower, upper in zip(ours[:3], boxes[:3], boxes[3:], strict=True):
        gap = np.maximum(lower[numbers] - center, center - upper[numbers])
        np.maximum(gap, 0.0, out=gap)
        gap *= gap
        squares += gap
    return squares <= ours[3] * ours[3]
