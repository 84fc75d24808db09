"""Features of triangles (corners, edges and face), and their distances from the origin.

All seven regions around a triangle, after Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
Each squared distance is one quotient whose parts are exact in whole numbers. So equal distances
are equal to the last bit, and comparisons of a touch without the division are exact.
"""

import numpy as np

from ..arrays import Flags, Floats, cross, dot, power_of_two_scale, quotient, robust_cross


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
