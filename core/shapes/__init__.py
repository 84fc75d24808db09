"""Batches of shapes: frozen, float64, axis first.

Every batch keeps its numbers as `rows`, (k, n): one contiguous row for each coordinate. The
attributes that carry the constructor's names are views of those rows, vectors last.

=============  ==  ==================================================================
batch          k   rows
=============  ==  ==================================================================
Boxes          6   lower x, y, z, upper x, y, z
Spheres        4   center x, y, z, radius
Regions        7   lower x, y, z, upper x, y, z, radius
Triangles      9   first corner x, y, z, second corner x, y, z, third corner x, y, z
OrientedBoxes  15  center x, y, z, half sizes, first axis x, y, z, second axis, third axis
Capsules       7   start x, y, z, end x, y, z, radius
HalfSpaces     4   a, b, c, d of the plane
Frusta         24  the eight corners in order, x, y, z each
=============  ==  ==================================================================
"""

from .boxes import Boxes, Capsules, Regions, Shapes, Spheres
from .frusta import Frusta, HalfSpaces
from .oriented_boxes import OrientedBoxes
from .triangles import Triangles

__all__ = [
    "Boxes",
    "Capsules",
    "Frusta",
    "HalfSpaces",
    "OrientedBoxes",
    "Regions",
    "Shapes",
    "Spheres",
    "Triangles",
]
