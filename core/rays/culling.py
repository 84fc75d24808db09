"""Rays as lines that pass by items: a quick look at pairs before the exact one.

Triangles lie in the spheres around them, and in the discs that these cut out of their planes.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ids, dot, gather
from ..octree import Octree
from ..shapes import Shapes, Triangles
from ..touch.triangles import bounding_spheres_of, worth_tables
from .crossings import Rays

# Rays, entries of the tree, and a number that is the less the more surely they meet.
Near = tuple[Ids, Ids, Floats]

# What is left of a square after rounding, at least; how wrong a known normal may be, at most.
_ROUNDED, _TURNED = 1.0 - 2.0**-48, 2.0**-28


@dataclass(frozen=True)
class SphereCull:
    """Lines through points of the rays.

    Seen from the point of the ray that is nearest to the middle of the root, numbers are no
    larger than the scene, however far away the ray begins.
    """

    items: Shapes
    points: Floats
    units: Floats
    shifts: Floats
    slacks: Floats
    asked: int

    @classmethod
    def of(cls, tree: Octree, rays: Rays) -> "SphereCull":
        """Return the lines of rays that ask about a tree."""
        cells, slacks = tree._roots_for(len(rays))
        lower, upper = gather(tree.cell_rows, cells).reshape(2, 3, -1)
        units = rays.directions / rays.lengths
        shifts = np.maximum(dot((lower + upper) / 2 - rays.origins, units), 0.0)
        points = rays.origins + units * shifts
        farthest = np.maximum(np.abs(rays.origins), np.abs(points)).max(axis=0)
        slacks = 2 * slacks + farthest * 2.0**-45
        return cls(tree.arranged, points, units, shifts, slacks, rays.asked)

    def near(self, numbers: Ids, entries: Ids, limits: Floats) -> Near:
        """Return the pairs that may meet: in the sphere, not behind, not too far, in the disc."""
        if not isinstance(self.items, Triangles):
            return numbers, entries, np.zeros(len(numbers))
        balls = bounding_spheres_of(self.items, entries, self.asked)
        slacks = self.slacks.take(numbers)
        middles, radii = balls[:3] - gather(self.points, numbers), balls[3] + slacks
        units = gather(self.units, numbers)
        along = dot(middles, units)
        room = radii * radii - (dot(middles, middles) * _ROUNDED - along * along)
        (some,) = (room >= 0).nonzero()
        asked, found, along, room = numbers[some], entries[some], along[some], room[some]
        radii, misses = radii[some], -room
        ahead = along + self.shifts[asked]
        flags = (ahead >= -radii) & (ahead - radii <= limits[asked])
        if worth_tables(self.items, self.asked):
            units = gather(units, some)
            beside = gather(middles, some) - along * units
            planes = gather(self.items.planes, found)
            misses = _out_of_discs(planes, units, beside, np.sqrt(room))
            flags &= misses <= radii * _TURNED + slacks[some]
        (kept,) = flags.nonzero()
        return asked[kept], found[kept], misses[kept]


def _out_of_discs(planes: Floats, units: Floats, beside: Floats, chords: Floats) -> Floats:
    """Return how far lines must be moved, along the normals, to cross discs; negative in them.

    The middle of a disc's sphere is `beside` the line, half of whose part in the sphere is
    `chords` long. A plane that is not known is met everywhere.
    """
    heights = np.abs(dot(planes, beside) + planes[3])
    misses: Floats = heights - np.abs(dot(planes, units)) * chords
    return misses
